import Testing

@testable import DefaultsDatabase

/// How long a process waits for files under leases.
struct LeasePatienceTests {
  @Test("waits for many files are two seconds together, and are forgotten with time")
  func waits() {
    let patience = LeasePatience()
    let start = MonotonicTime.now
    /// The seconds that a wait may take at a time.
    func left(at seconds: Double) -> Double {
      let wait = patience.begin(at: start + seconds)
      return wait.deadline.seconds(since: wait.start)
    }
    func isClose(_ left: Double, to expected: Double) -> Bool { abs(left - expected) < 0.001 }
    #expect(isClose(left(at: 0), to: 2))
    patience.end(patience.begin(at: start), at: start + 2)
    #expect(isClose(left(at: 2), to: 0))
    #expect(isClose(left(at: 3), to: 1))
    #expect(isClose(left(at: 10), to: 2))
    // A file server that answers soon.
    patience.end(patience.begin(at: start + 10), at: start + 10.25)
    #expect(isClose(left(at: 10.25), to: 1.75))
    // Two threads that wait at the same time.
    let waits = [patience.begin(at: start + 20), patience.begin(at: start + 20)]
    for wait in waits { patience.end(wait, at: start + 22) }
    #expect(isClose(left(at: 22), to: 0))
    #expect(isClose(left(at: 24), to: 2))
  }
}
