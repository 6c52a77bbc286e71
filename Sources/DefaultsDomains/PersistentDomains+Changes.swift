package import DefaultsDatabase
package import OpenStepPropertyList

/// Changing the domains of a database. Each call makes a change, has it saved soon and tells of it.
///
/// Observers are told outside all locks, before the call returns. O(1) in the number of keys, of domains, and of
/// observers of other keys, but for the calls that replace a whole domain.
extension PersistentDomains {
  /// Sets a value of a domain, or removes it for nil.
  ///
  /// - Parameters:
  ///   - observers: Those of the object that makes the change. They are told before those of all other objects.
  ///   - prepare: Called before the change if somebody listens to the key.
  /// - Returns: Whether the key's value is another now. A key is not removed where there is certainly none.
  @discardableResult
  package func set(
    _ value: PropertyList?, for key: PropertyListKey, in domain: PersistentDomain,
    observers: KeyObservers? = nil, prepare: () -> Void = {}
  ) -> Bool {
    if let isChanged = domain.changeUnheard(key, to: value) {
      if isChanged { saveSoon(domain) }
      return isChanged
    }
    prepare()
    return change(domain, CollectionOfOne(key), observers) {
      let isChanged = value.map { domain.set($0, for: key) } ?? domain.remove(key)
      return isChanged ? .one(key) : nil
    }
  }

  /// Sets and removes several values of a domain at one moment; nil removes a key.
  ///
  /// - Parameter observers: Those of the object that makes the change. They are told before those of all other objects.
  package func set(
    _ values: [PropertyListKey: PropertyList?], in domain: PersistentDomain, observers: KeyObservers? = nil
  ) {
    _ = change(domain, values.keys, observers) {
      let changed = domain.apply(values)
      return changed.isEmpty ? nil : .several(changed)
    }
  }

  /// Makes a domain hold these values and no others, whatever it and its file hold now.
  package func replace(_ domain: PersistentDomain, with values: [PropertyListKey: PropertyList]) {
    domain.replaceAll(with: values)
    publish(.any, in: domain)
  }

  /// Makes a domain that holds no key hold these values.
  ///
  /// - Returns: false where the domain holds keys, or a damaged file may hold some that cannot be read;
  ///   nothing is changed then.
  package func fill(_ domain: PersistentDomain, with values: [PropertyListKey: PropertyList]) -> Bool {
    guard domain.fill(with: values) else { return false }
    publish(.any, in: domain)
    return true
  }

  /// Removes a domain, also one that another process made since the last look at its file.
  ///
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  package func remove(_ name: DomainName) -> Bool {
    // Held, also where its file cannot be read: it is removed all the same.
    let domain = domain(name)
    if !domain.removeAll() {
      do throws(DatabaseError) {
        _ = try refreshedDomain(name)
      } catch {
        note([error])
      }
      guard domain.removeAll() else { return false }
    }
    publish(.any, in: domain)
    return true
  }

  // MARK: - What every change does

  /// Makes a change that somebody may listen to, and publishes it.
  ///
  /// - Parameters:
  ///   - keys: Those that the change may concern.
  ///   - body: Makes the change and gives the keys whose values are others now, or nil; it must not call back.
  private func change(
    _ domain: PersistentDomain, _ keys: some Collection<PropertyListKey>, _ observers: KeyObservers?,
    _ body: () -> ChangedKeys?
  ) -> Bool {
    guard let observers else {
      let changed = body()
      if let changed { publish(changed, in: domain) }
      return changed != nil
    }
    let (changed, news) = observers.noting(keys, by: body)
    if let changed {
      publish(changed, in: domain) { observers.tell(news) }
    } else {
      // What there is to tell came from elsewhere.
      observers.tell(news)
    }
    return changed != nil
  }

  /// Has a change that was made here saved soon, and tells of it.
  ///
  /// - Parameter tellOwn: Tells the observers of the object that made the change.
  func publish(_ keys: ChangedKeys, in domain: PersistentDomain, tellOwn: () -> Void = {}) {
    saveSoon(domain)
    tellOwn()
    domain.tell(of: keys)
  }

  private func saveSoon(_ domain: PersistentDomain) {
    guard database != nil else { return }
    if domain.markUnsaved() { state.withLock { $0.unsaved.append(domain) } }
    Synchronizer.shared.changesWereMade(in: self)
  }
}
