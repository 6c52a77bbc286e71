import DefaultsDatabase
import OpenStepPropertyList

/// Looking at many values bit by bit.
extension PersistentDomain {
  /// How many values are read, or changes caught up with, under the lock at once: some dozens of microseconds' work.
  static let bitCount = 256

  /// A look at values of which there may be many, while others change the domain and do not wait for that.
  ///
  /// They are read bit by bit. The keys that are changed meanwhile are noted, and looked at again until a few are left,
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
}
