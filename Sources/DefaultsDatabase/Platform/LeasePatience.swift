/// How long this process waits for files on which other processes hold leases: two seconds, less what it has waited a
/// moment ago. A second of waiting is forgotten after a second.
///
/// A call that reads many files would otherwise wait for each of them, and so as long as whoever holds the leases likes.
/// A file server lets go of a file in milliseconds, which takes next to nothing of the two seconds.
final class LeasePatience: Sendable {
  static let shared = LeasePatience()

  /// The longest wait, in seconds.
  private static let limit = 2.0

  struct Wait {
    let start: MonotonicTime
    let deadline: MonotonicTime
  }

  /// When all waits so far will be forgotten; nil before the first.
  private let end = Lock<MonotonicTime?>(nil)

  /// Begins a wait.
  func begin(at start: MonotonicTime = .now) -> Wait {
    let waited = end.withLock { $0?.seconds(since: start) ?? 0 }
    return Wait(start: start, deadline: start + (LeasePatience.limit - min(waited, LeasePatience.limit)))
  }

  /// Ends a wait.
  func end(_ wait: Wait, at now: MonotonicTime = .now) {
    end.withLock { end in
      // Nothing is forgotten during the wait.
      let forgotten = max(end ?? wait.start, wait.start) + 2 * now.seconds(since: wait.start)
      end = min(forgotten, now + LeasePatience.limit)
    }
  }
}
