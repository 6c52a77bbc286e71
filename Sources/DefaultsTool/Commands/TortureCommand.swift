import DefaultsDatabase
import DefaultsTorture

/// `torture`: kills, races and stops processes on the user's own disk, and reports what was lost.
enum TortureCommand: Subcommand {
  static let name = "torture"
  static let forms = [
    CommandForm(
      "[-dir D] [-kills N] [-writers N] [-keys N]", "kill and race processes on a disk; report what is lost",
      example: """
        $ defaults torture -kills 2 -writers 2 -keys 10 | tail -n 1
        seconds …
        """)
  ]
  static let discussion = """
    Starts many processes that write defaults, in a fresh folder that is removed afterwards,
    and prints a table:
      kills    a writer is killed at random moments (-kills, by default 200); no file may be
               unparseable, and no key lost that synchronize acknowledged
      races    processes (-writers, 8) write keys (-keys, 250) into one domain, remove others
               and replace a whole domain; also with one stopped and one killed while it
               holds the lock, and with threads; every key must be there at the end
      counts   processes count one number up by commits (-keys each), also with one stopped and
               one killed while it holds the lock; every acknowledged commit must have counted
      holder   a process is stopped while it holds the lock; no call of another may wait longer
               than two seconds, the error names the process, and nothing is lost
      ends     processes end without a synchronize: normal ends lose nothing; of a trap, an
               uncaught error, _exit, SIGTERM and SIGKILL the age of the oldest lost change is shown
    The folder is made in D, or else beside the database, since that is the disk that matters.
    Your own defaults are not touched. Takes about a minute; a signal ends it and its processes.
    Exit code 4 if a promise was not kept; the folder then stays, and its path is printed.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    let request = try Request(arguments)
    guard context.user == nil else {
      throw usageError("“torture” makes its own defaults, and takes no “-u”; “-dir” names a disk")
    }
    guard let program = CurrentProcess.executablePath else {
      throw CommandError(.inputOutput, "the tool's own file cannot be found")
    }
    let place =
      try request.directory.map { path throws(DatabaseError) in try DatabaseLocation.absolute(path) }
      ?? placeBesideDatabase(context.environment)
    try FileRights.refuseOtherUsersPath(place, forAllUsers: true)
    let bench = try TortureBench(
      in: place, program: TortureProgram(path: program, arguments: [name]),
      report: { line in try? context.output.showProgress(line) },
      interruption: { CaughtSignal.last })
    CaughtSignal.note(TortureMatrix.interruptions)
    let start = MonotonicTime.now
    let trials: [any TortureTrial]
    do {
      trials = try request.matrix.run(on: bench)
    } catch let interruption as TortureInterruption {
      try bench.remove()
      interruption.signal.endProcess()
    }
    let seconds = MonotonicTime.now.seconds(since: start)
    try print(trials.flatMap(\.rows) + [TortureRow("seconds", Int(seconds.rounded()))], to: context.output)
    guard trials.allSatisfy(\.isClean) else {
      throw CommandError(.damaged, "a promise was not kept; the files are in \(bench.folder)")
    }
    try bench.remove()
    return .done
  }

  /// The nearest existing directory above the database's directory, which need not exist itself.
  static func placeBesideDatabase(
    _ environment: EnvironmentLookup
  ) throws(DatabaseError) -> String {
    var place = try DatabaseLocation.resolve(environment: environment)
    repeat {
      place = DatabaseLocation.parent(of: place)
    } while place != "/" && !exists(place)
    return place
  }

  /// Whether a path leads to something that exists.
  private static func exists(_ path: String) -> Bool {
    do throws(SystemError) {
      _ = try DiskFileSystem().status(at: path, followingLinks: true)
      return true
    } catch {
      return false
    }
  }

  private static func print(_ rows: [TortureRow], to output: CommandOutput) throws {
    let labels = rows.map(\.label.count).max() ?? 0
    let values = rows.map(\.value.count).max() ?? 0
    for row in rows {
      let gap = labels - row.label.count + values - row.value.count + 2
      try output.print(row.label + String(repeating: " ", count: gap) + row.value)
    }
  }

  /// The parsed arguments.
  private struct Request {
    var directory: String?
    var matrix = TortureMatrix()

    init(_ arguments: [String]) throws(CommandError) {
      var rest = arguments[...]
      while let option = rest.popFirst() {
        switch option {
        case "-dir":
          guard let path = rest.popFirst(), !path.isEmpty else { throw usageError("“-dir” takes a folder") }
          directory = path
        case "-kills": matrix.kills = try Request.number(rest.popFirst(), of: option)
        case "-writers": matrix.writers = try Request.number(rest.popFirst(), of: option)
        case "-keys": matrix.keys = try Request.number(rest.popFirst(), of: option)
        default: throw unknownOption(option, "it takes nothing but options")
        }
      }
    }

    private static func number(_ text: String?, of option: String) throws(CommandError) -> Int {
      guard let number = text.flatMap(Int.init), (1...100_000).contains(number) else {
        throw usageError("“\(option)” takes a number from 1 to 100000")
      }
      return number
    }
  }
}
