import DefaultsDatabase
import OpenStepPropertyList

/// What a persistent domain knows of its file and of the changes since.
extension PersistentDomain {
  struct State {
    let table: LookupTable
    /// The unsaved keys that were noted since the last ``freeze()``.
    private var unsaved = UnsavedKeys()
    /// Those noted before, in sets that stay what they are: a save is writing them, or will.
    var older: [UnsavedKeys] = []
    /// Counts how often the values were replaced as a whole by this process.
    private(set) var version = 0
    /// What is known of the file; the values come from it, unsaved changes aside.
    private(set) var file = FileState.unknown
    /// Counts how often the values came from another file, or were saved.
    private(set) var epoch = 0
    /// Why the last save failed; nil where it did not.
    var saveError: DatabaseError?
    /// Whether the domain was made here, be it empty, and neither removed here nor by others since.
    var isMadeHere = false
    /// Whether others cannot make it cease to exist: it is an application's, or the global one.
    var isPermanent = false
    /// Whether its owner has it among those that have changes to save.
    var isListedUnsaved = false
    /// Made with the first listener.
    var listeners: DomainListeners?
    /// Made for the first object that writes the domain and wants to know.
    var sizeMonitor: SizeMonitor?

    /// Who looks at the values bit by bit, with the keys that were changed since it began; a set, for a key that is set
    /// again and again is to be looked at once.
    private var followers: [(number: Int, keys: Set<PropertyListKey>)] = []
    private var followerCount = 0

    init(table: LookupTable) {
      self.table = table
    }

    var hasUnsavedChanges: Bool { !unsaved.isEmpty || !older.isEmpty }

    /// The unsaved keys of all sets.
    var allUnsaved: UnsavedKeys {
      older.reduce(into: unsaved) { $0.formUnion($1) }
    }

    /// Whether nothing of what the file holds will be left.
    private var replacesFile: Bool { unsaved.replacesAll || older.contains { $0.replacesAll } }

    var exists: Bool {
      isMadeHere || isPermanent || !table.isEmpty
        || ((file.isFile || file.whyUnknown?.isTooLarge ?? false) && !replacesFile)
    }

    /// Whether there are keys, or a damaged file may hold some that cannot be read.
    var holdsKeys: Bool { !table.isEmpty || (file.damage != nil && !replacesFile) }

    /// Why the file may hold keys that are not known here; else nil.
    var whyIncomplete: DatabaseError? { replacesFile ? nil : file.damage ?? file.whyUnknown }

    mutating func set(_ value: PropertyList, for key: PropertyListKey) -> Bool {
      guard table.set(value, for: key, noting: &unsaved) else { return false }
      tellFollowers(of: key)
      isMadeHere = true
      return true
    }

    mutating func remove(_ key: PropertyListKey) -> Bool {
      guard table.remove(key) || file.whyUnknown != nil else { return false }
      tellFollowers(of: key)
      unsaved.insert(key)
      return true
    }

    mutating func replaceAll(with values: LookupTable) {
      table.take(values)
      version += 1
      unsaved = .all
      isMadeHere = true
    }

    /// Puts the keys noted so far among those that stay what they are; a key that is set after that is noted again.
    mutating func freeze() {
      guard !unsaved.isEmpty else { return }
      older.append(unsaved)
      unsaved = UnsavedKeys()
      table.beginGeneration()
    }

    /// Takes note of a file that was read: the values come from it now.
    mutating func noteRead(_ loaded: LoadedDomain) {
      if loaded.identity == nil, file.isFile, !hasUnsavedChanges { isMadeHere = false }
      file = FileState(loaded)
      epoch += 1
    }

    /// Takes note that the file is still the one that was read last.
    mutating func noteUnchanged() {
      file = file.lastRead
    }

    /// Takes note that the file could not be read.
    mutating func noteUnreadable(_ error: DatabaseError) {
      file = .unreadable(error, before: file.lastRead)
    }

    /// Takes note of a save.
    ///
    /// - Parameter isKnown: Whether all that the file holds now is known here; else another process changed it before,
    ///   and the next refresh looks what else is in it.
    mutating func noteSaved(_ after: LoadedDomain, isKnown: Bool) {
      if isKnown {
        file = FileState(after)
      } else if file.whyUnknown == nil {
        file = .outdated(after.identity)
      }
      epoch += 1
    }

    // MARK: Followers

    mutating func addFollower() -> Int {
      followerCount += 1
      followers.append((followerCount, []))
      return followerCount
    }

    mutating func removeFollower(_ number: Int) {
      followers.removeAll { $0.number == number }
    }

    private mutating func tellFollowers(of key: PropertyListKey) {
      for index in followers.indices { followers[index].keys.insert(key) }
    }

    /// The keys that were changed since the last call.
    mutating func takeChanges(of number: Int) -> Set<PropertyListKey> {
      guard let index = followers.firstIndex(where: { $0.number == number }) else { return [] }
      defer { followers[index].keys = [] }
      return followers[index].keys
    }
  }
}
