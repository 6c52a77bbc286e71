import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// The queue of an observed key, step by step.
struct ObservedKeyTests {
  /// Delivers all changes on a thread, and gives them.
  private func deliver(_ key: ObservedKey) -> [KeyChange] {
    var telling = ObservedKey.Telling(thread: 1, isExpected: false)
    var changes: [KeyChange] = []
    while let call = key.nextCall(of: &telling) { changes.append(call.change) }
    return changes
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
}
