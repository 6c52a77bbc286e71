/// Keeps looks at files that change without end from occupying a processor: each may be large, and whoever owns it needs a
/// hardly noticeable time to change it.
///
/// A token bucket of time: looks may take some time in a row, and a quarter of the time in the long run.
struct LookPace: Sendable {
  private static let share = 0.25

  /// How long looks may take without a pause, in seconds.
  private let burst: Double
  /// The longest pause, in seconds: a look that takes very long is followed by one, and not by several.
  private let longestPause: Double
  /// How long looks may take now, in seconds; below 0 after longer ones.
  private var allowance: Double
  private var time: MonotonicTime

  init(burst: Double, longestPause: Double, at start: MonotonicTime = .now) {
    (self.burst, self.longestPause, allowance) = (burst, longestPause, burst)
    time = start
  }

  /// Counts a look that has just ended.
  mutating func add(_ seconds: Double, at now: MonotonicTime = .now) {
    refill(at: now)
    allowance = max(allowance - seconds, -LookPace.share * longestPause)
  }

  /// How long to pause before the next look, in seconds.
  mutating func pause(at now: MonotonicTime = .now) -> Double {
    refill(at: now)
    return max(0, -allowance / LookPace.share)
  }

  private mutating func refill(at now: MonotonicTime) {
    allowance = min(burst, allowance + LookPace.share * now.seconds(since: time))
    time = now
  }
}
