import DefaultsDatabase
package import OpenStepPropertyList

/// The observers of single keys, told when what a lookup finds has really changed.
///
/// A change that another domain hides is none, and the new value after a removal is what the lookup
/// then finds. Observers are called one after the other, in the order of the changes, outside all
/// locks: normally by the thread that made the change, before its call returns; where another thread
/// is calling observers already, or the change is made inside an observer, as soon as that is done.
package final class KeyObservers: Sendable {
  /// Takes what has changed.
  package typealias Handler = @Sendable (KeyChange) -> Void

  private let lookUp: @Sendable (PropertyListKey) -> PropertyList?
  private let state = Lock(State())

  private struct State {
    var keys: [PropertyListKey: Observed] = [:]
    var nextNumber = 0
    /// What is to be told, in order.
    var calls: [Call] = []
    /// Whether a thread is telling it.
    var isCalling = false

    /// Has the observers of a key told, unless it has that value already.
    mutating func noteChange(of key: PropertyListKey, to value: PropertyList?) {
      guard let observed = keys[key] else { return }
      defer { keys[key]?.isPrepared = false }
      guard observed.value != value else { return }
      notePreparation(of: key)
      let change = KeyChange(kind: .change, old: observed.value, new: value)
      calls += observed.observers.filter { $0.isWilling() }.map { Call(observer: $0, change: change) }
      keys[key]?.value = value
    }

    /// Has those observers of a key told that it is about to change who want to know, once.
    mutating func notePreparation(of key: PropertyListKey) {
      guard let observed = keys[key], !observed.isPrepared else { return }
      let change = KeyChange(kind: .prior, old: observed.value, new: nil)
      calls += observed.observers.filter { $0.wantsPrior && $0.isWilling() }
        .map { Call(observer: $0, change: change) }
      keys[key]?.isPrepared = true
    }
  }

  private struct Observed {
    /// What was told last, or would have been.
    var value: PropertyList?
    var observers: [Observer] = []
    /// Whether the next change was announced.
    var isPrepared = false

    /// Where an observer is; they were added in the order of their numbers.
    func index(of number: Int) -> Int? {
      var (low, high) = (0, observers.count)
      while low < high {
        let middle = (low + high) / 2
        if observers[middle].number < number { low = middle + 1 } else { high = middle }
      }
      return low < observers.count && observers[low].number == number ? low : nil
    }
  }

  private struct Observer {
    let number: Int
    let wantsPrior: Bool
    let isWilling: @Sendable () -> Bool
    let handler: Handler
  }

  private struct Call {
    let observer: Observer
    let change: KeyChange
  }

  /// - Parameter lookUp: Finds the value of a key, taking no lock under which ``check(_:)`` is called.
  package init(lookUp: @escaping @Sendable (PropertyListKey) -> PropertyList?) {
    self.lookUp = lookUp
  }

  // MARK: - Observing

  /// Observes a key until the result is invalidated or let go.
  ///
  /// - Parameters:
  ///   - wantsInitial: Whether to be called with the present value first.
  ///   - wantsPrior: Whether to be called before each change, too.
  ///   - isWilling: Asked by the thread that makes or finds a change whether to call of it; must not call back.
  package func observe(
    _ key: PropertyListKey, wantsInitial: Bool = false, wantsPrior: Bool = false,
    isWilling: @escaping @Sendable () -> Bool = { true }, handler: @escaping Handler
  ) -> KeyObservation {
    let number = state.withLock { state in
      state.nextNumber += 1
      let observer = Observer(
        number: state.nextNumber, wantsPrior: wantsPrior, isWilling: isWilling, handler: handler)
      // Looked up here, so that no change can come between this and the first that is told.
      let value = lookUp(key)
      // Others of the key may still have to be told of a change up to this value.
      state.noteChange(of: key, to: value)
      state.keys[key, default: Observed(value: value)].observers.append(observer)
      if wantsInitial {
        let change = KeyChange(kind: .initial, old: nil, new: value)
        state.calls.append(Call(observer: observer, change: change))
      }
      return observer.number
    }
    callObservers()
    return KeyObservation { [weak self] in self?.remove(number, of: key) }
  }

  private func remove(_ number: Int, of key: PropertyListKey) {
    // Let go of outside the lock, since what it holds on to may call back in its deinit.
    let removed = state.withLock { state -> Observer? in
      // In place, since a copy for each end would make the end of many take its time.
      guard let index = state.keys[key]?.index(of: number) else { return nil }
      let observer = state.keys[key]?.observers.remove(at: index)
      if state.keys[key]?.observers.isEmpty ?? false { state.keys[key] = nil }
      state.calls.removeAll { $0.observer.number == number }
      return observer
    }
    withExtendedLifetime(removed) {}
  }

  // MARK: - Changes

  /// Whether a key has an observer who wants to know of a change before it is made.
  package func wantsPrior(of key: PropertyListKey) -> Bool {
    state.withLock { $0.keys[key]?.observers.contains(where: \.wantsPrior) ?? false }
  }

  /// Tells the observers who want to know it that what a lookup finds for a key is about to change.
  package func prepare(_ key: PropertyListKey) {
    state.withLock { $0.notePreparation(of: key) }
    callObservers()
  }

  /// Makes a change of keys, and notes for their observers what a lookup finds then.
  ///
  /// Of changes that several threads make at once, each is noted by itself. The observers are told by the
  /// next ``check(_:)``.
  ///
  /// - Parameter change: Makes the change; it must not call back.
  package func noting<Result>(_ keys: some Collection<PropertyListKey>, by change: () -> Result) -> Result {
    let noted = state.withLock { state -> Result? in
      let observed = keys.filter { state.keys[$0] != nil }
      guard !observed.isEmpty else { return nil }
      let result = change()
      for key in observed { state.noteChange(of: key, to: lookUp(key)) }
      return result
    }
    return noted ?? change()
  }

  /// Tells the observers of those keys for which a lookup now finds something else.
  package func check(_ keys: ChangedKeys) {
    let isNew = state.withLock { state in
      guard !state.keys.isEmpty else { return false }
      let observed = state.keys.keys.filter(keys.contains)
      for key in observed { state.noteChange(of: key, to: lookUp(key)) }
      return !state.calls.isEmpty
    }
    if isNew { callObservers() }
  }

  /// Makes the calls that wait, unless some thread is doing so, perhaps this one.
  private func callObservers() {
    var isFirst = true
    while true {
      let call = state.withLock { state -> Call? in
        if isFirst && state.isCalling { return nil }
        state.isCalling = !state.calls.isEmpty
        return state.calls.isEmpty ? nil : state.calls.removeFirst()
      }
      guard let call else { return }
      isFirst = false
      call.observer.handler(call.change)
    }
  }
}
