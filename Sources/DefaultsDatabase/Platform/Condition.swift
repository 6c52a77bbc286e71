#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("Condition: name this platform's C library here, and check that it has pthread_cond_timedwait.")
#endif

/// A condition variable and its mutex: threads wait until what the mutex guards has changed.
///
/// Made of pthreads alone, so that the thread sanitizer sees every synchronization. Unlike ``Lock`` it does
/// not contain the state, since other threads change the state while one waits inside.
package final class Condition: Sendable {
  nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  nonisolated(unsafe) private let condition: UnsafeMutablePointer<pthread_cond_t>
  // Safe: the pointers never change, and the objects behind them are made for use by several threads.
  /// The condition whose mutex this one uses; nil if it has its own.
  private let owner: Condition?

  package convenience init() {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let failure = pthread_mutex_init(mutex, nil)
    precondition(failure == 0, "pthread_mutex_init failed: \(failure)")
    self.init(mutex: mutex, of: nil)
  }

  /// Makes another condition for what the same mutex guards, so that only some of the threads are woken.
  package convenience init(sharingMutexOf other: Condition) {
    self.init(mutex: other.mutex, of: other)
  }

  private init(mutex: UnsafeMutablePointer<pthread_mutex_t>, of owner: Condition?) {
    (self.mutex, self.owner) = (mutex, owner)
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    let failure: Int32
    #if canImport(Darwin)
      failure = pthread_cond_init(condition, nil)
    #else
      // Setting the system's clock must not move the deadlines.
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      failure = pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
    precondition(failure == 0, "pthread_cond_init failed: \(failure)")
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deinitialize(count: 1)
    condition.deallocate()
    guard owner == nil else { return }
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Runs a body that holds the mutex, except while it waits.
  package func withLock<Result>(_ body: () -> Result) -> Result {
    if pthread_mutex_trylock(mutex) != 0 { waitForMutex(mutex) }
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Releases the mutex until another thread signals, or the deadline; may also return earlier.
  ///
  /// A thread that has taken a user's rights has the process's own meanwhile, as in
  /// ``CurrentProcess/pause(microseconds:)``.
  package func wait(until deadline: MonotonicTime? = nil) {
    FileRights.withOwn { waitAsOwn(until: deadline) }
  }

  private func waitAsOwn(until deadline: MonotonicTime?) {
    guard let deadline else {
      pthread_cond_wait(condition, mutex)
      return
    }
    #if canImport(Darwin)
      var time = (deadline - .now).timespecValue
      pthread_cond_timedwait_relative_np(condition, mutex, &time)
    #else
      var time = deadline.timespecValue
      pthread_cond_timedwait(condition, mutex, &time)
    #endif
  }

  /// Wakes one waiting thread.
  package func signal() {
    pthread_cond_signal(condition)
  }

  /// Wakes all waiting threads.
  package func broadcast() {
    pthread_cond_broadcast(condition)
  }
}
