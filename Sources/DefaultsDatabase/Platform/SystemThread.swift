#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("SystemThread: name this platform's C library here, and check that it has pthreads.")
#endif

/// Threads of the system's own kind, which need no run loop and do not keep the process from ending.
///
/// Made of pthreads alone, so that the thread sanitizer sees every hand-over.
package enum SystemThread {
  /// Walks over deeply nested values need more than the least stack of some C libraries; with less than this,
  /// ``LargeStack`` would start one more thread for each call.
  private static let stackSize = 8 << 20

  /// Starts a thread that runs a body and ends; false where the system has none to give.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = make(stackSize: stackSize, body) else { return false }
    pthread_detach(thread)
    return true
  }

  /// Runs a body on a thread with a stack of its own size, and waits for it; false where the system has none to give.
  static func run(stackSize: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = make(stackSize: stackSize, body) else { return false }
    pthread_join(thread, nil)
    return true
  }

  /// Starts a thread that must be joined or detached; nil where the system has none to give.
  private static func make(stackSize: Int, _ body: @escaping @Sendable () -> Void) -> pthread_t? {
    // Balanced by takeRetainedValue in the thread, or by release where there is none.
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
    let failure = pthread_create(
      &thread, attributes,
      { context in
        #if canImport(Darwin)
          let address = context
        #else
          guard let address = context else { return nil }
        #endif
        // Signals are the business of the program's own threads.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let body = Unmanaged<Body>.fromOpaque(address).takeRetainedValue()
        // Let go of at the end: the first thing that a thread frees has memory mapped for it, and whoever started it
        // waits for that with every page that it comes to. That took a fifth of a process's time to its first lookup.
        withExtendedLifetime(body) { body.run() }
        return nil
      }, context.toOpaque())
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
