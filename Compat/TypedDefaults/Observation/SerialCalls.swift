import DefaultsDatabase
import DefaultsDomains

/// Serializes the calls of a closure that observes several keys, for which several threads
/// may report changes at once.
///
/// It works by delegation, as in flat combining: one thread at a time calls the closure. A thread
/// that arrives meanwhile leaves its call to that thread and does not wait; a call from inside the
/// closure is made at once. The rules for calls that wait are those of a single key (`KeyObservers`):
/// after half a second of others' calls a worker thread goes on, and of more than 10,000 that wait the
/// newest become one.
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

  /// What a thread does after a call.
  private enum Next {
    case call, handOver, end
  }

  /// Stands for the worker thread that is about to go on.
  private static let successor = UInt.max

  init(_ closure: Callback<Void>) {
    self.closure = closure
  }

  /// Calls the closure once, now or by the thread that is calling it already.
  func call() {
    switch begin(on: CurrentThread.identifier) {
    case .outermost:
      closure.call(())
      makeLeftCalls(for: KeyObservers.patience)
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
      state.leftCount = min(state.leftCount + 1, KeyObservers.waitingLimit)
      return .left
    }
  }

  /// Makes the calls that were left until none is left.
  ///
  /// - Parameter patience: After how many seconds a worker thread goes on; nil for never.
  private func makeLeftCalls(for patience: Double?) {
    var deadline: MonotonicTime?
    while true {
      switch next(until: deadline) {
      case .call:
        deadline = deadline ?? patience.map { .now + $0 }
        closure.call(())
      case .handOver:
        WorkerThreads.forObservers.run { [self] in
          state.withLock { $0.caller = CurrentThread.identifier }
          makeLeftCalls(for: nil)
        }
        return
      case .end: return
      }
    }
  }

  /// Takes the next call that was left; ends the turn if there is none.
  private func next(until deadline: MonotonicTime?) -> Next {
    state.withLock { state in
      guard state.leftCount > 0 else {
        state.caller = nil
        return .end
      }
      if let deadline, deadline < .now {
        state.caller = SerialCalls.successor
        return .handOver
      }
      state.leftCount -= 1
      return .call
    }
  }
}
