import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
if let job = ProcessInfo.processInfo.environment[Job.variable] {
  try Performer.run(file: job)
} else if arguments == ["--help"] || arguments == ["-h"] || arguments == ["help"] {
  print(Conformance.help)
} else {
  do {
    exit(try Conformance(arguments: arguments).run() ? 0 : 1)
  } catch let error as UsageError {
    Conformance.complain("\(error); see “conformance --help”")
    exit(2)
  } catch {
    Conformance.complain("\(error)")
    exit(2)
  }
}
