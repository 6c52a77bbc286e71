// Without concurrency checks: the C library's `stdout` is a variable, of which its headers do not say who may use it.
#if canImport(Glibc)
  @preconcurrency import Glibc
#elseif canImport(Musl)
  @preconcurrency import Musl
#elseif canImport(Darwin)
  @preconcurrency import Darwin
#else
  #error("Misuse: name this platform's C library here, and check that it has sigaction and ftrylockfile.")
#endif

/// A call that no correct program makes.
package enum Misuse {
  /// Ends the process by `SIGABRT`, with a message as the last line of standard error.
  ///
  /// Swift's own `fatalError` prints pages of registers and addresses after its message, and loses what the
  /// program printed to a pipe before.
  package static func stop(_ message: String) -> Never {
    // Another thread may hold the stream's lock forever, if nobody reads what it prints.
    if ftrylockfile(stdout) == 0 {
      fflush(stdout)
      funlockfile(stdout)
    }
    let line = Array("Fatal error: \(message)\n".utf8)
    write(line)
    if hasHandler(of: SIGABRT) {
      // Swift's backtracer, or the program's crash reporter. If it does not return, the
      // message has been printed.
      unblock(SIGABRT)
      raise(SIGABRT)
      write(line)
      signal(SIGABRT, SIG_DFL)
    }
    abort()
  }

  /// Writes to standard error, without any buffer.
  private static func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Glibc)
        let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      #elseif canImport(Musl)
        let count = rest.withUnsafeBytes { Musl.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      #elseif canImport(Darwin)
        let count = rest.withUnsafeBytes { Darwin.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      #endif
      if count < 0 && errno == EINTR { continue }
      // If standard error takes no more, no other place is left to report it.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Unblocks a signal in this thread, because the threads of a dispatch queue block it.
  private static func unblock(_ number: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Whether the process handles a signal itself.
  private static func hasHandler(of number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    // The handler's field is different on each system; this call returns the handler on all of them.
    let handler = signal(number, SIG_DFL)
    sigaction(number, &action, nil)
    return unsafeBitCast(handler, to: UInt.self) != unsafeBitCast(SIG_DFL, to: UInt.self)
  }
}
