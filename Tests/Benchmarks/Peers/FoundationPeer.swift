import BenchmarkKit
import Foundation

/// Foundation's own `UserDefaults`, in this process.
enum FoundationPeer {
  static let name = "Foundation"

  /// The standard object with these keys and no others.
  static func filled(_ keys: [String], with value: Any) -> Foundation.UserDefaults {
    let defaults = Foundation.UserDefaults.standard
    for key in defaults.dictionaryRepresentation().keys { defaults.removeObject(forKey: key) }
    for key in keys { defaults.set(value, forKey: key) }
    return defaults
  }
}

extension Contender {
  /// Foundation's side of a row.
  static func foundation(operations: Int = 1, _ passes: @escaping (Int) throws -> Double) -> Contender {
    Contender(FoundationPeer.name, .peer, .passes(operations: operations, passes))
  }
}
