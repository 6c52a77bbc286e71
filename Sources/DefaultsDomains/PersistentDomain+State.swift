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
    /// The file from which `values` comes, unsaved changes aside.
    var base = Base.unknown
    /// Counts how often `base` became another.
    var epoch = 0
    /// Whether the file is to be read again even if it is the one of `base`: keys were saved beside others' changes.
    var isOutdated = false
    /// That file's text, where it is one whose lines can be changed one by one.
    var text: DictionaryText?
    /// Why the file's contents could not be understood; its bytes lie there still.
    var damage: DatabaseError?
    /// Why the file, which is there, could not be read when it last was to be.
    var readError: DatabaseError?
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
        || ((base.isFile || whyUnknown?.isTooLarge ?? false) && !replacesFile)
    }

    var holdsKeys: Bool { !table.isEmpty || (damage != nil && !replacesFile) }

    var doubt: DatabaseError? { replacesFile ? nil : damage ?? whyUnknown }

    /// Why the file was never read, so that it may hold keys that nobody knows of.
    private var whyUnknown: DatabaseError? { base == .unknown ? readError : nil }

    mutating func set(_ value: PropertyList, for key: PropertyListKey) -> Bool {
      guard table.set(value, for: key, noting: &unsaved) else { return false }
      tellFollowers(of: key)
      isMadeHere = true
      return true
    }

    mutating func remove(_ key: PropertyListKey) -> Bool {
      guard table.remove(key) || whyUnknown != nil else { return false }
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

    /// Takes a file's contents for what the values come from.
    mutating func rebase(on loaded: LoadedDomain) {
      readError = nil
      if loaded.identity == nil, base.isFile, !hasUnsavedChanges { isMadeHere = false }
      base = Base(loaded.identity)
      damage = loaded.damage
      text = loaded.text
      isOutdated = false
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

  enum Base: Equatable {
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
}
