package import DefaultsDatabase
import OpenStepPropertyList

/// Reading and writing the files of a database's domains.
extension PersistentDomains {
  /// Ends all reading and writing of files; the domains remain in memory.
  ///
  /// It returns when no other thread reads or writes any more.
  package func leaveDisk() {
    // Released outside the lock, because the watcher may be asking for the domains, which takes the lock.
    let watcher = state.withLock { state in
      defer { state.watcher = nil }
      state.hasLeftDisk = true
      return state.watcher
    }
    withExtendedLifetime(watcher) {}
    while state.withLock({ $0.diskUsers > 0 }) { CurrentProcess.pause(microseconds: 1000) }
  }

  /// Runs a body that reads or writes files; its argument is nil if the domains have left the disk.
  ///
  /// Any number of threads may run one at a time. A thread that writes a domain waits for its turn
  /// (``PersistentDomain/save(to:deadline:)``); a thread that opens a domain waits for none. The body must not
  /// call the program's code, which could call ``leaveDisk()`` and so wait for itself.
  func withDisk<Result, Failure: Error>(
    _ body: (UserDatabase?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let isOnDisk = useDisk()
    defer { if isOnDisk { endUseOfDisk() } }
    return try LargeStack.runWithStackToRelease { () throws(Failure) in try body(isOnDisk ? database : nil) }
  }

  /// Counts the calling thread among those that use the disk, which ``leaveDisk()`` waits for; false if the domains have
  /// left the disk.
  func useDisk() -> Bool {
    state.withLock { state in
      if !state.hasLeftDisk { state.diskUsers += 1 }
      return !state.hasLeftDisk
    }
  }

  /// Ends what ``useDisk()`` has begun.
  func endUseOfDisk() {
    state.withLock { $0.diskUsers -= 1 }
  }

  /// Makes external changes be read soon after they are made, and not only at a synchronize.
  package func followExternalChanges() {
    guard let database, database.refusal == nil, state.withLock({ $0.watcher == nil }) else { return }
    // Made outside the lock, because it asks for the domains, which takes the lock.
    let watcher = DatabaseWatcher(
      of: database, following: { [weak self] in self?.state.withLock { $0.living }.map(\.name) ?? [] },
      begins: false, onChange: { [weak self] names in self?.refresh(names) })
    let surplus = state.withLock { state -> DatabaseWatcher? in
      guard state.watcher == nil, !state.hasLeftDisk else { return watcher }
      state.watcher = watcher
      state.lacksWatcher = watcher == nil
      return nil
    }
    // Which domains it follows is asked for after that: one that another thread opens is among them, or finds the watcher.
    if surplus == nil { watcher?.begin() }
    withExtendedLifetime(surplus) {}
  }

  /// The domain of a name; its file is read again if it has changed.
  package func refreshedDomain(_ name: DomainName) throws(DatabaseError) -> PersistentDomain {
    var errors: [DatabaseError] = []
    defer { note(errors) }
    let (domain, keys) = try withDisk { database throws(DatabaseError) in
      let domain = open(name, in: database, &errors)
      guard let database else { return (domain, Set<PropertyListKey>()) }
      defer { noteFileError(of: domain) }
      return (domain, try domain.refresh(from: database))
    }
    tellOfExternalChanges([(domain, keys)])
    return domain
  }

  /// Records whether a domain's file can be read; one that may be readable a moment later is looked at again.
  private func noteFileError(of domain: PersistentDomain) {
    let isPassing = domain.fileError?.isPassing ?? false
    let watcher = state.withLock { state in
      state.noteFileError(of: domain)
      return isPassing ? state.watcher : nil
    }
    watcher?.lookAgainSoon()
  }

  /// Reads the files of some domains, or of all for nil, again if they have changed; skips names that have no
  /// domain in memory.
  private func refresh(_ names: Set<DomainName>?) {
    var changes: [(PersistentDomain, Set<PropertyListKey>)] = []
    var errors: [DatabaseError] = []
    withDisk { database in
      guard let database else { return }
      let domains = names?.compactMap(domainInMemory) ?? state.withLock { $0.living }
      var (isReadableAgain, isToBeTriedAgain) = (false, false)
      for domain in domains {
        let known = domain.fileError
        do throws(DatabaseError) {
          changes.append((domain, try domain.refresh(from: database)))
        } catch {
          // Reported below, unless it was reported before: this is called at every change of a file.
          if error.isPassing { isToBeTriedAgain = true }
        }
        let error = domain.fileError
        if let error, error != known { errors.append(error) }
        if error != known { state.withLock { $0.noteFileError(of: domain) } }
        if known != nil, error == nil { isReadableAgain = true }
      }
      if isToBeTriedAgain { state.withLock { $0.watcher }?.lookAgainSoon() }
      // The error of a save, or of a refused call, remains.
      guard isReadableAgain else { return }
      state.withLock { state in
        guard state.firstFileError() == nil, !state.unsaved.contains(where: \.hasUnsavedChanges) else {
          return
        }
        state.lastError = state.unreportedRemark
      }
    }
    tellAsynchronouslyOfExternalChanges(changes)
    note(errors)
  }

  /// Tells of external changes on other threads: a program's observer may take any time, and whoever has read them has to
  /// go on.
  func tellAsynchronouslyOfExternalChanges(
    _ changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)]
  ) {
    for (domain, keys) in noteExternalChanges(changes) { domain.tellAsynchronously(of: keys) }
  }

  private func tellOfExternalChanges(_ changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)]) {
    for (domain, keys) in noteExternalChanges(changes) {
      UpdateLock.shared.afterwards { domain.tell(of: .several(keys)) }
    }
  }

  /// Counts the external changes if there are any, and gives them.
  private func noteExternalChanges(
    _ changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)]
  ) -> [(domain: PersistentDomain, keys: Set<PropertyListKey>)] {
    let changes = changes.filter { !$0.keys.isEmpty }
    if !changes.isEmpty { state.withLock { $0.externalChanges += 1 } }
    return changes
  }

  /// Writes the unsaved changes of all domains, and reads external changes if asked to.
  ///
  /// O(1), except for the domains with unsaved changes and those that have to be read again.
  ///
  /// - Parameters:
  ///   - refreshing: Whether to read the external changes of the saved domains and of some others.
  ///   - concerned: Those others: the domains that the caller searches.
  ///   - selection: Which of the domains with unsaved changes are written.
  ///   - isOnWorker: Whether a thread of the package saves, or the process ends, which does not wait for observers of the
  ///     save.
  ///   - beforeTelling: Receives what is returned before the program's observers are called, which may take any time.
  /// - Returns: The first error of writing, or else of reading, or nil. Changes that could not be written are
  ///   kept.
  @discardableResult
  package func save(
    andRefresh refreshing: Bool, of concerned: [PersistentDomain] = [],
    only selection: UnsavedSelection = .all, onWorker isOnWorker: Bool = false,
    beforeTelling: (DatabaseError?) -> Void = { _ in }
  ) -> DatabaseError? {
    if refreshing, let refusal = refusalInUpdate(of: concerned.first) { return refusal }
    guard let database else { return nil }
    var outcome = SaveOutcome()
    // The wait begins before this thread waits for others.
    Synchronizer.shared.waiting(in: database) { wait in
      writeUnsaved(selection, andRefresh: refreshing, of: concerned, wait, &outcome)
    }
    beforeTelling(outcome.first)
    tell(of: outcome, onWorker: isOnWorker)
    // The system may provide a thread by now.
    if state.withLock({ $0.lacksWatcher }) { followExternalChanges() }
    return outcome.first
  }

  /// Tells of what was written and read; no lock may be held.
  func tell(of outcome: SaveOutcome, onWorker isOnWorker: Bool = false) {
    tellOfExternalChanges(outcome.changes)
    for (domain, byteCount) in outcome.sizes {
      tellOfSave(of: domain, byteCount: byteCount, onWorker: isOnWorker)
    }
    ErrorReports.shared.add(each: outcome.writeErrors + outcome.readErrors + outcome.remarks)
  }

  /// Writes the unsaved changes of all domains, and reads external changes if asked to; tells nobody.
  ///
  /// - Parameter committed: The domain of the commit that comes next, and must find a damaged file where it is.
  func writeUnsaved(
    _ selection: UnsavedSelection, andRefresh refreshing: Bool, of concerned: [PersistentDomain],
    before committed: PersistentDomain? = nil, _ wait: LockQueue.Wait, _ outcome: inout SaveOutcome
  ) {
    withDisk { database in
      guard let database else { return }
      let now = MonotonicTime.now
      let unsaved = PersistentDomains.quickestFirst(
        state.withLock { $0.unsaved }.filter { $0.belongs(to: selection, at: now) })
      var refusal: DatabaseError?
      for domain in refreshing ? PersistentDomains.withoutRepetitions(unsaved + concerned) : unsaved {
        defer { if domain.fileError != nil { noteFileError(of: domain) } }
        do throws(DatabaseError) {
          // When the time is over, whoever holds the lock of all domains probably still does. To ask again for each of them
          // takes many threads with many domains far longer than that time.
          if let refusal { try domain.giveUpSave(for: refusal) }
          let save = try domain.save(
            to: database, deadline: wait.deadline, refusingDamage: domain === committed)
          if let save {
            if let remark = save.remark { outcome.remarks.append(remark) }
            outcome.sizes.append((domain, save.byteCount))
            // The save has read the whole file already. A second read would add a sixth to the save's time.
            if save.isUpToDate { continue }
          }
        } catch {
          outcome.writeErrors.append(error)
          // At the end of the process each domain has its last attempt.
          if wait.isOver, database.isHeld(accordingTo: error), !Synchronizer.shared.isEnding {
            refusal = error
          }
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
        let remark = outcome.remarks.last ?? state.unreportedRemark
        state.unreportedRemark = refreshing ? nil : remark
        state.unsaved.removeAll { $0.unmarkIfSaved() }
        // The error of a domain that the selection leaves out remains.
        let left = selection.isAll ? nil : state.firstSaveError()
        state.lastError = outcome.first ?? left ?? remark ?? state.firstFileError()
      }
    }
  }

  /// Why this thread must not save: it makes an update, and a thread that has the turn to save may wait for that.
  ///
  /// At the end of the process it may; that thread then stops waiting at its deadline.
  private func refusalInUpdate(of domain: PersistentDomain?) -> DatabaseError? {
    guard UpdateLock.shared.isHeld else { return nil }
    let error = DatabaseError.notInUpdate("synchronize()", of: domain?.name ?? .global)
    UpdateLock.shared.commit?.refuse(error)
    state.withLock { $0.lastError = error }
    return error
  }

  /// Sorts domains by the size of their files, so that a large one delays no other; those that another thread
  /// is saving come last.
  private static func quickestFirst(_ domains: [PersistentDomain]) -> [PersistentDomain] {
    guard domains.count > 1 else { return domains }
    let costs = domains.map { (domain: $0, cost: $0.isBeingSaved ? .max : $0.byteCount) }
    return costs.sorted { $0.cost < $1.cost }.map(\.domain)
  }

  private static func withoutRepetitions(_ domains: [PersistentDomain]) -> [PersistentDomain] {
    // A set costs more than it saves for as many as an object usually has.
    if domains.count <= 8 {
      var result: [PersistentDomain] = []
      for domain in domains where !result.contains(where: { $0 === domain }) { result.append(domain) }
      return result
    }
    var seen = Set<ObjectIdentifier>()
    return domains.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// The results of a save, to be reported when all is done.
  struct SaveOutcome {
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

  /// When the next save is due; nil if no domain is listed as unsaved.
  ///
  /// - Parameter earliest: When a domain is due whose last save has not failed. Nothing is due before, because what is
  ///   overdue is being written by another thread.
  func nextSave(notBefore earliest: MonotonicTime) -> MonotonicTime? {
    let unsaved = state.withLock { $0.hasLeftDisk ? [] : $0.unsaved }
    return unsaved.map { max(earliest, $0.nextAttempt ?? earliest) }.min()
  }

  /// Whether a domain is listed as unsaved, even if its changes have been saved since.
  var listsUnsaved: Bool {
    state.withLock { !$0.hasLeftDisk && !$0.unsaved.isEmpty }
  }

  /// Whether there are changes that still have to be saved.
  package var hasUnsavedChanges: Bool {
    state.withLock { $0.hasLeftDisk ? [] : $0.unsaved }.contains { $0.hasUnsavedChanges }
  }
}
