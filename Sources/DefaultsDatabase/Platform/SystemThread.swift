#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("SystemThread: name this platform's C library here, and check that it has pthreads.")
#endif

/// The system's own threads, which need no run loop and do not keep the process from ending.
///
/// Made of pthreads alone, so that the thread sanitizer sees every synchronization.
package enum SystemThread {
  /// Recursion over deeply nested values needs more than the smallest default stack of the C libraries; with
  /// less than this, ``LargeStack`` would start another thread for each call.
  private static let stackSize = 8 << 20

  /// Starts a thread that runs a body and ends; false if the system provides none.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = make(stackSize: stackSize, body) else { return false }
    pthread_detach(thread)
    return true
  }

  /// Runs a body on a thread with a given stack size, and waits for it; false if the system provides none.
  static func run(stackSize: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
    FileRights.withOwn {
      guard let thread = make(stackSize: stackSize, body) else { return false }
      pthread_join(thread, nil)
      return true
    }
  }

  /// Starts a thread that must be joined or detached; nil if the system provides none.
  private static func make(stackSize: Int, _ body: @escaping @Sendable () -> Void) -> pthread_t? {
    // Balanced by takeRetainedValue in the thread, or by release if there is none.
    let context = Unmanaged.passRetained(Body(run: body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    pthread_attr_setstacksize(attributes, stackSize)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    let failure = FileRights.withOwn {
      pthread_create(
        &thread, attributes,
        { context in
          #if canImport(Darwin)
            let address = context
          #else
            guard let address = context else { return nil }
          #endif
          // Signals are left to the program's own threads.
          var signals = sigset_t()
          sigfillset(&signals)
          pthread_sigmask(SIG_BLOCK, &signals, nil)
          let body = Unmanaged<Body>.fromOpaque(address).takeRetainedValue()
          // Released at the end of the work: a thread's first `free` maps memory for it, and meanwhile
          // the starting thread waits at each of its page faults (Architecture, “Start-up”).
          withExtendedLifetime(body) { body.run() }
          return nil
        }, context.toOpaque())
    }
    guard failure == 0 else {
      context.release()
      return nil
    }
    return thread
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }
}
