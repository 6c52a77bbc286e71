import DefaultsDatabase

/// Serializes the calls of a closure that observes several keys, for which several threads
/// may report changes at once.
///
/// It works by delegation, as in flat combining: one thread at a time calls the closure. A thread
/// that arrives meanwhile leaves its call to that thread and does not wait; a call from inside the
/// closure is made at once.
final class SerialCalls: Sendable {
  private let state = Lock(State())
  private let closure: Callback<Void>

  private struct State {
    /// The thread that is calling.
    var caller: UInt?
    /// How many calls other threads have left to it.
    var leftCount = 0
  }

  private enum Turn {
    case outermost, nested, left
  }

  init(_ closure: Callback<Void>) {
    self.closure = closure
  }

  /// Calls the closure once, now or by the thread that is calling it already.
  func call() {
    switch begin(on: CurrentThread.identifier) {
    case .outermost: repeat { closure.call(()) } while takeNext()
    case .nested: closure.call(())
    case .left: break
    }
  }

  private func begin(on thread: UInt) -> Turn {
    state.withLock { state in
      guard let caller = state.caller else {
        state.caller = thread
        return .outermost
      }
      if caller == thread { return .nested }
      state.leftCount += 1
      return .left
    }
  }

  /// Takes the next call that was left; ends the turn and gives false if there is none.
  private func takeNext() -> Bool {
    state.withLock { state in
      guard state.leftCount > 0 else {
        state.caller = nil
        return false
      }
      state.leftCount -= 1
      return true
    }
  }
}
