import DefaultsDatabase

/// The tasks that wait until the present changes of a domain are on stable storage.
///
/// A save that begins after a task has come covers all that the task waits for. So does one that was under way,
/// if it leaves nothing unsaved.
struct SaveReceipts {
  /// Tasks by number.
  fileprivate typealias Tasks = [Int: CheckedContinuation<Void, any Error>]

  /// Tasks that wait no longer, to be resumed outside the domain's lock.
  struct Settled {
    fileprivate var groups: [Group] = []
    fileprivate var error: (any Error)?

    /// Resumes the tasks.
    func resume() {
      for task in groups.lazy.flatMap(\.tasks.values) {
        if let error { task.resume(throwing: error) } else { task.resume() }
      }
    }
  }

  /// The tasks that came while the same number of saves had begun. They are settled together, in constant time, since other
  /// threads' sets wait for that.
  fileprivate struct Group {
    let begun: Int
    fileprivate var tasks: Tasks
  }

  /// The tasks that wait, in the order in which they came.
  private var groups: [Group] = []
  private var lastNumber = 0
  /// Tasks that were cancelled before they began to wait.
  private var cancelled = Set<Int>()
  /// How many saves have begun.
  private var begun = 0

  /// Whether a task waits.
  var hasWaitingTasks: Bool { !groups.isEmpty }

  /// A number for a task that is about to wait.
  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Makes a task wait; false if it was cancelled meanwhile.
  mutating func add(_ task: CheckedContinuation<Void, any Error>, number: Int) -> Bool {
    if cancelled.remove(number) != nil { return false }
    if groups.last?.begun != begun { groups.append(Group(begun: begun, tasks: [:])) }
    groups[groups.count - 1].tasks[number] = task
    return true
  }

  /// Ends the waiting of a task that is cancelled.
  mutating func cancel(_ number: Int) -> Settled {
    for index in groups.indices {
      guard let task = groups[index].tasks.removeValue(forKey: number) else { continue }
      let group = Group(begun: groups[index].begun, tasks: [number: task])
      if groups[index].tasks.isEmpty { groups.remove(at: index) }
      return Settled(groups: [group], error: CancellationError())
    }
    cancelled.insert(number)
    return Settled()
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
    let count = groups.prefix { isAllSaved || $0.begun < number }.count
    defer { groups.removeFirst(count) }
    return Settled(groups: Array(groups.prefix(count)))
  }

  /// All tasks, after a save has failed.
  mutating func settle(failed error: DatabaseError) -> Settled {
    defer { groups = [] }
    return Settled(groups: groups, error: error)
  }
}
