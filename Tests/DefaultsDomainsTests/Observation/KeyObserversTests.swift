import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// Who is told of what, in which order; the rule for what counts as a change is GNUstep's.
struct KeyObserversTests {
  private final class Log: Sendable {
    private let entries = Lock<[String]>([])

    func add(_ name: String, _ change: KeyChange) {
      func text(_ value: PropertyList?) -> String { value?.scalarText ?? "-" }
      entries.withLock { $0.append("\(name) \(change.kind) \(text(change.old)) \(text(change.new))") }
    }

    func take() -> [String] {
      entries.withLock { entries in
        defer { entries = [] }
        return entries
      }
    }
  }

  private final class Values: Sendable {
    let all = Lock<[PropertyListKey: PropertyList]>([:])
  }

  private let values = Values()
  private let observers: KeyObservers
  private let log = Log()

  init() {
    let values = values
    observers = KeyObservers { key in values.all.withLock { $0[key] }.map { FoundValue($0, in: nil) } }
  }

  private func set(_ value: PropertyList?, for key: PropertyListKey) {
    values.all.withLock { $0[key] = value }
    observers.check(.one(key))
  }

  private func observe(
    _ key: PropertyListKey, as name: String, wantsInitial: Bool = false, wantsPrior: Bool = false
  ) -> KeyObservation {
    observers.observe(key, wantsInitial: wantsInitial, wantsPrior: wantsPrior) { [log] change in
      log.add(name, change)
    }
  }

  @Test("an observer is told of each change of its key with the old and the new value, and of no other")
  func changes() {
    let observation = observe("k", as: "a")
    set("1", for: "k")
    set("1", for: "k")
    set("x", for: "other")
    set("2", for: "k")
    set(nil, for: "k")
    observers.check(.any)
    #expect(log.take() == ["a change - 1", "a change 1 2", "a change 2 -"])
    withExtendedLifetime(observation) {}
  }

  @Test("a check of all keys tells of those that changed")
  func all() {
    let observations = [observe("a", as: "a"), observe("b", as: "b")]
    values.all.withLock { $0["b"] = "1" }
    observers.check(.any)
    #expect(log.take() == ["b change - 1"])
    withExtendedLifetime(observations) {}
  }

  @Test("who wants the initial value has it first; who wants to know before is told before")
  func initialAndPrior() {
    set("1", for: "k")
    let observation = observe("k", as: "a", wantsInitial: true, wantsPrior: true)
    #expect(log.take() == ["a initial - 1"])
    #expect(observers.wantsPrior(of: "k"))
    observers.prepare("k")
    #expect(log.take() == ["a prior 1 -"])
    set("2", for: "k")
    #expect(log.take() == ["a change 1 2"])
    // A change that nobody announced is announced late, but it is.
    set("3", for: "k")
    #expect(log.take() == ["a prior 2 -", "a change 2 3"])
    // An announced change that did not come about announces no other.
    observers.prepare("k")
    set("3", for: "k")
    set("4", for: "k")
    #expect(log.take() == ["a prior 3 -", "a prior 3 -", "a change 3 4"])
    withExtendedLifetime(observation) {}
  }

  @Test("an invalidated observation, and one let go, is not told any more")
  func end() {
    let first = observe("k", as: "a")
    var second: KeyObservation? = observe("k", as: "b")
    set("1", for: "k")
    #expect(log.take() == ["a change - 1", "b change - 1"])
    first.invalidate()
    first.invalidate()
    set("2", for: "k")
    #expect(log.take() == ["b change 1 2"])
    withExtendedLifetime(second) {}
    second = nil
    set("3", for: "k")
    #expect(log.take() == [])
  }

  @Test("a change made inside an observer is told after the one that it answers, to all in order")
  func reentrancy() {
    let values = values
    let observers = observers
    let log = log
    let answering = observers.observe("k") { change in
      log.add("a", change)
      if change.new == "1" {
        values.all.withLock { $0["k"] = "2" }
        observers.check(.one("k"))
      }
    }
    let other = observe("k", as: "b")
    set("1", for: "k")
    #expect(log.take() == ["a change - 1", "b change - 1", "a change 1 2", "b change 1 2"])
    withExtendedLifetime((answering, other)) {}
  }

  @Test("an observer may end itself and others inside its call")
  func endInside() {
    let others = Lock<[KeyObservation]>([])
    let log = log
    let first = observers.observe("k") { change in
      log.add("a", change)
      for observation in others.withLock({ $0 }) { observation.invalidate() }
    }
    let second = observe("k", as: "b")
    others.withLock { $0 = [first, second] }
    set("1", for: "k")
    set("2", for: "k")
    #expect(log.take() == ["a change - 1"])
    others.withLock { $0 = [] }
  }

  @Test(
    "changes from many threads are told in one row: each begins where the one before ended",
    .timeLimit(.minutes(30)))
  func threads() async {
    let rows = Lock<[(PropertyList?, PropertyList?)]>([])
    let observation = observers.observe("k") { change in
      rows.withLock { $0.append((change.old, change.new)) }
    }
    let observers = observers
    let values = values
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<500 {
            values.all.withLock { $0["k"] = .string("\(task) \(index)") }
            observers.check(.one("k"))
          }
        }
      }
    }
    observers.check(.any)
    // What was changed while another thread was telling is told by that one, or by a worker thread after it.
    // No value is set twice, so that the last one is told last.
    awaitTold {
      guard let row = rows.withLock({ $0.last }) else { return false }
      return row.1 == values.all.withLock { $0["k"] }
    }
    let told = rows.withLock { $0 }
    var last: PropertyList?
    for (old, new) in told {
      #expect(old == last)
      last = new
    }
    #expect(last == values.all.withLock { $0["k"] })
    withExtendedLifetime(observation) {}
  }

  @Test("the end of 10,000 observers of one key takes no square of that")
  func manyEnd() {
    let growth = growth(from: 1000, to: 10_000, bound: 40) { number in
      let observations = (0..<number).map { observe("k", as: String($0)) }
      set("1", for: "k")
      #expect(log.take().count == number)
      let start = threadTime()
      for observation in observations.shuffled() { observation.invalidate() }
      let time = threadTime() - start
      set("2", for: "k")
      #expect(log.take() == [])
      return time
    }
    // In quadratic time it would be 100 times.
    #expect(growth < 40)
  }

  @Test("what an observer holds on to is let go outside the lock, so that its deinit may call back")
  func letGo() {
    final class CallingBack: Sendable {
      let observers: KeyObservers
      init(_ observers: KeyObservers) { self.observers = observers }
      deinit { observers.check(.any) }
    }
    let observation = observers.observe("k") { [held = CallingBack(observers)] _ in
      withExtendedLifetime(held) {}
    }
    observation.invalidate()
    #expect(!observers.wantsPrior(of: "k"))
  }
}
