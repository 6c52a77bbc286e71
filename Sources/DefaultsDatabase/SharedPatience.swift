/// The patience that the changes of many domains or files share: two seconds for all of them, which waits that succeed use
/// up as well. Otherwise whoever takes and frees the locks could have each of the changes wait.
///
/// After one of them has waited in vain for a lock, or for the reader of a pipe, the next ones do not wait, because the same
/// process probably still holds what they need. A lock that is free is taken all the same. What was waited is forgotten when
/// none has waited for two seconds, as in an editor's session.
package final class SharedPatience: Sendable {
  private struct State {
    /// How long changes have waited, in seconds.
    var waited = 0.0
    /// Whether one has waited in vain.
    var isOver = false
    /// When the last wait ended.
    var end: MonotonicTime

  }

  /// After how many seconds without a wait all waits are forgotten.
  private let memory: Double

  /// What each change has at least, in seconds, as long as none has waited in vain: programs that save at the same time
  /// keep a lock for a few milliseconds each.
  static let remainder = 0.1

  /// nil before the first wait.
  private let state = Lock<State?>(nil)

  /// - Parameter memory: After how many seconds without a wait all waits are forgotten.
  package init(memory: Double = UserDatabase.patience) {
    self.memory = memory
  }

  /// How long a change that begins now may wait, in seconds.
  func left(at now: MonotonicTime = .now) -> Double {
    state.withLock { state in
      guard let state, !isForgotten(state, at: now) else { return UserDatabase.patience }
      return state.isOver ? 0 : max(SharedPatience.remainder, UserDatabase.patience - state.waited)
    }
  }

  private func isForgotten(_ state: State, at now: MonotonicTime) -> Bool {
    now.seconds(since: state.end) >= memory
  }

  /// Whether a change waited in vain a moment ago.
  var isOver: Bool { left() == 0 }

  /// When a change that begins now stops waiting.
  var deadline: MonotonicTime {
    let now = MonotonicTime.now
    return now + left(at: now)
  }

  /// Notes that a change has waited, and has got what it waited for.
  func noteWait(since start: MonotonicTime, until now: MonotonicTime = .now) {
    note(since: start, until: now) { $0.waited += now.seconds(since: start) }
  }

  /// Notes that a change waited in vain.
  func noteRefusal(at now: MonotonicTime = .now) {
    note(since: now, until: now) { $0.isOver = true }
  }

  private func note(since start: MonotonicTime, until now: MonotonicTime, _ change: (inout State) -> Void) {
    state.withLock { state in
      var new = State(end: now)
      if let state, !isForgotten(state, at: start) { (new.waited, new.isOver) = (state.waited, state.isOver) }
      change(&new)
      state = new
    }
  }
}
