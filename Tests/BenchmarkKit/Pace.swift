/// How long a repetition takes.
public struct Pace: Sendable {
  /// Whether each row runs only to show that it does.
  public let isBrief: Bool
  /// What a repetition of timed passes takes at least.
  let nanoseconds: Double

  public init(isBrief: Bool) {
    self.isBrief = isBrief
    nanoseconds = isBrief ? 10_000 : 20_000_000
  }

  /// How many passes fill a repetition. Finding it out warms up what is measured, too.
  func passes(of work: Contender.Work) throws -> Int {
    guard case .passes(_, let run) = work else { return 1 }
    var count = 1
    var time = try run(count)
    while time < nanoseconds / 2 {
      count *= 2
      time = try run(count)
    }
    return max(1, Int(Double(count) * nanoseconds / max(time, 1)))
  }
}
