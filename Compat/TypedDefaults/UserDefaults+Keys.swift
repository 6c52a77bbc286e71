import OpenStepPropertyList
public import UserDefaultsCompat

extension UserDefaults {
  /// The value of a key in these defaults, or the key's default value; ``Defaults/subscript(_:)`` says more.
  public subscript<Value: Defaults.Serializable>(key: Defaults.Key<Value>) -> Value {
    // For every other type the runtime looks up what the generic types are for it, at each read; for these
    // that took a third of the time.
    @specialized(where Value == Int)
    @specialized(where Value == Bool)
    @specialized(where Value == Double)
    @specialized(where Value == String)
    get {
      guard let stored = find(key) else { return key.defaultValue }
      do {
        return try key.reader.value(of: stored)
      } catch {
        key.reader.report(error, of: stored, name: key.name)
        return key.defaultValue
      }
    }
    set {
      do {
        set(try key.reader.encode(newValue), for: key)
      } catch {
        key.reader.report(error, name: key.name)
      }
    }
  }

  /// The value of a key in these defaults; nil where there is none, whatever the key's default value.
  ///
  /// - Throws: ``Defaults/ValueError`` where the stored value cannot be read as the key's type, and the
  ///   database's error where a file that may hold it is damaged or unreadable.
  public func value<Value: Defaults.Serializable>(for key: Defaults.Key<Value>) throws -> Value? {
    let change = Transaction.current?.change(of: key.storedKey, in: self)
    let stored =
      try change ?? certainStoredValue(for: key.storedKey, includesRegistered: !key.hasFixedDefault)
    guard let stored else { return nil }
    do throws(CodingFailure) {
      return try key.reader.value(of: stored)
    } catch {
      throw Defaults.ValueError(.read, key: key.name, type: Value.self, failure: error)
    }
  }

  /// Removes every key of the application's domain, or the suite's, by one change.
  ///
  /// Those that an administrator has set stay, as nobody can change them.
  public func removeAll() {
    let keys = ownKeys + (Transaction.current?.keys(in: self) ?? [])
    write(Dictionary(keys.map { ($0, nil) }) { first, _ in first })
  }

  /// What is stored for a key; a transaction's changes first.
  private func find<Value>(_ key: Defaults.Key<Value>) -> PropertyList? {
    if let change = Transaction.current?.change(of: key.storedKey, in: self) { return change }
    // A default value that the key has itself is as good as the registered one.
    return storedValue(for: key.storedKey, includesRegistered: !key.hasFixedDefault)
  }

  private func set<Value>(_ stored: PropertyList?, for key: Defaults.Key<Value>) {
    var changes = [key.storedKey: stored]
    if let old = ownValue(for: key.storedKey), old != stored, key.reader.isUnreadable(old, name: key.name) {
      changes[freeKey(for: old, besides: key.name)] = old
    }
    key.reader.noteOwn(stored)
    write(changes)
  }

  /// The key under which a value that could not be read is kept.
  private func freeKey(for unreadable: PropertyList, besides name: String) -> PropertyListKey {
    var number = 1
    while true {
      let suffix = number == 1 ? "" : "-\(number)"
      let key = PropertyListKey(Defaults.ValueError.keptAs(name) + suffix)
      let occupant = ownValue(for: key)
      if occupant == nil || occupant == unreadable { return key }
      number += 1
    }
  }

  /// Makes changes, now or at the end of the transaction.
  func write(_ changes: [PropertyListKey: PropertyList?]) {
    if let transaction = Transaction.current {
      transaction.add(changes, to: self)
    } else {
      setStored(changes)
    }
  }
}
