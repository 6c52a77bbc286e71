package import OpenStepPropertyList

/// A request to save changes in one domain's file.
package struct CommitRequest {
  /// The changes to save.
  package enum Changes {
    case values(DomainChanges)
    /// Lines of text, which take far less memory than their values.
    case lines(DomainLines)
    /// Changes that depend on what is in the file.
    case computed((DomainContents) throws(DatabaseError) -> NewContents)
  }

  /// What the domain's file is to hold.
  package enum NewContents {
    /// What it holds, after these changes.
    case changes(DomainChanges)
    /// Exactly these bytes, which the caller has checked.
    case bytes([UInt8])
    /// Exactly these bytes, which it has had before, and which need not be a property list.
    case formerBytes([UInt8])
    /// Nothing: the file is removed.
    case none
  }

  package let domain: DomainName
  package let changes: Changes
  /// What to do if the file is damaged.
  package var onDamage = DamagePolicy.refuse
  /// Whether a file that is made has no extension where the database allows that, as one had that is put back; for
  /// changes that depend on what is in the file.
  package var isBareIfNew: Bool?
  /// When to stop waiting for another process. Several commits can share one deadline.
  package var deadline: MonotonicTime
  /// Checks what the changes will be merged over; throws if nothing may be saved. If the file changes after
  /// that and before the save, it is called again.
  package var check: ((LoadedDomain) throws(DatabaseError) -> Void)?
  /// Gives the values to save in place of a damaged file's contents.
  package var knownValues: () -> [PropertyListKey: PropertyList] = { [:] }
  /// The file's text when it was last read, which is not validated again if the file still has it.
  package var knownText: DictionaryText?
  /// The identity that the file had then; where it proves that the file is unchanged, the file is not read.
  package var knownIdentity: FileIdentity?

  /// Makes a request to save changes, which waits for another process for at most ``UserDatabase/patience``.
  package init(_ changes: DomainChanges, to domain: DomainName) {
    self.changes = .values(changes)
    self.domain = domain
    deadline = .now + UserDatabase.patience
  }

  /// Makes a request to save lines of text, with the same deadline.
  package init(_ lines: DomainLines, to domain: DomainName) {
    changes = .lines(lines)
    self.domain = domain
    deadline = .now + UserDatabase.patience
  }

  /// Makes a request to save what a closure makes of the file's contents, with the same deadline.
  ///
  /// The closure is called without the lock, since it may take long. Where another process changes the file between the call
  /// and the save, nothing is saved and the closure is called again; after a few such attempts, under the lock.
  package init(
    to domain: DomainName,
    computing makeContents: @escaping (DomainContents) throws(DatabaseError) -> NewContents
  ) {
    changes = .computed(makeContents)
    self.domain = domain
    deadline = .now + UserDatabase.patience
  }

  /// Checks whether the changes may be merged over what was found on disk.
  ///
  /// - Throws: the reason if they may not.
  func admit(_ found: LoadedDomain) throws(DatabaseError) {
    if onDamage == .refuse, let damage = found.damage { throw damage }
    try check?(found)
  }
}

/// The result of a save.
package struct Commit: Sendable {
  /// The file over which the changes were merged; nil if there was none.
  package var before: FileIdentity?
  /// Whether that file's text was ``CommitRequest/knownText``.
  package var foundKnownText = false
  /// The domain on disk after the save.
  package var after: LoadedDomain
  /// The new path of a file that was moved aside, because it was damaged or could not be changed as it was.
  package var movedAside: String?
  /// Why that file was moved aside.
  package var reason: DatabaseError?
}

extension Commit {
  /// Whether the file was damaged and ``CommitRequest/knownValues`` are saved in place of its contents.
  package var replacedDamage: Bool { reason?.kind == .damaged }

  /// Why the old file was moved aside, with its new path; nil if it was not.
  package var remark: DatabaseError? {
    guard let movedAside else { return nil }
    return reason?.movedAside(to: movedAside)
  }

  /// Why the old file was moved aside, and where it is kept, as a clause; nil if it was not.
  package var notice: String? {
    guard let movedAside else { return nil }
    let file =
      replacedDamage
      ? "was damaged; the damaged file" : "could not be changed as it was; the old file"
    return "\(file) was kept as \(movedAside)"
  }
}

/// What a save does if it finds a damaged file, or a text that cannot be changed as it is.
package enum DamagePolicy: Sendable {
  /// Keep the file beside the new one, with the path ``Commit/movedAside``.
  case moveAside
  /// Save nothing, and change no byte.
  case refuse
}
