import OpenStepPropertyList

/// The listeners of one domain, by key, so that a change costs nothing for the listeners of other keys.
///
/// It belongs to the domain, and is used under its lock. Listeners are weakly held.
final class DomainListeners {
  private var byKey = [PropertyListKey: [ObjectIdentifier: Entry]]()
  private var nextNumber = 0

  private struct Entry {
    /// Listeners are called in the order in which they were added.
    let number: Int
    weak var listener: (any DomainListener)?
  }

  var isEmpty: Bool { byKey.isEmpty }

  /// Whether a key has a listener. O(1).
  func hasListener(of key: PropertyListKey) -> Bool { byKey[key] != nil }

  func add(_ listener: any DomainListener, for key: PropertyListKey) {
    nextNumber += 1
    byKey[key, default: [:]][ObjectIdentifier(listener)] = Entry(number: nextNumber, listener: listener)
  }

  func remove(_ listener: ObjectIdentifier, for key: PropertyListKey) {
    byKey[key]?[listener] = nil
    if byKey[key]?.isEmpty ?? false { byKey[key] = nil }
  }

  /// The listeners of the changed keys, each once. O(m log m) for m of them, and O(1) for a key without a
  /// listener.
  func concerned(by keys: ChangedKeys) -> [any DomainListener] {
    switch keys {
    case .one(let key): listeners(of: CollectionOfOne(key))
    case .several(let keys) where keys.count < byKey.count: listeners(of: keys)
    case .several(let keys): listeners(of: byKey.keys.filter(keys.contains))
    case .any: listeners(of: byKey.keys)
    }
  }

  /// The keys of a set that have a listener, sorted.
  func keys(among keys: Set<PropertyListKey>) -> [PropertyListKey] {
    guard keys.count < byKey.count else { return byKey.keys.filter(keys.contains).sorted() }
    // In an array: a set would be made in memory that grows with the changed keys, under the domain's lock.
    return keys.lazy.filter { self.byKey[$0] != nil }.sorted()
  }

  private func listeners(of keys: some Sequence<PropertyListKey>) -> [any DomainListener] {
    var found: [ObjectIdentifier: Entry] = [:]
    for key in keys {
      guard let entries = byKey[key] else { continue }
      found.merge(entries) { first, _ in first }
    }
    return found.values.sorted { $0.number < $1.number }.compactMap(\.listener)
  }
}
