package import DefaultsDatabase
import OpenStepPropertyList

/// The lock of the process that keeps updates of values apart: `modify`, transactions and commits of all
/// objects and threads.
///
/// There is one for all databases, so that updates of several of them, and updates inside others, cannot wait
/// for each other in a circle. It is recursive, and is taken before the program's closure is called. Observers
/// of what is changed meanwhile by its holder are called after it is released. A set takes it only to wait for
/// an update that it has made run again too often (``PersistentDomain/giveWayToUpdate()``).
package final class UpdateLock: @unchecked Sendable {
  // Unchecked, because only the lock's holder uses the variables.
  package static let shared = UpdateLock()

  private let lock = RecursiveLock()
  /// How many of the program's closures the holder is inside.
  private var closureDepth = 0
  /// The calls of observers that wait for the lock's release.
  private var news: [() -> Void] = []
  private var ownCommit: CommitInProgress?
  /// The values that the holder updates, each inside the one before.
  private var updated: [UpdatedValue] = []

  /// A value that is being updated.
  private struct UpdatedValue {
    let key: PropertyListKey
    let domain: ObjectIdentifier
    /// Whether the closure of the update, or an observer that it called, has changed the value.
    var isChanged = false
  }

  private init() {}

  /// Whether the calling thread makes an update.
  @inline(__always) package var isHeld: Bool { lock.isHeld }

  /// Whether the calling thread runs the closure of an update.
  var isInClosure: Bool { isHeld && closureDepth > 0 }

  /// The commit whose closure the calling thread runs; nil for none.
  @inline(__always) package var commit: CommitInProgress? { isHeld ? ownCommit : nil }

  /// Runs a body that makes an update; then calls the observers, if this is the outermost update.
  package func hold<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.begin()
    defer { for call in end() { call() } }
    return try body()
  }

  /// The same for a task, which waits for other threads without blocking its own.
  package func hold<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, asynchronously body: () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    var calls: [() -> Void] = []
    defer { for call in calls { call() } }
    return try await lock.wait(isolation: isolation) { () throws(Failure) in
      defer { calls = takeNews() }
      return try body()
    }
  }

  /// Waits until another thread's update has ended, two seconds at most, and comes before the updates that wait
  /// without a deadline.
  func giveWay() {
    if lock.begin(until: .now + UserDatabase.patience) { lock.end() }
  }

  /// How long a commit that holds a database's lock waits for this lock, in seconds. Meanwhile other processes wait for
  /// the database's lock, and they fail after ``UserDatabase/patience``.
  private static let shortPatience = 0.25

  /// The last place among the commits of this process, in whose order they take the lock.
  func nextPlace() -> RecursiveLock.Place { lock.nextPlace() }

  /// Takes the lock for a commit that holds no other lock, after the updates that came first.
  ///
  /// - Parameters:
  ///   - patience: For how many seconds to wait for a single closure. The time in which a commit reads and writes files is
  ///     not counted, because that ends; after ten seconds it is, because the file system does not answer.
  ///   - arrival: When the commit was called; it has waited since then for a closure for which others wait longer.
  /// - Returns: false if one took longer; then ``end()`` must not be called.
  func begin(waiting patience: Double, since arrival: MonotonicTime, at place: RecursiveLock.Place) -> Bool {
    guard lock.begin(until: arrival + patience, at: place, forEachHolderSince: arrival) else { return false }
    lock.setWorking(true)
    return true
  }

  /// Whether the holder is a commit that reads or writes files.
  var isHolderWorking: Bool { lock.isHolderWorking }

  /// Takes the lock for a commit that holds its database's lock, if it is free soon.
  ///
  /// - Returns: false if it is not; then ``end()`` must not be called.
  func beginSoon(at place: RecursiveLock.Place) -> Bool {
    guard lock.begin(until: .now + UpdateLock.shortPatience, at: place) else { return false }
    lock.setWorking(true)
    return true
  }

  /// Releases the lock.
  ///
  /// - Returns: What has to be called then; nothing if this was an update inside another.
  func end() -> [() -> Void] {
    let calls = lock.depth == 1 ? takeNews() : []
    lock.end()
    return calls
  }

  private func takeNews() -> [() -> Void] {
    if news.isEmpty { return [] }
    defer { news = [] }
    return news
  }

  // MARK: - Changes that an update's closure makes

  /// Runs a body that updates a value; the caller holds the lock.
  func updating<Result>(_ key: PropertyListKey, in domain: PersistentDomain, _ body: () -> Result) -> Result {
    updated.append(UpdatedValue(key: key, domain: ObjectIdentifier(domain)))
    defer { updated.removeLast() }
    return body()
  }

  /// Whether the closure of the innermost update of a value has itself changed that value.
  var hasOwnChange: Bool { updated.last?.isChanged ?? false }

  /// Begins to look for such a change.
  func forgetOwnChange() { updated[updated.count - 1].isChanged = false }

  /// Records that the calling thread changes keys, if it does so inside the closure of an update of one of them.
  func noteChange(of keys: ChangedKeys, in domain: PersistentDomain) {
    guard isInClosure else { return }
    for index in updated.indices where updated[index].domain == ObjectIdentifier(domain) {
      if keys.contains(updated[index].key) { updated[index].isChanged = true }
    }
  }

  // MARK: - Closures

  /// Runs the program's closure; the caller holds the lock.
  package func run<Result, Failure: Error>(
    _ closure: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    closureDepth += 1
    defer { closureDepth -= 1 }
    return try closure()
  }

  /// Runs the program's closure of a commit; the caller holds the lock.
  func run<Result, Failure: Error>(
    _ commit: CommitInProgress, _ closure: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ownCommit = commit
    lock.setWorking(false)
    defer {
      lock.setWorking(true)
      ownCommit = nil
    }
    return try run(closure)
  }

  /// Runs a body, and takes from the calls that wait for the lock's release those that it has added.
  ///
  /// The caller holds the lock. It is for a body with task-local values, which the calls need too.
  package func collectingNews(_ body: () -> Void) -> [() -> Void] {
    let before = news
    news = []
    body()
    defer { news = before }
    return news
  }

  /// Calls observers: now, or if the calling thread makes an update, when that is done.
  @inline(__always) package func afterwards(_ call: @escaping () -> Void) {
    if isHeld { news.append(call) } else { call() }
  }
}

extension DatabaseError {
  /// The error for a call that an update's closure must not make.
  package static func notInUpdate(_ call: String, of domain: DomainName) -> DatabaseError {
    DatabaseError(
      .refused, path: "“\(domain)”",
      message: "\(call) cannot be called inside modify, a transaction or a commit",
      advice: "nothing was changed; call it before or after")
  }
}
