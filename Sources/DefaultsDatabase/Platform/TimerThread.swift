#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("TimerThread: name this platform's C library here, and check that it has pthread_cond_timedwait.")
#endif

/// A thread that runs one body at set times, and sleeps otherwise.
///
/// It needs no run loop, does not keep the process from ending, and is there only while a time is
/// set. Made of pthreads alone, so that the thread sanitizer sees every hand-over.
package final class TimerThread: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the mutex guards the variables below.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var deadline: MonotonicTime?
  private var isRunning = false
  private let body: @Sendable () -> MonotonicTime?

  /// Makes a thread that waits to be told a time.
  ///
  /// - Parameter body: What to do at that time; it gives the next time, or nil to wait to be told.
  package init(body: @escaping @Sendable () -> MonotonicTime?) {
    self.body = body
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    var failure = pthread_mutex_init(mutex, nil)
    precondition(failure == 0, "pthread_mutex_init failed: \(failure)")
    #if canImport(Darwin)
      failure = pthread_cond_init(condition, nil)
    #else
      // Set clocks must not move the deadlines.
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
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Has the body run at a time, or earlier if an earlier one is set already.
  package func schedule(at time: MonotonicTime) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let isEarliest = deadline.map { time < $0 } ?? true
    if isEarliest { deadline = time }
    if !isRunning {
      isRunning = start()
    } else if isEarliest {
      pthread_cond_signal(condition)
    }
  }

  /// Starts the thread; false where the system has none to give, so that the next call tries again.
  private func start() -> Bool {
    // Holds on to this object, which lives as long as the thread does.
    SystemThread.start { self.run() }
  }

  private func run() {
    while waitForDeadline() {
      if let next = body() { schedule(at: next) }
    }
  }

  /// Waits for the time that is set; false where none is, and then the thread ends.
  private func waitForDeadline() -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while let deadline {
      let now = MonotonicTime.now
      if deadline <= now {
        self.deadline = nil
        return true
      }
      #if canImport(Darwin)
        var time = (deadline - now).timespecValue
        pthread_cond_timedwait_relative_np(condition, mutex, &time)
      #else
        var time = deadline.timespecValue
        pthread_cond_timedwait(condition, mutex, &time)
      #endif
    }
    isRunning = false
    return false
  }
}
