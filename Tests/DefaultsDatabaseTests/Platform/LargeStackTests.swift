import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// Work that needs a large stack, asked for on threads with a small one.
struct LargeStackTests {
  private struct Failure: Error {}

  @Test(
    "values that nest too deep for Foundation give an error on a small stack",
    arguments: [DomainFileFormat.binary])
  func tooDeep(format: DomainFileFormat) async {
    let message = await onThread {
      do throws(FormatError) {
        _ = try format.bytes(of: nested(1000, inDictionaries: true))
        return ""
      } catch {
        return error.isTransient ? "" : error.message
      }
    }
    #expect(message.hasPrefix("this format cannot hold the value"), "\(message)")
  }

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

  @Test("an error for want of a thread is no damage, and asks to try again")
  func transient() {
    let error = DatabaseError.transient(FormatError("why", isTransient: true), path: "/f", "cannot be read")
    #expect(error.kind == .inputOutput(code: SystemError.tryAgain.code))
    #expect(error.description == "/f: cannot be read: why; nothing was changed: try again")
  }
}
