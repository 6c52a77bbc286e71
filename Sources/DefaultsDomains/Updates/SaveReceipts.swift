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
