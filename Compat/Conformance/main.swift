import Foundation

if let job = ProcessInfo.processInfo.environment[Job.variable] {
  try Performer.run(file: job)
} else if let conformance = Conformance(arguments: Array(CommandLine.arguments.dropFirst())) {
  do {
    exit(try conformance.run() ? 0 : 1)
  } catch {
    FileHandle.standardError.write(Data("conformance: \(error)\n".utf8))
    exit(2)
  }
} else {
  FileHandle.standardError.write(Data((Conformance.usage + "\n").utf8))
  exit(2)
}
