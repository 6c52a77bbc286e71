import BenchmarkKit
import Foundation

/// Says what went wrong, and ends the program.
func stop(_ message: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("benchmarks: \(message)\n".utf8))
  exit(status)
}

/// Measures the rows that are wanted.
func measure(_ options: Options, targets: Targets) throws -> Run {
  let bench = try Workbench(isBrief: options.isBrief)
  let times =
    ReadRows.all(bench) + SetRows.all(bench) + ObserverRows.all(bench) + DiskRows.all(bench)
    + UpdateRows.all(bench) + EditRows.all(bench) + StallRows.all(bench) + TextRows.all(bench)
    + FormatRows.all(bench)
    + ProcessRows.all(bench) + ToolRows.all(bench) + ScaleRows.all(bench)
  let rows = options.instructions ? InstructionRows.all(bench) : times
  for name in targets.names where !times.contains(where: { $0.name == name }) {
    throw Targets.Mistake(description: "\(Pages.targets.path): there is no row “\(name)”")
  }
  let wanted = rows.filter { options.wants($0.name) }
  guard !wanted.isEmpty else {
    throw Options.Mistake("no row has such a name; the rows are: \(rows.map(\.name).joined(separator: "; "))")
  }
  // Before the rows, so that what is missing is said before they take their time.
  var environment = try Environment.ofThisMachine(bench)
  let pace = Pace(isBrief: options.isBrief)
  let results = try wanted.map { row in
    FileHandle.standardError.write(Data("measuring: \(row.name)\n".utf8))
    return try row.run(pace: pace)
  }
  environment.software += try bench.peers()
  return Run(results, in: environment)
}

/// Reads the run that a file holds.
func read(_ file: String, _ options: Options) throws -> Run {
  let run: Run
  do {
    run = try Run(json: Data(contentsOf: URL(fileURLWithPath: file)))
  } catch {
    throw Options.Mistake("\(file) is not what a run with -json printed: \(error)")
  }
  return run.wanted(by: options)
}

/// Shows what was measured, and gives the status with which the program ends.
func show(_ run: Run, _ options: Options, targets: Targets) throws -> Int32 {
  let report = try Report(run.rows, targets: targets)
  print(
    options.printsJSON
      ? try report.json(measuredIn: run.environment) : report.table(isJudged: !run.environment.isBrief),
    terminator: "")
  // After the table: what was measured is shown also where the pages cannot be written.
  if options.writes { try Pages.write(report, of: run, targets: targets) }
  let status = report.status(checks: options.checks)
  if status != 0 {
    FileHandle.standardError.write(Data("missed: \(report.misses.joined(separator: "; "))\n".utf8))
  }
  return status
}

do {
  try Child.runIfAsked(Array(CommandLine.arguments.dropFirst()))
  let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
  if options.wantsHelp {
    print(Options.help, terminator: "")
    exit(0)
  }
  let targets = try Targets(text: String(contentsOf: Pages.targets, encoding: .utf8))
  let run: Run
  if let file = options.file {
    run = try read(file, options)
  } else {
    try Workbench.enter(directory: options.directory)
    run = try measure(options, targets: targets)
  }
  exit(try show(run, options, targets: targets))
} catch let mistake as Options.Mistake {
  stop(mistake.description, status: 2)
} catch {
  stop("\(error)", status: 3)
}
