#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("CaughtSignal: name this platform's C library here, and check that it has pthread_sigmask.")
#endif

/// Signals that a process notes instead of ending at once.
package enum CaughtSignal {
  /// The number of the signal that came last, or 0.
  ///
  /// Unsafe only in name: one aligned number, which a handler sets and another thread reads.
  nonisolated(unsafe) private static var number: Int32 = 0

  /// The signal that came last since ``note(_:)`` was called; nil where none did.
  package static var last: Signal? {
    number == 0 ? nil : Signal(number: number)
  }

  /// Has these signals noted from now on, and lets the calling thread take them.
  ///
  /// They may be blocked: a process that is started by a dispatch queue's thread inherits that thread's blocked signals.
  package static func note(_ noted: [Signal]) {
    number = 0
    var signals = sigset_t()
    sigemptyset(&signals)
    for one in noted { sigaddset(&signals, one.number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    for one in noted {
      signal(one.number) { CaughtSignal.number = $0 }
    }
  }
}
