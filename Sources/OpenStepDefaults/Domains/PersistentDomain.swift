package import DefaultsDatabase
package import OpenStepPropertyList

/// One persistent domain in memory: what is known of its file, and the changes not yet in it.
///
/// Every object on one database shares it, so each sees the others' changes at once. Reading and
/// changing values takes a short lock and never touches the disk; the calls that take a database
/// do, and the owner sees to it that they come one at a time.
package final class PersistentDomain: Sendable {
  package let name: DomainName
  /// What a lookup finds: the file's contents with the unsaved changes applied. Changed under the lock.
  let table: LookupTable
  private let state: Lock<State>

  private struct State {
    let table: LookupTable
    var unsaved = UnsavedKeys()
    /// Those that a save is writing at this moment.
    var saving = UnsavedKeys()
    /// The file from which `values` comes, unsaved changes aside.
    var base = Base.unknown
    /// That file's text, where it is one whose lines can be changed one by one.
    var text: DictionaryText?
    /// Why the file's contents could not be understood; its bytes lie there still.
    var damage: DatabaseError?
    /// Why the file, which is there, could not be read when it last was to be.
    var readError: DatabaseError?
    /// Whether the domain was made here, be it empty, and neither removed here nor by others since.
    var isMadeHere = false
    /// Whether others cannot make it cease to exist: it is an application's, or the global one.
    var isPermanent = false

    var hasUnsavedChanges: Bool { !unsaved.isEmpty || !saving.isEmpty }

    /// Whether nothing of what the file holds will be left.
    private var replacesFile: Bool { unsaved.replacesAll || saving.replacesAll }

    var exists: Bool { isMadeHere || isPermanent || !table.isEmpty || (base.isFile && !replacesFile) }

    var holdsKeys: Bool { !table.isEmpty || (damage != nil && !replacesFile) }

    var doubt: DatabaseError? { replacesFile ? nil : damage ?? whyUnknown }

    /// Why the file was never read, so that it may hold keys that nobody knows of.
    private var whyUnknown: DatabaseError? { base == .unknown ? readError : nil }

    mutating func set(_ value: PropertyList, for key: PropertyListKey) -> Bool {
      guard table.set(value, for: key, noting: &unsaved) else { return false }
      isMadeHere = true
      return true
    }

    mutating func remove(_ key: PropertyListKey) -> Bool {
      guard table.remove(key) || whyUnknown != nil else { return false }
      unsaved.insert(key)
      return true
    }
  }

  private enum Base: Equatable {
    case unknown, absent
    case file(FileIdentity)

    init(_ identity: FileIdentity?) {
      self = identity.map { .file($0) } ?? .absent
    }

    var isFile: Bool { self != .unknown && self != .absent }

    var identity: FileIdentity? {
      if case .file(let identity) = self { identity } else { nil }
    }
  }

  init(name: DomainName) {
    self.name = name
    table = LookupTable()
    state = Lock(State(table: table))
  }

  // MARK: - In memory

  package func value(for key: PropertyListKey) -> PropertyList? {
    // While several values are changed, nobody may see some of them and not the others.
    table.answer(for: key) ?? state.withLock { $0.table[key] }
  }

  package var values: [PropertyListKey: PropertyList] {
    state.withLock { $0.table.values }
  }

  /// Whether the domain has a file, has keys, or was made here.
  package var exists: Bool {
    state.withLock { $0.exists }
  }

  /// Whether the domain was removed here and its file waits to be.
  var awaitsRemoval: Bool {
    state.withLock { !$0.exists && $0.hasUnsavedChanges }
  }

  /// Whether there are changes that are not on stable storage, those that a save is writing included.
  var hasUnsavedChanges: Bool {
    state.withLock { $0.hasUnsavedChanges }
  }

  /// Why the file cannot be understood; nil for a good file and for none.
  package var damage: DatabaseError? {
    state.withLock { $0.damage }
  }

  /// Why the file cannot be understood, or could not be read when it last was to be; else nil.
  var fault: DatabaseError? {
    state.withLock { $0.readError ?? $0.damage }
  }

  /// Why a key that is not found here may be in the file all the same, which is damaged or unreadable; else nil.
  package var doubt: DatabaseError? {
    state.withLock { $0.doubt }
  }

  /// Makes the domain exist without a key and without a file, until it is removed here.
  package func makePermanent() {
    state.withLock { $0.isPermanent = true }
  }

  /// Sets a value; false where the key has exactly that value already.
  package func set(_ value: PropertyList, for key: PropertyListKey) -> Bool {
    state.withLock { $0.set(value, for: key) }
  }

  /// Removes a key; false where there is certainly none.
  package func remove(_ key: PropertyListKey) -> Bool {
    state.withLock { $0.remove(key) }
  }

  /// Sets and removes several values at one moment, for whoever looks and for the save that writes them.
  ///
  /// - Parameter changes: The new values; nil removes a key.
  /// - Returns: The keys whose values are others now.
  package func apply(_ changes: [PropertyListKey: PropertyList?]) -> Set<PropertyListKey> {
    state.withLock { state in
      state.table.change {
        var changed: Set<PropertyListKey> = []
        for (key, value) in changes where value.map({ state.set($0, for: key) }) ?? state.remove(key) {
          changed.insert(key)
        }
        return changed
      }
    }
  }

  /// Makes the domain hold these values and no others, whatever its file will hold by then.
  ///
  /// - Returns: false where the domain holds keys, or a damaged file may hold some that cannot be read;
  ///   nothing is changed then.
  package func fill(with values: [PropertyListKey: PropertyList]) -> Bool {
    state.withLock { state in
      guard !state.holdsKeys else { return false }
      state.table.replaceAll(with: values)
      state.unsaved = .all
      state.isMadeHere = true
      return true
    }
  }

  /// Makes the domain hold these values and no others, whatever it holds now.
  package func replaceAll(with values: [PropertyListKey: PropertyList]) {
    state.withLock { state in
      state.table.replaceAll(with: values)
      state.unsaved = .all
      state.isMadeHere = true
    }
  }

  /// Removes the domain; false where there is none.
  package func removeAll() -> Bool {
    state.withLock { state in
      guard state.exists else { return false }
      state.table.replaceAll(with: [:])
      state.unsaved = .all
      state.isMadeHere = false
      state.isPermanent = false
      return true
    }
  }

  // MARK: - On disk

  /// Reads the file for the first time, before anyone else has the domain.
  ///
  /// - Parameter isPathChecked: Whether another file of the directory was read a moment ago.
  /// - Returns: false for a damaged file.
  func load(from database: UserDatabase, isPathChecked: Bool) throws(DatabaseError) -> Bool {
    let loaded: LoadedDomain
    do throws(DatabaseError) {
      loaded = try database.load(name, isPathChecked: isPathChecked)
    } catch {
      state.withLock { $0.readError = error }
      throw error
    }
    state.withLock { state in
      state.base = Base(loaded.identity)
      if loaded.isDamaged { state.damage = loaded.damage }
      state.text = loaded.text
      if let text = loaded.text {
        state.table.replaceAll(with: text)
      } else if loaded.identity != nil {
        state.table.replaceAll(with: loaded.values)
      }
    }
    return !loaded.isDamaged
  }

  /// Reads the file where it changed since the last look; gives the keys for which a lookup now finds something else.
  func refresh(from database: UserDatabase) throws(DatabaseError) -> Set<PropertyListKey> {
    let (base, known) = state.withLock { ($0.base, $0.text) }
    let loaded: LoadedDomain
    do throws(DatabaseError) {
      if base == .unknown {
        loaded = try database.load(name)
      } else {
        guard let changed = try database.load(name, unlessStill: base.identity, knowing: known) else {
          state.withLock { $0.readError = nil }
          return []
        }
        loaded = changed
      }
    } catch {
      state.withLock { $0.readError = error }
      throw error
    }
    return state.withLock { state in
      state.readError = nil
      if loaded.identity == nil, state.base.isFile, state.unsaved.isEmpty { state.isMadeHere = false }
      state.base = Base(loaded.identity)
      state.damage = loaded.damage
      if let known, loaded.text === known { return [] }
      state.text = loaded.text
      // What is known of a file that broke meanwhile stays known.
      guard loaded.damage == nil else { return [] }
      let old = state.table.values
      let new = state.table.changes(of: state.unsaved).applied(to: loaded.values)
      state.table.replaceAll(with: new)
      return PersistentDomain.differences(between: old, and: new)
    }
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
  /// ``refresh(from:)`` is for, so that no foreign change goes by unnoticed.
  ///
  /// - Parameter deadline: When to stop waiting for another process.
  /// - Returns: nil where there was nothing to save.
  /// - Throws: `DatabaseError`; the changes are then kept for the next attempt.
  func save(
    to database: UserDatabase, deadline: MonotonicTime
  ) throws(DatabaseError) -> Save? {
    let (changes, base, known) = state.withLock { state in
      state.saving = state.unsaved
      state.unsaved = UnsavedKeys()
      return (state.table.changes(of: state.saving), state.base, state.text)
    }
    guard !changes.isEmpty else { return nil }
    let commit: Commit
    do throws(DatabaseError) {
      // Nothing of a damaged file can be kept in place, so the new one begins with all we know.
      commit = try database.commit(
        changes, to: name, onDamage: .moveAside, deadline: deadline, knowing: { values }, knownText: known)
    } catch {
      state.withLock { state in
        state.unsaved.formUnion(state.saving)
        state.saving = UnsavedKeys()
      }
      throw error
    }
    return state.withLock { state in
      state.saving = UnsavedKeys()
      let damage = state.damage
      state.damage = nil
      var save = Save(byteCount: Int(commit.after.identity?.size ?? 0))
      let isBaseOfCommit =
        known == nil
        ? Base(commit.before) == base && base.identity?.isConclusive != false : commit.foundKnownText
      if isBaseOfCommit || commit.movedAside != nil || changes.replacesAll {
        state.base = Base(commit.after.identity)
        state.text = commit.after.text
        state.readError = nil
        save.isUpToDate = true
      } else {
        // A base that others changed meanwhile stays out of date, so that the next refresh looks; also
        // where there was no file, and will be none again by then.
        if state.base == .absent { state.base = .unknown }
        state.text = nil
      }
      if let path = commit.movedAside {
        let error =
          damage
          ?? DatabaseError(.damaged, path: database.path(of: name), message: "the file was damaged meanwhile")
        save.remark = error.movedAside(to: path)
      }
      return save
    }
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
