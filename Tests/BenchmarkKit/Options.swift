/// What the command line asks for.
public struct Options: Equatable, Sendable {
  public var printsJSON = false
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
    usage: benchmarks [-json] [-check] [-brief] [-instructions] [-row TEXT]… [-dir DIRECTORY]

    Measures ours beside its peers and the limit, and prints one table.

      -json          print JSON
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
      case "-check": checks = true
      case "-brief": isBrief = true
      case "-instructions": instructions = true
      case "-help", "--help", "-h": wantsHelp = true
      case "-row": rows.append(try value(argument))
      case "-dir": directory = try value(argument)
      default: throw Mistake("unknown option “\(argument)”; -help lists all")
      }
    }
    if isBrief && checks {
      throw Mistake("-brief measures too little for -check to judge; leave one of them out")
    }
  }

  /// Whether a row of that name was asked for.
  public func wants(_ row: String) -> Bool {
    rows.isEmpty || rows.contains { row.contains($0) }
  }
}
