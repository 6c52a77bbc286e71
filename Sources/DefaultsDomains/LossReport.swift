import DefaultsDatabase

/// Reports at the end of the process which changes could not be saved, unless the program checks that itself.
///
/// It prints one line on standard error, once. A program that reads the error reports, or ever asked for the
/// last error, learns of a failed save in its own way.
package final class LossReport: Sendable {
  package static let shared = LossReport()

  private let state = Lock(State())

  private struct State {
    var isNeedless = false
  }

  /// Records that the program has asked why something failed.
  package func programAsked() {
    state.withLock { $0.isNeedless = true }
  }

  /// Prints the line if there is a loss and it was not reported.
  func tell(of losses: [Loss]) {
    guard !losses.isEmpty, !ErrorReports.shared.hasReaders else { return }
    let isFirst = state.withLock { state in
      defer { state.isNeedless = true }
      return !state.isNeedless
    }
    guard isFirst else { return }
    let clauses = losses.map { loss in
      let keys =
        loss.keyCount == 0
        ? "the removal of the domain “\(loss.domain)”"
        : "\(loss.keyCount) changed \(loss.keyCount == 1 ? "key" : "keys") of the domain “\(loss.domain)”"
      return "\(keys) could not be saved: \(loss.reason?.description ?? "the process ended before")"
    }
    CurrentProcess.printError(DatabaseError.oneLine("OpenStepDefaults: " + clauses.joined(separator: "; ")))
  }

  /// The changes of a domain that could not be saved.
  struct Loss {
    let domain: DomainName
    /// How many keys; 0 if the domain was removed.
    let keyCount: Int
    let reason: DatabaseError?
  }
}
