import DefaultsDatabase
import OpenStepPropertyList

/// Snapshots of many values.
extension PersistentDomain {
  /// How many keys are read at most while the lock is held once, which takes some dozens of microseconds.
  static let lockedKeyLimit = 256

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
    ///
    /// It reads without the lock, so that no other thread waits if this one is suspended by the system.
    func allValues() -> [PropertyListKey: PropertyList]? {
      var part = LookupTable.Part()
      for _ in 0..<Snapshot.maximumBeginnings {
        let (isCurrent, layout) = domain.state.withLock {
          ($0.replacementCount == replacementCount, $0.table.layout)
        }
        guard isCurrent else { return nil }
        guard let layout else { return [:] }
        if let values = read(layout, with: &part) { return values }
      }
      // If other threads add and remove keys faster than this one reads, they finally have to wait.
      part.removeAll()
      let layout: LookupTable.Layout? = domain.withState(hasPrecedence: true) { state in
        guard state.replacementCount == replacementCount, let layout = state.table.layout else { return nil }
        _ = state.table.read(0..<layout.slotCount, of: layout, into: &part)
        return layout
      }
      guard let layout else { return nil }
      var values: [PropertyListKey: PropertyList] = [:]
      Snapshot.add(part, in: layout.text, to: &values)
      return values
    }

    private static let maximumBeginnings = 10
    private static let slotCount = 512

    /// The values in some slots; nil if the table has other slots now.
    private func read(
      _ layout: LookupTable.Layout, with part: inout LookupTable.Part
    ) -> [PropertyListKey: PropertyList]? {
      var values = [PropertyListKey: PropertyList](minimumCapacity: layout.usedCount)
      var start = 0
      while start < layout.slotCount {
        let end = min(start + Snapshot.slotCount, layout.slotCount)
        part.removeAll()
        guard domain.table.read(start..<end, of: layout, into: &part) else {
          // Several changes at one moment hide the table only for that time.
          let isSame = domain.state.withLock { $0.table.layout?.isSame(as: layout) ?? false }
          if isSame { continue }
          return nil
        }
        Snapshot.add(part, in: layout.text, to: &values)
        start = end
      }
      return values
    }

    private static func add(
      _ part: LookupTable.Part, in text: DictionaryText?, to values: inout [PropertyListKey: PropertyList]
    ) {
      for (key, value) in part.parsed { values[key] = value }
      for start in part.unparsed {
        if let (key, value) = text?.entry(at: start) { values[key] = value }
      }
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
