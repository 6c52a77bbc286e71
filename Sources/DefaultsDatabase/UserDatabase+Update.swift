package import OpenStepPropertyList

/// A request to change a domain's file by what it contains.
package struct UpdateRequest {
  package let domain: DomainName
  /// When to stop waiting for another process.
  package var deadline: MonotonicTime
  /// Whether to wait at all; otherwise the lock is taken only if it is free, and no other process waits for it.
  package var waits = true
  /// Gives the values to save in place of a damaged file's contents.
  package var knownValues: () -> [PropertyListKey: PropertyList] = { [:] }
  /// The file's text when it was last read, which is not validated again if the file still has it.
  package var knownText: DictionaryText?
  /// The identity that the file had then; where it proves that the file is unchanged, the file is not read.
  package var knownIdentity: FileIdentity?

  /// Makes a request that waits for another process for at most ``UserDatabase/patience``.
  package init(of domain: DomainName) {
    self.domain = domain
    deadline = .now + UserDatabase.patience
  }
}

/// Changes that depend on what is on the disk.
extension UserDatabase {
  /// Makes changes of what is on disk now, under the lock, and returns when the result is on stable storage.
  ///
  /// Unlike a commit of known changes, it keeps the lock from the reading to the rename, because the closure is called
  /// only once and needs the contents that are then replaced. A damaged file is moved aside.
  ///
  /// - Parameter makeChanges: Makes the changes to merge over what was found; nil to change nothing. Called once;
  ///   it must not wait for another thread that waits for this database. It counts as the program's closure: other
  ///   threads wait for it no longer than for another process.
  /// - Returns: nil if nothing is to be changed.
  /// - Throws: as ``commit(_:)``.
  package func update(
    _ request: UpdateRequest, _ makeChanges: (LoadedDomain) throws(DatabaseError) -> DomainChanges?
  ) throws(DatabaseError) -> Commit? {
    try withDirectory(for: request.domain, deadline: request.deadline) {
      (file, hold, isPathChecked, deadline) throws(DatabaseError) in
      var deadline = deadline
      try file.awaitEndOfLease(
        unlessStill: request.knownText == nil ? nil : request.knownIdentity, &deadline)
      return try withLock(
        on: request.domain, isPathChecked: isPathChecked, deadline: request.waits ? deadline : nil
      ) { (file) throws(DatabaseError) -> Commit? in
        let found = try file.load(knowing: request.knownText, of: request.knownIdentity)
        let made = try queue.inClosure { () throws(DatabaseError) in
          try FileRights.withOwn(towards: directory) { () throws(DatabaseError) in
            try makeChanges(found.domain)
          }
        }
        guard let changes = made else { return nil }
        // The closure may take any time, and is not to be run again for changes that were saved.
        if hold?.isMoved ?? false { throw home.exchanged }
        let foundKnownText = request.knownText != nil && found.domain.text === request.knownText
        if changes.isEmpty && !found.domain.isDamaged {
          return Commit(
            before: found.domain.identity, foundKnownText: foundKnownText, after: found.domain)
        }
        var file = file
        for _ in 0..<UserDatabase.attemptCount {
          var plan = try file.plan(changes, over: found, onDamage: .moveAside, knowing: request.knownValues)
          plan.foundKnownText = foundKnownText
          if let commit = try carryOut(plan, of: request.domain, on: file) { return commit }
          let now = try file.foundAgain()
          // The closure has run, for the contents that were found.
          guard try plan.isGood(for: now) else { break }
          file = now
        }
        throw .changedMeanwhile(file.path)
      }
    }
  }

  /// The error for a commit that does not get the lock of this process's updates in time.
  ///
  /// - Parameter isWriting: Whether that is a commit which does not come to the end of its work on its files.
  package func lockedByUpdate(of domain: DomainName, isWriting: Bool) -> DatabaseError {
    DatabaseError(
      .locked(holder: CurrentProcess.identifier), path: path(of: domain),
      message: isWriting
        ? "another thread of this process has been reading or writing the files of a commit for more than ten seconds"
        : "another thread of this process has been inside modify, a transaction or a commit for two seconds",
      advice: "nothing was changed; try again when it is done")
  }
}
