package import DefaultsDatabase
package import OpenStepPropertyList

/// One persistent domain in memory: what is known of its file, and the changes not yet in it.
///
/// Every object on one database shares it, so each sees the others' changes at once. Reading and
/// changing values takes a short lock and never touches the disk; the calls that take a database
/// do. Those who read the file do so one at a time, and those who write it; no reader waits for a writer.
package final class PersistentDomain: Sendable {
  package let name: DomainName
  /// What a lookup finds: the file's contents with the unsaved changes applied. Changed under the lock.
  let table: LookupTable
  private let state: Lock<State>
  /// Of those who look at many values bit by bit.
  private let precedence = Precedence()
  private let saves = Turns()
  private let refreshes = Turns()

  private struct State {
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
    if let answer = table.answer(for: key) { return answer }
    precedence.giveWay()
    switch state.withLock({ $0.table.place(of: key) }) {
    case .made(let value): return value
    case .unmade(let text, let start):
      // A large value takes long to make.
      let value = text.entry(at: start).value
      return withState { $0.table.keep(value, of: key, from: text, at: start) }
    }
  }

  /// All values as they are at one moment.
  package var values: [PropertyListKey: PropertyList] {
    if let values = state.withLock({ $0.table.count < PersistentDomain.bitCount ? $0.table.values : nil }) {
      return values
    }
    while true {
      var values: [PropertyListKey: PropertyList] = [:]
      let look = Look(self, wantsUnsaved: false)
      defer { look.end() }
      guard let all = look.allValues() else { continue }
      values = all
      let isDone: Void? = look.finish {
        values[$0] = $1
      } last: { _ in
      }
      if isDone != nil { return values }
    }
  }

  /// How many keys there are.
  var count: Int {
    state.withLock { $0.table.count }
  }

  /// Calls a body with each key and the object for its value; it must not call back.
  func forEachObject(
    for reader: LookupReader, _ convert: (PropertyList) -> Any, _ body: (String, Any) -> Void
  ) {
    state.withLock { $0.table.forEachObject(for: reader, convert, body) }
  }

  /// Whether the domain has a file, has keys, or was made here.
  package var exists: Bool {
    state.withLock { $0.exists }
  }

  /// Whether the domain is an empty one that was made here, so that no file will tell of it.
  package var isOnlyHere: Bool {
    state.withLock { $0.isMadeHere && $0.table.isEmpty }
  }

  /// Whether the domain was removed here and its file waits to be.
  var awaitsRemoval: Bool {
    state.withLock { !$0.exists && $0.hasUnsavedChanges }
  }

  /// Whether there are changes that are not on stable storage, those that a save is writing included.
  package var hasUnsavedChanges: Bool {
    state.withLock { $0.hasUnsavedChanges }
  }

  /// What would be lost if the process ended now; nil where all is saved.
  var loss: LossReport.Loss? {
    state.withLock { state in
      guard state.hasUnsavedChanges else { return nil }
      let keys = state.allUnsaved
      return LossReport.Loss(
        domain: name, keyCount: keys.replacesAll ? state.table.count : keys.keys.count,
        reason: state.saveError)
    }
  }

  /// Whether a thread is writing the file, or waits for others to do so.
  package var isBeingSaved: Bool { saves.isTaken }

  /// How large the file was when it was last read or written here; 0 for none.
  var byteCount: Int {
    state.withLock { Int($0.base.identity?.size ?? 0) }
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
    withState { $0.set(value, for: key) }
  }

  /// Removes a key; false where there is certainly none.
  package func remove(_ key: PropertyListKey) -> Bool {
    withState { $0.remove(key) }
  }

  /// Sets a value, or removes it for nil, unless somebody listens to the key.
  ///
  /// Most sets are of keys that nobody observes: one look, under the lock under which the change is made, tells so for
  /// all observers of all objects. Whoever begins to listen later looks the value up after that.
  ///
  /// - Returns: Whether the value is another now; nil where somebody listens, and nothing is changed then.
  package func changeUnheard(_ key: PropertyListKey, to value: PropertyList?) -> Bool? {
    withState { state in
      guard state.listeners?.hears(of: key) != true else { return nil }
      return value.map { state.set($0, for: key) } ?? state.remove(key)
    }
  }

  /// Sets and removes several values at one moment, for whoever looks and for the save that writes them.
  ///
  /// - Parameter changes: The new values; nil removes a key.
  /// - Returns: The keys whose values are others now.
  package func apply(_ changes: [PropertyListKey: PropertyList?]) -> Set<PropertyListKey> {
    withState { state in
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
    let new = LookupTable(values)
    return withState { state in
      guard !state.holdsKeys else { return false }
      state.replaceAll(with: new)
      return true
    }
  }

  /// Makes the domain hold these values and no others, whatever it holds now.
  package func replaceAll(with values: [PropertyListKey: PropertyList]) {
    let new = LookupTable(values)
    withState { $0.replaceAll(with: new) }
  }

  /// Removes the domain; false where there is none.
  package func removeAll() -> Bool {
    withState { state in
      guard state.exists else { return false }
      state.replaceAll(with: LookupTable())
      state.isMadeHere = false
      state.isPermanent = false
      return true
    }
  }

  /// Runs a body with the state, and frees what it took out of the table when nobody waits for that any more.
  ///
  /// - Parameter hasPrecedence: Whether this is one of many bits of a longer work, which would not end if others who change
  ///   something could come before each.
  private func withState<Result>(hasPrecedence: Bool = false, _ body: (inout State) -> Result) -> Result {
    var pieces: [RetiredMemory.Piece] = []
    defer { for piece in pieces { piece.freeSoon() } }
    func locked() -> Result {
      state.withLock { state in
        defer { pieces = state.table.takeRipe() }
        return body(&state)
      }
    }
    if hasPrecedence { return precedence.take(locked) }
    precedence.giveWay()
    return locked()
  }

  // MARK: - Looking at many values

  /// How many values are read, or changes caught up with, under the lock at once: some dozens of microseconds' work.
  private static let bitCount = 256

  /// A look at values of which there may be many, while others change the domain and do not wait for that.
  ///
  /// They are read bit by bit. The keys that are changed meanwhile are noted, and looked at again until a few are left,
  /// which are looked at under the lock: so all is as it was at one moment, that last one.
  private struct Look {
    private let domain: PersistentDomain
    private let number: Int
    private let version: Int
    /// The unsaved keys as they were when the look began.
    let unsaved: [UnsavedKeys]
    /// See ``State/epoch``.
    let epoch: Int

    /// - Parameter wantsUnsaved: Whether to note unsaved keys anew from now on, so that the others stay what they are.
    init(_ domain: PersistentDomain, wantsUnsaved: Bool = true) {
      self.domain = domain
      (number, version, unsaved, epoch) = domain.withState(hasPrecedence: true) { state in
        if wantsUnsaved { state.freeze() }
        return (state.addFollower(), state.version, state.older, state.epoch)
      }
    }

    /// Has to be called when the look is over.
    func end() {
      domain.withState(hasPrecedence: true) { $0.removeFollower(number) }
    }

    /// The values of all keys, of each as it was at some time since the look began; nil where all were replaced.
    func allValues() -> [PropertyListKey: PropertyList]? {
      var values: [PropertyListKey: PropertyList] = [:]
      var (next, layout): (Int?, Int?) = (0, nil)
      var part = LookupTable.Part()
      var beginnings = 1
      while let index = next {
        // Whoever has keys come and go faster than they can be looked at is made to wait in the end.
        let isLast = beginnings > 10
        let isSameVersion = domain.withState(hasPrecedence: true) { state in
          guard state.version == version else { return false }
          state.table.read(&part, from: index, isWhole: isLast)
          return true
        }
        guard isSameVersion else { return nil }
        defer { part.removeAll() }
        if index > 0, part.layout != layout {
          // Each slot may be in another place.
          (values, next) = ([:], 0)
          beginnings += 1
          continue
        }
        (layout, next) = (part.layout, part.next)
        values.merge(part.made.lazy.map { ($0.key, $0.value) }) { $1 }
        for start in part.unmade {
          if let (key, value) = part.text?.entry(at: start) { values[key] = value }
        }
        // Who waits for the lock shall have it before this asks for it again.
        if next != nil { CurrentProcess.pause(microseconds: 1) }
      }
      return values
    }

    /// Looks at what was changed since the look began, and at one moment has seen everything.
    ///
    /// - Parameters:
    ///   - keys: Others to look at.
    ///   - see: Is called with each key and its value, nil where there is none; the last call for a key counts.
    ///   - last: Is called at that moment, under the lock.
    /// - Returns: nil where all values were replaced meanwhile, so that one has to look again.
    func finish<Result>(
      lookingAt keys: [UnsavedKeys] = [], seeing see: (PropertyListKey, PropertyList?) -> Void,
      last: (inout State) -> Result
    ) -> Result? {
      for keys in keys {
        for key in keys.keys { see(key, domain.value(for: key)) }
      }
      var round = 0
      while true {
        var changes: Set<PropertyListKey> = []
        var isReplaced = false
        let result: Result? = domain.withState(hasPrecedence: true) { state in
          isReplaced = state.version != version
          if isReplaced { return nil }
          changes = state.takeChanges(of: number)
          // Whoever changes keys faster than they can be looked at is made to wait in the end.
          guard changes.count <= PersistentDomain.bitCount || round == 8 else { return nil }
          for key in changes { see(key, state.table[key]) }
          return last(&state)
        }
        if isReplaced || result != nil { return result }
        for key in changes { see(key, domain.value(for: key)) }
        round += 1
      }
    }
  }

  // MARK: - Who is told

  /// Has a listener told of the changes to a key, as long as somebody holds it, until that is ended.
  package func add(_ listener: any DomainListener, for key: PropertyListKey) {
    state.withLock { state in
      let listeners = state.listeners ?? DomainListeners()
      state.listeners = listeners
      listeners.add(listener, for: key)
    }
  }

  package func remove(_ listener: ObjectIdentifier, for key: PropertyListKey) {
    state.withLock { state in
      state.listeners?.remove(listener, for: key)
      if state.listeners?.isEmpty ?? false { state.listeners = nil }
    }
  }

  /// Tells the listeners whom a change of keys concerns; no lock may be held.
  func tell(of keys: ChangedKeys) {
    let listeners = state.withLock { $0.listeners?.concerned(by: keys) }
    for listener in listeners ?? [] { listener.domain(self, didChange: keys) }
  }

  /// The same on threads of their own, one for each key: none waits for a listener of another, nor does the caller for any.
  func tellApart(of keys: Set<PropertyListKey>) {
    let concerned = state.withLock { $0.listeners?.keys(among: keys) }
    for key in concerned ?? [] { WorkerThreads.forObservers.run { self.tell(of: .one(key)) } }
  }

  /// Tells of a file that grows beyond the limit.
  package var sizeMonitor: SizeMonitor {
    state.withLock { state in
      let monitor = state.sizeMonitor ?? SizeMonitor()
      state.sizeMonitor = monitor
      return monitor
    }
  }

  /// Takes note of the size of the file that a save made; no lock may be held.
  func fileWasSaved(_ byteCount: Int) {
    state.withLock { $0.sizeMonitor }?.fileWasSaved(byteCount)
  }

  // MARK: - On disk

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
      state.withLock { $0.readError = error }
      throw error
    }
    withState { state in
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
      let (base, known, epoch) = state.withLock { ($0.isOutdated ? .unknown : $0.base, $0.text, $0.epoch) }
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
        state.rebase(on: loaded)
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
        state.rebase(on: loaded)
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
      state.rebase(on: loaded)
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
  /// ``refresh(from:)`` is for, so that no foreign change goes by unnoticed.
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
    let commit: Commit
    do throws(DatabaseError) {
      // Nothing of a damaged file can be kept in place, so the new one begins with all we know.
      commit = try database.commit(
        start.changes, to: name, onDamage: .moveAside, deadline: deadline, knowing: { values },
        knownText: start.text)
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
      let damage = state.damage
      state.damage = nil
      var save = Save(byteCount: Int(commit.after.identity?.size ?? 0))
      let isBaseOfCommit =
        start.text == nil
        ? Base(commit.before) == start.base && start.base.identity?.isConclusive != false
        : commit.foundKnownText
      let isBaseKnown = state.epoch == start.epoch && (isBaseOfCommit || commit.movedAside != nil)
      if isBaseKnown || start.changes.replacesAll {
        state.base = Base(commit.after.identity)
        state.text = commit.after.text
        state.readError = nil
        state.isOutdated = false
        save.isUpToDate = true
      } else {
        // Others changed the file meanwhile, or it was read: the next refresh looks what else is in it.
        state.text = nil
        state.isOutdated = true
      }
      state.epoch += 1
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
    let base: Base
    let text: DictionaryText?
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
        return SaveStart(keys: state.older, base: state.base, text: state.text, epoch: state.epoch)
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
