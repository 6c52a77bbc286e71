import DefaultsDatabase

/// Waiting for saves.
extension PersistentDomains {
  /// Returns when all that was set in the domains of this database until now is on stable storage.
  ///
  /// O(1) if nothing is unsaved; else a save begins at once, in place of a moment later. Domains in memory have
  /// no storage; for them it returns at once.
  ///
  /// - Throws: the error of a save that has failed meanwhile, and `CancellationError`. The changes are kept.
  package func saved(isolation: isolated (any Actor)? = #isolation) async throws {
    let unsaved = state.withLock { $0.unsaved }
    for domain in unsaved where domain.hasUnsavedChanges {
      try await domain.saved(isolation: isolation) { saveAtOnce() }
    }
  }

  /// Has a worker thread save, unless one is about to do so.
  private func saveAtOnce() {
    let (mustStart, parentsWork) = state.withLock { state in
      let parentsWork = state.beginWork()
      defer { state.work.hurriedSaves = min(state.work.hurriedSaves + 1, 2) }
      return (state.work.hurriedSaves == 0, parentsWork)
    }
    withExtendedLifetime(parentsWork) {}
    if mustStart { saveOnWorker() }
  }

  private func saveOnWorker() {
    WorkerThreads.forSaves.run { [self] in
      save(andRefresh: false, onWorker: true) { _ in
        let goesOn = state.withLock { state in
          state.work.hurriedSaves -= 1
          return state.work.hurriedSaves > 0
        }
        if goesOn { saveOnWorker() }
      }
    }
  }
}

extension PersistentDomain {
  /// Returns when the present changes are on stable storage.
  ///
  /// - Parameter begin: Begins a save. It is called once the task waits: a save that began earlier could end before, and
  ///   the task would miss its failure.
  fileprivate func saved(isolation: isolated (any Actor)?, afterwards begin: () -> Void) async throws {
    let number = state.withLock { $0.receipts.nextNumber() }
    defer { state.withLock { $0.receipts.forget(number) } }
    try await withTaskCancellationHandler(
      operation: {
        try await withCheckedThrowingContinuation(isolation: isolation) {
          (task: CheckedContinuation<Void, any Error>) in
          let outcome = state.withLock { state -> Result<Void, any Error>? in
            if !state.hasUnsavedChanges { return .success(()) }
            return state.receipts.add(task, number: number) ? nil : .failure(CancellationError())
          }
          if let outcome { task.resume(with: outcome) } else { begin() }
        }
      },
      onCancel: {
        state.withLock { $0.receipts.cancel(number) }.resume()
      }, isolation: isolation)
  }
}
