import DefaultsDatabase

/// The tasks that wait until the present changes of a domain are on stable storage.
///
/// A save that begins after a task has come covers all that the task waits for. So does one that was under way,
/// if it leaves nothing unsaved.
struct SaveReceipts {
  private struct Receipt {
    /// How many saves had begun.
    let begun: Int
    let task: CheckedContinuation<Void, any Error>
  }

  /// Tasks that wait no longer, to be resumed outside the domain's lock.
  struct Settled {
    fileprivate var tasks: [CheckedContinuation<Void, any Error>] = []
    fileprivate var error: (any Error)?

    /// Resumes the tasks.
    func resume() {
      for task in tasks {
        if let error { task.resume(throwing: error) } else { task.resume() }
      }
    }
  }

  /// The tasks that wait, by number.
  private var receipts = [Int: Receipt]()
  private var lastNumber = 0
  /// Tasks that were cancelled before they began to wait.
  private var cancelled = Set<Int>()
  /// How many saves have begun.
  private var begun = 0

  /// Whether a task waits.
  var hasWaitingTasks: Bool { !receipts.isEmpty }

  /// A number for a task that is about to wait.
  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Makes a task wait; false if it was cancelled meanwhile.
  mutating func add(_ task: CheckedContinuation<Void, any Error>, number: Int) -> Bool {
    if cancelled.remove(number) != nil { return false }
    receipts[number] = Receipt(begun: begun, task: task)
    return true
  }

  /// Ends the waiting of a task that is cancelled.
  mutating func cancel(_ number: Int) -> Settled {
    guard let receipt = receipts.removeValue(forKey: number) else {
      cancelled.insert(number)
      return Settled()
    }
    return Settled(tasks: [receipt.task], error: CancellationError())
  }

  /// Forgets a task that has not waited, or does so no longer.
  mutating func forget(_ number: Int) { cancelled.remove(number) }

  /// Counts a save that begins; gives its number.
  mutating func saveBegins() -> Int {
    begun += 1
    return begun
  }

  /// The tasks whose changes are saved now.
  ///
  /// - Parameter isAllSaved: Whether nothing is unsaved now.
  mutating func settle(save number: Int, isAllSaved: Bool) -> Settled {
    guard hasWaitingTasks else { return Settled() }
    let settled = receipts.filter { isAllSaved || $0.value.begun < number }
    for number in settled.keys { receipts[number] = nil }
    return Settled(tasks: settled.values.map(\.task))
  }

  /// All tasks, after a save has failed.
  mutating func settle(failed error: DatabaseError) -> Settled {
    defer { receipts = [:] }
    return Settled(tasks: receipts.values.map(\.task), error: error)
  }
}

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
      saveAtOnce()
      try await domain.saved(isolation: isolation)
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
      save(andRefresh: false) { _ in
        let goesOn = state.withLock { state in
          state.work.hurriedSaves -= 1
          return state.work.hurriedSaves > 0
        }
        // An observer of this save may wait for the next one.
        if goesOn { saveOnWorker() }
      }
    }
  }
}

extension PersistentDomain {
  /// Returns when the present changes are on stable storage.
  fileprivate func saved(isolation: isolated (any Actor)?) async throws {
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
          if let outcome { task.resume(with: outcome) }
        }
      },
      onCancel: {
        state.withLock { $0.receipts.cancel(number) }.resume()
      }, isolation: isolation)
  }
}
