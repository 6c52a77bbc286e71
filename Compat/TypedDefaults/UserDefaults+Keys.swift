import DefaultsDomains
import OpenStepPropertyList
public import UserDefaultsCompat

extension UserDefaults {
  /// The value of a key in these defaults, or the key's default value; see ``Defaults/subscript(_:)``.
  public subscript<Value: Defaults.Serializable>(key: Defaults.Key<Value>) -> Value {
    // Unspecialized, the runtime looks up the generic types at each read, which took a third of
    // the time for these types.
    @specialized(where Value == Int)
    @specialized(where Value == Bool)
    @specialized(where Value == Double)
    @specialized(where Value == String)
    get {
      guard let stored = find(key) else { return key.defaultValue }
      do {
        return try key.reader.value(of: stored)
      } catch {
        return key.defaultValue(insteadOf: stored, because: error)
      }
    }
    set {
      do {
        store(try key.reader.encode(newValue), for: key)
      } catch {
        key.reader.report(error, name: key.name)
      }
    }
  }

  /// The value of a key in these defaults; nil if there is none, whatever the key's default value.
  ///
  /// - Throws: ``Defaults/ValueError`` if the stored value cannot be read as the key's type, and the
  ///   database's error if a file that may contain it is damaged or unreadable.
  public func value<Value: Defaults.Serializable>(for key: Defaults.Key<Value>) throws -> Value? {
    if let draft = draftInCommit { return try draft.value(for: key) }
    key.registerDefault(in: self)
    let transaction = Transaction.current
    let stored = try certainStoredValue(
      for: key.storedKey, pending: { transaction?.change(of: key.storedKey, in: $0) }, besides: key.registered
    )
    guard let stored else { return nil }
    do throws(CodingFailure) {
      return try key.reader.value(of: stored)
    } catch {
      throw Defaults.ValueError(.read, key: key.name, type: Value.self, failure: error)
    }
  }

  /// Sets the value of a key in these defaults, or throws the reason of a refusal; see
  /// ``Defaults/set(_:for:)``.
  ///
  /// - Throws: ``Defaults/ValueError`` if the value cannot be stored, and the database's error if an
  ///   administrator has set the key.
  public func set<Value: Defaults.Serializable>(_ value: Value, for key: Defaults.Key<Value>) throws {
    let stored: PropertyList?
    do throws(CodingFailure) {
      stored = try key.reader.encode(value)
    } catch {
      throw Defaults.ValueError(.set, key: key.name, type: Value.self, failure: error)
    }
    if let refusal = store.refusal(of: key.storedKey) { throw refusal }
    store(stored, for: key)
  }

  /// Removes every key of the application's domain, or the suite's, by one change.
  ///
  /// Keys that an administrator has set stay, because no program can change them.
  public func removeAll() {
    if let draft = draftInCommit { return draft.removeAll() }
    let keys = ownKeys + (Transaction.current?.keys(in: store.application) ?? [])
    write(Dictionary(keys.map { ($0, nil) }) { first, _ in first })
  }

  /// The value that a lookup finds for a key; in a transaction, the value that it will find afterwards.
  func find<Value>(_ key: Defaults.Key<Value>) -> PropertyList? {
    if let draft = draftInCommit { return draft.find(key) }
    key.registerDefault(in: self)
    guard let transaction = Transaction.current else { return storedValue(for: key.storedKey) }
    return storedValue(for: key.storedKey) { transaction.change(of: key.storedKey, in: $0) }
  }

  private func store<Value>(_ stored: PropertyList?, for key: Defaults.Key<Value>) {
    if let draft = draftInCommit { return draft.store(stored, for: key) }
    key.registerDefault(in: self)
    var changes = [key.storedKey: stored]
    changes.merge(changesToKeep(ownValue(for: key.storedKey), besides: stored, of: key)) { first, _ in first }
    key.reader.noteOwn(stored)
    write(changes)
  }

  /// The change that keeps a key's old value under another key, if it is unreadable; else none.
  func changesToKeep<Value>(
    _ old: PropertyList?, besides stored: PropertyList?, of key: Defaults.Key<Value>
  ) -> [PropertyListKey: PropertyList?] {
    guard let old, old != stored, key.reader.isUnreadable(old, name: key.name) else { return [:] }
    return [freeKey(for: old, besides: key.name): old]
  }

  /// How many unreadable values of a key are kept.
  private static let maximumKeptCount = 100

  /// The key under which an unreadable value is kept: the first that is free.
  ///
  /// Where two programs set a key to values of two types in turn, there would be ever more of them. So the last of
  /// ``maximumKeptCount`` makes room for a newer one.
  private func freeKey(for unreadable: PropertyList, besides name: String) -> PropertyListKey {
    func key(_ number: Int) -> PropertyListKey {
      PropertyListKey(Defaults.ValueError.keptAs(name) + (number == 1 ? "" : "-\(number)"))
    }
    let free = (1..<Self.maximumKeptCount).lazy.map(key).first { key in
      let occupant = ownValue(for: key)
      return occupant == nil || occupant == unreadable
    }
    return free ?? key(Self.maximumKeptCount)
  }

  /// Makes changes, now or at the end of the transaction.
  func write(_ changes: [PropertyListKey: PropertyList?]) {
    if let draft = draftInCommit { return draft.write(changes) }
    if let transaction = Transaction.current {
      transaction.add(changes, by: self)
    } else {
      setStored(changes)
    }
  }
}
