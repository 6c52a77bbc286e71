import DefaultsDatabase
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// Observers of single keys; what counts as a change is GNUstep's rule.
struct ObservationTests {
  /// What observers were told, as text.
  private final class Log: Sendable {
    private let entries = Lock<[String]>([])

    func add(_ name: String, _ change: UserDefaultsChange) {
      func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "-" }
      let prior = change.isPrior ? "before " : ""
      entries.withLock { $0.append("\(name): \(prior)\(text(change.oldValue)) \(text(change.newValue))") }
    }

    func take() -> [String] {
      entries.withLock { entries in
        defer { entries = [] }
        return entries
      }
    }
  }

  private let home: TemporaryHome
  private let defaults: UserDefaults
  private let log = Log()

  init() throws {
    home = try TemporaryHome()
    defaults = UserDefaults(directory: home.path + "/Defaults", applicationName: "App")
  }

  /// Waits for an event, ten minutes at most.
  private static func hasCome(_ event: DispatchSemaphore) -> Bool {
    event.wait(timeout: .now() + 600) == .success
  }

  private func observe(
    _ key: String, as name: String = "a", _ options: UserDefaultsObservingOptions = [.old, .new]
  ) -> UserDefaultsObservation {
    let log = log
    return defaults.observe(key, options: options) { _, change in log.add(name, change) }
  }

  /// Writes as another process does.
  private func writeOutside(_ key: PropertyListKey, _ value: PropertyList?, domain: String = "App") throws {
    var changes = DomainChanges()
    if let value { changes.set(value, for: key) } else { changes.remove(key) }
    _ = try UserDatabase(directory: home.path + "/Defaults")
      .commit(changes, to: DomainName(domain), onDamage: .refuse)
  }

  @Test("every change of the key is told with the old and the new value, and what is no change is not")
  func changes() {
    let observation = observe("k")
    defaults.set(1, forKey: "k")
    defaults.set(1, forKey: "k")
    defaults.set("other", forKey: "l")
    defaults.set("x", forKey: "k")
    defaults.removeObject(forKey: "k")
    defaults.removeObject(forKey: "k")
    #expect(log.take() == ["a: - 1", "a: 1 x", "a: x -"])
    observation.invalidate()
    defaults.set(2, forKey: "k")
    #expect(log.take() == [])
  }

  @Test("only the values that were asked for are handed over")
  func options() {
    let none = observe("k", as: "none", [])
    let new = observe("k", as: "new", .new)
    let old = observe("k", as: "old", .old)
    defaults.set(1, forKey: "k")
    defaults.set(2, forKey: "k")
    #expect(log.take() == ["none: - -", "new: - 1", "old: - -", "none: - -", "new: - 2", "old: 1 -"])
    withExtendedLifetime((none, new, old)) {}
  }

  @Test("initial calls at once with the value that is there; prior calls before the change is made")
  func initialAndPrior() {
    defaults.set(1, forKey: "k")
    let seen = Lock<[Int]>([])
    let observation = observe("k", as: "a", [.initial, .old, .new])
    #expect(log.take() == ["a: - 1"])
    let prior = defaults.observe("k", options: [.prior]) { defaults, change in
      seen.withLock { $0.append(defaults.integer(forKey: "k")) }
    }
    defaults.set(2, forKey: "k")
    #expect(seen.withLock { $0 } == [1, 2])
    // The value that is there already is no change, so that nothing comes before it.
    defaults.set(2, forKey: "k")
    #expect(seen.withLock { $0 } == [1, 2])
    withExtendedLifetime((observation, prior)) {}
  }

  @Test(
    "a key of any name can be observed",
    arguments: ["a.b.c", "@count", "two words", "", "é", "e\u{301}", "🦄\n", "self", "k[0]", "\u{0}"].filter {
      !$0.isEmpty
    })
  func names(key: String) {
    let observation = observe(key)
    defaults.set(1, forKey: key)
    #expect(log.take() == ["a: - 1"])
    withExtendedLifetime(observation) {}
  }

  @Test("composed and decomposed spellings are two keys")
  func spellings() {
    let observation = observe("\u{E9}")
    defaults.set(1, forKey: "e\u{301}")
    #expect(log.take() == [])
    withExtendedLifetime(observation) {}
  }

  @Test("letting go of the observation ends it")
  func letGo() {
    var observation: UserDefaultsObservation? = observe("k")
    defaults.set(1, forKey: "k")
    withExtendedLifetime(observation) {}
    observation = nil
    defaults.set(2, forKey: "k")
    #expect(log.take() == ["a: - 1"])
  }

  @Test("a change by another object of the process, modern or classic, is told at once")
  func otherObjects() {
    let observation = observe("k")
    UserDefaults(directory: home.path + "/Defaults", applicationName: "App").set(1, forKey: "k")
    NSUserDefaults(directory: home.path + "/Defaults", applicationName: "App").setObject("2", forKey: "k")
    #expect(log.take() == ["a: - 1", "a: 1 2"])
    withExtendedLifetime(observation) {}
  }

  @Test("a change that another domain hides is none, and what a removal uncovers is the new value")
  func hidden() {
    defaults.register(defaults: ["k": "registered"])
    let observation = observe("k")
    defaults.setVolatileDomain(["k": "argument"], forName: UserDefaults.argumentDomain)
    defaults.set("own", forKey: "k")
    defaults.removeVolatileDomain(forName: UserDefaults.argumentDomain)
    defaults.removeObject(forKey: "k")
    #expect(log.take() == ["a: registered argument", "a: argument own", "a: own registered"])
    withExtendedLifetime(observation) {}
  }

  // GNUstep's test of key-value observing, which was validated on macOS 15, expects none.
  @Test("what is registered is no change, and the value from which the next change begins")
  func registered() {
    let observation = observe("k")
    defaults.register(defaults: ["k": "registered", "other": 1])
    defaults.set("registered", forKey: "k")
    defaults.removeObject(forKey: "k")
    defaults.register(defaults: ["k": "anew"])
    #expect(log.take() == [])
    defaults.set("own", forKey: "k")
    defaults.register(defaults: ["k": "hidden"])
    defaults.removeObject(forKey: "k")
    #expect(log.take() == ["a: anew own", "a: own hidden"])
    withExtendedLifetime(observation) {}
  }

  @Test("a change that is still to be told of is told, also if a value is registered for its key before")
  func registeredMeanwhile() {
    defaults.set(1, forKey: "k")
    let observation = observe("k")
    let other = UserDefaults(directory: home.path + "/Defaults", applicationName: "App")
    for (index, setter) in [defaults, other].enumerated() {
      // What the closure sets is told of when it has ended.
      setter.modify(forKey: "other") { _ in
        setter.set(index + 2, forKey: "k")
        let isRegistered = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [defaults] in
          defaults.register(defaults: ["k": "registered"])
          isRegistered.signal()
        }
        isRegistered.wait()
        #expect(log.take() == [])
      }
      #expect(log.take() == ["a: \(index + 1) \(index + 2)"])
    }
    withExtendedLifetime(observation) {}
  }

  // They were called at once, inside the update: one that waited for another thread's update never returned.
  @Test("observers of what an update adds to the search, or removes from it, are called when it has ended")
  func searchChangedByUpdate() throws {
    let suite = UserDefaults(directory: home.path + "/Defaults", applicationName: "Suite")
    suite.set(5, forKey: "k")
    let observation = observe("k")
    for (isAdded, told) in [(true, "a: - 5"), (false, "a: 5 -")] {
      func change() { isAdded ? defaults.addSuite(named: "Suite") : defaults.removeSuite(named: "Suite") }
      defaults.modify(forKey: "other") { value in
        change()
        value = isAdded
        #expect(log.take() == [])
      }
      #expect(log.take() == [told])
    }
    withExtendedLifetime(observation) {}
  }

  // It was called inside the update: its commit was refused, and one that waited for another's update never returned.
  @Test("an observer may make an update of its own key: the others are called outside of it, in order")
  func updateByObserver() {
    let log = log
    let first = defaults.observe("k", options: [.new]) { defaults, change in
      if change.newValue as? Int == 1 { defaults.modify(forKey: "k") { $0 = 2 } }
    }
    let second = defaults.observe("k", options: [.old, .new]) { defaults, change in
      let isSaved = defaults.synchronize()
      log.add(isSaved ? "a" : "refused", change)
    }
    defaults.set(1, forKey: "k")
    #expect(log.take() == ["a: - 1", "a: 1 2"])
    withExtendedLifetime((first, second)) {}
  }

  // It was told when the slow observer had returned.
  @Test(
    "a change that is left to a thread is told by it, although an update has changed the key and is inside a slow observer",
    .timeLimit(.minutes(20)))
  func slowObserverOfUpdate() async {
    let (isInside, mayEnd) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    let (isTellingTwo, isThreeSet) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    let isThreeTold = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let log = log
    let slow = defaults.observe("slow") { _, _ in
      isInside.continuation.yield()
      mayEnd.wait()
    }
    let observation = defaults.observe("k", options: [.old, .new]) { _, change in
      log.add("a", change)
      let number = change.newValue as? Int
      if number == 2 {
        isTellingTwo.continuation.yield()
        isThreeSet.wait()
      }
      if number == 3 { isThreeTold.signal() }
    }
    Thread.detachNewThread { [defaults] in
      defaults.modify(forKey: "k") { value in
        defaults.set(1, forKey: "slow")
        value = 1
      }
      ended.signal()
    }
    for await _ in isInside.stream { break }
    Thread.detachNewThread { [defaults] in
      defaults.set(2, forKey: "k")
      ended.signal()
    }
    for await _ in isTellingTwo.stream { break }
    defaults.set(3, forKey: "k")
    isThreeSet.signal()
    #expect(ObservationTests.hasCome(isThreeTold))
    mayEnd.signal()
    #expect(ObservationTests.hasCome(ended) && ObservationTests.hasCome(ended))
    #expect(log.take() == ["a: - 1", "a: 1 2", "a: 2 3"])
    withExtendedLifetime((slow, observation)) {}
  }

  @Test("a change inside a handler is told before its call returns, with its prior call before it is made")
  func nested() {
    let log = log
    let first = defaults.observe("k", options: [.old, .new, .prior]) { defaults, change in
      log.add("a", change)
      guard !change.isPrior, change.newValue as? Int == 1 else { return }
      defaults.set(2, forKey: "k")
      #expect(log.take().last == "b: 1 2")
    }
    let second = defaults.observe("k", options: [.old, .new, .prior]) { defaults, change in
      log.add("b", change)
      if change.isPrior { #expect(defaults.object(forKey: "k") as? Int == change.oldValue as? Int) }
    }
    defaults.set(1, forKey: "k")
    #expect(log.take() == [])
    defaults.set(3, forKey: "k")
    #expect(log.take() == ["a: before 2 -", "b: before 2 -", "a: 2 3", "b: 2 3"])
    withExtendedLifetime((first, second)) {}
  }

  @Test("a handler that does not return delays no other key: not one's own changes, nor another process's")
  func blockedHandler() async throws {
    let (isInside, mayEnd) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    let blocking = defaults.observe("b") { _, _ in
      isInside.continuation.yield()
      mayEnd.wait()
    }
    defer { mayEnd.signal() }
    Thread.detachNewThread { [defaults] in defaults.set(1, forKey: "b") }
    var inside = isInside.stream.makeAsyncIterator()
    await inside.next()
    let observation = observe("a")
    defaults.set(1, forKey: "a")
    #expect(log.take() == ["a: - 1"])
    var changes = defaults.changes(forKey: "a").makeAsyncIterator()
    // Else what is unsaved would go over it.
    #expect(defaults.synchronize())
    try writeOutside("a", .integer(2))
    #expect(await changes.next()?.newValue as? Int == 2)
    withExtendedLifetime((blocking, observation)) {}
  }

  @Test("a sequence that nobody reads keeps the newest thousand changes, initial one included")
  func unread() async {
    let changes = [false, true].map { defaults.changes(forKey: "k", includingInitial: $0) }
    for index in 1...2500 { defaults.set(index, forKey: "k") }
    for sequence in changes {
      var seen: [Int] = []
      for await change in sequence {
        seen.append(change.newValue as? Int ?? -1)
        if seen.last == 2500 { break }
      }
      #expect(seen == Array(1501...2500))
    }
  }

  @Test("a sequence that nobody reads keeps fewer changes of large values")
  func unreadLargeValues() async {
    let defaults = UserDefaults.inMemory()
    let changes = defaults.changes(forKey: "k")
    for number in 0..<100 { defaults.set(Data(repeating: UInt8(number), count: 1 << 20), forKey: "k") }
    var seen: [UInt8] = []
    for await change in changes {
      seen.append((change.newValue as? Data)?.first ?? 0)
      if seen.last == 99 { break }
    }
    #expect(seen.count < 65 && seen.count > 60 && seen == Array(seen[0]...99))
  }

  @Test("suites that come and go, and whole domains that are replaced, are told by what changes")
  func domains() {
    defaults.setPersistentDomain(["k": "suite", "other": 1], forName: "Suite")
    let observation = observe("k")
    defaults.addSuite(named: "Suite")
    defaults.setPersistentDomain(["k": "suite", "other": 2], forName: "Suite")
    defaults.setPersistentDomain(["k": "own"], forName: "App")
    defaults.removePersistentDomain(forName: "App")
    defaults.removeSuite(named: "Suite")
    #expect(log.take() == ["a: - suite", "a: suite own", "a: own suite", "a: suite -"])
    withExtendedLifetime(observation) {}
  }

  // Each was told of what was there when its own thread looked, which might be two changes later.
  @Test(
    "changes that several threads make at once are all told, each after the one before",
    .timeLimit(.minutes(30)))
  func concurrentChanges() async {
    let told = Lock<[(old: Int?, new: Int?)]>([])
    let observation = defaults.observe("k", options: [.old, .new]) { _, change in
      told.withLock { $0.append((change.oldValue as? Int, change.newValue as? Int)) }
    }
    await EightThreads.run { [defaults] thread in
      for index in 0..<100 { defaults.set(thread * 100 + index, forKey: "k") }
    }
    // The last ones may still be told by a worker thread.
    awaitTold { told.withLock { $0.count } >= 800 }
    let all = told.withLock { $0 }
    #expect(Set(all.map(\.new)) == Set((0..<800).map { $0 }) && all.count == 800)
    #expect(all.dropFirst().map(\.old) == all.dropLast().map(\.new))
    withExtendedLifetime(observation) {}
  }

  @Test("another process's changes are told without a call, in order")
  func otherProcess() async throws {
    var changes = defaults.changes(forKey: "k").makeAsyncIterator()
    try writeOutside("k", .integer(1))
    #expect(await changes.next()?.newValue as? Int == 1)
    try writeOutside("k", "2")
    let change = try #require(await changes.next())
    #expect(change.oldValue as? Int == 1 && change.newValue as? String == "2")
    try writeOutside("k", nil)
    #expect(await changes.next()?.newValue == nil)
    try writeOutside("k", "global", domain: "NSGlobalDomain")
    #expect(await changes.next()?.newValue as? String == "global")
  }

  @Test("the sequence misses nothing between the call and the first iteration")
  func sequence() async {
    defaults.set(0, forKey: "k")
    let changes = defaults.changes(forKey: "k", includingInitial: true)
    for index in 1...100 { defaults.set(index, forKey: "k") }
    var seen: [Int] = []
    for await change in changes {
      seen.append(change.newValue as? Int ?? -1)
      if seen.count == 101 { break }
    }
    #expect(seen == Array(0...100))
  }

  @Test("the sequence ends when the object is let go, and when the task is cancelled")
  func endOfSequence() async throws {
    var other: UserDefaults? = UserDefaults.inMemory()
    let changes = try #require(other).changes(forKey: "k")
    other?.set(1, forKey: "k")
    other = nil
    var count = 0
    for await _ in changes { count += 1 }
    #expect(count == 1)

    let ended = Task { [changes = defaults.changes(forKey: "k")] in for await _ in changes {} }
    ended.cancel()
    await ended.value
  }

  @Test("observers may set, observe and end observations in their calls")
  func callingBack() {
    let log = log
    let inner = Lock<UserDefaultsObservation?>(nil)
    let observation = defaults.observe("k", options: .new) { defaults, change in
      log.add("outer", change)
      if defaults.integer(forKey: "k") < 3 { defaults.set(defaults.integer(forKey: "k") + 1, forKey: "k") }
      let new = defaults.observe("k", options: .new) { _, change in log.add("inner", change) }
      inner.withLock { swap(&$0, new) }?.invalidate()
    }
    defaults.set(1, forKey: "k")
    #expect(log.take().filter { $0.hasPrefix("outer") } == ["outer: - 1", "outer: - 2", "outer: - 3"])
    #expect(defaults.integer(forKey: "k") == 3)
    observation.invalidate()
    inner.withLock { $0 }?.invalidate()
  }

  private func swap<Value>(_ place: inout Value, _ value: Value) -> Value {
    defer { place = value }
    return place
  }
}
