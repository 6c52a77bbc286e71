import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// Observers of one key of one suite through several objects: programs make an object anew in each place.
struct SeveralObjectsTests {
  private final class Log: Sendable {
    private let entries = Lock<[String]>([])

    var all: [String] { entries.withLock { $0 } }

    func add(_ text: String) { entries.withLock { $0.append(text) } }
  }

  private let home: TemporaryHome
  private let log = Log()

  init() throws {
    home = try TemporaryHome()
  }

  private func object() -> UserDefaults {
    UserDefaults(directory: home.path, applicationName: "Suite")
  }

  /// Observes a key through an object of its own, which exists as long as the result.
  private func observe(
    _ name: String, then react: @escaping @Sendable (UserDefaults, Int?) -> Void = { _, _ in }
  ) -> (UserDefaults, UserDefaultsObservation) {
    let object = object()
    let observation = object.observe("k", options: [.old, .new]) { [log] defaults, change in
      func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "-" }
      log.add("\(name) \(text(change.oldValue))>\(text(change.newValue))")
      react(defaults, change.newValue as? Int)
    }
    return (object, observation)
  }

  @Test(
    "where an observer sets its own key again, the observers of all objects are first told of the first change"
  )
  func again() {
    let observations = [
      observe("a") { defaults, new in if new == 1 { defaults.set(2, forKey: "k") } }, observe("b"),
    ]
    let defaults = object()
    defaults.set(1, forKey: "k")
    log.add("returned")
    #expect(log.all == ["a ->1", "b ->1", "a 1>2", "b 1>2", "returned"])
    withExtendedLifetime(observations) {}
  }

  @Test("an observer that removes the key hides the change from no other object's observer")
  func removal() {
    let observations = [
      observe("a") { defaults, new in if new != nil { defaults.removeObject(forKey: "k") } }, observe("b"),
      observe("c"),
    ]
    object().set(1, forKey: "k")
    #expect(log.all == ["a ->1", "b ->1", "c ->1", "a 1>-", "b 1>-", "c 1>-"])
    withExtendedLifetime(observations) {}
  }

  @Test("two objects whose observers react to each other go on until both have heard all")
  func pingPong() {
    let count: @Sendable (UserDefaults, Int?) -> Void = { defaults, new in
      if let new, new < 6 { defaults.set(new + 1, forKey: "k") }
    }
    let observations = [observe("a", then: count), observe("b", then: count)]
    object().set(1, forKey: "k")
    for name in ["a", "b"] {
      let heard = log.all.filter { $0.hasPrefix(name) }
      #expect(heard.first == "\(name) ->1")
      #expect(heard.last?.hasSuffix(">6") == true)
      for (one, next) in zip(heard, heard.dropFirst()) {
        #expect(one.split(separator: ">").last == next.dropFirst(2).split(separator: ">").first)
      }
    }
    withExtendedLifetime(observations) {}
  }

  @Test(
    "several threads and objects: each observer hears a chain of changes that ends with the last value",
    .timeLimit(.minutes(30)))
  func threads() async {
    let setters = (1...4).map { _ in object() }
    let observations = [
      observe("a") { defaults, new in
        // A value that nobody else sets, so that each value is set once.
        if let new, new.isMultiple(of: 10) { defaults.set(new + 5001, forKey: "k") }
      }, observe("b"), observe("c"),
    ]
    await withTaskGroup(of: Void.self) { group in
      for (index, setter) in setters.enumerated() {
        group.addTask { for number in 1...200 { setter.set(1000 * index + number, forKey: "k") } }
      }
    }
    // The last ones may still be told by a worker thread, which the first observer may answer. Nothing comes
    // any more where all have heard the value that is there now, and that observer does not answer it.
    awaitTold {
      let heard = log.all
      let last = setters[0].integer(forKey: "k")
      return !last.isMultiple(of: 10)
        && ["a", "b", "c"].allSatisfy { name in
          heard.last { $0.hasPrefix(name) }?.hasSuffix(">\(last)") == true
        }
    }
    let last = object().integer(forKey: "k")
    for name in ["a", "b", "c"] {
      let heard = log.all.filter { $0.hasPrefix(name) }
      #expect(heard.first?.hasPrefix("\(name) ->") == true)
      #expect(heard.last?.hasSuffix(">\(last)") == true)
      for (one, next) in zip(heard, heard.dropFirst()) {
        #expect(one.split(separator: ">").last == next.dropFirst(2).split(separator: ">").first)
      }
    }
    withExtendedLifetime(observations) {}
  }
}
