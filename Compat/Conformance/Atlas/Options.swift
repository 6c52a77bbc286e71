/// The command line of `conformance`.
struct Options {
  static let usage = """
    usage: conformance [FILE…] [--class NAME]… [--driver MANIFEST]… [--id PREFIX]… [--basis BASIS]
                       [--jobs N] [--expected FILE] [--write-expected FILE] [--allow-better]
                       [--results FILE] [--merge RESULTS]… [--page FILE] [--validate] [--json]
                       [--verbose]
    """
  static let help = """
    \(usage)

    Asks implementations of the defaults system questions: small experiments on a defaults database,
    performed by real processes in temporary folders, and texts of property lists. It prints how many
    answers are the expected ones, by family and implementation.

      FILE                   questions, one JSON object a line; the project's own unless said
      --class NAME           ask classic (NSUserDefaults), modern (UserDefaults of this package),
                             gnustep-compat (GNUstepUserDefaults), typed (typed keys) or foundation
                             (UserDefaults of this platform's Foundation); may be repeated; all of them
                             unless said, none where there is a --driver or a --merge
      --driver MANIFEST      ask another implementation through the program that the file describes;
                             may be repeated
      --id PREFIX            only questions whose id begins so, such as modern/cast; may be repeated
      --basis BASIS          only questions whose answer follows from openstep, apple, gnustep or
                             choice (this package's own)
      --jobs N               ask N questions at the same time; 3 unless said
      --expected FILE        the answers of one driver that are known to differ: lines of the form
                             ID [OUTCOME]  # REASON
      --write-expected FILE  write such a file from the answers of this run
      --allow-better         a listed answer that is the expected one now is no failure
      --results FILE         write the answers as a file of results: sorted lines of JSON
      --merge RESULTS        add the runs of a file of results that this run has not made; may be repeated
      --page FILE            write the answers as an HTML page
      --validate             check the form of every message; name the first wrong one of each driver
      --json                 print counts and differences as one JSON object
      --verbose              print every answer

    A difference of classic, modern and a driver is printed in full, and is a failure. The other classes'
    are only counted, and so are a driver's that --expected excuses. Without --expected, a driver's
    difference on a question of basis choice is printed, and is no failure.
    Exit codes: 0 all answers are as expected, 1 some are not, or a listed one is the expected one now,
    2 usage, or a file cannot be read, 3 a driver does not start or breaks the protocol.
    """

  var paths: [String] = []
  var classes: [Implementation] = []
  var manifests: [String] = []
  var idPrefixes: [String] = []
  var basis: Question.Basis?
  var jobs = 3
  var expected: String?
  var expectedToWrite: String?
  var allowsBetter = false
  var results: String?
  var merged: [String] = []
  var page: String?
  var isValidating = false
  var isJSON = false
  var isVerbose = false

  /// Reads the command line.
  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-") else {
        paths.append(argument)
        continue
      }
      let name = argument.hasPrefix("--") ? String(argument.dropFirst(2)) : String(argument.dropFirst())
      switch name {
      case "verbose": isVerbose = true
      case "json": isJSON = true
      case "validate": isValidating = true
      case "allow-better": allowsBetter = true
      case "class", "driver", "id", "basis", "jobs", "expected", "write-expected", "results", "merge",
        "page":
        guard let value = rest.popFirst() else { throw UsageError("“\(argument)” takes a value") }
        try take(value, of: name)
      default: throw UsageError("there is no option “\(argument)”")
      }
    }
    if !merged.isEmpty, results == nil, page == nil {
      throw UsageError("“--merge” adds to the file of “--results” or “--page”, and neither is named")
    }
    if classes.isEmpty, manifests.isEmpty, merged.isEmpty { classes = Implementation.allCases }
    let foreign = manifests.count + classes.filter { !$0.definesExpectations }.count
    if expected != nil || expectedToWrite != nil, foreign != 1 {
      throw UsageError("a list of expected differences is of one driver, and there are \(foreign)")
    }
  }

  private mutating func take(_ value: String, of name: String) throws(UsageError) {
    switch name {
    case "class":
      guard let implementation = Implementation(rawValue: value) else {
        let names = Implementation.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("there is no class “\(value)”: there are \(names)")
      }
      if !classes.contains(implementation) { classes.append(implementation) }
    case "driver": manifests.append(value)
    case "id": idPrefixes.append(value)
    case "basis":
      guard let basis = Question.Basis(rawValue: value) else {
        throw UsageError("there is no basis “\(value)”: it is openstep, apple, gnustep or choice")
      }
      self.basis = basis
    case "jobs":
      guard let jobs = Int(value), (1...64).contains(jobs) else {
        throw UsageError("“\(value)” is no number of jobs: it is 1 to 64")
      }
      self.jobs = jobs
    case "expected": expected = value
    case "results": results = value
    case "merge": merged.append(value)
    case "page": page = value
    default: expectedToWrite = value
    }
  }
}

/// What is wrong with a command line, or with a file that it names.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
