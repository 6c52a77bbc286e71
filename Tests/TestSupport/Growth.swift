/// How many times longer a job takes for a larger count than for a smaller one.
///
/// The job is measured by the processor time that it returns, the shortest of several rounds; one round is enough where
/// its ratio is below the bound. A ratio says of a busy, slow or sanitized program what it says of any other, which no
/// number of seconds does. Other work on the machine makes a job longer all the same, a large one more than a small one:
/// the caches and the memory are shared, and a hypervisor's other guests count as the job. So the job is done again for
/// three rounds at least and for two minutes, until a round is not disturbed; the ratio of a cost that does grow too much
/// stays above the bound in each.
///
/// - Parameter job: Does it for a count, and returns the processor time of what is to be measured.
public func growth(
  from smaller: Int, to larger: Int, bound: Double, _ job: (Int) throws -> Duration
) rethrows -> Double {
  var (few, many) = (Duration.seconds(1_000_000), Duration.seconds(1_000_000))
  let start = ContinuousClock.now
  var rounds = 0
  repeat {
    few = min(few, try job(smaller))
    many = min(many, try job(larger))
    rounds += 1
  } while many / few >= bound && (rounds < 3 || ContinuousClock.now - start < .seconds(120))
  return many / few
}
