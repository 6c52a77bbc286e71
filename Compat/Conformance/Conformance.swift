import DefaultsDatabase
import Foundation

/// Plays a file of behaviour vectors and tells what failed.
struct Conformance {
  static let usage = "usage: conformance FILE [--api NAME] [--id PREFIX] [--verbose]"
  /// Vectors played at a time; most of their time goes by in starting processes.
  private static let width = 3

  private var path = ""
  private var api: String?
  private var idPrefix = ""
  private var isVerbose = false

  /// Reads the command line; nil where it makes no sense.
  init?(arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--verbose": isVerbose = true
      case "--api", "--id":
        guard let value = rest.popFirst() else { return nil }
        if argument == "--api" { api = value } else { idPrefix = value }
      default:
        guard path.isEmpty, !argument.hasPrefix("-") else { return nil }
        path = argument
      }
    }
    if path.isEmpty { return nil }
  }

  /// Plays the vectors, prints failures and the tally, and tells whether all that count passed.
  func run() throws -> Bool {
    let file = try VectorFile(path: path)
    let chosen = file.vectors.filter { (api == nil || $0.api == api) && $0.id.hasPrefix(idPrefix) }
    let runs = Conformance.play(chosen)
    for line in file.damage { print(line) }
    for run in runs where run.verdict == .failed || isVerbose { print(run) }
    let tally = Tally(runs)
    for line in tally.lines { print(line) }
    return tally.isClean && file.damage.isEmpty
  }

  private static func play(_ vectors: [Vector]) -> [VectorRun] {
    let runs = Lock<[Int: VectorRun]>([:])
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = width
    for (index, vector) in vectors.enumerated() {
      queue.addOperation {
        let run = VectorRun(vector)
        runs.withLock { $0[index] = run }
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    return runs.withLock { runs in vectors.indices.compactMap { runs[$0] } }
  }
}
