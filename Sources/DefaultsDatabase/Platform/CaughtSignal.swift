import Synchronization

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
  /// The number of the signal that came last, or 0. A handler sets it, and another thread reads it.
  private static let number = Atomic<Int32>(0)

  /// The signal that came last since ``note(_:)`` was called; nil where none did.
  package static var last: Signal? {
    let number = number.load(ordering: .relaxed)
    return number == 0 ? nil : Signal(number: number)
  }

  /// Has these signals noted from now on, and lets the calling thread take them.
  ///
  /// They may be blocked: a process that is started by a dispatch queue's thread inherits that thread's blocked signals.
  package static func note(_ noted: [Signal]) {
    // Made here, and not by the handler.
    number.store(0, ordering: .relaxed)
    var signals = sigset_t()
    sigemptyset(&signals)
    for one in noted { sigaddset(&signals, one.number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    for one in noted {
      signal(one.number) { CaughtSignal.number.store($0, ordering: .relaxed) }
    }
  }
}
