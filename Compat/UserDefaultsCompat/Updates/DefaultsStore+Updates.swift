import DefaultsDatabase
package import DefaultsDomains
package import OpenStepPropertyList

/// Updates of an object's own domain.
extension DefaultsStore {
  /// Changes the value for a key in the application's domain to one that a closure makes of what a lookup finds.
  ///
  /// If an administrator has set the key, that is reported; the closure runs, and nothing is changed.
  ///
  /// - Parameter closure: Makes the change, or nil for none; runs again if another thread sets the key meanwhile.
  /// - Returns: false if there is no change, or an administrator has set the key.
  package func modify(_ key: PropertyListKey, _ closure: (PropertyList?) -> ValueUpdate?) -> Bool {
    if refuses(key) {
      UpdateLock.shared.hold { UpdateLock.shared.run { _ = closure(value(for: key)) } }
      return false
    }
    var isMade = false
    func change(_ found: PropertyList?) -> ValueUpdate? {
      let update = closure(found)
      isMade = update != nil
      return update
    }
    user.modify(
      key, in: application, observers: observers, lookUp: { valueToUpdate(for: key) },
      prepare: { prepareObservers(of: key, for: $0) }, change)
    return isMade
  }

  /// What a lookup finds for a key, together with the value of the application's domain from which it comes.
  private func valueToUpdate(for key: PropertyListKey) -> ValueToUpdate {
    if let found = path.found(for: key), found.domain == application.identity {
      return ValueToUpdate(found: found.value, own: found.value)
    }
    // The own value is looked up once, so that it and the result agree.
    let own = application.value(for: key)
    return ValueToUpdate(found: value(for: key, pending: { $0 === application ? .some(own) : nil }), own: own)
  }

  /// The domains of the object that a commit's closure is given.
  func draft(in domains: PersistentDomains) -> DefaultsStore {
    let draft = DefaultsStore(
      user: domains, applicationName: application.name, process: process, managed: managed)
    for suite in searched.suites where suite !== application { draft.addSuite(suite.name) }
    return draft
  }
}
