import BenchmarkKit
import Foundation

/// Says what went wrong, and ends the program.
func stop(_ message: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("benchmarks: \(message)\n".utf8))
  exit(status)
}

/// Runs the rows that are wanted and prints what they showed.
func run(_ options: Options) throws -> Int32 {
  let bench = try Workbench(isBrief: options.isBrief)
  let targets = try Targets(text: String(contentsOf: targetsFile, encoding: .utf8))
  let times =
    ReadRows.all(bench) + SetRows.all(bench) + ObserverRows.all(bench) + DiskRows.all(bench)
    + StallRows.all(bench) + TextRows.all(bench) + FormatRows.all(bench) + ProcessRows.all(bench)
    + ToolRows.all(bench) + ScaleRows.all(bench)
  let rows = options.instructions ? InstructionRows.all(bench) : times
  for name in targets.names where !times.contains(where: { $0.name == name }) {
    throw Targets.Mistake(description: "\(targetsFile.path): there is no row “\(name)”")
  }
  let wanted = rows.filter { options.wants($0.name) }
  guard !wanted.isEmpty else {
    throw Options.Mistake("no row has such a name; the rows are: \(rows.map(\.name).joined(separator: "; "))")
  }
  let pace = Pace(isBrief: options.isBrief)
  let results = try wanted.map { row in
    FileHandle.standardError.write(Data("measuring: \(row.name)\n".utf8))
    return try row.run(pace: pace)
  }
  let report = try Report(results, targets: targets)
  let isJudged = !options.isBrief
  print(
    options.printsJSON ? try report.json(isJudged: isJudged) : report.table(isJudged: isJudged),
    terminator: "")
  let status = report.status(checks: options.checks)
  if status != 0 {
    FileHandle.standardError.write(Data("missed: \(report.misses.joined(separator: "; "))\n".utf8))
  }
  return status
}

/// The targets lie beside this file.
let targetsFile = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
  "Targets.plist")

do {
  try Child.runIfAsked(Array(CommandLine.arguments.dropFirst()))
  let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
  if options.wantsHelp {
    print(Options.help, terminator: "")
    exit(0)
  }
  try Workbench.enter(directory: options.directory)
  exit(try run(options))
} catch let mistake as Options.Mistake {
  stop(mistake.description, status: 2)
} catch {
  stop("\(error)", status: 3)
}
