package import DefaultsDatabase
package import OpenStepPropertyList
import Synchronization

/// One persistent domain in memory: what is known of its file, and the unsaved changes.
///
/// All objects on one database share it, so that each sees the others' changes at once. A change of a value takes a
/// lock for a short time, and so does a read of a value that is not parsed yet, and a read while several values are
/// changed at one moment; other reads take no lock. Only the calls with a database as an argument access the disk:
/// one thread at a time reads the file, and one writes it.
///
/// ``PersistentDomains`` changes it, which also schedules the save and notifies.
package final class PersistentDomain: Sendable {
  package let name: DomainName
  /// The values that a lookup finds: the file's contents with the unsaved changes applied. Changed under the
  /// lock.
  let table: LookupTable
  let state: Lock<State>
  /// Gives the snapshots precedence over changes.
  let precedence = Precedence()
  let saves = TicketLock()
  let refreshes = TicketLock()
  /// How many updates other threads' sets have to wait for.
  let reservations = Atomic(0)
  /// Whether a save is writing the file, or waits for a lock.
  let writing = Atomic(false)
  /// Whether its owner lists it among the domains with unsaved changes. Changed under the owner's lock.
  let listing = Atomic(false)

  /// - Parameter isSaved: Whether changes are to be saved at some time.
  init(name: DomainName, isSaved: Bool = true) {
    self.name = name
    table = LookupTable()
    state = Lock(State(table: table, isSaved: isSaved))
  }

  // MARK: - In memory

  package func value(for key: PropertyListKey) -> PropertyList? {
    // There is no answer while several values are changed: a reader must see all of these changes or none.
    if let answer = table.answer(for: key) { return answer }
    precedence.giveWay()
    switch state.withLock({ $0.table.place(of: key) }) {
    case .parsed(let value): return value
    case .unparsed(let text, let start):
      // Outside the lock: parsing a large value takes long.
      let value = text.entry(at: start).value
      return withState { $0.table.keep(value, of: key, from: text, at: start) }
    }
  }

  /// How many keys there are.
  var count: Int {
    state.withLock { $0.table.count }
  }

  /// Whether the domain has a file, has keys, or was made here.
  package var exists: Bool {
    state.withLock { $0.exists }
  }

  /// Whether the domain has keys, or a file that may contain some.
  var hasContents: Bool {
    state.withLock { !$0.table.isEmpty || $0.whyIncomplete != nil }
  }

  /// Whether the domain is empty and was made here, so that no file shows that it exists.
  package var isOnlyHere: Bool {
    state.withLock { $0.isMadeHere && $0.table.isEmpty }
  }

  /// Whether the domain was removed here and its file still has to be removed.
  var awaitsRemoval: Bool {
    state.withLock { !$0.exists && $0.hasUnsavedChanges }
  }

  /// Whether some changes are not on stable storage, including those that a save is writing.
  package var hasUnsavedChanges: Bool {
    state.withLock { $0.hasUnsavedChanges }
  }

  /// What would be lost if the process ended now; nil if all is saved.
  var loss: LossReport.Loss? {
    state.withLock { state in
      guard state.hasUnsavedChanges else { return nil }
      let keys = state.allUnsaved
      return LossReport.Loss(
        domain: name, keyCount: keys.replacesAll ? state.table.count : keys.keys.count,
        reason: state.saveError)
    }
  }

  /// Whether a thread is writing the file, or waits for another one that does.
  package var isBeingSaved: Bool { saves.isTaken }

  /// The file's size when it was last read or written here; 0 if there was none.
  var byteCount: Int {
    state.withLock { $0.file.byteCount }
  }

  /// Why the file is damaged; nil for a good file and for none.
  package var damage: DatabaseError? {
    state.withLock { $0.file.damage }
  }

  /// Why the file is unreadable or damaged; nil for a good file and for none.
  var fileError: DatabaseError? {
    state.withLock { $0.file.error }
  }

  /// Why the file may contain keys that are not known here: it is damaged or unreadable; otherwise nil.
  package var whyIncomplete: DatabaseError? {
    state.withLock { $0.whyIncomplete }
  }

  /// Makes the domain exist even without keys and without a file, until it is removed here.
  package func makePermanent() {
    state.withLock { $0.isPermanent = true }
  }

  /// The present value of a key if it is equal to a new container; otherwise the new value.
  ///
  /// To be called before a set, without a lock: comparing large containers takes long, and under the lock the present value
  /// is recognised at once. A large value that is not parsed yet is parsed here too, since the new one is compared with it
  /// under the lock.
  func presentIfEqual(to new: PropertyList?, for key: PropertyListKey) -> PropertyList? {
    guard let new else { return nil }
    guard new.isContainer else {
      parse(key)
      return new
    }
    guard let present = value(for: key), present == new else { return new }
    return present
  }

  /// Whether a key has a value, which is not parsed for that.
  package func hasValue(for key: PropertyListKey) -> Bool {
    if let answer = table.answer(for: key) { return answer != nil }
    precedence.giveWay()
    switch state.withLock({ $0.table.place(of: key) }) {
    case .parsed(let value): return value != nil
    case .unparsed: return true
    }
  }

  /// Parses the value of a key without the lock, if that may take long and was not done yet.
  func parse(_ key: PropertyListKey) {
    if table.mayHaveLargeUnparsedValues { _ = value(for: key) }
  }

  /// Sets a value; false if the key has exactly that value already.
  func set(_ value: PropertyList, for key: PropertyListKey) -> Bool {
    withState { $0.set(value, for: key) }
  }

  /// Removes a key; false if it is certainly absent.
  func remove(_ key: PropertyListKey) -> Bool {
    withState { $0.remove(key) }
  }

  /// Sets a value, or removes it for nil, unless the key has a listener.
  ///
  /// Most keys that are set have no observer. One check finds this out for all observers of all objects. It is made
  /// under the lock under which the value is changed, so an observer that is added later looks up the new value.
  ///
  /// - Returns: Whether the value is different now; nil, with nothing changed, if the key has a listener.
  func changeIfNoListener(_ key: PropertyListKey, to value: PropertyList?) -> Bool? {
    withState { state in
      guard state.listeners?.hasListener(of: key) != true else { return nil }
      return value.map { state.set($0, for: key) } ?? state.remove(key)
    }
  }

  /// Sets and removes several values at one moment; a lookup sees all of these changes or none, and so does
  /// the save that writes them.
  ///
  /// - Parameter changes: The new values; nil removes a key.
  /// - Returns: The keys whose values are different now.
  func apply(_ changes: [PropertyListKey: PropertyList?]) -> Set<PropertyListKey> {
    withState { state in
      state.table.change(of: changes.count) {
        var changed: Set<PropertyListKey> = []
        for (key, value) in changes where value.map({ state.set($0, for: key) }) ?? state.remove(key) {
          changed.insert(key)
        }
        return changed
      }
    }
  }

  /// Sets and removes several values at one moment, except of keys that do not have the values that they had
  /// before: another thread has set these meanwhile.
  ///
  /// - Parameter changes: The new values; nil removes a key.
  /// - Returns: The keys whose values are different now.
  func apply(
    _ changes: [PropertyListKey: PropertyList?], whereUnchangedSince before: [PropertyListKey: PropertyList]
  ) -> Set<PropertyListKey> {
    withState { state in
      state.table.change(of: changes.count) {
        var changed: Set<PropertyListKey> = []
        for (key, value) in changes where state.table[key] == before[key] {
          if value.map({ state.set($0, for: key) }) ?? state.remove(key) { changed.insert(key) }
        }
        return changed
      }
    }
  }

  /// Sets these values; keys that another process writes meanwhile stay.
  ///
  /// - Returns: false, with nothing changed, if the domain has keys, or if a damaged file may contain some
  ///   that cannot be read.
  func fill(with values: [PropertyListKey: PropertyList]) -> Bool {
    let new = LookupTable(values)
    return withState { state in
      guard !state.holdsKeys else { return false }
      state.fill(with: new, values.keys)
      return true
    }
  }

  /// Replaces the contents by these values, whatever the domain contains now.
  func replaceAll(with values: [PropertyListKey: PropertyList]) {
    let new = LookupTable(values)
    withState { $0.replaceAll(with: new) }
  }

  /// Removes the domain; false if it does not exist.
  func removeAll() -> Bool {
    withState { state in
      guard state.exists else { return false }
      state.replaceAll(with: LookupTable())
      state.isMadeHere = false
      // The global domain always exists, even if it is empty.
      if name != .global { state.isPermanent = false }
      return true
    }
  }

  /// Runs a body with the state; after the lock is released, frees the memory that the table has retired.
  ///
  /// - Parameter hasPrecedence: Whether this is one part of a longer work, which would starve if other threads could
  ///   make a change before each part. Such a work frees large pieces of memory itself; other calls, which must return
  ///   soon, leave them to a worker thread.
  func withState<Result>(hasPrecedence: Bool = false, _ body: (inout State) -> Result) -> Result {
    var (result, pieces): (Result, [RetiredMemory.Piece])
    if hasPrecedence {
      (result, pieces) = precedence.take { locked(body) }
    } else {
      precedence.giveWay()
      (result, pieces) = locked(body)
    }
    if !pieces.isEmpty { RetiredMemory.free(&pieces, now: hasPrecedence) }
    return result
  }

  @inline(__always)
  private func locked<Result>(_ body: (inout State) -> Result) -> (Result, [RetiredMemory.Piece]) {
    state.withLock { state in
      let result = body(&state)
      return (result, state.table.takeFreeable())
    }
  }

  // MARK: - Listeners

  /// Adds a weakly held listener for the changes to a key.
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

  /// Notifies the listeners of some keys; no lock may be held.
  ///
  /// - Parameter tellOwn: Notifies the observers of the object that made the change, before all others.
  func tell(of keys: ChangedKeys, first tellOwn: () -> Void = {}) {
    if case .several(let keys) = keys { parseObserved(keys) }
    let listeners = state.withLock { $0.listeners?.concerned(by: keys) }
    let calls = (listeners ?? []).compactMap { $0.domain(self, didChange: keys) }
    tellOwn()
    for call in calls { call() }
  }

  /// Notifies the listeners of the changes of some keys of which this thread has notified only a part of the observers
  /// so far, because one of them makes the next change; no lock may be held.
  func tellRecorded(of keys: ChangedKeys) {
    guard KeyObservers.isCallingAny else { return }
    let listeners = state.withLock { $0.listeners?.concerned(by: keys) }
    for listener in listeners ?? [] { listener.tellRecorded(of: keys) }
  }

  /// Notifies the listeners of some keys, on one worker thread for each key. The caller waits for none of them, and the
  /// listeners of one key do not wait for those of another, as long as there are threads for all (``WorkerThreads``).
  ///
  /// A key that waits for a thread already does not wait twice: other processes may change a file faster than a program's
  /// observers return.
  func tellAsynchronously(of keys: Set<PropertyListKey>) {
    let observed = observed(keys)
    for key in state.withLock({ state in observed.filter { state.waitingKeys.insert($0) } }) {
      WorkerThreads.forObservers.run {
        // Before the values are looked up: what changes after that is told by another thread.
        self.state.withLock { $0.waitingKeys.remove(key) }
        self.parseObserved([key])
        self.tell(of: .one(key))
      }
    }
  }

  /// The keys that have listeners.
  private func observed(_ keys: Set<PropertyListKey>) -> [PropertyListKey] {
    state.withLock { $0.listeners?.keys(among: keys) } ?? []
  }

  /// Parses the values of the keys that have listeners: a large one takes long, and the listeners look them up under locks
  /// for which changes of other keys wait.
  private func parseObserved(_ keys: Set<PropertyListKey>) {
    for key in observed(keys) { _ = value(for: key) }
  }

  /// Notifies objects when the file grows beyond the limit.
  package var sizeMonitor: SizeMonitor {
    state.withLock { state in
      let monitor = state.sizeMonitor ?? SizeMonitor()
      state.sizeMonitor = monitor
      return monitor
    }
  }

  /// Passes the size of the file that a save made to the monitor; no lock may be held.
  func fileWasSaved(_ byteCount: Int) {
    state.withLock { $0.sizeMonitor }?.fileWasSaved(byteCount)
  }
}
