package import DefaultsDatabase
package import OpenStepPropertyList

/// One persistent domain in memory: what is known of its file, and the changes not yet in it.
///
/// Every object on one database shares it, so each sees the others' changes at once. Reading and
/// changing values takes a short lock and never touches the disk; the calls that take a database
/// do. One thread at a time reads the file, and one at a time writes it; no reader waits for a writer.
///
/// It is changed by ``PersistentDomains``, which also has a change saved and tells of it.
package final class PersistentDomain: Sendable {
  package let name: DomainName
  /// What a lookup finds: the file's contents with the unsaved changes applied. Changed under the lock.
  let table: LookupTable
  let state: Lock<State>
  /// Of those who look at many values bit by bit.
  let precedence = Precedence()
  let saves = Turns()
  let refreshes = Turns()

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
    case .parsed(let value): return value
    case .unparsed(let text, let start):
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
    state.withLock { $0.file.byteCount }
  }

  /// Why the file cannot be understood; nil for a good file and for none.
  package var damage: DatabaseError? {
    state.withLock { $0.file.damage }
  }

  /// Why the file cannot be read or understood; nil for a good file and for none.
  var fileError: DatabaseError? {
    state.withLock { $0.file.error }
  }

  /// Why the file may hold keys that are not found here: it is damaged, or was never readable. Else nil.
  package var whyIncomplete: DatabaseError? {
    state.withLock { $0.whyIncomplete }
  }

  /// Makes the domain exist without a key and without a file, until it is removed here.
  package func makePermanent() {
    state.withLock { $0.isPermanent = true }
  }

  /// Sets a value; false where the key has exactly that value already.
  func set(_ value: PropertyList, for key: PropertyListKey) -> Bool {
    withState { $0.set(value, for: key) }
  }

  /// Removes a key; false where there is certainly none.
  func remove(_ key: PropertyListKey) -> Bool {
    withState { $0.remove(key) }
  }

  /// Sets a value, or removes it for nil, unless somebody listens to the key.
  ///
  /// Most sets are of keys that nobody observes: one look, under the lock under which the change is made, tells so for
  /// all observers of all objects. Whoever begins to listen later looks the value up after that.
  ///
  /// - Returns: Whether the value is another now; nil where somebody listens, and nothing is changed then.
  func changeUnheard(_ key: PropertyListKey, to value: PropertyList?) -> Bool? {
    withState { state in
      guard state.listeners?.hears(of: key) != true else { return nil }
      return value.map { state.set($0, for: key) } ?? state.remove(key)
    }
  }

  /// Sets and removes several values at one moment, for whoever looks and for the save that writes them.
  ///
  /// - Parameter changes: The new values; nil removes a key.
  /// - Returns: The keys whose values are others now.
  func apply(_ changes: [PropertyListKey: PropertyList?]) -> Set<PropertyListKey> {
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
  func fill(with values: [PropertyListKey: PropertyList]) -> Bool {
    let new = LookupTable(values)
    return withState { state in
      guard !state.holdsKeys else { return false }
      state.replaceAll(with: new)
      return true
    }
  }

  /// Makes the domain hold these values and no others, whatever it holds now.
  func replaceAll(with values: [PropertyListKey: PropertyList]) {
    let new = LookupTable(values)
    withState { $0.replaceAll(with: new) }
  }

  /// Removes the domain; false where there is none.
  func removeAll() -> Bool {
    withState { state in
      guard state.exists else { return false }
      state.replaceAll(with: LookupTable())
      state.isMadeHere = false
      // There is always a global domain, though an empty one.
      if name != .global { state.isPermanent = false }
      return true
    }
  }

  /// Runs a body with the state, and frees what it took out of the table when nobody waits for that any more.
  ///
  /// - Parameter hasPrecedence: Whether this is one of many bits of a longer work, which would not end if others who change
  ///   something could come before each.
  func withState<Result>(hasPrecedence: Bool = false, _ body: (inout State) -> Result) -> Result {
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

  /// Tells the listeners that a change of keys concerns; no lock may be held.
  func tell(of keys: ChangedKeys) {
    let listeners = state.withLock { $0.listeners?.concerned(by: keys) }
    for listener in listeners ?? [] { listener.domain(self, didChange: keys) }
  }

  /// Does the same on one thread for each key: the listeners of a key never wait for those of another, and the caller waits
  /// for none.
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
}
