import BenchmarkKit
import Foundation
import OpenStepDefaults
import TypedDefaults
import UserDefaultsCompat

/// What observers cost those who change keys, and what many of them cost.
enum ObserverRows {
  static func all(_ bench: Workbench) -> [Row] {
    [
      setBeside("10,000 observers of other keys", bench) { defaults, count in
        (0..<count).map { defaults.observe("other \($0)") { _, _ in } }
      },
      setBeside("10,000 dead tied owners", bench) { defaults, count in
        for number in 0..<count {
          let key = Defaults.Key<Int?>("other \(number)", suite: defaults)
          Defaults.observe(key, options: []) { _ in }.tieToLifetime(of: Owner())
        }
        return []
      },
      setObserved(bench), drop(bench), tie(bench),
    ]
  }

  private final class Owner {}

  private static func timeSets(_ keys: [String], _ count: Int, in defaults: UserDefaultsCompat.UserDefaults)
    -> Double
  {
    var number = Int(monotonicTime() % 1_000_000_000)
    return time(count) {
      for key in keys {
        number += 1
        defaults.set(number, forKey: key)
      }
      return number
    }
  }

  /// A set of a key that nobody observes, beside observers of other keys.
  private static func setBeside(
    _ name: String, _ bench: Workbench,
    prepare: @escaping (UserDefaultsCompat.UserDefaults, Int) -> [UserDefaultsObservation]
  ) -> Row {
    Row("shim set, \(name)") {
      let keys = TestKeys.make(1000)
      let (ours, bare) = (
        UserDefaultsCompat.UserDefaults.inMemory(), UserDefaultsCompat.UserDefaults.inMemory()
      )
      let observations = prepare(ours, bench.size(10_000, brief: 100))
      return [
        .ours(operations: 1000) { count in
          withExtendedLifetime(observations) { timeSets(keys, count, in: ours) }
        },
        .limit("no observer", operations: 1000) { timeSets(keys, $0, in: bare) },
      ]
    }
  }

  /// A set of a key with many observers, for each of them.
  private static func setObserved(_ bench: Workbench) -> Row {
    Row("shim set of a key with 100,000 observers, for each") {
      let count = bench.size(100_000, brief: 1000)
      let (many, few) = (observed(count), observed(count / 10))
      return [
        .ours(operations: count) { timeSets(["k"], $0, in: many.defaults) },
        .limit("10,000", operations: count / 10) { timeSets(["k"], $0, in: few.defaults) },
      ]
    }
  }

  /// An object with so many observers of one key.
  private static func observed(_ count: Int) -> Observed {
    let defaults = UserDefaultsCompat.UserDefaults.inMemory()
    return Observed(
      defaults: defaults, observations: (0..<count).map { _ in defaults.observe("k") { _, _ in } })
  }

  private struct Observed {
    let defaults: UserDefaultsCompat.UserDefaults
    let observations: [UserDefaultsObservation]
  }

  /// The end of all observers of a key, the first ones first, for each of them.
  private static func drop(_ bench: Workbench) -> Row {
    let count = bench.size(100_000, brief: 1000)
    return Row("end of 100,000 observers of a key, for each") {
      [
        .ours(operations: count) { timeDrops(of: count, $0) },
        .limit("10,000", operations: count / 10) { timeDrops(of: count / 10, $0) },
      ]
    }
  }

  private static func timeDrops(of count: Int, _ passes: Int) -> Double {
    (0..<passes).reduce(0) { sum, _ in
      let observed = observed(count)
      return sum
        + time(1) {
          for observation in observed.observations { observation.invalidate() }
          return 0
        }
    }
  }

  /// Observations that are tied to as many objects, and those objects' end, for each of them.
  private static func tie(_ bench: Workbench) -> Row {
    let count = bench.size(10_000, brief: 100)
    return Row("10,000 ties to objects that end, for each") {
      [
        .ours(operations: count) { timeTies(of: count, $0) },
        .limit("1,000", operations: count / 10) { timeTies(of: count / 10, $0) },
      ]
    }
  }

  private static func timeTies(of count: Int, _ passes: Int) -> Double {
    let defaults = UserDefaultsCompat.UserDefaults.inMemory()
    let key = Defaults.Key<Int?>("tied", suite: defaults)
    return time(passes) {
      var owners = (0..<count).map { _ in Owner() }
      for owner in owners { Defaults.observe(key, options: []) { _ in }.tieToLifetime(of: owner) }
      owners.removeAll()
      // The observers find their objects gone, and end.
      Defaults[key] = (Defaults[key] ?? 0) + 1
      return 0
    }
  }
}
