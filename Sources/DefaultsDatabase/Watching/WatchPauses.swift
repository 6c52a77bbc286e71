/// The pauses of watches, which occupy no thread: a watch that has to wait before its next look goes on when its pause is
/// over.
final class WatchPauses: Sendable {
  static let shared = WatchPauses()

  /// How long a pause lasts at least, in seconds: threads are started at its end.
  static let shortest = 0.02

  /// A pause of a watch.
  private struct Pause {
    let end: MonotonicTime
    let watch: DatabaseWatch
  }

  /// Sorted by their ends, the last one first. Some have been ended before by news.
  private let state = Lock<[Pause]>([])
  private let timer: TimerThread

  private init() {
    timer = TimerThread { WatchPauses.shared.endWhatIsOver() }
  }

  /// Begins a pause; false if the system provides no thread that could end it.
  func begin(of watch: DatabaseWatch, until end: MonotonicTime) -> Bool {
    state.withLock {
      $0.insert(Pause(end: end, watch: watch), at: WatchPauses.firstIndex(in: $0, until: end))
    }
    if timer.schedule(at: end) { return true }
    // Another worker may have begun a later pause of the watch.
    remove { $0.watch === watch && $0.end == end }
    return false
  }

  /// Forgets the pauses of a watch.
  func remove(_ watch: DatabaseWatch) {
    remove { $0.watch === watch }
  }

  private func remove(where isRemoved: (Pause) -> Bool) {
    // What they hold may end here, but not under the lock.
    let removed = state.withLock { pauses in
      defer { pauses.removeAll(where: isRemoved) }
      return pauses.filter(isRemoved)
    }
    withExtendedLifetime(removed) {}
  }

  /// Ends the pauses that are over; gives when the next one is, or nil for none.
  private func endWhatIsOver() -> MonotonicTime? {
    let now = MonotonicTime.now
    let (over, next) = state.withLock { pauses -> ([Pause], MonotonicTime?) in
      let first = WatchPauses.firstIndex(in: pauses, until: now)
      let over = Array(pauses[first...])
      pauses.removeSubrange(first...)
      return (over, pauses.last?.end)
    }
    for pause in over.reversed() { pause.watch.endPause(at: pause.end) }
    return next
  }

  /// The index of the first pause that ends by a time (binary search).
  private static func firstIndex(in pauses: [Pause], until time: MonotonicTime) -> Int {
    var (low, high) = (0, pauses.count)
    while low < high {
      let middle = (low + high) / 2
      if pauses[middle].end > time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
