import DefaultsDatabase
import OpenStepPropertyList

/// Commits of one domain: changes that are made of what is on the disk, under the database's lock.
extension PersistentDomain {
  /// The result of a commit.
  struct CommitOutcome {
    /// What was written, as for a save.
    var save: Save
    /// The keys whose values in a lookup are different now.
    let keys: Set<PropertyListKey>
    /// Whether some of these were changed by other processes before.
    let hasExternalChanges: Bool
    /// Whether the file is another one now.
    let isWritten: Bool
  }

  /// Makes changes under the database's lock, merges them and the unsaved changes over the file, and takes the
  /// result; when this returns, it is on stable storage.
  ///
  /// From the reading of the file to the end, other updates of this process wait. A thread that holds the lock of
  /// updates never waits for another process. A thread that holds the database's lock waits for an update for a
  /// quarter of a second at most, since other processes wait for it meanwhile. Therefore this one first takes the lock
  /// of updates, and then the others only if they are free. If they are not, it gives the lock of updates back, waits
  /// for the others (the domain's turn to save, then the database's lock), and takes the lock of updates last; if that
  /// is not free soon, it gives the others back and begins again.
  ///
  /// - Parameters:
  ///   - wait: The wait for other processes, which has begun; commits and saves of this process that come first move
  ///     its deadline on (``LockQueue``). Its whole time is also how long the commit waits for the body of one update.
  ///   - makeChanges: Makes changes of a draft, which contains what is on the disk with the unsaved changes over
  ///     it; gives the changes, or nil to change nothing.
  ///   - calls: Receives what to call when this thread holds no lock any more.
  /// - Returns: nil if nothing is to be changed.
  func commit(
    to database: UserDatabase, _ wait: LockQueue.Wait, _ calls: inout [() -> Void],
    _ makeChanges: (PersistentDomain) -> DomainChanges?
  ) throws(DatabaseError) -> CommitOutcome? {
    let lock = UpdateLock.shared
    let (patience, arrival, place) = (wait.patience, wait.arrival, lock.nextPlace())
    var wait = wait
    while true {
      let remaining = wait.remaining
      guard lock.begin(waiting: patience, since: arrival, at: place) else {
        throw database.lockedByUpdate(of: name, isWriting: lock.isHolderWorking)
      }
      // What other threads waited for meanwhile did not keep this one.
      wait = database.queue.wait(until: .now + remaining)
      for isUpdating in [true, false] {
        let attempt = try attemptCommit(
          to: database, isUpdating: isUpdating, wait, place, &calls, makeChanges)
        if case .made(let outcome) = attempt { return outcome }
      }
    }
  }

  /// What became of an attempt to commit.
  private enum CommitAttempt {
    case made(CommitOutcome?)
    /// A lock was not free; nothing of the domain has changed, and the thread holds no lock.
    case notFree
  }

  /// Attempts a commit, and gives back all locks.
  ///
  /// - Parameters:
  ///   - isUpdating: Whether the thread holds the lock of updates, so that it waits for no other; otherwise it waits
  ///     for the others, and takes the lock of updates last.
  ///   - place: Its place among those that wait for the lock of updates.
  private func attemptCommit(
    to database: UserDatabase, isUpdating: Bool, _ wait: LockQueue.Wait, _ place: RecursiveLock.Place,
    _ calls: inout [() -> Void], _ makeChanges: (PersistentDomain) -> DomainChanges?
  ) throws(DatabaseError) -> CommitAttempt {
    let lock = UpdateLock.shared
    var started: (start: SaveStart, own: DomainChanges)?
    var (isLocked, isBegun) = (isUpdating, false)
    defer { if isLocked { calls += lock.end() } }
    guard
      saves.begin(
        until: isUpdating ? .now : wait.deadline,
        if: { isUpdating || wait.isOver && database.queue.isStalled })
    else {
      if isUpdating { return .notFree }
      throw database.lockedWhileAnotherThreadWaits
    }
    defer { saves.end() }
    do throws(DatabaseError) {
      var request = UpdateRequest(of: name)
      request.deadline = wait.deadline
      request.waits = !isUpdating
      let known = state.withLock { $0.file }
      let knownText = known.text
      request.knownText = knownText
      request.knownIdentity = known.identity
      request.knownValues = { self.values }
      let commit = try database.update(request) { (loaded) throws(DatabaseError) in
        if !isLocked {
          guard lock.beginSoon(at: place) else { return nil }
          isLocked = true
          // An update that is over keeps nobody waiting any more.
          database.queue.beginStallAgain()
        }
        isBegun = true
        let start = self.beginCommit()
        if let damage = loaded.damage, !start.changes.replacesAll {
          // What the file had last is not known: this process may have read it before others' commits. A counter would
          // give a number again, or begin anew.
          self.keepUnsaved(start)
          throw damage
        }
        let draft = PersistentDomain(draftOf: self.name, loaded, start.changes)
        guard let own = makeChanges(draft) else {
          self.keepUnsaved(start)
          return nil
        }
        started = (start, own)
        var changes = start.changes
        changes.merge(own)
        return changes
      }
      guard let started, let commit else { return isBegun ? .made(nil) : .notFree }
      // The file may have been read again before the lock was taken.
      let isFileKnown =
        knownText == nil
        ? started.start.file.isCertainly(commit.before)
        : commit.foundKnownText && started.start.file.text === knownText
      return .made(take(commit, isFileKnown: isFileKnown, started.own, since: started.start, in: database))
    } catch {
      if isUpdating, !isBegun, case .locked = error.kind { return .notFree }
      if let started { keepUnsaved(started.start) }
      throw error
    }
  }

  /// Makes a domain in memory with what is on the disk and changes over it, of which nothing is unsaved.
  private convenience init(
    draftOf name: DomainName, _ loaded: LoadedDomain, _ changes: DomainChanges
  ) {
    self.init(name: name)
    state.withLock { state in
      if changes.replacesAll {
        state.table.replaceAll(with: changes.applied(to: [:]))
        return
      }
      if let text = loaded.text {
        state.table.replaceAll(with: text)
      } else {
        state.table.replaceAll(with: loaded.values)
      }
      for (key, value) in changes.entries { state.table.put(value, for: key) }
    }
  }

  /// A draft with these values, for a domain without a file.
  convenience init(draftOf name: DomainName, values: [PropertyListKey: PropertyList]) {
    self.init(draftOf: name, LoadedDomain(values: values), DomainChanges())
  }

  /// The changes of a draft.
  var draftChanges: DomainChanges {
    state.withLock { state in
      let unsaved = state.allUnsaved
      var changes = DomainChanges()
      if unsaved.replacesAll {
        changes.replaceAll(with: state.table.values)
      } else {
        for key in unsaved.keys {
          if let value = state.table[key] { changes.set(value, for: key) } else { changes.remove(key) }
        }
      }
      return changes
    }
  }

  /// Takes what a commit has written as the values in memory; sets that other threads have made meanwhile stay,
  /// as if made afterwards.
  ///
  /// - Parameter isFileKnown: Whether the values in memory came from the file that the commit has found.
  private func take(
    _ commit: Commit, isFileKnown: Bool, _ own: DomainChanges, since start: SaveStart,
    in database: UserDatabase
  ) -> CommitOutcome {
    let isWritten = commit.before != commit.after.identity || commit.movedAside != nil
    // Under the lock they are compared with what is written.
    if isFileKnown, commit.movedAside == nil, !own.replacesAll { for key in own.entries.keys { parse(key) } }
    let (known, save, settled, count) = state.withLock { state in
      state.older.removeFirst(start.keys.count)
      state.noteSave(nil)
      let isKnown =
        state.readAndSaveCount == start.readAndSaveCount && isFileKnown && !own.replacesAll
        && commit.movedAside == nil
      let keys = isKnown ? state.takeSaved(own.entries, unlessReplacedSince: start.replacementCount) : nil
      state.noteSaved(commit.after, isKnown: keys != nil)
      var save = Save(byteCount: Int(commit.after.identity?.size ?? 0), isUpToDate: true)
      save.remark = commit.remark
      let settled = state.receipts.settle(save: start.number, isAllSaved: !state.hasUnsavedChanges)
      return (keys, save, settled, state.readAndSaveCount)
    }
    settled.resume()
    if let known {
      return CommitOutcome(save: save, keys: known, hasExternalChanges: false, isWritten: isWritten)
    }
    // There were external changes, which the closure has seen: all become the values in memory at one moment.
    while true {
      guard state.withLock({ $0.readAndSaveCount }) == count else {
        // Another thread has read what is on the disk since, and tells of it.
        return CommitOutcome(save: save, keys: [], hasExternalChanges: false, isWritten: isWritten)
      }
      guard let keys = take(commit.after, knowing: nil, readAndSaveCount: count) else { continue }
      let external = own.replacesAll ? [] : keys.subtracting(own.keys)
      return CommitOutcome(
        save: save, keys: keys, hasExternalChanges: !external.isEmpty, isWritten: isWritten)
    }
  }
}

extension PersistentDomain.State {
  /// Takes values that are saved already, except of keys that were set since; gives the keys whose values are
  /// different now, or nil, with nothing changed, if all values were replaced since.
  mutating func takeSaved(
    _ changes: [PropertyListKey: PropertyList?], unlessReplacedSince count: Int
  ) -> Set<PropertyListKey>? {
    guard replacementCount == count else { return nil }
    let later = allUnsaved
    var changed: Set<PropertyListKey> = []
    table.change(of: changes.count) {
      for (key, value) in changes where !later.keys.contains(key) && table[key] != value {
        table.put(value, for: key)
        changed.insert(key)
      }
    }
    for key in changed { noteForSnapshots(key) }
    return changed
  }
}
