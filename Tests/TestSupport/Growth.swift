/// How many times longer a job takes for a larger count than for a smaller one.
///
/// The job is measured by the processor time that it returns, the shortest of up to three rounds; one round is
/// enough where its ratio is below the bound. A ratio says of a busy, slow or sanitized program what it says of
/// any other, which no number of seconds does.
///
/// - Parameter job: Does it for a count, and returns the processor time of what is to be measured.
public func growth(
  from smaller: Int, to larger: Int, bound: Double, _ job: (Int) throws -> Duration
) rethrows -> Double {
  var ratio = Double.infinity
  var (few, many) = (Duration.seconds(1_000_000), Duration.seconds(1_000_000))
  for _ in 0..<3 where ratio >= bound {
    few = min(few, try job(smaller))
    many = min(many, try job(larger))
    ratio = many / few
  }
  return ratio
}
