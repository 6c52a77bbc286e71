/// Keeps looks at files that change without end from occupying a processor: each may be large, and whoever owns it needs a
/// hardly noticeable time to change it.
///
/// A token bucket of time: looks may take a quarter of a second in a row, and a quarter of the time in the long run.
package struct LookPace: Sendable {
  private static let share = 0.25
  /// How long looks may take without a pause, in seconds.
  private static let burst = 0.25
  /// The longest pause, in seconds.
  static let longestPause = 1.0

  /// How long looks may take now, in seconds; below 0 after longer ones.
  private var allowance = LookPace.burst
  private var time: MonotonicTime

  package init(at start: MonotonicTime = .now) { time = start }

  /// Counts a look that has just ended.
  package mutating func add(_ seconds: Double, at now: MonotonicTime = .now) {
    refill(at: now)
    // A look that takes very long is followed by the longest pause, and not by several.
    allowance = max(allowance - seconds, -LookPace.share * LookPace.longestPause)
  }

  /// How long to pause before the next look, in seconds.
  package mutating func pause(at now: MonotonicTime = .now) -> Double {
    refill(at: now)
    return max(0, -allowance / LookPace.share)
  }

  private mutating func refill(at now: MonotonicTime) {
    allowance = min(LookPace.burst, allowance + LookPace.share * now.seconds(since: time))
    time = now
  }
}
