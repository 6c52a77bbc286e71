import DefaultsDatabase
import Foundation
import Testing

@testable import DefaultsDomains

@Suite
struct UnretainedReferenceTests {
  @Test("an object that exists is retained, for as long as the result")
  func existing() {
    var object: Observed? = Observed()
    let reference = UnretainedReference(object!)
    var retained = reference.retained
    #expect(retained === object)
    weak let last = object
    object = nil
    #expect(last === retained && last != nil)
    retained = nil
    #expect(last == nil)
  }

  @Test("an object is not retained any more while its deinit runs, even one that was never weakly referenced")
  func ending() {
    var answers: [Bool] = []
    var object: Observed? = Observed()
    let reference = UnretainedReference(object!)
    object!.whenEnding = { answers.append(reference.retained == nil) }
    object = nil
    #expect(answers == [true])
  }

  @Test("an object may be released by its last owner while another thread reads it", .timeLimit(.minutes(20)))
  func releasing() {
    let reader = Reader()
    Thread.detachNewThread { reader.run() }
    for _ in 0..<100_000 {
      let reference = ObjectReference()
      reader.reference = reference
      // The reader may release it last, which must not be while it holds the lock for which the deinit waits.
      withExtendedLifetime(Referred(reference)) {}
    }
    reader.end()
  }
}

/// An object that ends its reference as it is released.
private final class Referred: Sendable {
  private let reference: ObjectReference

  init(_ reference: ObjectReference) {
    self.reference = reference
    reference.begin(self)
  }

  deinit { reference.end() }
}

/// Reads the newest reference again and again.
private final class Reader: Sendable {
  private let newest = Lock<ObjectReference?>(nil)
  private let isOver = Lock(false)
  private let hasEnded = DispatchSemaphore(value: 0)

  var reference: ObjectReference? {
    get { newest.withLock { $0 } }
    set { newest.withLock { $0 = newValue } }
  }

  func run() {
    while !isOver.withLock({ $0 }) { _ = reference?.object }
    hasEnded.signal()
  }

  func end() {
    isOver.withLock { $0 = true }
    hasEnded.wait()
  }
}

private final class Observed {
  var whenEnding: () -> Void = {}

  deinit { whenEnding() }
}
