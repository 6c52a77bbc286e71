#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("ProcessExit: name this platform's C library here, and check that it has atexit.")
#endif

/// What a process does at its normal end.
package enum ProcessExit {
  /// The thread that ends the process.
  private static let endingThread = Lock<pthread_t?>(nil)

  /// How many threads may call `exit` at once.
  private static let threadCount = 32

  /// Has a body run when `main` returns or `exit` is called, and then again; not at a trap or a signal.
  ///
  /// A thread that calls `exit` while another one does runs only what handlers the other has left, and
  /// ends the process in the midst of the other's work. So there is a handler for each of them, in
  /// which all but one stay: the body has to call ``stayUnlessFirst()``.
  package static func atExit(_ body: @convention(c) @escaping () -> Void) {
    // Fails only for want of memory, which ends a Swift program anyway.
    for _ in 0..<threadCount { atexit(body) }
  }

  /// Returns only to the thread that called it first; the others stay until that has ended the process.
  package static func stayUnlessFirst() {
    let isFirst = endingThread.withLock { thread in
      let first = thread ?? pthread_self()
      thread = first
      return pthread_equal(first, pthread_self()) != 0
    }
    while !isFirst { pause() }
  }
}
