package import DefaultsDatabase
package import OpenStepPropertyList
import Synchronization

/// Reading and saving the domain's file.
extension PersistentDomain {
  /// Whether the domain is listed among its owner's unsaved domains, so that a save will come.
  ///
  /// It is read without the lock, after a change under the lock. Either ``unmarkIfSaved()`` came before that
  /// change, and the reader sees this, or it comes later, and sees the change.
  var isListedUnsaved: Bool { listing.load(ordering: .relaxed) }

  /// Marks the domain as listed among its owner's unsaved domains; false if it was marked already.
  func markUnsaved() -> Bool {
    !listing.exchange(true, ordering: .relaxed)
  }

  /// Removes the mark if everything is saved; false if there are unsaved changes.
  func unmarkIfSaved() -> Bool {
    state.withLock { state in
      guard !state.hasUnsavedChanges else { return false }
      listing.store(false, ordering: .relaxed)
      return true
    }
  }

  /// Reads the file for the first time, before another thread has the domain.
  ///
  /// - Parameter way: The result of the check of the directory's path, if it was made a moment ago.
  /// - Returns: false for a damaged file.
  func load(
    from database: UserDatabase, along way: inout UserDatabase.CheckedPath
  ) throws(DatabaseError) -> Bool {
    let loaded: LoadedDomain
    do throws(DatabaseError) {
      loaded = try database.load(name, along: &way)
    } catch {
      state.withLock { $0.noteUnreadable(error) }
      throw error
    }
    withState { state in
      state.noteRead(loaded)
      if let text = loaded.text {
        state.table.replaceAll(with: text)
      } else if loaded.identity != nil {
        state.table.replaceAll(with: loaded.values)
      }
    }
    return !loaded.isDamaged
  }

  /// Reads the file if it has changed since it was last read; gives the keys whose values in a lookup are
  /// different now.
  ///
  /// The long work, reading and comparing, is done without the lock, so that changes and lookups do not wait
  /// for it.
  package func refresh(from database: UserDatabase) throws(DatabaseError) -> Set<PropertyListKey> {
    if isUnchanged(in: database) { return [] }
    // Otherwise several threads would do the same work.
    refreshes.begin()
    defer { refreshes.end() }
    var attempts = 0
    while true {
      // Optimistic concurrency: if a save or a replacement of all values comes in between, all is done again. To avoid
      // that, this thread waits for the save that is under way, half a second at most, and keeps other saves out. In
      // its first two attempts it does not wait for a save that itself waits for another process. Later it does:
      // otherwise it would never finish in a process that saves all the time.
      attempts += 1
      let keepsOut = saves.begin(until: attempts <= 2 && database.queue.isStalled ? .now : .now + 0.5)
      defer { if keepsOut { saves.end() } }
      let (file, readAndSaveCount) = state.withLock { ($0.file, $0.readAndSaveCount) }
      let known = file.text
      let loaded: LoadedDomain
      do throws(DatabaseError) {
        switch file.comparison {
        case .none:
          loaded = try database.load(name)
        case .identity(let identity):
          guard let changed = try database.load(name, unlessStill: identity, knowing: known) else {
            state.withLock { $0.noteUnchanged() }
            return []
          }
          loaded = changed
        }
      } catch {
        state.withLock { $0.noteUnreadable(error) }
        throw error
      }
      if let keys = take(loaded, knowing: known, readAndSaveCount: readAndSaveCount) { return keys }
    }
  }

  /// Whether the file is certainly the one that was read or written last.
  ///
  /// This is all that a synchronize with nothing to do needs, and excludes no other thread.
  private func isUnchanged(in database: UserDatabase) -> Bool {
    let known = state.withLock { state -> (identity: FileIdentity?, paths: UserDatabase.UsualPaths)? in
      guard let identity = state.file.certainIdentity else { return nil }
      if let paths = state.usualPaths { return (identity, paths) }
      state.usualPaths = database.usualPaths(of: name)
      return state.usualPaths.map { (identity, $0) }
    }
    return known.map { database.isStill($0.identity, at: $0.paths) } ?? false
  }

  /// Takes a file's contents, with the unsaved changes over them, as the domain's values.
  ///
  /// - Parameter readAndSaveCount: The state's count before the file was read.
  /// - Returns: nil if the count has changed since, or all values were replaced.
  func take(
    _ loaded: LoadedDomain, knowing known: DictionaryText?, readAndSaveCount: Int
  ) -> Set<PropertyListKey>? {
    // If the file has been damaged meanwhile, the values remain.
    if loaded.isDamaged || (known != nil && loaded.text === known) {
      return state.withLock { state in
        guard state.readAndSaveCount == readAndSaveCount else { return nil }
        state.noteRead(loaded)
        return []
      }
    }
    let snapshot = Snapshot(self)
    defer { snapshot.end() }
    guard snapshot.readAndSaveCount == readAndSaveCount else { return nil }
    if snapshot.unsaved.contains(where: \.replacesAll) {
      // No value of the file will remain.
      return snapshot.finish {
        _, _ in
      } last: { state in
        guard state.readAndSaveCount == readAndSaveCount else { return nil }
        state.noteRead(loaded)
        return []
      } ?? nil
    }
    guard let old = snapshot.allValues() else { return nil }
    let values = loaded.values
    let new = LookupTable()
    if let text = loaded.text { new.replaceAll(with: text) } else { new.replaceAll(with: values) }
    // With capacity for the last keys, which are inserted under the lock.
    var own = Set<PropertyListKey>(
      minimumCapacity: snapshot.unsaved.reduce(PersistentDomain.lockedKeyLimit) { $0 + $1.keys.count })
    let isTaken = snapshot.finish(lookingAt: snapshot.unsaved) { key, value in
      own.insert(key)
      new.put(value, for: key)
    } last: { state in
      guard state.readAndSaveCount == readAndSaveCount else { return false }
      state.take(new)
      state.noteRead(loaded)
      return true
    }
    guard isTaken == true else { return nil }
    return PersistentDomain.differences(between: old, and: values).subtracting(own)
  }

  private static func differences(
    between old: [PropertyListKey: PropertyList], and new: [PropertyListKey: PropertyList]
  ) -> Set<PropertyListKey> {
    var keys = Set(new.lazy.filter { old[$0.key] != $0.value }.map(\.key))
    for key in old.keys where new[key] == nil { keys.insert(key) }
    return keys
  }

  /// Merges the unsaved changes over the file; when this returns, they are on stable storage.
  ///
  /// External changes stay in the file and are not read here; ``refresh(from:)`` does that, so that none of
  /// them is missed.
  ///
  /// - Parameters:
  ///   - deadline: When to stop waiting for another process.
  ///   - refusesDamage: Whether a damaged file is an error, unless all that it contains is replaced anyway.
  /// - Returns: nil if there was nothing to save.
  /// - Throws: `DatabaseError`; the changes are then kept for the next attempt.
  func save(
    to database: UserDatabase, deadline: MonotonicTime, refusingDamage refusesDamage: Bool = false
  ) throws(DatabaseError) -> Save? {
    // A thread with nothing to save does not wait for others.
    guard hasUnsavedChanges else { return nil }
    // Another thread may be saving. If it waits for another process, this one stops at its own deadline; if it works,
    // this one goes on waiting. A thread whose commit's closure ends the process has the turn itself.
    let lock = UpdateLock.shared
    let wait = database.queue.wait(until: deadline)
    // At the process's end each set of other threads is a save of its own, whole rounds of which the end would wait for.
    let isUrgent = Synchronizer.shared.hasToKnowAll && ProcessExit.isOnThisThread
    guard
      saves.begin(
        isUrgent: isUrgent, until: lock.commit?.domain === self ? .now : deadline,
        if: { wait.isOver && database.queue.isStalled || lock.isHeld })
    else {
      let error = database.lockedWhileAnotherThreadWaits
      noteFailure(error)
      throw error
    }
    writing.store(true, ordering: .relaxed)
    defer {
      writing.store(false, ordering: .relaxed)
      saves.end()
    }
    guard let start = beginSave() else { return nil }
    var request = CommitRequest(start.changes, to: name)
    // A damaged file cannot be merged, so the new one begins with all known values.
    request.onDamage = .moveAside
    if refusesDamage, !start.changes.replacesAll {
      request.check = { (found) throws(DatabaseError) in if let damage = found.damage { throw damage } }
    }
    request.knownValues = { self.values }
    request.deadline = wait.deadline
    request.knownText = start.file.text
    request.knownIdentity = start.file.identity
    let commit: Commit
    do throws(DatabaseError) {
      commit = try database.commit(request)
    } catch {
      keepUnsaved(start)
      // The save that is due anyway moves a damaged file aside.
      if !refusesDamage || error.kind != .damaged { noteFailure(error) }
      throw error
    }
    let (save, settled) = state.withLock { state -> (Save, SaveReceipts.Settled) in
      state.older.removeFirst(start.keys.count)
      state.noteSave(nil)
      let isFileKnown =
        start.file.text == nil ? start.file.isCertainly(commit.before) : commit.foundKnownText
      // The changes were merged over the known values in place of a damaged file's; of any other file over its own, also
      // where that was moved aside.
      let isKnown =
        start.changes.replacesAll
        || (state.readAndSaveCount == start.readAndSaveCount && (isFileKnown || commit.replacedDamage))
      state.noteSaved(commit.after, isKnown: isKnown)
      var save = Save(byteCount: Int(commit.after.identity?.size ?? 0), isUpToDate: isKnown)
      save.remark = commit.remark
      return (save, state.receipts.settle(save: start.number, isAllSaved: !state.hasUnsavedChanges))
    }
    settled.resume()
    return save
  }

  /// Keeps the changes of a save that was not made, as one set: otherwise each attempt would add another.
  func keepUnsaved(_ start: SaveStart) {
    if start.keys.isEmpty { return }
    var keys = UnsavedKeys()
    for older in start.keys { keys.formUnion(older) }
    state.withLock { $0.older.replaceSubrange(..<start.keys.count, with: [keys]) }
  }

  /// Gives up a save that another process or thread keeps from every domain, without an attempt.
  ///
  /// - Throws: that error if there are changes to save.
  func giveUpSave(for error: DatabaseError) throws(DatabaseError) {
    guard hasUnsavedChanges else { return }
    noteFailure(error)
    throw error
  }

  /// Records why a save has failed, and tells the tasks that wait for it.
  private func noteFailure(_ error: DatabaseError) {
    let settled = state.withLock { state -> SaveReceipts.Settled? in
      // Another thread may have saved everything, while this one waited for it.
      guard state.hasUnsavedChanges else { return nil }
      state.noteSave(error)
      return state.receipts.settle(failed: error)
    }
    settled?.resume()
  }

  /// What a save writes, and what was known of the file before.
  struct SaveStart {
    var changes = DomainChanges()
    let keys: [UnsavedKeys]
    let file: FileState
    let readAndSaveCount: Int
    let replacementCount: Int
    /// The save's number among the domain's.
    let number: Int

    fileprivate init(_ state: inout State) {
      (keys, file, readAndSaveCount) = (state.older, state.file, state.readAndSaveCount)
      replacementCount = state.replacementCount
      number = state.receipts.saveBegins()
    }
  }

  /// Collects the changes to save with a commit, which may be none.
  func beginCommit() -> SaveStart {
    while true {
      if let start = beginSave() { return start }
      let start = state.withLock { $0.hasUnsavedChanges ? nil : SaveStart(&$0) }
      if let start { return start }
    }
  }

  /// Collects the changes to save; nil if there are none.
  private func beginSave() -> SaveStart? {
    for _ in 0..<Snapshot.maximumBeginnings where hasUnsavedChanges {
      let snapshot = Snapshot(self)
      defer { snapshot.end() }
      let replacesAll = snapshot.unsaved.contains(where: \.replacesAll)
      guard !snapshot.unsaved.isEmpty, let all = replacesAll ? snapshot.allValues() : [:] else { continue }
      var changed: [PropertyListKey: PropertyList?] = [:]
      let start = snapshot.finish(lookingAt: replacesAll ? [] : snapshot.unsaved) { key, value in
        changed.updateValue(value, forKey: key)
      } last: { state in
        // The keys that were recorded meanwhile are among the changes.
        state.freeze()
        return SaveStart(&state)
      }
      guard var start else { continue }
      if replacesAll { start.changes.replaceAll(with: all) }
      start.changes.merge(changed)
      return start
    }
    return beginSaveAtOnce()
  }

  /// Does the same while all other threads have to wait, where they replace all values faster than this one reads them.
  func beginSaveAtOnce() -> SaveStart? {
    var start: SaveStart?
    let all = allAtOnce { state in
      guard state.hasUnsavedChanges else { return false }
      state.freeze()
      start = SaveStart(&state)
      return true
    }
    guard var start else { return nil }
    let values = Dictionary(all) { $1 }
    if start.keys.contains(where: \.replacesAll) {
      start.changes.replaceAll(with: values)
    } else {
      for keys in start.keys {
        for key in keys.keys { start.changes.merge([key: values[key]]) }
      }
    }
    return start
  }

  /// The result of a save.
  struct Save: Sendable {
    /// The error of a damaged file that was moved aside, with its new path.
    var remark: DatabaseError?
    /// The size of the domain's file now.
    let byteCount: Int
    /// Whether the save, which read the file, found no external changes in it.
    var isUpToDate = false
  }
}
