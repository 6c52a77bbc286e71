import Foundation

/// The signals by which a user or the system ends the tool.
enum TortureSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]

  /// The signal that has come, or 0.
  ///
  /// Unsafe only in name: one aligned number, which a handler sets and the main thread reads.
  nonisolated(unsafe) private(set) static var caught: Int32 = 0

  /// Notes these signals from now on, instead of ending at once; the children are to be ended first.
  ///
  /// A program that starts this one from a thread of a queue hands on that they are blocked.
  static func catchAll() {
    caught = 0
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    for number in numbers {
      signal(number) { TortureSignals.caught = $0 }
    }
  }

  /// Ends this process by a signal, as if it had never been caught.
  static func end(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    kill(getpid(), number)
    exit(128 + number)
  }
}
