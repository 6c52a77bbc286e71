#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("Lock: name this platform's C library here, and check that it has pthread_mutex_t.")
#endif

/// A value that only one thread at a time can touch.
///
/// Built on `pthread_mutex_t`, because the thread sanitizer understands it; with the standard
/// library's `Mutex` it reports false races on Linux. Not recursive: taking a lock that the thread
/// already holds never returns. The state needs a size: one of `Void` would share its address with
/// another variable, and the sanitizer would take the use of one for a race with the other.
package final class Lock<State>: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the mutex guards the state: every access to it
  // is inside withLock.
  //
  // Unchecked as to exclusive access, too: a body that came here again would wait for the mutex forever before the
  // runtime saw it, whose check took a tenth of the instructions of a synchronize with nothing to do.
  @exclusivity(unchecked) private var state: State
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init(_ state: sending State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let failure = pthread_mutex_init(mutex, nil)
    precondition(failure == 0, "pthread_mutex_init failed: \(failure)")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Runs a body that alone has the state; whatever it calls must not take this lock again.
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
