#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("Condition: name this platform's C library here, and check that it has pthread_cond_timedwait.")
#endif

/// A condition variable, on which threads wait until what a ``Lock`` guards has changed.
///
/// Made of pthreads alone, so that the thread sanitizer sees every synchronization.
package final class Condition: Sendable {
  // Safe: the pointer never changes, and the object behind it is made for use by several threads.
  nonisolated(unsafe) private let condition: UnsafeMutablePointer<pthread_cond_t>

  package init() {
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
  }

  /// Wakes one waiting thread.
  package func signal() {
    pthread_cond_signal(condition)
  }

  /// Wakes all waiting threads.
  package func broadcast() {
    pthread_cond_broadcast(condition)
  }

  /// Releases a mutex until another thread signals, or the deadline; may also return earlier.
  ///
  /// A thread that has taken a user's rights has the process's own meanwhile, as in
  /// ``CurrentProcess/pause(microseconds:)``.
  fileprivate func wait(_ mutex: UnsafeMutablePointer<pthread_mutex_t>, until deadline: MonotonicTime?) {
    FileRights.withOwn { waitAsOwn(mutex, until: deadline) }
  }

  private func waitAsOwn(_ mutex: UnsafeMutablePointer<pthread_mutex_t>, until deadline: MonotonicTime?) {
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
}

/// What a thread does that waits for a change of a lock's state.
package enum WaitStep {
  /// It has what it waits for.
  case end
  /// It waits, until a deadline at most; nil for none.
  case wait(until: MonotonicTime? = nil)
}

extension Lock {
  /// Runs a body with exclusive access to the state, and again after each signal of a condition and after the
  /// deadline, until the body ends the waiting. Meanwhile other threads change the state.
  ///
  /// The body puts what it has found into a variable: a result of any type would make ``WaitStep`` generic, of which
  /// Swift's runtime makes a type for each, and reads memory for that which nobody has written (valgrind).
  ///
  /// - Parameters:
  ///   - condition: On it the thread waits; it must be used with this lock only.
  ///   - body: It must not take this lock again.
  package func withLock(waitingOn condition: Condition, _ body: (inout State) -> WaitStep) {
    if pthread_mutex_trylock(mutex) != 0 { waitForMutex(mutex) }
    defer { pthread_mutex_unlock(mutex) }
    while true {
      // Each time with an access of its own, since others change the state in between.
      switch body(&state.pointee) {
      case .end: return
      case .wait(let deadline): condition.wait(mutex, until: deadline)
      }
    }
  }
}
