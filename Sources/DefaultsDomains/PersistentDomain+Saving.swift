package import DefaultsDatabase
package import OpenStepPropertyList

/// Reading the domain's file and saving to it.
extension PersistentDomain {
  /// Marks the domain as one that its owner lists as unsaved; false where it was marked already.
  func markUnsaved() -> Bool {
    state.withLock { state in
      defer { state.isListedUnsaved = true }
      return !state.isListedUnsaved
    }
  }

  /// Takes the mark away if everything is saved; false where changes are left.
  func unmarkIfSaved() -> Bool {
    state.withLock { state in
      guard !state.hasUnsavedChanges else { return false }
      state.isListedUnsaved = false
      return true
    }
  }

  /// Reads the file for the first time, before anyone else has the domain.
  ///
  /// - Parameter way: What was found of the way to the directory a moment ago, for another domain.
  /// - Returns: false for a damaged file.
  func load(
    from database: UserDatabase, along way: inout UserDatabase.CheckedWay
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

  /// Reads the file where it changed since the last look; gives the keys for which a lookup now finds something else.
  ///
  /// What takes long, reading and comparing, is done without the lock: who changes the domain meanwhile, or looks
  /// something up, does not wait for it.
  package func refresh(from database: UserDatabase) throws(DatabaseError) -> Set<PropertyListKey> {
    // Else several threads would do the same work.
    refreshes.begin()
    defer { refreshes.end() }
    var attempts = 0
    while true {
      // A save or another thread's look at the file may come in between, and then all is done again. A process that saves
      // all the time would never see what others write: from the third time on its saves wait for this, unless the one
      // that is under way waits itself.
      attempts += 1
      let keepsOut = attempts > 2 && saves.begin(until: .now + 0.5)
      defer { if keepsOut { saves.end() } }
      let (file, epoch) = state.withLock { ($0.file, $0.epoch) }
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
      if let keys = take(loaded, knowing: known, epoch: epoch) { return keys }
    }
  }

  /// Puts a file's contents, with the unsaved changes over them, in the place of what is known.
  ///
  /// - Parameter epoch: When the file was read.
  /// - Returns: nil where what is known has become another since.
  private func take(
    _ loaded: LoadedDomain, knowing known: DictionaryText?, epoch: Int
  ) -> Set<PropertyListKey>? {
    // What is known of a file that broke meanwhile stays known.
    if loaded.isDamaged || (known != nil && loaded.text === known) {
      return state.withLock { state in
        guard state.epoch == epoch else { return nil }
        state.noteRead(loaded)
        return []
      }
    }
    let look = Look(self)
    defer { look.end() }
    guard look.epoch == epoch else { return nil }
    if look.unsaved.contains(where: \.replacesAll) {
      // Nothing of the file will be left.
      return look.finish {
        _, _ in
      } last: { state in
        guard state.epoch == epoch else { return nil }
        state.noteRead(loaded)
        return []
      } ?? nil
    }
    guard let old = look.allValues() else { return nil }
    let values = loaded.values
    let new = LookupTable()
    if let text = loaded.text { new.replaceAll(with: text) } else { new.replaceAll(with: values) }
    // With room for the last ones, which come under the lock.
    var own = Set<PropertyListKey>(
      minimumCapacity: look.unsaved.reduce(PersistentDomain.bitCount) { $0 + $1.keys.count })
    let isTaken = look.finish(lookingAt: look.unsaved) { key, value in
      own.insert(key)
      new.put(value, for: key)
    } last: { state in
      guard state.epoch == epoch else { return false }
      state.table.take(new)
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

  /// Merges the unsaved changes over the file; when this returns they are on stable storage.
  ///
  /// What others changed in the file stays in it, and is not looked at here: that is what
  /// ``refresh(from:)`` is for, so that no external change goes by unnoticed.
  ///
  /// - Parameter deadline: When to stop waiting for another process.
  /// - Returns: nil where there was nothing to save.
  /// - Throws: `DatabaseError`; the changes are then kept for the next attempt.
  func save(
    to database: UserDatabase, deadline: MonotonicTime
  ) throws(DatabaseError) -> Save? {
    // Who has nothing to save waits for nobody.
    guard hasUnsavedChanges else { return nil }
    // The thread whose turn it is may have come later than this one, and wait longer for another process. While it works,
    // it is waited for.
    guard saves.begin(until: deadline, if: { database.isWaitingForLock }) else {
      let error = database.lockedByAnotherThread
      state.withLock { $0.saveError = error }
      throw error
    }
    defer { saves.end() }
    guard let start = beginSave() else { return nil }
    var request = CommitRequest(start.changes, to: name)
    // Nothing of a damaged file can be kept in place, so the new one begins with all that is known.
    request.onDamage = .moveAside
    request.knownValues = { self.values }
    request.deadline = deadline
    request.knownText = start.file.text
    let commit: Commit
    do throws(DatabaseError) {
      commit = try database.commit(request)
    } catch {
      // Else each attempt would leave a set.
      var keys = UnsavedKeys()
      for older in start.keys { keys.formUnion(older) }
      state.withLock { state in
        state.older.replaceSubrange(..<start.keys.count, with: [keys])
        state.saveError = error
      }
      throw error
    }
    return state.withLock { state in
      state.older.removeFirst(start.keys.count)
      state.saveError = nil
      let damage = state.file.damage
      let isFileKnown =
        start.file.text == nil ? start.file.isCertainly(commit.before) : commit.foundKnownText
      let isKnown =
        start.changes.replacesAll
        || (state.epoch == start.epoch && (isFileKnown || commit.movedAside != nil))
      state.noteSaved(commit.after, isKnown: isKnown)
      var save = Save(byteCount: Int(commit.after.identity?.size ?? 0), isUpToDate: isKnown)
      if let path = commit.movedAside {
        let error =
          damage
          ?? DatabaseError(.damaged, path: database.path(of: name), message: "the file was damaged meanwhile")
        save.remark = error.movedAside(to: path)
      }
      return save
    }
  }

  /// What a save writes, and what is known of the file before.
  private struct SaveStart {
    var changes = DomainChanges()
    let keys: [UnsavedKeys]
    let file: FileState
    let epoch: Int
  }

  /// Looks what there is to save; nil for nothing.
  private func beginSave() -> SaveStart? {
    while hasUnsavedChanges {
      let look = Look(self)
      defer { look.end() }
      let replacesAll = look.unsaved.contains(where: \.replacesAll)
      guard !look.unsaved.isEmpty, let all = replacesAll ? look.allValues() : [:] else { continue }
      var changed: [PropertyListKey: PropertyList?] = [:]
      let start = look.finish(lookingAt: replacesAll ? [] : look.unsaved) { key, value in
        changed.updateValue(value, forKey: key)
      } last: { state in
        // What was noted meanwhile is among the changes.
        state.freeze()
        return SaveStart(keys: state.older, file: state.file, epoch: state.epoch)
      }
      guard var start else { continue }
      if replacesAll { start.changes.replaceAll(with: all) }
      start.changes.merge(changed)
      return start
    }
    return nil
  }

  /// What came of a save.
  struct Save {
    /// What became of a damaged file, if one was in the way.
    var remark: DatabaseError?
    /// How many bytes the domain's file has now.
    let byteCount: Int
    /// Whether the save, which read the file, found in it nothing that is not known here.
    var isUpToDate = false
  }
}
