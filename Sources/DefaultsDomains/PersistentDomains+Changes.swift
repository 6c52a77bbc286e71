package import DefaultsDatabase
package import OpenStepPropertyList

/// Changing the domains of a database. Each call makes a change, schedules its save and notifies.
///
/// Observers are called outside all locks, before the call returns. O(1) in the number of keys, of domains,
/// and of observers of other keys, except for the calls that replace a whole domain.
extension PersistentDomains {
  /// Sets a value of a domain, or removes it for nil.
  ///
  /// - Parameters:
  ///   - observers: The observers of the object that makes the change, which are called before those of all
  ///     other objects.
  ///   - prepare: Called before the change if the key has a listener.
  /// - Returns: Whether the key's value is different now. A key that is certainly absent is not removed.
  @discardableResult
  package func set(
    _ value: PropertyList?, for key: PropertyListKey, in domain: PersistentDomain,
    observers: KeyObservers? = nil, prepare: () -> Void = {}
  ) -> Bool {
    guard mayChange(.one(key), of: domain) else { return false }
    let value = domain.presentIfEqual(to: value, for: key)
    if let isChanged = domain.changeIfNoListener(key, to: value) {
      if isChanged { saveSoon(domain) } else { saveWhatWasRecorded(of: domain) }
      return isChanged
    }
    if value == nil { observers?.prepareRemoval(of: CollectionOfOne(key)) }
    if UpdateLock.shared.isHeld { UpdateLock.shared.run(prepare) } else { prepare() }
    return change(domain, CollectionOfOne(key), observers) {
      let isChanged = value.map { domain.set($0, for: key) } ?? domain.remove(key)
      return isChanged ? .one(key) : nil
    }
  }

  /// Sets and removes several values of a domain at one moment; nil removes a key.
  ///
  /// - Parameter observers: The observers of the object that makes the change, which are called before those
  ///   of all other objects.
  package func set(
    _ values: [PropertyListKey: PropertyList?], in domain: PersistentDomain, observers: KeyObservers? = nil
  ) {
    guard mayChange(.several(Set(values.keys)), of: domain) else { return }
    var values = values
    for (key, value) in values {
      let present = domain.presentIfEqual(to: value, for: key)
      if value?.isContainer ?? false { values[key] = .some(present) }
    }
    observers?.prepareRemoval(of: values.lazy.filter { $0.value == nil }.map(\.key))
    _ = change(domain, values.keys, observers) {
      let changed = domain.apply(values)
      return changed.isEmpty ? nil : .several(changed)
    }
  }

  /// Replaces a domain's contents by these values, whatever it and its file contain now.
  package func replace(_ domain: PersistentDomain, with values: [PropertyListKey: PropertyList]) {
    guard mayChange(.any, of: domain) else { return }
    domain.replaceAll(with: values)
    publish(.any, in: domain)
  }

  /// Fills a domain that has no key with these values.
  ///
  /// - Returns: false, with nothing changed, if the domain has keys, or if a damaged file may contain some
  ///   that cannot be read.
  package func fill(_ domain: PersistentDomain, with values: [PropertyListKey: PropertyList]) -> Bool {
    guard mayChange(.any, of: domain), domain.fill(with: values) else { return false }
    publish(.any, in: domain)
    return true
  }

  /// Removes a domain, even if another process has made it since its file was last read.
  ///
  /// - Returns: Whether it existed.
  @discardableResult
  package func remove(_ name: DomainName) -> Bool {
    // Retained, so that it can be removed even if its file is unreadable.
    let domain = domain(name)
    guard mayChange(.any, of: domain) else { return false }
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

  // MARK: - Steps of every change

  /// Whether this thread may change keys of a domain now; waits for an update to which it has to give way.
  private func mayChange(_ keys: @autoclosure () -> ChangedKeys, of domain: PersistentDomain) -> Bool {
    domain.giveWayToUpdate()
    guard UpdateLock.shared.isHeld else { return true }
    UpdateLock.shared.noteChange(of: keys(), in: domain)
    return !refusesChange(of: domain)
  }

  /// Whether a domain must not be changed, because this thread runs the closure of another domain's commit,
  /// which then fails.
  func refusesChange(of domain: PersistentDomain) -> Bool {
    guard let commit = UpdateLock.shared.commit, !commit.admits(domain) else { return false }
    commit.refuseChange(of: domain)
    return true
  }

  /// Makes a change of keys that may have listeners, and publishes it.
  ///
  /// - Parameters:
  ///   - keys: The keys that may change.
  ///   - body: Makes the change and gives the keys whose values are different now, or nil; it must not call
  ///     back.
  @discardableResult
  func change(
    _ domain: PersistentDomain, _ keys: some Collection<PropertyListKey>, _ observers: KeyObservers?,
    _ body: () -> ChangedKeys?
  ) -> Bool {
    defer { saveWhatWasRecorded(of: domain) }
    if UpdateLock.shared.isInClosure {
      // The program's closure still runs. News that is recorded now would have to be told before any more of the closure,
      // so the keys are checked when the update ends.
      let changed = body()
      if let changed { publish(changed, in: domain) { observers?.check(changed) } }
      return changed != nil
    }
    // In an update they would be called before it has ended; they are then told of both changes, in order.
    if !UpdateLock.shared.isHeld {
      domain.tellRecorded(of: keys.count == 1 ? .one(keys.first!) : .several(Set(keys)))
    }
    guard let observers else {
      let changed = body()
      if let changed { publish(changed, in: domain) }
      return changed != nil
    }
    let (changed, news) = observers.noting(keys, by: body)
    if let changed {
      publish(changed, in: domain) { observers.tell(news) }
    } else {
      // Nothing changed here, but the lookups found another change.
      UpdateLock.shared.afterwards { observers.tell(news) }
    }
    return changed != nil
  }

  /// Schedules the save of a change that was made here, and notifies, or has that done after the update that
  /// this thread makes.
  ///
  /// - Parameter tellOwn: Notifies the observers of the object that made the change.
  func publish(_ keys: ChangedKeys, in domain: PersistentDomain, tellOwn: @escaping () -> Void = {}) {
    saveSoon(domain)
    UpdateLock.shared.afterwards { domain.tell(of: keys, first: tellOwn) }
  }

  /// Schedules the save of what was recorded though it changes no value here, because the file is damaged or unreadable.
  func saveWhatWasRecorded(of domain: PersistentDomain) {
    if !domain.isListedUnsaved, domain.hasUnsavedChanges { saveSoon(domain) }
  }

  /// Schedules the save of a change, unless a save is certain to come.
  func saveSoon(_ domain: PersistentDomain) {
    if domain.isListedUnsaved, !Synchronizer.shared.hasToKnowAll { return }
    guard database != nil else { return }
    // One step: a thread that sees the mark, and then waits for a save, has to find the domain in the list.
    let isFirst = state.withLock { state in
      guard domain.markUnsaved() else { return false }
      state.unsaved.append(domain)
      return true
    }
    Synchronizer.shared.changesWereMade(in: self, isFirst: isFirst)
  }
}
