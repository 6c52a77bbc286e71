import DefaultsDatabase
import OpenStepPropertyList

/// Commits: changes across processes.
extension PersistentDomains {
  /// Changes a domain under the database's lock: a closure reads and changes what is on the disk by then, in a
  /// draft; when this returns, all of its changes are on stable storage and in memory, or none.
  ///
  /// The unsaved changes of all domains are written before that, since none can be while the closure runs, and the
  /// closure may end the process; those of other domains whose last save has failed are not waited for. No other update
  /// of this process, and no save or commit of another one, comes in between. A set by another thread of this process
  /// counts as made afterwards.
  ///
  /// The closure runs once, on this thread. In it other domains cannot be changed; an attempt makes the commit
  /// fail.
  ///
  /// - Parameters:
  ///   - observers: The observers of the object that commits, which are called first.
  ///   - turn: The turn of an asynchronous commit; nil for one that begins with this call.
  ///   - closure: Is given the draft's domains, and the commit, which it may refuse.
  ///   - changed: Called if the closure has changed a value, after all locks are released.
  /// - Returns: What the closure returns.
  /// - Throws: what the closure throws, and `DatabaseError`; then nothing is changed.
  package func commit<Result>(
    _ domain: PersistentDomain, observers: KeyObservers? = nil, in turn: CommitTurn? = nil,
    _ closure: (PersistentDomains, CommitInProgress) throws -> Result, changed: () -> Void
  ) throws -> Result {
    let lock = UpdateLock.shared
    if lock.isHeld {
      let error = DatabaseError.notInUpdate("commit", of: domain.name)
      lock.commit?.refuse(error)
      throw error
    }
    var outcome: Swift.Result<Result, any Error>?
    var isChanged = false
    /// Runs the closure with a draft; nil if it fails.
    func changes(of draft: PersistentDomain) -> DomainChanges? {
      turn?.end(hasLocks: true)
      let commit = CommitInProgress(domain, draft: draft)
      do {
        let result = try lock.run(commit) {
          try closure(PersistentDomains(draftOf: self, domain: draft), commit)
        }
        if let refusal = commit.refusal { throw refusal }
        outcome = .success(result)
        let changes = draft.draftChanges
        isChanged = !changes.isEmpty
        return changes
      } catch {
        // A refusal is why the closure has thrown, or at least comes first.
        outcome = .failure(commit.refusal ?? error)
        return nil
      }
    }
    guard database != nil else {
      lock.hold {
        let before = domain.values
        guard let changes = changes(of: PersistentDomain(draftOf: domain.name, values: before)), isChanged
        else { return }
        let entries = changes.entries(replacing: before.keys)
        _ = change(domain, entries.keys, observers) {
          let changed = domain.apply(entries, whereUnchangedSince: before)
          return changed.isEmpty ? nil : .several(changed)
        }
      }
      if isChanged { changed() }
      return try PersistentDomains.result(outcome)
    }
    var calls: [() -> Void] = []
    defer { for call in calls { call() } }
    var before = SaveOutcome()
    let committed: PersistentDomain.CommitOutcome?
    do throws(DatabaseError) {
      committed = try commitToDisk(domain, turn?.wait, savingFirst: &before, &calls, changes)
    } catch {
      // An observer may wait for the next commit.
      turn?.end()
      tell(of: before, onWorker: turn != nil)
      throw error
    }
    tell(of: before, onWorker: turn != nil)
    if let committed { finish(committed, of: domain, observers, onWorker: turn != nil) }
    if isChanged { changed() }
    return try PersistentDomains.result(outcome)
  }

  private static func result<Result>(_ outcome: Swift.Result<Result, any Error>?) throws -> Result {
    // The closure has run, or an error was thrown before.
    guard let outcome else { preconditionFailure("the closure of a commit was not run") }
    return try outcome.get()
  }

  /// Saves what is unsaved, then commits the domain; counts as a use of the disk (``useDisk()``).
  ///
  /// - Parameters:
  ///   - begun: The wait for others, if it has begun.
  ///   - before: The results of the save of what was unsaved, to be told when no lock is held.
  private func commitToDisk(
    _ domain: PersistentDomain, _ begun: LockQueue.Wait?, savingFirst before: inout SaveOutcome,
    _ calls: inout [() -> Void], _ changes: (PersistentDomain) -> DomainChanges?
  ) throws(DatabaseError) -> PersistentDomain.CommitOutcome? {
    guard let database, useDisk() else {
      throw DatabaseError(
        .refused, path: "“\(domain.name)”", message: "belongs to an object that has been released",
        advice: "nothing was changed")
    }
    defer { endUseOfDisk() }
    // Not on another thread with a larger stack: the closure is the program's, and runs on the program's thread.
    return try Synchronizer.shared.waiting(in: database, begun) { wait throws(DatabaseError) in
      if listsUnsaved { writeUnsaved(.sound, andRefresh: false, of: [], before: domain, wait, &before) }
      return try domain.commit(to: database, wait, &calls, changes)
    }
  }

  /// Tells of a commit that is on the disk; this thread holds no lock.
  private func finish(
    _ outcome: PersistentDomain.CommitOutcome, of domain: PersistentDomain, _ observers: KeyObservers?,
    onWorker isOnWorker: Bool
  ) {
    state.withLock { state in
      if let remark = outcome.save.remark {
        state.unreportedRemark = remark
        state.lastError = remark
      }
      if outcome.hasExternalChanges { state.externalChanges += 1 }
      state.unsaved.removeAll { $0.unmarkIfSaved() }
    }
    if !outcome.keys.isEmpty {
      let keys = ChangedKeys.several(outcome.keys)
      domain.tell(of: keys) { observers?.check(keys) }
    }
    if outcome.isWritten {
      tellOfSave(of: domain, byteCount: outcome.save.byteCount, onWorker: isOnWorker)
    }
    if let remark = outcome.save.remark { ErrorReports.shared.add(remark) }
  }
}
