#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("QueueLock: name this platform's C library here, and check that it has pthread_cond_t.")
#endif

/// A value that threads get one at a time, in the order in which they ask for it.
///
/// For work that takes long: with a plain mutex, a thread that asks again and again may shut out the
/// others for as long as it likes. Not recursive.
package final class QueueLock<State>: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the mutex guards the numbers, and the numbers
  // the state: every access to it is inside withLock.
  @exclusivity(unchecked) private var state: State
  private var nextNumber: UInt64 = 0
  private var numberServed: UInt64 = 0
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  package init(_ state: sending State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    var failure = pthread_mutex_init(mutex, nil)
    precondition(failure == 0, "pthread_mutex_init failed: \(failure)")
    failure = pthread_cond_init(condition, nil)
    precondition(failure == 0, "pthread_cond_init failed: \(failure)")
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deinitialize(count: 1)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Runs a body that alone has the state; whatever it calls must not take this lock again.
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    let number = nextNumber
    nextNumber += 1
    while number != numberServed { pthread_cond_wait(condition, mutex) }
    pthread_mutex_unlock(mutex)
    defer {
      pthread_mutex_lock(mutex)
      numberServed += 1
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&state)
  }
}
