import DefaultsDatabase

/// Telling of saves.
extension PersistentDomains {
  /// How many saves wait for observers that are slower than the saves; the newest are kept.
  private static let maximumUntoldCount = 1000

  /// Reports a save; no lock may be held.
  ///
  /// - Parameter isOnWorker: Whether a thread of the package has saved. Another one calls the observers then, which may
  ///   take any time: a few threads save for all databases.
  func tellOfSave(of domain: PersistentDomain, byteCount: Int, onWorker isOnWorker: Bool) {
    guard let database else { return domain.fileWasSaved(byteCount) }
    let save = DomainSave(domain: domain.name.text, directory: database.directory, byteCount: byteCount)
    SaveReports.shared.tellReaders(of: save, of: domain)
    if isOnWorker { callObserversLater(of: save, of: domain) } else { callObservers(of: save, of: domain) }
  }

  private func callObservers(of save: DomainSave, of domain: PersistentDomain) {
    domain.fileWasSaved(save.byteCount)
    SaveReports.shared.callHandler(with: save)
  }

  /// Has a thread for observers call them, one save of the database after the other.
  private func callObserversLater(of save: DomainSave, of domain: PersistentDomain) {
    let (isFirst, dropped, parentsWork) = state.withLock { state in
      let parentsWork = state.beginWork()
      state.work.untold.append((domain, save))
      let isFirst = !state.work.isTelling
      state.work.isTelling = true
      if isFirst { Self.tellingCount.withLock { $0 += 1 } }
      // Released outside of the lock.
      let dropped = state.work.untold.count > Self.maximumUntoldCount ? state.work.untold.removeFirst() : nil
      return (isFirst, dropped, parentsWork)
    }
    withExtendedLifetime((dropped, parentsWork)) {}
    if isFirst { WorkerThreads.forObservers.run { [self] in tellOfUntold() } }
  }

  /// Of how many databases observers of saves are being called, or are about to be.
  private static let tellingCount = Lock(0)
  /// Signalled when it is less.
  private static let told = Condition()

  /// Waits until the observers have been called for all saves of all databases, or until a deadline.
  static func waitForObserversOfSaves(until deadline: MonotonicTime) {
    tellingCount.withLock(waitingOn: told) { count in
      count > 0 && .now < deadline ? .wait(until: deadline) : .end
    }
  }

  private func tellOfUntold() {
    while true {
      let saves = state.withLock { state in
        let saves = state.work.untold
        state.work.untold = []
        state.work.isTelling = !saves.isEmpty
        if saves.isEmpty { Self.tellingCount.withLock { $0 -= 1 } }
        return saves
      }
      if saves.isEmpty { return Self.told.broadcast() }
      for (domain, save) in saves { callObservers(of: save, of: domain) }
    }
  }
}
