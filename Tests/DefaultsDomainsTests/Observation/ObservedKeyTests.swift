import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// The queue of an observed key, step by step.
struct ObservedKeyTests {
  /// Delivers all changes on a thread, however long that takes, and gives them.
  private func deliver(_ key: ObservedKey, on thread: UInt = 1) -> [KeyChange] {
    var telling = telling(thread)
    var changes: [KeyChange] = []
    while true {
      while let call = key.nextCall(of: &telling) { changes.append(call.change) }
      guard telling.needsSuccessor else { return changes }
      telling = self.telling(thread, asSuccessor: true)
    }
  }

  private func telling(_ thread: UInt, asSuccessor isSuccessor: Bool = false) -> ObservedKey.Telling {
    ObservedKey.Telling(thread: thread, isExpected: false, isSuccessor: isSuccessor)
  }

  @Test("a change is announced beforehand also if the queue was full when it was to be, and is empty by then")
  func priorOfFullQueue() {
    let key = ObservedKey(nil)
    key.add(ObservedKey.Observer(wantsPrior: true, isWilling: { true }, handler: { _ in }))
    for number in 0..<10_000 {
      _ = key.noteChange(to: FoundValue(.integer(PropertyListInteger(Int64(number))), in: nil))
    }
    // The change would become one with the last one that waits.
    #expect(!key.notePreparation())
    #expect(deliver(key).count >= 10_000)
    #expect(key.noteChange(to: FoundValue("last", in: nil)))
    #expect(deliver(key).map(\.kind) == [.prior, .change])
  }

  // Only changes with the same observers became one, and all others were kept.
  @Test(
    "changes that concern one observer or another, or both, are bounded as well, and each is told of its last one"
  )
  func alternatingObservers() {
    let key = ObservedKey(nil)
    let number = Lock(0)
    let told = Lock([[String]](repeating: [], count: 3))
    for index in 0..<3 {
      // The third one is told of every change, the others of every second or third one.
      key.add(
        ObservedKey.Observer(
          wantsPrior: false, isWilling: { index == 2 || number.withLock { $0 % (index + 2) == 0 } },
          handler: { change in
            told.withLock { $0[index].append(change.new?.scalarText ?? "-") }
          }))
    }
    for next in 1...50_000 {
      number.withLock { $0 = next }
      _ = key.noteChange(to: FoundValue(.string("\(next)"), in: nil))
    }
    var telling = telling(1)
    var count = 0
    while true {
      while let call = key.nextCall(of: &telling) {
        call.handler(call.change)
        count += 1
      }
      guard telling.needsSuccessor else { break }
      telling = self.telling(1, asSuccessor: true)
    }
    #expect(count <= 3 * 10_000 + 3)
    let all = told.withLock { $0 }
    #expect(all.map(\.last) == ["50000", "49998", "50000"])
    for changes in all {
      let numbers = changes.compactMap { Int($0) }
      #expect(numbers.count == changes.count && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test("observers that come and go, one for each change, leave the queue bounded")
  func fleetingObservers() {
    let key = ObservedKey(nil)
    let lasting = ObservedKey.Observer(wantsPrior: false, isWilling: { true }, handler: { _ in })
    key.add(lasting)
    for number in 1...30_000 {
      let fleeting = ObservedKey.Observer(wantsPrior: false, isWilling: { true }, handler: { _ in })
      key.add(fleeting)
      _ = key.noteChange(to: FoundValue(.string("\(number)"), in: nil))
      _ = key.end(fleeting)
    }
    let told = deliver(key)
    #expect((10_000...10_001).contains(told.count), "\(told.count)")
    #expect(told.last?.new == "30000")
  }

  @Test(
    "of an observer with prior calls that is in its initial call no change is lost where the queue becomes full"
  )
  func fullQueueOfInitialCall() {
    for first in 0...1 {
      let key = ObservedKey(nil)
      let observer = ObservedKey.Observer(wantsPrior: true, isWilling: { true }, handler: { _ in })
      key.add(observer)
      _ = key.beginInitialCall(of: observer, on: 2)
      // With one change that is not announced beforehand, or none, the queue is full behind a prior call or behind a change.
      if first == 1 { _ = key.noteChange(to: FoundValue("first", in: nil)) }
      for number in 1...20_000 {
        _ = key.notePreparation()
        _ = key.noteChange(to: FoundValue(.string("\(number)"), in: nil))
        _ = deliver(key)
      }
      key.endInitialCall(of: observer)
      let told = deliver(key)
      #expect(told.last?.new == "20000" && told.last?.kind == .change)
      #expect(told.count <= 10_002, "\(told.count)")
    }
  }

  // A process that wrote a value of 1 MB again and again, of which a slow observer was told, filled this one's memory.
  @Test(
    "of changes whose values take more than 64 MB the newest are told as one",
    arguments: [
      PropertyList.string(String(repeating: "a", count: 1 << 20)), .data(Array(repeating: 1, count: 1 << 20)),
      .array(Array(repeating: "an element", count: 50_000)),
      ["k": ["k": .data(Array(repeating: 1, count: 1 << 20))]],
    ])
  func manyBytes(large: PropertyList) {
    let key = ObservedKey(nil)
    key.add(ObservedKey.Observer(wantsPrior: false, isWilling: { true }, handler: { _ in }))
    for round in 1...2 {
      for number in 0..<200 {
        _ = key.noteChange(to: FoundValue(.array([large, .string("\(round) \(number)")]), in: nil))
      }
      let told = deliver(key)
      #expect((10...66).contains(told.count), "\(told.count)")
      #expect(told.last?.new == .array([large, .string("\(round) 199")]))
      #expect(zip(told, told.dropFirst()).allSatisfy { $0.new == $1.old })
    }
    // What is told at once is bounded by nothing.
    for number in 0..<200 {
      _ = key.noteChange(to: FoundValue(.array([large, .string("3 \(number)")]), in: nil))
      #expect(deliver(key).count == 1)
    }
  }

  @Test("many small values in a container are not taken for many bytes")
  func manyValues() {
    let key = ObservedKey(nil)
    key.add(ObservedKey.Observer(wantsPrior: false, isWilling: { true }, handler: { _ in }))
    for number in 0..<60 {
      let elements = [PropertyList](repeating: .integer(PropertyListInteger(Int64(number))), count: 10_001)
      _ = key.noteChange(to: FoundValue(.array(elements), in: nil))
    }
    #expect(deliver(key).count == 60)
  }

  // They were released under the lock for which sets of other keys wait.
  @Test("the containers of changes that are delivered, or that nobody wants, are given back to be released")
  func retiredValues() {
    let key = ObservedKey(nil)
    #expect(!key.noteChange(to: FoundValue(["first"], in: nil)))
    #expect(key.takeRetired().isEmpty)
    #expect(!key.noteChange(to: FoundValue(["second"], in: nil)))
    #expect(key.takeRetired().map(\.value) == [["first"]])
    key.add(ObservedKey.Observer(wantsPrior: false, isWilling: { true }, handler: { _ in }))
    #expect(key.noteChange(to: FoundValue(["third"], in: nil)))
    #expect(key.noteChange(to: FoundValue("a string", in: nil)))
    _ = key.takeRetired()
    #expect(deliver(key).count == 2)
    #expect(key.takeRetired().map(\.value) == [["second"], ["third"], ["third"]])
    #expect(key.takeRetired().isEmpty)
  }

  // It ended the process: the values of a change were released by the thread that told of it.
  @Test("a thread can tell of values that nest deeper than its stack could release")
  func deepValues() async {
    let key = ObservedKey(nil)
    key.add(ObservedKey.Observer(wantsPrior: true, isWilling: { true }, handler: { _ in }))
    for number in 0..<20 {
      let number = PropertyList.integer(PropertyListInteger(Int64(number)))
      let value: PropertyList = [number, nested(998, inDictionaries: false)]
      _ = key.noteChange(to: FoundValue(value, in: nil))
    }
    _ = key.noteChange(to: FoundValue("last", in: nil))
    let count = await onThread(stack: 64 << 10) {
      var telling = ObservedKey.Telling(thread: 1, isExpected: false)
      var count = 0
      while key.nextCall(of: &telling) != nil { count += 1 }
      return count
    }
    #expect(count == 42)
  }

  /// Changes the key to a number of others, one after the other.
  private func change(_ key: ObservedKey, to numbers: Range<Int>, between: () -> Void = {}) {
    for number in numbers {
      _ = key.noteChange(to: FoundValue(.integer(PropertyListInteger(Int64(number))), in: nil))
      between()
    }
  }

  private func observer(wantsPrior: Bool = false) -> ObservedKey.Observer {
    ObservedKey.Observer(wantsPrior: wantsPrior, isWilling: { true }, handler: { _ in })
  }

  // All were kept, and told one by one.
  @Test("of more than 10,000 changes during an initial call the newest are told as one")
  func manyDuringInitial() {
    let key = ObservedKey(nil)
    let observer = observer()
    key.add(observer)
    _ = key.beginInitialCall(of: observer, on: 1)
    change(key, to: 0..<10_050) { #expect(deliver(key, on: 2).isEmpty) }
    key.endInitialCall(of: observer)
    let told = deliver(key)
    #expect(told.count == 10_000)
    #expect(told.dropFirst().map(\.old) == told.dropLast().map(\.new))
    #expect(told.last?.new?.scalarText == "10049")
    change(key, to: 0..<1)
    #expect(deliver(key).map(\.new?.scalarText) == ["0"])
  }

  @Test("a change during a long initial call is announced beforehand, unless it becomes one with another")
  func priorDuringInitial() {
    let key = ObservedKey(nil)
    let observer = observer(wantsPrior: true)
    key.add(observer)
    _ = key.beginInitialCall(of: observer, on: 1)
    change(key, to: 0..<5010) { #expect(deliver(key, on: 2).isEmpty) }
    // The announcement is left out: its change would become one with the last.
    #expect(key.notePreparation())
    #expect(deliver(key, on: 2).isEmpty)
    key.endInitialCall(of: observer)
    // It did not, because the initial call has ended meanwhile.
    change(key, to: 5010..<5011)
    let told = deliver(key)
    #expect(told.count == 10_002)
    for (index, change) in told.enumerated() {
      #expect(change.kind == (index % 2 == 0 ? .prior : .change))
      #expect(index == 0 || change.old == (index % 2 == 0 ? told[index - 1].new : told[index - 1].old))
    }
  }

  /// Waits until a thread has told of others' changes for long enough.
  private func exhaustPatience() {
    let end = MonotonicTime.now + 1.2 * KeyObservers.patience
    while MonotonicTime.now < end { CurrentProcess.pause(microseconds: 1000) }
  }

  // A change that an observer made had all others told first, as long as that took.
  @Test("a call inside an observer tells no more of others' changes when the time of the thread is over")
  func nestedPatience() async {
    let key = ObservedKey(nil)
    key.add(observer())
    await onThread(stack: 64 << 10) { change(key, to: 0..<5) }
    let own = CurrentThread.identifier
    change(key, to: 5..<6)
    var (outer, nested) = (telling(own), telling(own))
    #expect(key.nextCall(of: &outer)?.change.new?.scalarText == "0")
    #expect(key.nextCall(of: &nested)?.change.new?.scalarText == "1")
    exhaustPatience()
    #expect(key.nextCall(of: &nested) == nil && !nested.needsSuccessor)
    #expect(key.nextCall(of: &outer) == nil && outer.needsSuccessor)
    // A worker thread goes on, but no call inside an observer of it does; not with its own change either.
    var successor = telling(own, asSuccessor: true)
    for numbers in [["2"], ["3", "4"], ["5"]] {
      for number in numbers { #expect(key.nextCall(of: &successor)?.change.new?.scalarText == number) }
      exhaustPatience()
      nested = telling(own)
      #expect(key.nextCall(of: &nested) == nil)
    }
    #expect(key.nextCall(of: &successor) == nil && !successor.needsSuccessor)
  }

  // What such an observer had missed got the places of what had been delivered, and took a later change.
  @Test(
    "an observer whose initial call ends while too many changes wait is told of them in order, and of the last one"
  )
  func orderAfterInitialCall() {
    let key = ObservedKey(nil)
    let told = Lock([[Int]](repeating: [], count: 4))
    func observer(_ index: Int) -> ObservedKey.Observer {
      let observer = ObservedKey.Observer(
        wantsPrior: false, isWilling: { true },
        handler: { change in
          told.withLock { $0[index].append(change.new?.scalarText.flatMap { Int($0) } ?? 0) }
        })
      key.add(observer)
      return observer
    }
    func note(_ number: Int) { _ = key.noteChange(to: FoundValue(.string("\(number)"), in: nil)) }
    let slow = observer(0)
    _ = key.beginInitialCall(of: slow, on: 1)
    let others = [observer(1), observer(2)]
    for number in 1...10_000 { note(number) }
    // Of other observers than those changes, so that each observer has an announcement of its own from here on.
    let last = observer(3)
    note(10_001)
    var telling = telling(2)
    // Until all but the last observers have been told of that, and the one that makes its initial call has missed it.
    while told.withLock({ $0[2].last }) != 10_001, let call = key.nextCall(of: &telling) {
      call.handler(call.change)
    }
    key.endInitialCall(of: slow)
    note(10_002)
    while true {
      while let call = key.nextCall(of: &telling) { call.handler(call.change) }
      guard telling.needsSuccessor else { break }
      telling = self.telling(2, asSuccessor: true)
    }
    for numbers in told.withLock({ $0 }) {
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers.suffix(4))")
      #expect(numbers.last == 10_002)
    }
    withExtendedLifetime((others, last)) {}
  }
}
