package import DefaultsDatabase
package import OpenStepPropertyList

/// Reading and writing the files of a database's domains.
extension PersistentDomains {
  /// From now on neither reads nor writes a file; what is in memory stays there.
  ///
  /// Returns when no other thread does any more.
  package func leaveDisk() {
    // Let go of outside the lock, under which it may be asking for the domains.
    let watcher = state.withLock { state in
      defer { state.watcher = nil }
      state.hasLeftDisk = true
      return state.watcher
    }
    withExtendedLifetime(watcher) {}
    while state.withLock({ $0.diskUsers > 0 }) { CurrentProcess.pause(microseconds: 1000) }
  }

  /// Runs a body that reads or writes files; it is given no database if none is to be touched any more.
  ///
  /// Any number of threads do so at a time. Who writes a domain waits for others who do, each in its turn
  /// (``PersistentDomain/save(to:deadline:)``); who reads waits for no writer. The body calls none of the program's
  /// code, which could have the database leave the disk and wait for itself.
  func withDisk<Result, Failure: Error>(
    _ body: (UserDatabase?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let hasLeft = state.withLock { state in
      if !state.hasLeftDisk { state.diskUsers += 1 }
      return state.hasLeftDisk
    }
    defer { if !hasLeft { state.withLock { $0.diskUsers -= 1 } } }
    return try LargeStack.runWithRoomToLetGo { () throws(Failure) in try body(hasLeft ? nil : database) }
  }

  /// From now on reads what other processes change soon after they did, and not at a synchronize only.
  package func followOutsideChanges() {
    guard let database, database.refusal == nil, state.withLock({ $0.watcher == nil }) else { return }
    // Made outside the lock, under which it asks for the domains.
    let watcher = DatabaseWatcher(of: database) { [weak self] in
      self?.state.withLock { $0.living }.map(\.name) ?? []
    } onChange: { [weak self] names in
      self?.refresh(names)
    }
    let surplus = state.withLock { state -> DatabaseWatcher? in
      guard state.watcher == nil, !state.hasLeftDisk else { return watcher }
      state.watcher = watcher
      return nil
    }
    withExtendedLifetime(surplus) {}
  }

  /// The domain of a name, with its file read again if it changed.
  package func refreshedDomain(_ name: DomainName) throws(DatabaseError) -> PersistentDomain {
    var errors: [DatabaseError] = []
    defer { note(errors) }
    let (domain, keys) = try withDisk { database throws(DatabaseError) in
      let domain = open(name, in: database, &errors)
      guard let database else { return (domain, Set<PropertyListKey>()) }
      defer { state.withLock { $0.noteFileError(of: domain) } }
      return (domain, try domain.refresh(from: database))
    }
    tellOfExternalChanges([(domain, keys)])
    return domain
  }

  /// Reads the files of some domains again where they changed, or of all for nil; names that are not known here are
  /// passed over.
  private func refresh(_ names: Set<DomainName>?) {
    var changes: [(PersistentDomain, Set<PropertyListKey>)] = []
    var errors: [DatabaseError] = []
    withDisk { database in
      guard let database else { return }
      let domains = names?.compactMap(known) ?? state.withLock { $0.living }
      for domain in domains {
        let known = domain.fileError
        do throws(DatabaseError) {
          changes.append((domain, try domain.refresh(from: database)))
        } catch {
          // Told below, unless it is known: this is called at every change of any file.
        }
        let error = domain.fileError
        if let error, error != known { errors.append(error) }
        if error != known { state.withLock { $0.noteFileError(of: domain) } }
      }
      // What could not be read can be now; what could not be written is no better for that.
      state.withLock { state in
        guard state.firstFileError() == nil, !state.unsaved.contains(where: \.hasUnsavedChanges) else {
          return
        }
        state.lastError = state.untold
      }
    }
    // A program's observer may take as long as it likes, and what others change next is to be read all the same.
    for (domain, keys) in noteExternalChanges(changes) { domain.tellApart(of: keys) }
    note(errors)
  }

  private func tellOfExternalChanges(_ changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)]) {
    for (domain, keys) in noteExternalChanges(changes) { domain.tell(of: .several(keys)) }
  }

  /// Counts others' changes if there are any, and gives them.
  private func noteExternalChanges(
    _ changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)]
  ) -> [(domain: PersistentDomain, keys: Set<PropertyListKey>)] {
    let changes = changes.filter { !$0.keys.isEmpty }
    if !changes.isEmpty { state.withLock { $0.externalChanges += 1 } }
    return changes
  }

  /// Writes the unsaved changes of every domain, and reads again what others changed if asked to.
  ///
  /// O(1), but for the domains with unsaved changes and those that are to be read again.
  ///
  /// - Parameters:
  ///   - refreshing: Whether to read again what others changed in the domains that were saved, and in some others.
  ///   - concerned: Those others, which are the ones that the caller searches.
  /// - Returns: The first error, rather of writing than of reading; or nil. The changes that could not
  ///   be written are kept.
  @discardableResult
  package func save(andRefresh refreshing: Bool, of concerned: [PersistentDomain] = []) -> DatabaseError? {
    // Set before it waits for other threads.
    let deadline = Synchronizer.shared.deadline
    var outcome = Outcome()
    withDisk { database in
      guard let database else { return }
      let unsaved = PersistentDomains.quickestFirst(state.withLock { $0.unsaved })
      var seen = Set(unsaved.map { ObjectIdentifier($0) })
      let others = refreshing ? concerned.filter { seen.insert(ObjectIdentifier($0)).inserted } : []
      for domain in unsaved + others {
        defer { if domain.fileError != nil { state.withLock { $0.noteFileError(of: domain) } } }
        do throws(DatabaseError) {
          if let save = try domain.save(to: database, deadline: deadline) {
            if let remark = save.remark { outcome.remarks.append(remark) }
            outcome.sizes.append((domain, save.byteCount))
            // To read the file again would take a sixth of the time that the save took.
            if save.isUpToDate { continue }
          }
        } catch {
          outcome.writeErrors.append(error)
          continue
        }
        do throws(DatabaseError) {
          guard refreshing else { continue }
          let keys = try domain.refresh(from: database)
          if !keys.isEmpty { outcome.changes.append((domain, keys)) }
        } catch {
          outcome.readErrors.append(error)
        }
      }
      state.withLock { state in
        let told = outcome.remarks.last ?? state.untold
        state.untold = refreshing ? nil : told
        state.lastError = outcome.first ?? told ?? state.firstFileError()
        state.unsaved.removeAll { $0.unmarkIfSaved() }
      }
    }
    tellOfExternalChanges(outcome.changes)
    for (domain, byteCount) in outcome.sizes { domain.fileWasSaved(byteCount) }
    for error in outcome.writeErrors + outcome.readErrors + outcome.remarks { ErrorReports.shared.add(error) }
    return outcome.first
  }

  /// Puts the domains with little to save before those of which much is to be written, or which another thread is saving.
  private static func quickestFirst(_ domains: [PersistentDomain]) -> [PersistentDomain] {
    guard domains.count > 1 else { return domains }
    let costs = domains.map { (domain: $0, cost: $0.isBeingSaved ? .max : $0.byteCount) }
    return costs.sorted { $0.cost < $1.cost }.map(\.domain)
  }

  /// What came of a save, to be told when all is done.
  private struct Outcome {
    var writeErrors: [DatabaseError] = []
    var readErrors: [DatabaseError] = []
    var remarks: [DatabaseError] = []
    var sizes: [(PersistentDomain, Int)] = []
    var changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)] = []

    var first: DatabaseError? { writeErrors.first ?? readErrors.first }
  }

  /// What would be lost if the process ended now.
  var losses: [LossReport.Loss] {
    state.withLock { $0.hasLeftDisk ? [] : $0.unsaved }.compactMap(\.loss).sorted { $0.domain < $1.domain }
  }

  /// Whether there are changes that are to be saved and are not yet.
  package var hasUnsavedChanges: Bool {
    state.withLock { $0.hasLeftDisk ? [] : $0.unsaved }.contains { $0.hasUnsavedChanges }
  }
}
