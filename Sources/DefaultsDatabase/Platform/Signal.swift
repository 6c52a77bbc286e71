#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("Signal: name this platform's C library here.")
#endif

/// A signal of the operating system.
package struct Signal: Hashable, Sendable {
  /// The number, as `kill` takes it.
  package let number: Int32

  package init(number: Int32) {
    self.number = number
  }

  /// A user has interrupted the process from its terminal.
  package static var interrupt: Signal { Signal(number: SIGINT) }
  /// Somebody asks the process to end.
  package static var terminate: Signal { Signal(number: SIGTERM) }
  /// The terminal of the process is gone.
  package static var hangUp: Signal { Signal(number: SIGHUP) }
  /// Ends the process at once; it cannot be caught.
  package static var kill: Signal { Signal(number: SIGKILL) }
  /// Stops the process until it is continued; it cannot be caught.
  package static var stop: Signal { Signal(number: SIGSTOP) }
  /// Continues a process that was stopped.
  package static var `continue`: Signal { Signal(number: SIGCONT) }

  /// The process has written to a pipe that nobody reads any more.
  package static var brokenPipe: Signal { Signal(number: SIGPIPE) }

  /// From now on the signal does nothing in this process.
  package func ignore() { signal(number, SIG_IGN) }

  /// Sends the signal to a process; to one that has ended, nothing is sent.
  ///
  /// The corresponding C function is `kill`.
  package func send(to process: Int32) {
    posixKill(process, number)
  }

  /// Ends this process by the signal, as if it had never been caught.
  package func endProcess() -> Never {
    signal(number, SIG_DFL)
    posixKill(getpid(), number)
    exit(128 + number)
  }
}

// The C function whose name a signal above has.
private func posixKill(_ process: Int32, _ number: Int32) {
  kill(process, number)
}
