import DefaultsDatabase
import Testing

struct JobQueueTests {
  @Test("jobs are taken in their order, and what one has captured is released with it")
  func order() {
    final class Captured: Sendable {}
    var queue = JobQueue()
    let taken = Lock<[Int]>([])
    weak var captured: Captured?
    for number in 0..<1000 {
      let object = Captured()
      if number == 0 { captured = object }
      queue.append { withExtendedLifetime(object) { taken.withLock { $0.append(number) } } }
    }
    #expect(captured != nil)
    queue.next()?()
    #expect(captured == nil)
    while let job = queue.next() { job() }
    #expect(taken.withLock { $0 } == Array(0..<1000))
    #expect(queue.next() == nil)
  }
}
