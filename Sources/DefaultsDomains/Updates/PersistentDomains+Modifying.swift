package import OpenStepPropertyList
import Synchronization

/// The change that the closure of an update makes of what it was given.
package struct ValueUpdate: Sendable {
  /// The new value; nil removes the key.
  let value: PropertyList?
  /// Changes of other keys of the domain that belong to it.
  let others: [PropertyListKey: PropertyList?]

  package init(_ value: PropertyList?, besides others: [PropertyListKey: PropertyList?] = [:]) {
    (self.value, self.others) = (value, others)
  }
}

/// What an update begins with.
package struct ValueToUpdate: Sendable {
  /// What a lookup finds.
  package let found: PropertyList?
  /// The value of the domain that will be changed, from which the lookup's result comes.
  let own: PropertyList?

  package init(found: PropertyList?, own: PropertyList?) {
    (self.found, self.own) = (found, own)
  }
}

/// Updating a value by its present one.
extension PersistentDomains {
  /// How often the closure runs before other threads' sets of the domain have to wait for it.
  static let optimisticAttempts = 8
  /// How often it runs at most, if other processes change the key each time.
  static let maximumAttempts = 64

  /// Changes a value of a domain to one that a closure makes of it; no other change of the process comes in
  /// between.
  ///
  /// Other updates wait for this one. Sets do not (optimistic concurrency): if one comes in between, the closure
  /// runs again, with the new value. After ``optimisticAttempts`` sets by other threads wait, too. A change of the
  /// key that the closure itself makes, or an observer that is called before the update, is no reason to run again:
  /// the update comes after it.
  ///
  /// - Parameters:
  ///   - observers: The observers of the object that makes the change.
  ///   - lookUp: Looks up the key.
  ///   - prepare: Called before a change to a value if the key has a listener.
  ///   - closure: Makes the new value of the found one; nil for no change. It throws nothing, because generic code takes
  ///     a fourth longer: the runtime looks up types at each call from another module.
  /// - Returns: Whether a value is different now.
  @discardableResult
  package func modify(
    _ key: PropertyListKey, in domain: PersistentDomain, observers: KeyObservers? = nil,
    lookUp: () -> ValueToUpdate, prepare: (PropertyList?) -> Void = { _ in },
    _ closure: (PropertyList?) -> ValueUpdate?
  ) -> Bool {
    let lock = UpdateLock.shared
    // As by a set; not inside the update.
    if !lock.isHeld { domain.tellRecorded(of: .one(key)) }
    return lock.hold {
      let isChanged = lock.updating(key, in: domain) {
        update(key, in: domain, observers: observers, lookUp: lookUp, prepare: prepare, closure)
      }
      // It may be inside another update.
      if isChanged { lock.noteChange(of: .one(key), in: domain) }
      return isChanged
    }
  }

  /// Runs the closure until its result is stored; the caller holds the lock of updates.
  private func update(
    _ key: PropertyListKey, in domain: PersistentDomain, observers: KeyObservers?,
    lookUp: () -> ValueToUpdate, prepare: (PropertyList?) -> Void,
    _ closure: (PropertyList?) -> ValueUpdate?
  ) -> Bool {
    let lock = UpdateLock.shared
    var attempt = 0
    defer { if attempt > PersistentDomains.optimisticAttempts { domain.endReservation() } }
    while true {
      attempt += 1
      if attempt == PersistentDomains.optimisticAttempts + 1 { domain.reserve() }
      let start = lookUp()
      lock.forgetOwnChange()
      guard let update = lock.run({ closure(start.found) }), !refusesChange(of: domain) else {
        return false
      }
      let expected = attempt < PersistentDomains.maximumAttempts ? PropertyList??.some(start.own) : nil
      switch make(update, of: key, in: domain, ifStill: expected, observers, prepare) {
      case .changed: return true
      case .same: return false
      case .other, .listened: continue
      }
    }
  }

  /// Makes the change of an update, unless the key has another value than expected, which the closure has not
  /// set itself.
  private func make(
    _ update: ValueUpdate, of key: PropertyListKey, in domain: PersistentDomain,
    ifStill expected: PropertyList??, _ observers: KeyObservers?, _ prepare: (PropertyList?) -> Void
  ) -> PersistentDomain.ExchangeOutcome {
    let value = domain.presentIfEqual(to: update.value, for: key)
    if value == nil {
      // Compared with the expected value.
      domain.parse(key)
      observers?.prepareRemoval(of: CollectionOfOne(key))
    }
    var others = update.others
    for (other, value) in others where value != nil {
      others[other] = .some(domain.presentIfEqual(to: value, for: other))
    }
    if others.isEmpty {
      let outcome = domain.exchange(
        key, to: value, ifStill: UpdateLock.shared.hasOwnChange ? nil : expected, unlessListened: true)
      if outcome == .changed { saveSoon(domain) }
      if outcome == .same { saveWhatWasRecorded(of: domain) }
      if outcome != .listened { return outcome }
    }
    UpdateLock.shared.run { prepare(value) }
    var outcome = PersistentDomain.ExchangeOutcome.same
    let expected = UpdateLock.shared.hasOwnChange ? nil : expected
    change(domain, [key] + others.keys, observers) {
      outcome = domain.exchange(key, to: value, ifStill: expected, with: others)
      return outcome == .changed ? .several(Set([key] + others.keys)) : nil
    }
    return outcome
  }
}

extension PersistentDomain {
  /// What became of an attempt to exchange a value.
  enum ExchangeOutcome {
    case changed
    /// The key has the new value already.
    case same
    /// The key has another value than was expected; nothing is changed.
    case other
    /// The key has a listener; nothing is changed.
    case listened
  }

  /// Sets a value, or removes it for nil, if the key still has the expected one (compare and swap).
  ///
  /// - Parameters:
  ///   - expected: The value that the key must have, nil inside for none; nil for any.
  ///   - others: Changes of other keys to make at the same moment.
  ///   - unlessListened: Whether to change nothing if the key has a listener.
  func exchange(
    _ key: PropertyListKey, to value: PropertyList?, ifStill expected: PropertyList??,
    with others: [PropertyListKey: PropertyList?] = [:], unlessListened: Bool = false
  ) -> ExchangeOutcome {
    withState { state in
      if unlessListened, state.listeners?.hasListener(of: key) == true { return .listened }
      if let expected, state.table[key] != expected { return .other }
      if others.isEmpty {
        return value.map({ state.set($0, for: key) }) ?? state.remove(key) ? .changed : .same
      }
      var isChanged = false
      state.table.change(of: others.count + 1) {
        for (key, value) in [(key, value)] + others.map({ ($0.key, $0.value) })
        where value.map({ state.set($0, for: key) }) ?? state.remove(key) {
          isChanged = true
        }
      }
      return isChanged ? .changed : .same
    }
  }

  /// Makes the sets of other threads wait for the update that this thread makes.
  func reserve() { reservations.wrappingAdd(1, ordering: .relaxed) }

  func endReservation() { reservations.wrappingSubtract(1, ordering: .relaxed) }

  /// Waits for an update that other threads' sets have made run again too often; called before each set, by a
  /// thread that holds no lock but perhaps that of updates.
  @inline(__always) func giveWayToUpdate() {
    if reservations.load(ordering: .relaxed) > 0 { UpdateLock.shared.giveWay() }
  }
}
