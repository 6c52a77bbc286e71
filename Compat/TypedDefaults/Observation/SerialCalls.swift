import DefaultsDatabase

/// The calls of a closure that hears of several keys, whose changes several threads may tell at the same moment.
///
/// One thread at a time calls the closure. Who comes while another thread is in it leaves the call to that thread
/// and waits for nobody; a call from inside the closure is made at once.
final class SerialCalls: Sendable {
  private let state = Lock(State())
  private let closure: Callback<Void>

  private struct State {
    /// The thread that is calling.
    var caller: UInt?
    /// How many calls others have left to it.
    var leftCount = 0
  }

  private enum Turn {
    case outermost, nested, left
  }

  init(_ closure: Callback<Void>) {
    self.closure = closure
  }

  /// Has the closure called once.
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

  /// Takes the next of the calls that were left; false, for the end of the turn, where there is none.
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
