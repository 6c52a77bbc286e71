import DefaultsDatabase
package import OpenStepPropertyList

/// Snapshots of many values.
extension PersistentDomain {
  /// How many keys are read at most while the lock is held once, which takes some dozens of microseconds.
  static let lockedKeyLimit = 256

  /// All values as they are at one moment.
  package var values: [PropertyListKey: PropertyList] {
    // Parsing a large value takes long.
    if let values = state.withLock({
      $0.table.count < PersistentDomain.lockedKeyLimit && $0.table.isParsed ? $0.table.values : nil
    }) {
      return values
    }
    var (values, changed) = snapshotted {
      $0.allValues()
    } orOfAll: {
      Dictionary($0) { $1 }
    }
    for (key, value) in changed { values[key] = value }
    return values
  }

  /// The values of some keys as they are at one moment; nil for an absent one. O(n) for n keys.
  ///
  /// Under the lock, where a large value takes long to parse: it should have been asked for before.
  package func values(for keys: [PropertyListKey]) -> [PropertyList?] {
    withState { state in keys.map { state.table[$0] } }
  }

  /// All keys with the objects for their values, as they are at one moment.
  ///
  /// - Parameter convert: Makes the object for a value, without a lock; it must not call back.
  func objects(
    for reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> [(key: String, object: Any)] {
    let (objects, changed) = snapshotted { snapshot in
      snapshot.all { key, value in
        (key: key.text, object: convert(value))
      } ofEntry: { entry in
        (key: LookupEntry.keyText(of: entry), object: entry.pointee.object(for: reader, convert))
      }
    } orOfAll: { all in
      all.map { (key: $0.text, object: convert($1)) }
    }
    if changed.isEmpty { return objects }
    let unchanged = objects.filter { !changed.keys.contains(PropertyListKey($0.key)) }
    return unchanged
      + changed.compactMap { key, value in value.map { (key: key.text, object: convert($0)) } }
  }

  /// Something that is read from a snapshot, and the values of the keys that changed meanwhile, nil for an absent one.
  ///
  /// - Parameters:
  ///   - read: Gives nil if all values were replaced, and is then called again with a new snapshot.
  ///   - make: Makes the same of all keys and their values, where other threads replace all values faster than this one
  ///     reads.
  private func snapshotted<Contents>(
    _ read: (Snapshot) -> Contents?, orOfAll make: ([(PropertyListKey, PropertyList)]) -> Contents
  ) -> (Contents, changed: [PropertyListKey: PropertyList?]) {
    for _ in 0..<Snapshot.maximumBeginnings {
      let snapshot = Snapshot(self, wantsUnsaved: false)
      defer { snapshot.end() }
      guard let contents = read(snapshot) else { continue }
      var changed: [PropertyListKey: PropertyList?] = [:]
      let isDone: Void? = snapshot.finish {
        changed.updateValue($1, forKey: $0)
      } last: { _ in
      }
      if isDone != nil { return (contents, changed) }
    }
    return (make(allAtOnce()), [:])
  }

  /// All keys with their values, for which other threads have to wait; values that are not parsed yet are parsed
  /// afterwards.
  func allAtOnce(
    where isMeant: (inout State) -> Bool = { _ in true }
  ) -> [(PropertyListKey, PropertyList)] {
    var (parsed, unparsed): ([(PropertyListKey, PropertyList)], [UInt32]) = ([], [])
    let text: DictionaryText? = withState(hasPrecedence: true) { state in
      guard isMeant(&state), let layout = state.table.layout else { return nil }
      _ = state.table.read(0..<layout.slotCount, of: layout, parsed: &parsed, unparsed: &unparsed) {
        (LookupEntry.key(of: $0), $0.pointee.value)
      }
      return layout.text
    }
    return parsed + unparsed.compactMap { text?.entry(at: $0) }
  }

  /// A snapshot of values, of which there may be many, that does not delay the threads that change the
  /// domain.
  ///
  /// It is taken in parts, without the lock. The keys that change meanwhile are recorded and read again,
  /// until only a few are left. These are read under the lock, so that all values are those of that moment.
  struct Snapshot {
    private let domain: PersistentDomain
    private let number: Int
    /// The ``State/replacementCount`` when the snapshot was begun.
    private let replacementCount: Int
    /// The unsaved keys when the snapshot was begun.
    let unsaved: [UnsavedKeys]
    /// The ``State/readAndSaveCount`` when the snapshot was begun.
    let readAndSaveCount: Int

    /// - Parameter wantsUnsaved: Whether to freeze the set of unsaved keys; later changes are recorded in a
    ///   new set.
    init(_ domain: PersistentDomain, wantsUnsaved: Bool = true) {
      self.domain = domain
      (number, replacementCount, unsaved, readAndSaveCount) = domain.withState(hasPrecedence: true) { state in
        if wantsUnsaved { state.freeze() }
        return (state.addSnapshot(), state.replacementCount, state.older, state.readAndSaveCount)
      }
    }

    /// Ends the snapshot; it has to be called.
    func end() {
      domain.withState(hasPrecedence: true) { $0.removeSnapshot(number) }
    }

    /// All keys with their values, each as it was at some time since the snapshot was begun; nil if all
    /// values were replaced.
    func allValues() -> [PropertyListKey: PropertyList]? {
      let values = all {
        ($0, $1)
      } ofEntry: {
        (LookupEntry.key(of: $0), $0.pointee.value)
      }
      return values.map { Dictionary($0) { $1 } }
    }

    /// An element for each key, made of its value at some time since the snapshot was begun; nil if all values were
    /// replaced. A key that was removed and set again meanwhile may have two.
    ///
    /// It reads without the lock, so that no other thread waits if this one is suspended by the system.
    ///
    /// - Parameters:
    ///   - make: Makes the element of a value that is not parsed yet.
    ///   - makeOfEntry: Makes the element of an entry, which must not leave it.
    func all<Element>(
      _ make: (PropertyListKey, PropertyList) -> Element,
      ofEntry makeOfEntry: (LookupEntry.Pointer) -> Element
    ) -> [Element]? {
      for _ in 0..<Snapshot.maximumBeginnings {
        let (isCurrent, layout) = domain.state.withLock {
          ($0.replacementCount == replacementCount, $0.table.layout)
        }
        guard isCurrent else { return nil }
        guard let layout else { return [] }
        if let elements = read(layout, make, ofEntry: makeOfEntry) { return elements }
      }
      // If other threads add and remove keys faster than this one reads, they finally have to wait; not for the elements,
      // which may take long to make.
      var isCurrent = false
      let all = domain.allAtOnce { state in
        isCurrent = state.replacementCount == replacementCount
        return isCurrent
      }
      return isCurrent ? all.map(make) : nil
    }

    static let maximumBeginnings = 10
    /// How many slots are read at a time.
    private static let slotCount = 64

    /// The elements of all slots; nil if the table has other slots now.
    private func read<Element>(
      _ layout: LookupTable.Layout, _ make: (PropertyListKey, PropertyList) -> Element,
      ofEntry makeOfEntry: (LookupEntry.Pointer) -> Element
    ) -> [Element]? {
      var elements: [Element] = []
      elements.reserveCapacity(layout.usedCount)
      var unparsed: [UInt32] = []
      var start = 0
      while start < layout.slotCount {
        let end = min(start + Snapshot.slotCount, layout.slotCount)
        guard
          domain.table.read(
            start..<end, of: layout, parsed: &elements, unparsed: &unparsed, makeOfEntry)
        else {
          // Several changes at one moment hide the table only for that time.
          let isSame = domain.state.withLock { $0.table.layout?.isSame(as: layout) ?? false }
          if isSame { continue }
          return nil
        }
        start = end
      }
      for start in unparsed {
        if let (key, value) = layout.text?.entry(at: start) { elements.append(make(key, value)) }
      }
      return elements
    }

    /// Reads the keys that changed since the snapshot was begun, until at one moment all are read.
    ///
    /// - Parameters:
    ///   - keys: Other keys to read.
    ///   - see: Called with each key and its value, nil if it is absent; the last call for a key counts.
    ///   - last: Called at that moment, under the lock.
    /// - Returns: nil if all values were replaced meanwhile, so that a new snapshot is needed.
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
          isReplaced = state.replacementCount != replacementCount
          if isReplaced { return nil }
          changes = state.takeChanges(of: number)
          // If other threads change keys faster than this one reads, they finally have to wait.
          guard changes.count <= PersistentDomain.lockedKeyLimit || round == 8 else { return nil }
          for key in changes { see(key, state.table[key]) }
          return last(&state)
        }
        if isReplaced || result != nil { return result }
        for key in changes { see(key, domain.value(for: key)) }
        round += 1
      }
    }
  }
}
