/// Keeps those who cause file events without end from occupying a processor with them.
///
/// Of many events within a tenth of a second most say the same: while the thread that reads them pauses, the system drops
/// what is equal to the event before it, and where its queue is full, one event tells that everything may have changed.
struct EventPace {
  /// So many events within a period are followed by a pause: 800 saves cause as many. An event that concerns several links
  /// counts as many times.
  static let limit = 5000
  /// The length of a period and of a pause, in seconds.
  static let period = 0.1

  private var start: MonotonicTime
  private var count = 0

  init(at start: MonotonicTime) { self.start = start }

  /// How long to pause behind a round of events, in seconds.
  mutating func pause(after eventCount: Int, at now: MonotonicTime) -> Double {
    if now >= start + EventPace.period { (start, count) = (now, 0) }
    count += eventCount
    guard count >= EventPace.limit else { return 0 }
    // The pause ends the period.
    count = 0
    return EventPace.period
  }
}
