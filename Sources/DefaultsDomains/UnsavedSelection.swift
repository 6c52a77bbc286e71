import DefaultsDatabase
import Synchronization

/// Which of the domains with unsaved changes a save writes.
package enum UnsavedSelection: Sendable {
  /// All of them, as the program asks.
  case all
  /// Those whose time has come: domains whose last save has failed are tried again a moment later
  /// (``Synchronizer/retryDelay``). Those that another thread is writing are left to it.
  case due
  /// Those whose last save has not failed, since a commit does not wait for the others.
  case sound

  var isAll: Bool { if case .all = self { true } else { false } }
}

extension PersistentDomain {
  /// Whether a save of a selection writes this domain.
  func belongs(to selection: UnsavedSelection, at now: MonotonicTime) -> Bool {
    switch selection {
    case .all: true
    case .due: !writing.load(ordering: .relaxed) && nextAttempt.map { $0 <= now } ?? true
    case .sound: nextAttempt == nil
    }
  }

  /// Why the last save failed; nil if it succeeded.
  var saveError: DatabaseError? { state.withLock { $0.saveError } }

  /// When an automatic save tries again after a failed one; nil if the last save succeeded.
  var nextAttempt: MonotonicTime? { state.withLock { $0.nextAttempt } }
}
