import DefaultsDatabase
import OpenStepPropertyList

/// What a persistent domain knows of its file, and its changes since.
extension PersistentDomain {
  struct State {
    let table: LookupTable
    /// Whether changes are to be saved at some time.
    private let isSaved: Bool
    /// The unsaved keys that were recorded since the last ``freeze()``.
    private var unsaved = UnsavedKeys()
    /// The unsaved keys that were recorded before, in sets that do not change: a save is writing them, or
    /// will.
    var older: [UnsavedKeys] = []
    /// How often all values were replaced, by this process or by what was read from the file; a snapshot that was begun
    /// before such a replacement is void.
    private(set) var replacementCount = 0
    /// What is known of the file, from which the values come, apart from the unsaved changes.
    private(set) var file = FileState.unknown
    /// How often the file was read anew or saved; what another thread began to read before is void then. Changes of
    /// values do not count.
    private(set) var readAndSaveCount = 0
    /// Why the last save failed; nil if it succeeded.
    private(set) var saveError: DatabaseError?
    /// When an automatic save tries again after a failed one; nil if the last save succeeded.
    private(set) var nextAttempt: MonotonicTime?
    /// Whether the domain, perhaps an empty one, was made here and has not been removed since, here or by
    /// another process.
    var isMadeHere = false
    /// Whether the domain exists even if its file is removed: it is an application's, or the global one.
    var isPermanent = false
    /// The tasks that wait for a save.
    var receipts = SaveReceipts()
    /// Where the file is looked for first, once that was found out.
    var usualPaths: UserDatabase.UsualPaths?
    /// Created with the first listener.
    var listeners: DomainListeners?
    /// The keys whose listeners wait for a worker thread.
    var waitingKeys = WaitingKeys()
    /// Created for the first object that writes the domain and has to be notified.
    var sizeMonitor: SizeMonitor?

    /// The snapshots that are being taken, each with the keys that were changed since it last asked; a set,
    /// so that a key that is set repeatedly is read once.
    private var snapshots: [(number: Int, keys: Set<PropertyListKey>)] = []
    private var snapshotCount = 0

    init(table: LookupTable, isSaved: Bool) {
      (self.table, self.isSaved) = (table, isSaved)
    }

    /// Records the outcome of a save: its error, or nil.
    mutating func noteSave(_ error: DatabaseError?) {
      saveError = error
      nextAttempt = error.map { _ in .now + Synchronizer.retryDelay }
    }

    var hasUnsavedChanges: Bool { !unsaved.isEmpty || !older.isEmpty }

    /// The union of all sets of unsaved keys.
    var allUnsaved: UnsavedKeys {
      older.reduce(into: unsaved) { $0.formUnion($1) }
    }

    /// Whether the next save replaces all that the file contains.
    private var replacesFile: Bool { unsaved.replacesAll || older.contains { $0.replacesAll } }

    var exists: Bool {
      isMadeHere || isPermanent || !table.isEmpty
        || ((file.isFile || file.error?.isTooLarge ?? false) && !replacesFile)
    }

    /// Whether there are keys, or a damaged file may contain some that cannot be read.
    var holdsKeys: Bool { !table.isEmpty || (file.damage != nil && !replacesFile) }

    /// Why the file may contain keys that are not known here; nil if it does not.
    var whyIncomplete: DatabaseError? { replacesFile ? nil : file.error }

    mutating func set(_ value: PropertyList, for key: PropertyListKey) -> Bool {
      guard table.set(value, for: key, noting: &unsaved) else {
        // The file may have another value, or none.
        if whyIncomplete != nil {
          noteForSnapshots(key)
          unsaved.insert(key)
        }
        return false
      }
      noteForSnapshots(key)
      isMadeHere = true
      forgetUnsavedIfNeverSaved()
      return true
    }

    mutating func remove(_ key: PropertyListKey) -> Bool {
      guard table.remove(key) || whyIncomplete != nil else { return false }
      noteForSnapshots(key)
      unsaved.insert(key)
      forgetUnsavedIfNeverSaved()
      return true
    }

    private static let maximumNeverSavedCount = 1024

    /// Forgets the unsaved keys of a domain that is never saved, once there are many: their names would take memory for
    /// ever.
    private mutating func forgetUnsavedIfNeverSaved() {
      guard !isSaved, unsaved.keys.count >= State.maximumNeverSavedCount else { return }
      unsaved = UnsavedKeys()
      table.beginGeneration()
    }

    mutating func replaceAll(with values: LookupTable) {
      take(values)
      unsaved = .all
      isMadeHere = true
    }

    /// Takes these values in a domain without keys; they are saved beside what other processes write meanwhile.
    mutating func fill(with values: LookupTable, _ keys: some Sequence<PropertyListKey>) {
      take(values)
      for key in keys { unsaved.insert(key) }
      isMadeHere = true
    }

    /// Takes other values in the place of all, without a change to be saved.
    mutating func take(_ values: LookupTable) {
      table.take(values)
      replacementCount += 1
    }

    /// Freezes the set of unsaved keys that were recorded so far; a key that is set after that is recorded
    /// again.
    mutating func freeze() {
      guard !unsaved.isEmpty else { return }
      older.append(unsaved)
      unsaved = UnsavedKeys()
      table.beginGeneration()
    }

    /// Records that the file was read, and the values come from it now.
    mutating func noteRead(_ loaded: LoadedDomain) {
      if loaded.identity == nil, file.isFile, !hasUnsavedChanges { isMadeHere = false }
      file = FileState(loaded)
      readAndSaveCount += 1
      sizeMonitor?.fileWasRead(Int(loaded.identity?.size ?? 0))
    }

    /// Records that the file is still the one that was read last.
    mutating func noteUnchanged() {
      file = file.lastRead
    }

    /// Records that the file is unreadable.
    mutating func noteUnreadable(_ error: DatabaseError) {
      file = .unreadable(error, before: file.lastRead)
    }

    /// Records a save.
    ///
    /// - Parameter isKnown: Whether the file's whole contents are known here; otherwise another process
    ///   changed it before, and the next refresh reads it.
    mutating func noteSaved(_ after: LoadedDomain, isKnown: Bool) {
      if isKnown {
        file = FileState(after)
      } else if file.whyUnknown == nil {
        file = .outdated(after.identity)
      }
      readAndSaveCount += 1
    }

    // MARK: Snapshots

    mutating func addSnapshot() -> Int {
      snapshotCount += 1
      snapshots.append((snapshotCount, []))
      return snapshotCount
    }

    mutating func removeSnapshot(_ number: Int) {
      snapshots.removeAll { $0.number == number }
    }

    mutating func noteForSnapshots(_ key: PropertyListKey) {
      for index in snapshots.indices { snapshots[index].keys.insert(key) }
    }

    /// The keys that were changed since the last call.
    mutating func takeChanges(of number: Int) -> Set<PropertyListKey> {
      guard let index = snapshots.firstIndex(where: { $0.number == number }) else { return [] }
      defer { snapshots[index].keys = [] }
      return snapshots[index].keys
    }
  }
}
