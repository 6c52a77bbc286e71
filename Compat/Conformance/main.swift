import Foundation

let environment = ProcessInfo.processInfo.environment
if let job = environment[Job.variable] {
  try Performer.run(file: job)
} else if let conformance = Conformance(arguments: Array(CommandLine.arguments.dropFirst())) {
  exit(try conformance.run() ? 0 : 1)
} else {
  FileHandle.standardError.write(Data((Conformance.usage + "\n").utf8))
  exit(2)
}
