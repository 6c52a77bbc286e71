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

  @Test("what a body reads is let go of where there is room for it; its value and its error come back")
  func lettingGo() async {
    // The C library may hand on the stack of a thread that has ended, which is up to four times as large.
    for (kilobytes, isOwn) in [(64, true), (8192, false)] {
      let isRight = await onThread(stack: kilobytes << 10) {
        let here = CurrentThread.identifier
        let isOther = LargeStack.runWithStackToRelease {
          // 0.3 megabytes of stack, where the compiler does not optimize.
          _ = nested(PropertyList.maximumDepth, inDictionaries: true)
          return CurrentThread.identifier != here
        }
        do throws(Failure) {
          try LargeStack.runWithStackToRelease { () throws(Failure) in throw Failure() }
          return false
        } catch {
          return isOther == isOwn
        }
      }
      #expect(isRight, "\(kilobytes)")
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

  #if !canImport(Darwin)
    @Test("another thread's stack is not taken for the main thread's")
    func mainThread() {
      #expect(LargeStack.run(stackSize: 1 << 20) { StackSpace.mainThreadsLowestAddress == nil } == true)
    }
  #endif

  private final class Flag: Sendable {
    let state = Lock(false)
  }
}
