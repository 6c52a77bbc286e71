import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// Work that needs a large stack, asked for on threads with a small one.
struct LargeStackTests {
  private struct Failure: Error {}

  @Test("a body runs on a thread of its own only where the stack is small")
  func thread() async {
    // Not sizes between: the C library may hand on the larger stack of a thread that has ended.
    for (kilobytes, isOwn) in [(128, true), (512, true), (8192, false)] {
      let isOther = await onThread(stack: kilobytes << 10) {
        let here = CurrentThread.identifier
        return LargeStack.run { CurrentThread.identifier } != here
      }
      #expect(isOther == isOwn, "\(kilobytes)")
    }
  }

  @Test("a body's error is thrown, and where there is no thread the body does not run")
  func failures() {
    #expect(throws: Failure.self) {
      try LargeStack.run(stackSize: 1 << 20) { () throws(Failure) -> Int in throw Failure() }
    }
    #expect(LargeStack.run(stackSize: 1 << 20) { StackSpace.left <= 1 << 20 } == true)
    // No machine has so much address space.
    let isRun = Flag()
    #expect(LargeStack.run(stackSize: 1 << 60) { isRun.state.withLock { $0 = true } } == nil)
    #expect(isRun.state.withLock { !$0 })
  }

  private final class Flag: Sendable {
    let state = Lock(false)
  }
}
