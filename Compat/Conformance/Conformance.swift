import DefaultsDatabase
import Foundation

/// Runs a file of behaviour vectors against the classes and prints where they agree with it.
struct Conformance {
  static let usage = "usage: conformance [FILE] [--class NAME]… [--id PREFIX] [--json] [--verbose]"
  static let help = """
    \(usage)

    Plays behaviour vectors, small experiments on a defaults database with the outcome wanted, by
    real processes in temporary folders, and prints how many of them agree, by family and class.

      FILE          the vectors, one JSON object a line; the project's own unless said
      --class NAME  play against classic (NSUserDefaults), shim (UserDefaults of this package) or
                    foundation (UserDefaults of this platform's Foundation) only; may be repeated
      --id PREFIX   only vectors whose id begins so, such as modern/cast
      --json        print counts and differences as one JSON object
      --verbose     print every vector, and Foundation's differences too

    A difference of the package's own classes is printed in full. Exit codes: 0 the package's own
    classes agree everywhere, 1 they do not, 2 usage, or the file cannot be read.
    """
  /// The number of vectors that run in parallel; most of their time is spent on starting processes.
  private static let width = 3

  private var path: String?
  private var implementations: [Implementation] = []
  private var idPrefix = ""
  private var isVerbose = false
  private var isJSON = false

  /// Reads the command line.
  init(arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--verbose", "-verbose": isVerbose = true
      case "--json", "-json": isJSON = true
      case "--class", "-class", "--id", "-id":
        guard let value = rest.popFirst() else { throw UsageError("“\(argument)” takes a value") }
        if argument.hasSuffix("id") {
          idPrefix = value
        } else {
          guard let implementation = Implementation(rawValue: value) else {
            throw UsageError("there is no class “\(value)”: it is classic, shim or foundation")
          }
          implementations.append(implementation)
        }
      default:
        if argument.hasPrefix("-") { throw UsageError("there is no option “\(argument)”") }
        if let path { throw UsageError("“\(argument)” is one file too many behind “\(path)”") }
        path = argument
      }
    }
    if implementations.isEmpty { implementations = Implementation.allCases }
  }

  /// The project's own vectors, where this program was built.
  private static let ownVectors = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Tests/OpenStepDefaultsTests/Fixtures/behaviour-vectors.jsonl").path

  /// Runs the vectors, prints the results, and returns whether the package's own classes agree.
  func run() throws -> Bool {
    if path == nil, !FileManager.default.fileExists(atPath: Conformance.ownVectors) {
      throw UsageError("the project's own vectors are not at \(Conformance.ownVectors); name a file")
    }
    let file = try VectorFile(path: path ?? Conformance.ownVectors)
    let jobs = implementations.flatMap { implementation in
      file.vectors.filter { $0.api == implementation.api && $0.id.hasPrefix(idPrefix) }
        .map { ($0, implementation) }
    }
    // Otherwise a vector of an unknown API would not be noticed.
    let strangers = file.vectors.filter { vector in
      !Implementation.allCases.contains { $0.api == vector.api }
    }
    let runs = Conformance.play(jobs)
    let tally = Tally(runs, of: implementations)
    for line in file.damage { Conformance.complain(line) }
    for vector in strangers { Conformance.complain("\(vector.id): there is no API “\(vector.api)”") }
    if isJSON {
      print(tally.json)
    } else {
      for run in runs where isVerbose || (run.verdict == .failed && run.implementation.isOurs) { print(run) }
      for line in tally.lines { print(line) }
    }
    return tally.isClean && file.damage.isEmpty && strangers.isEmpty
  }

  static func complain(_ line: String) {
    FileHandle.standardError.write(Data("conformance: \(line)\n".utf8))
  }

  private static func play(_ jobs: [(Vector, Implementation)]) -> [VectorRun] {
    let runs = Lock<[Int: VectorRun]>([:])
    let progress = Progress(total: jobs.count)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = width
    for (index, (vector, implementation)) in jobs.enumerated() {
      queue.addOperation {
        let run = VectorRun(vector, implementation)
        runs.withLock { $0[index] = run }
        progress.step()
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    progress.end()
    return runs.withLock { runs in jobs.indices.compactMap { runs[$0] } }
  }
}

/// What is wrong with a command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
