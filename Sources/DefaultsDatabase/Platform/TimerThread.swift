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
/// It needs no run loop, does not keep the process from ending, and starts with the first time that
/// is set. Made of pthreads alone, so that the thread sanitizer sees every hand-over.
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
    // Balanced by takeRetainedValue in the thread; the thread never ends, so neither does this object.
    let context = Unmanaged.passRetained(self)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    // Walks over deeply nested values need more than the least stack of some C libraries.
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    pthread_attr_setstacksize(attributes, 4 << 20)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    let failure = pthread_create(
      &thread, attributes,
      { context in
        #if canImport(Darwin)
          let address = context
        #else
          guard let address = context else { return nil }
        #endif
        Unmanaged<TimerThread>.fromOpaque(address).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard failure == 0 else {
      context.release()
      return false
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
    return true
  }

  private func run() {
    // Signals are the business of the program's own threads.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    while true {
      waitForDeadline()
      if let next = body() { schedule(at: next) }
    }
  }

  private func waitForDeadline() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      let now = MonotonicTime.now
      if deadline <= now {
        self.deadline = nil
        return
      }
      #if canImport(Darwin)
        var time = (deadline - now).timespecValue
        pthread_cond_timedwait_relative_np(condition, mutex, &time)
      #else
        var time = deadline.timespecValue
        pthread_cond_timedwait(condition, mutex, &time)
      #endif
    }
  }
}
