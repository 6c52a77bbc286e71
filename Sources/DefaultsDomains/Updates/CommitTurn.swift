import DefaultsDatabase
import Synchronization

/// The turn of an asynchronous commit among those of its database.
///
/// One commit at a time waits for locks, on a thread of the package, and the others wait for their turns without one.
/// So commits of a database whose lock is held delay no other database's. A turn ends when the commit has its locks,
/// because its closure and the program's observers may take any time: meanwhile the others go on waiting, and are refused
/// when their time is over.
package final class CommitTurn: Sendable {
  private let domains: PersistentDomains
  /// A wait that began with the call; nil where there are no files.
  private let called: LockQueue.Wait?
  private let hasEnded = Atomic(false)

  init(in domains: PersistentDomains) {
    self.domains = domains
    called = domains.database?.queue.wait(until: .now + UserDatabase.patience)
  }

  /// The wait for others; nil where there are no files.
  ///
  /// It began with the call, or when another commit of the database had its locks, if that was later: many short waits of
  /// the commits that came first are not the fault of any holder.
  var wait: LockQueue.Wait? {
    guard let called else { return nil }
    guard let progress = domains.state.withLock({ $0.work.commitProgress }), called.arrival < progress.arrival
    else {
      return called
    }
    return progress
  }

  /// Lets the next commit begin, unless this was called before.
  ///
  /// - Parameter hasLocks: Whether this commit has its locks, and is not refused.
  func end(hasLocks: Bool = false) {
    if hasEnded.exchange(true, ordering: .relaxed) { return }
    if hasLocks {
      let progress = domains.database?.queue.wait(until: .now + UserDatabase.patience)
      domains.state.withLock { $0.work.commitProgress = progress }
    }
    domains.beginNextCommit(afterAnother: true)
  }
}
