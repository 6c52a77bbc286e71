/// Jobs in the order in which they were added.
package struct JobQueue: Sendable {
  /// The jobs; the first `begun` have been taken, and are nil.
  private var jobs: [(@Sendable () -> Void)?] = []
  private var begun = 0

  package init() {}

  /// How many jobs have not been taken.
  var count: Int { jobs.count - begun }

  /// Whether all jobs have been taken.
  var isEmpty: Bool { count == 0 }

  package mutating func append(_ job: @escaping @Sendable () -> Void) { jobs.append(job) }

  /// Takes the first job; nil if there is none.
  ///
  /// The queue keeps no reference to it. A queue is used under a lock, under which what a job has captured must not be
  /// released: its `deinit` may need the same lock.
  package mutating func next() -> (@Sendable () -> Void)? {
    guard begun < jobs.count else {
      (jobs, begun) = ([], 0)
      return nil
    }
    var job: (@Sendable () -> Void)?
    swap(&job, &jobs[begun])
    begun += 1
    // Amortized constant time: at most as many are moved as were taken.
    if begun >= 64, begun > jobs.count / 2 {
      jobs.removeFirst(begun)
      begun = 0
    }
    return job
  }
}
