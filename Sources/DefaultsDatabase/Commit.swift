package import OpenStepPropertyList

/// What a save is asked to do to one domain's file.
package struct CommitRequest {
  /// What to put into the file.
  package enum Changes {
    case values(DomainChanges)
    /// Lines of text, which take far less memory than their values.
    case lines(DomainLines)
  }

  package let domain: DomainName
  package let changes: Changes
  /// What to do where the file is damaged.
  package var onDamage = DamagePolicy.refuse
  /// When to stop waiting for another process. One deadline for several commits keeps them together within it.
  package var deadline: MonotonicTime
  /// Looks at what is on disk while nobody can change it, and throws where nothing is to be done.
  package var check: ((LoadedDomain) throws(DatabaseError) -> Void)?
  /// Gives what stands for the contents of a damaged file that is moved aside.
  package var knownValues: () -> [PropertyListKey: PropertyList] = { [:] }
  /// The file's text as it was seen last, which need not be checked again where the file is the same.
  package var knownText: DictionaryText?

  /// Asks for changes of a domain, which waits for another process for ``UserDatabase/patience`` at most.
  package init(_ changes: DomainChanges, to domain: DomainName) {
    self.changes = .values(changes)
    self.domain = domain
    deadline = .now + UserDatabase.patience
  }

  /// Asks for lines of text to be put into a domain, likewise.
  package init(_ lines: DomainLines, to domain: DomainName) {
    changes = .lines(lines)
    self.domain = domain
    deadline = .now + UserDatabase.patience
  }

  /// Looks whether the changes may be merged over what was found on disk.
  ///
  /// - Throws: why they may not.
  func admit(_ found: LoadedDomain) throws(DatabaseError) {
    if onDamage == .refuse, let damage = found.damage { throw damage }
    try check?(found)
  }
}

/// What a save found in a domain's file and what it left there.
package struct Commit: Sendable {
  /// The file that lay there when the changes were merged; nil where there was none.
  package var before: FileIdentity?
  /// Whether its text is ``CommitRequest/knownText``.
  package var foundKnownText = false
  /// What lies there now.
  package var after: LoadedDomain
  /// The path of the damaged file that was moved aside, if there was one.
  package var movedAside: String?
}

/// What a save does where it finds a damaged file.
package enum DamagePolicy: Sendable {
  /// Keep the damaged file beside the new one, under a name that ``Commit/movedAside`` tells.
  case moveAside
  /// Save nothing and leave every byte.
  case refuse
}
