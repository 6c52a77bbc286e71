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
  /// Swift's own `fatalError` has its message followed by pages of registers and addresses, and loses what
  /// the program printed to a pipe before.
  package static func stop(_ message: String) -> Never {
    // Another thread may hold the stream for good, where nobody reads what it prints.
    if ftrylockfile(stdout) == 0 {
      fflush(stdout)
      funlockfile(stdout)
    }
    let line = Array("Fatal error: \(message)\n".utf8)
    write(line)
    if hasHandler(of: SIGABRT) {
      // Swift's backtracer, or a crash reporter of the program's. One that does not return has had its message.
      unblock(SIGABRT)
      raise(SIGABRT)
      write(line)
      signal(SIGABRT, SIG_DFL)
    }
    abort()
  }

  /// Writes to standard error, past every buffer.
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
      // Nobody can be told that standard error takes no more.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Has this thread take a signal at once, which the threads of a dispatch queue leave to others.
  private static func unblock(_ number: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Whether the process does something of its own at a signal.
  private static func hasHandler(of number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    // Where the handler lies in the structure is different everywhere; this call gives it on all systems.
    let handler = signal(number, SIG_DFL)
    sigaction(number, &action, nil)
    return unsafeBitCast(handler, to: UInt.self) != unsafeBitCast(SIG_DFL, to: UInt.self)
  }
}
