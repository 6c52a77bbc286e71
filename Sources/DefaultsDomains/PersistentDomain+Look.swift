import DefaultsDatabase
import OpenStepPropertyList

/// Looking at many values part by part.
extension PersistentDomain {
  /// How many changes are caught up with under the lock at once: some dozens of microseconds' work.
  static let bitCount = 256

  /// A look at values of which there may be many, while other threads change the domain and do not wait for that.
  ///
  /// They are read part by part. The keys that are changed meanwhile are noted, and looked at again until a few are left,
  /// which are looked at under the lock: so all is as it was at one moment, that last one.
  struct Look {
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
    ///
    /// Read without the lock: a thread that the system takes off its processor here keeps nobody waiting.
    func allValues() -> [PropertyListKey: PropertyList]? {
      var part = LookupTable.Part()
      for _ in 0..<Look.maximumBeginnings {
        let (isSameVersion, layout) = domain.state.withLock { ($0.version == version, $0.table.layout) }
        guard isSameVersion else { return nil }
        guard let layout else { return [:] }
        if let values = read(layout, with: &part) { return values }
      }
      // Where keys come and go faster than they can be looked at, the thread that changes them waits in the end.
      part.removeAll()
      let layout: LookupTable.Layout? = domain.withState(hasPrecedence: true) { state in
        guard state.version == version, let layout = state.table.layout else { return nil }
        _ = state.table.read(0..<layout.slotCount, of: layout, into: &part)
        return layout
      }
      guard let layout else { return nil }
      var values: [PropertyListKey: PropertyList] = [:]
      Look.add(part, in: layout.text, to: &values)
      return values
    }

    private static let maximumBeginnings = 10
    private static let slotCount = 512

    /// The values in some slots; nil where the table came to have others meanwhile.
    private func read(
      _ layout: LookupTable.Layout, with part: inout LookupTable.Part
    ) -> [PropertyListKey: PropertyList]? {
      var values = [PropertyListKey: PropertyList](minimumCapacity: layout.usedCount)
      var start = 0
      while start < layout.slotCount {
        let end = min(start + Look.slotCount, layout.slotCount)
        part.removeAll()
        guard domain.table.read(start..<end, of: layout, into: &part) else {
          // Several changes that are made at one moment hide the table for that time only.
          let isSame = domain.state.withLock { $0.table.layout?.isSame(as: layout) ?? false }
          if isSame { continue }
          return nil
        }
        Look.add(part, in: layout.text, to: &values)
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
}
