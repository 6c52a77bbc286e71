import DefaultsDomains
import Foundation

/// When the notification is posted: as OPENSTEP's text has it, or in GNUstep's class as in GNUstep 1.31.
extension NSUserDefaults {
  /// Posts the notification of a change of a persistent domain that was made here, if it is due.
  func postChange() {
    if state.withLock({ $0.noteChange() }) { post() }
  }

  /// Posts the notification of what changes no persistent domain, in GNUstep's class only.
  package final func postOtherChange() {
    if state.withLock({ $0.postsEveryChange }) { post() }
  }

  /// Makes the next successful synchronize post the notification, in GNUstep's class only.
  package final func postAtNextSynchronize() {
    state.withLock { if $0.postsEveryChange { $0.hasChanged = true } }
  }

  /// Posts the notification, after the update that this thread makes, if it makes one; no other lock may be
  /// held, because the program's code is called.
  func post() {
    if persistent.isDraft { return }
    UpdateLock.shared.afterwards {
      NotificationCenter.default.post(name: NSUserDefaultsDidChangeNotification, object: self)
    }
  }
}

extension NSUserDefaults.State {
  /// Notes a change of a persistent domain.
  ///
  /// - Returns: Whether the notification is due.
  mutating func noteChange() -> Bool {
    defer { hasChanged = true }
    return !hasChanged || postsEveryChange
  }

  /// Notes a synchronize.
  ///
  /// - Parameters:
  ///   - changes: How many of the database's external changes there were until now.
  ///   - hasSucceeded: Whether all changes that were made here are on the disk.
  /// - Returns: Whether the notification is due: for external changes, and in GNUstep's class also for written
  ///   ones.
  mutating func noteSynchronize(externalChanges changes: Int, hasSucceeded: Bool) -> Bool {
    let hasWritten = postsEveryChange && hasChanged && hasSucceeded
    let isDue = hasWritten || externalChangesPosted != changes
    externalChangesPosted = changes
    // What GNUstep's class has not written yet, a later synchronize writes and posts.
    if hasSucceeded || !postsEveryChange { hasChanged = false }
    return isDue
  }
}
