import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// On which thread, and in which order, observers are told where several threads change and observe.
@Suite(.timeLimit(.minutes(30)))
struct ObserverThreadsTests {
  /// What one observer was told: each change has to begin where the one before ended.
  private final class Row: Sendable {
    private let state = Lock(State())

    private struct State {
      var hasBegun = false
      var last: PropertyList?
      var changes: [String] = []
      var gaps: [String] = []
      var threads: Set<UInt> = []
      var runningCount = 0
      var runner: UInt?
    }

    func run(_ change: KeyChange, _ body: () -> Void = {}) {
      let thread = CurrentThread.identifier
      let outer = state.withLock { state -> UInt? in
        if change.kind != .initial, state.hasBegun, state.last != change.old {
          state.gaps.append("\(state.last?.scalarText ?? "-"), then from \(change.old?.scalarText ?? "-")")
        }
        if let runner = state.runner, runner != thread { state.gaps.append("on two threads at a time") }
        state.threads.insert(thread)
        if change.kind != .prior {
          state.hasBegun = true
          state.last = change.new
          state.changes.append(change.new?.scalarText ?? "-")
        }
        defer { state.runner = thread }
        return state.runner
      }
      body()
      state.withLock { $0.runner = outer }
    }

    var changes: [String] { state.withLock { $0.changes } }
    var gaps: [String] { state.withLock { $0.gaps } }
    var threads: Set<UInt> { state.withLock { $0.threads } }
  }

  private final class Store: Sendable {
    let values = Lock<[PropertyListKey: PropertyList]>([:])
    let observers: KeyObservers

    init() {
      let values = WeakValues()
      observers = KeyObservers { key in
        guard let value = values.store.withLock({ $0 }).object?.value(for: key) else { return nil }
        return FoundValue(value, in: nil)
      }
      values.store.withLock { $0.object = self }
    }

    func value(for key: PropertyListKey) -> PropertyList? { values.withLock { $0[key] } }

    /// As the setters of the modern class do it.
    func set(_ value: PropertyList?, for key: PropertyListKey) {
      if observers.wantsPrior(of: key) { observers.prepare(key) }
      let (_, news) = observers.noting(CollectionOfOne(key)) { values.withLock { $0[key] = value } }
      observers.tell(news)
      observers.check(.one(key))
    }
  }

  private final class WeakValues: Sendable {
    let store = Lock(Reference())

    struct Reference {
      weak var object: Store?
    }
  }

  private final class HolderCounter: Sendable {
    let livingCount = Lock(0)
  }

  private let store = Store()

  /// Runs a body on a thread of its own; the result waits for its end.
  private func onThread(_ body: @escaping @Sendable () -> Void) -> () -> Bool {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      end.signal()
    }
    return { end.wait(timeout: .now() + 600) == .success }
  }

  /// Waits until all changes of some keys that were made before are told, whichever thread tells them.
  private func awaitChanges(of keys: [PropertyListKey]) {
    for key in keys {
      // The announcement of a change that does not come about is told after them, and changes no value.
      let isTold = Lock(false)
      let observation = store.observers.observe(key, wantsPrior: true) { change in
        if change.kind == .prior { isTold.withLock { $0 = true } }
      }
      // So that an announcement that was made already counts no more.
      store.observers.check(.one(key))
      awaitTold {
        // Announced once, as soon as the queue is not too long for that.
        store.observers.prepare(key)
        return isTold.withLock { $0 }
      }
      observation.invalidate()
    }
  }

  @Test(
    "a change inside an observer is told to all before its call returns, and after the one that it answers")
  func nested() {
    let log = Lock<[String]>([])
    let first = store.observers.observe("k") { [store] change in
      let new = change.new?.scalarText ?? "-"
      log.withLock { $0.append("a \(new)") }
      guard new == "1" else { return }
      store.set("2", for: "k")
      log.withLock { $0.append("a has set 2") }
    }
    let second = store.observers.observe("k") { change in
      log.withLock { $0.append("b \(change.new?.scalarText ?? "-")") }
    }
    store.set("1", for: "k")
    #expect(log.withLock { $0 } == ["a 1", "b 1", "a 2", "b 2", "a has set 2"])
    withExtendedLifetime((first, second)) {}
  }

  @Test("an observer of one key that does not return delays no observer of another key")
  func otherKey() {
    let (isInside, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let blocking = store.observers.observe("b") { _ in
      isInside.signal()
      mayEnd.wait()
    }
    let row = Row()
    let observation = store.observers.observe("a", wantsPrior: true) { change in row.run(change) }
    let join = onThread { [store] in store.set("1", for: "b") }
    isInside.wait()
    store.set("1", for: "a")
    #expect(row.changes == ["1"] && row.threads == [CurrentThread.identifier])
    mayEnd.signal()
    #expect(join())
    withExtendedLifetime((blocking, observation)) {}
  }

  @Test("a change of a key of which another thread is telling waits for nobody, and others tell it")
  func sameKey() {
    let (isInside, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let row = Row()
    let observation = store.observers.observe("k") { change in
      row.run(change) {
        guard change.new == "1" else { return }
        isInside.signal()
        mayEnd.wait()
      }
    }
    let join = onThread { [store] in store.set("1", for: "k") }
    isInside.wait()
    store.set("2", for: "k")
    store.set("3", for: "k")
    #expect(row.changes == ["1"])
    mayEnd.signal()
    #expect(join())
    // That thread may have left the last ones to a worker thread.
    awaitTold { row.changes.count >= 3 }
    #expect(row.changes == ["1", "2", "3"] && row.gaps == [])
    #expect(!row.threads.contains(CurrentThread.identifier))
    withExtendedLifetime(observation) {}
  }

  @Test(
    "an initial call comes before the observation is returned, also while another thread is telling the key")
  func initialBesideOthers() {
    let (isInside, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let blocking = store.observers.observe("k") { change in
      guard change.new == "1" else { return }
      isInside.signal()
      mayEnd.wait()
    }
    let join = onThread { [store] in store.set("1", for: "k") }
    isInside.wait()
    let row = Row()
    let observation = store.observers.observe("k", wantsInitial: true) { change in row.run(change) }
    #expect(row.changes == ["1"] && row.threads == [CurrentThread.identifier])
    store.set("2", for: "k")
    #expect(row.changes == ["1"])
    mayEnd.signal()
    #expect(join())
    // That thread may have left the last one to a worker thread.
    awaitTold { row.changes.count >= 2 }
    #expect(row.changes == ["1", "2"] && row.gaps == [])
    withExtendedLifetime((blocking, observation)) {}
  }

  @Test(
    "what another thread changes during an initial call is told after it, and that thread waits for nobody")
  func changeDuringInitial() {
    let row = Row()
    let other = Row()
    let first = store.observers.observe("k") { change in other.run(change) }
    store.set("0", for: "k")
    let observation = store.observers.observe("k", wantsInitial: true) { [store] change in
      row.run(change) {
        guard change.kind == .initial else { return }
        #expect(self.onThread { for number in 1...3 { store.set(.string("\(number)"), for: "k") } }())
        #expect(other.changes == ["0", "1", "2", "3"])
        // Inside the call: all that was missed comes before what is set here.
        store.set("4", for: "k")
        #expect(row.changes.count > 1)
      }
    }
    store.set("5", for: "k")
    // After half a second a worker thread goes on.
    awaitTold { row.changes.count >= 6 }
    #expect(row.changes == ["0", "1", "2", "3", "4", "5"] && row.gaps == [])
    withExtendedLifetime((first, observation)) {}
  }

  /// Waits until the thread has told of others' changes for long enough.
  private func exhaustPatience() {
    let end = MonotonicTime.now + 1.2 * KeyObservers.patience
    while MonotonicTime.now < end { CurrentProcess.pause(microseconds: 1000) }
  }

  // The thread that began to observe told them all, as if it had made them.
  @Test("who begins to observe a key comes back before all is told that others changed meanwhile")
  func manyDuringInitial() {
    let row = Row()
    let threads = Lock<[UInt]>([])
    let observation = store.observers.observe("k", wantsInitial: true) { [store] change in
      row.run(change) {
        threads.withLock { $0.append(CurrentThread.identifier) }
        if change.kind == .initial {
          #expect(self.onThread { for number in 1...3 { store.set(.string("\(number)"), for: "k") } }())
          // Inside the call, too.
          store.set("4", for: "k")
        }
        if ["1", "2"].contains(change.new) { exhaustPatience() }
      }
    }
    awaitTold { row.changes.count >= 5 }
    #expect(row.changes == ["-", "1", "2", "3", "4"] && row.gaps == [])
    let own = CurrentThread.identifier
    // After the initial call, this thread or a worker thread is the first to go on.
    #expect(threads.withLock { $0.prefix(2) } == [own, own])
    #expect(threads.withLock { $0.suffix(2) }.allSatisfy { $0 != own })
    withExtendedLifetime(observation) {}
  }

  @Test("who changes a key once comes back, though another thread goes on changing it")
  func takeover() {
    let isOver = Lock(false)
    let row = Row()
    let observation = store.observers.observe("k") { change in
      // Takes longer than a change, so that changes come faster than they are told.
      row.run(change) { for _ in 0..<200 { isOver.withLock { _ in } } }
    }
    let join = onThread { [store] in
      var number = 0
      while !isOver.withLock({ $0 }) {
        number += 1
        store.set(.string("other \(number)"), for: "k")
      }
    }
    for number in 1...20 { store.set(.string("own \(number)"), for: "k") }
    isOver.withLock { $0 = true }
    #expect(join())
    awaitChanges(of: ["k"])
    #expect(row.gaps == [])
    #expect(row.changes.filter { $0.hasPrefix("own") } == (1...20).map { "own \($0)" })
    withExtendedLifetime(observation) {}
  }

  @Test("two keys whose observers set each other, from two threads, end, and each row is without a gap")
  func eachOther() {
    let (rows, count) = ([Row(), Row()], 200)
    let observations = [("a", "b", rows[0]), ("b", "a", rows[1])].map { own, other, row in
      store.observers.observe(PropertyListKey(own), wantsPrior: true) { [store] change in
        row.run(change) {
          guard change.kind == .change, let parts = change.new?.scalarText?.split(separator: " "),
            let depth = Int(parts[1]), depth > 0
          else { return }
          store.set(.string("\(parts[0]) \(depth - 1)"), for: PropertyListKey(other))
        }
      }
    }
    let join = onThread { [store] in
      for number in 0..<count { store.set(.string("y\(number) 3"), for: "b") }
    }
    for number in 0..<count { store.set(.string("x\(number) 3"), for: "a") }
    #expect(join())
    // The last steps may be made by a worker thread; no value is set twice, so that each step is a change.
    awaitTold { rows.allSatisfy { $0.changes.count >= 4 * count } }
    #expect(rows[0].gaps == [] && rows[1].gaps == [])
    // Each start of one thread goes four steps, two of them in each row; none is lost.
    for (row, text) in zip(rows, ["x", "y"]) {
      #expect(Set(row.changes.filter { $0.hasPrefix(text) && $0.hasSuffix(" 3") }).count == count)
    }
    withExtendedLifetime(observations) {}
  }

  @Test("observers that come, go, change keys and let go of things on eight threads see rows without a gap")
  func stress() async {
    let keys: [PropertyListKey] = ["a", "b", "c"]
    let rows = keys.map { _ in Row() }
    let lasting = zip(keys, rows).map { key, row in
      store.observers.observe(key, wantsPrior: true) { change in row.run(change) }
    }
    let passing = Lock<[KeyObservation]>([])
    let others = Lock<[Row]>([])
    // Lets go of observations when it is let go itself, wherever that is.
    final class Holder: Sendable {
      let observation: KeyObservation
      let counter: HolderCounter
      init(_ observation: KeyObservation, countedBy counter: HolderCounter) {
        (self.observation, self.counter) = (observation, counter)
        counter.livingCount.withLock { $0 += 1 }
      }
      deinit { counter.livingCount.withLock { $0 -= 1 } }
    }
    let counter = HolderCounter()
    await EightThreads.run { [store] thread in
      var random = SeededGenerator(seed: UInt64(thread))
      for index in 0..<150 {
        let key = keys.randomElement(using: &random) ?? "a"
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          let row = Row()
          others.withLock { $0.append(row) }
          let held = Holder(store.observers.observe(key) { _ in }, countedBy: counter)
          let observation = store.observers.observe(key, wantsInitial: true, wantsPrior: index % 2 == 0) {
            change in
            row.run(change) {
              withExtendedLifetime(held) {}
              guard change.kind == .change, change.new?.scalarText?.hasSuffix("!") == false else { return }
              store.set(.string("\(thread) \(index)!"), for: keys[(thread + index) % keys.count])
            }
          }
          passing.withLock { $0.append(observation) }
        case 1:
          let last = passing.withLock { $0.popLast() }
          last?.invalidate()
        default:
          store.set(.string("\(thread) \(index)"), for: key)
        }
        // So that the number of observers, and of what they set, stays small.
        let tooMany = passing.withLock { all in
          defer { all = Array(all.suffix(6)) }
          return Array(all.dropLast(6))
        }
        withExtendedLifetime(tooMany) {}
      }
    }
    // A worker thread may still be telling. Those that answer by changes are ended first; each one's call is
    // over when what it holds on to is let go.
    for observation in passing.withLock({ $0 }) { observation.invalidate() }
    awaitTold { counter.livingCount.withLock { $0 } == 0 }
    store.observers.check(.any)
    awaitChanges(of: keys)
    for row in rows + others.withLock({ $0 }) { #expect(row.gaps == []) }
    for (key, row) in zip(keys, rows) { #expect(row.changes.last == store.value(for: key)?.scalarText) }
    passing.withLock { $0 = [] }
    withExtendedLifetime(lasting) {}
  }

  @Test("the end of 100,000 observers of one key, first first and inside a call, takes no square of that")
  func manyEnd() {
    let growth = growth(from: 10_000, to: 100_000, bound: 40) { number in
      let count = Lock(0)
      let observations = (0..<number).map { _ in
        store.observers.observe("k") { _ in count.withLock { $0 += 1 } }
      }
      let start = threadTime()
      store.set("1", for: "k")
      #expect(count.withLock { $0 } == number)
      let ending = store.observers.observe("k") { _ in
        for observation in observations { observation.invalidate() }
      }
      store.set("2", for: "k")
      store.set("3", for: "k")
      #expect(count.withLock { $0 } == 2 * number)
      withExtendedLifetime(ending) {}
      return threadTime() - start
    }
    // In quadratic time it would be 100 times.
    #expect(growth < 40)
  }
}
