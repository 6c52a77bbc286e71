/// What the command line asks for.
public struct Options: Equatable, Sendable {
  public var printsJSON = false
  /// Whether to write the results into the package's pages.
  public var writes = false
  /// A file with a run's JSON, which is shown in place of measuring.
  public var file: String?
  public var checks = false
  public var isBrief = false
  public var instructions = false
  public var wantsHelp = false
  /// Only rows whose name contains one of these run; all where it is empty.
  public var rows: [String] = []
  /// Where the files of the benchmark are made; the working directory where it is nil.
  public var directory: String?

  /// What is wrong with a command line.
  public struct Mistake: Error, CustomStringConvertible, Equatable {
    public let description: String

    public init(_ description: String) {
      self.description = description
    }
  }

  public static let help = """
    usage: benchmarks [-json] [-write] [-check] [-brief] [-instructions] [-row TEXT]… [-dir DIRECTORY]
           benchmarks -from FILE [-json] [-write] [-check] [-row TEXT]…

    Measures ours beside its peers and the limit, and prints one table.

      -json          print JSON
      -write         write the table to Tests/Benchmarks/Results.md, and those of its rows that the guide page Speed shows
                     into that page
      -from FILE     measure nothing, and show what a run with -json printed into FILE
      -check         end with status 1 where a row misses its target, and name it
      -brief         run each row for an instant, only to see that it runs; -check cannot judge that
      -instructions  count the instructions of the reads with valgrind, in place of all other rows
      -row TEXT      run the rows whose names contain TEXT
      -dir DIRECTORY make files there, in place of the working directory; it should be on a real disk
      -help          print this

    The status is 0, 1 as -check says, 2 for a mistake in the options, 3 where a row could not be measured.

    """

  public init() {}

  /// Reads the arguments behind the program's name.
  public init(arguments: [String]) throws(Mistake) {
    var rest = arguments[...]
    func value(_ option: String) throws(Mistake) -> String {
      guard let value = rest.popFirst() else {
        throw Mistake("“\(option)” needs a value behind it")
      }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "-json": printsJSON = true
      case "-write": writes = true
      case "-check": checks = true
      case "-brief": isBrief = true
      case "-instructions": instructions = true
      case "-help", "--help", "-h": wantsHelp = true
      case "-row": rows.append(try value(argument))
      case "-dir": directory = try value(argument)
      case "-from": file = try value(argument)
      default: throw Mistake("unknown option “\(argument)”; -help lists all")
      }
    }
    if isBrief && checks {
      throw Mistake("-brief measures too little for -check to judge; leave one of them out")
    }
    if writes && (isBrief || instructions || !rows.isEmpty) {
      throw Mistake("-write needs all rows, measured in full; leave out -brief, -instructions and -row")
    }
    if file != nil && (isBrief || instructions || directory != nil) {
      throw Mistake("-from measures nothing; leave out -brief, -instructions and -dir")
    }
  }

  /// Whether a row of that name was asked for.
  public func wants(_ row: String) -> Bool {
    rows.isEmpty || rows.contains { row.contains($0) }
  }
}
