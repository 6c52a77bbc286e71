#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("ProcessExit: name this platform's C library here, and check that it has atexit.")
#endif

/// Work at the process's normal end.
package enum ProcessExit {
  /// The thread that ends the process.
  private static let endingThread = Lock<pthread_t?>(nil)

  /// How many threads may call `exit` at the same moment. After that moment any number may.
  private static let threadCount = 32

  /// Runs a body when `main` returns or `exit` is called, several times; not at a trap or a signal.
  ///
  /// If a second thread calls `exit`, it runs only the handlers that the first has not begun, and then ends
  /// the process while the first is still working. So each of them gets a handler, in which all but the first
  /// have to wait: the body has to call ``waitUnlessFirst()``.
  package static func atExit(_ body: @convention(c) @escaping () -> Void) {
    // Fails only without memory, which ends a Swift program anyway.
    for _ in 0..<threadCount { atexit(body) }
  }

  /// Whether the calling thread is the one that ends the process.
  package static var isOnThisThread: Bool {
    endingThread.withLock { thread in thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  /// Returns only in the thread that called it first; the others wait until that
  /// thread has ended the process.
  package static func waitUnlessFirst() {
    let isFirst = endingThread.withLock { thread in
      let first = thread ?? pthread_self()
      thread = first
      return pthread_equal(first, pthread_self()) != 0
    }
    if isFirst { return }
    // In place of the handler that this thread waits in, for one more thread.
    atexit { ProcessExit.waitUnlessFirst() }
    while true { pause() }
  }
}
