import DefaultsDatabase
import Synchronization

/// Decides when changes are written and when files are read again, without a call of the program.
///
/// Changes are written a moment after they are made, so that several become one write (write coalescing), and at
/// normal exit. Classic objects are synchronized every 30 seconds, as in OPENSTEP. Its threads need no run loop: two
/// are timers, and worker threads write and synchronize. Each object has a job of its own, because its synchronize
/// calls the program's observers, which may take any time (``WorkerThreads/forSynchronizing``). Databases whose locks
/// are held hardly delay others, while they are fewer than the threads for saves (``WorkerThreads/forSaves``).
package final class Synchronizer: Sendable {
  package static let shared = Synchronizer()

  /// The delay of a write after a change, in seconds; it leaves time to be on disk within a quarter of a
  /// second.
  static let saveDelay = 0.15
  /// The delay of the next attempt after a failed write, in seconds.
  static let retryDelay = 2.0
  /// How many worker threads save one database at most: while one waits for the lock of a domain's file, another saves the
  /// other domains. All of them may wait for a file system that does not answer.
  static let maximumSavingCount = 2
  /// The period of the automatic synchronizing of an object, in seconds.
  static let period = 30.0

  private let state = Lock(State())
  private let synchronizing: TimerThread
  private let saving: TimerThread
  /// The process that made the changes; a forked child has copies of them.
  private let process = CurrentProcess.identifier
  /// Whether the process is ending, or the system has provided no thread. Changed under the lock.
  private let needsAllCalls = Atomic(false)

  private struct State {
    /// The databases with changes to write, retained until these are written.
    var unsaved = [ObjectIdentifier: Unsaved]()
    /// The queues of writes after a change, and after a failed write. An entry whose time is not the one of the
    /// database any more is passed over.
    var (due, dueAgain) = (DueQueue(), DueQueue())
    /// The databases that are saved when this thread's update has ended, for lack of another thread.
    var awaitingUpdate = Set<ObjectIdentifier>()
    /// How many worker threads are saving, or are about to save, each database.
    var savingCounts = [ObjectIdentifier: Int]()
    var objects: [WeakReference] = []
    /// The number of references at which the empty ones are removed, so that adding many objects takes linear
    /// time.
    var sweepCount = 16
    var nextPeriod: MonotonicTime?
    /// The objects that worker threads are synchronizing, or are about to.
    var synchronizing = Set<ObjectIdentifier>()
    /// How long saves may still wait for other processes, in seconds, once this process is ending.
    var endPatience: Double?
  }

  private struct Unsaved {
    let domains: PersistentDomains
    let time: MonotonicTime
    /// Whether a save has begun at that time, which may have been too early for the latest changes.
    var isBegun = false
  }

  /// A queue of databases, sorted by time. Nearly all are added with the same delay, and so at the end.
  private struct DueQueue {
    private var entries: [(time: MonotonicTime, database: ObjectIdentifier)] = []
    /// How many of the entries have been removed.
    private var taken = 0

    var nextTime: MonotonicTime? { taken < entries.count ? entries[taken].time : nil }

    mutating func add(_ database: ObjectIdentifier, at time: MonotonicTime) {
      var index = entries.endIndex
      while index > taken, entries[index - 1].time > time { index -= 1 }
      entries.insert((time, database), at: index)
    }

    /// Removes the first database if it is due.
    mutating func next(at now: MonotonicTime) -> (time: MonotonicTime, database: ObjectIdentifier)? {
      guard let time = nextTime, time <= now else { return nil }
      defer {
        taken += 1
        if taken > entries.count / 2 {
          entries.removeFirst(taken)
          taken = 0
        }
      }
      return entries[taken]
    }
  }

  private init() {
    synchronizing = TimerThread { Synchronizer.shared.synchronizeObjects() }
    saving = TimerThread { Synchronizer.shared.saveWhatIsDue() }
    ProcessExit.atExit { Synchronizer.shared.end() }
  }

  /// Runs a body that saves in a database, or several times; it is given the wait, which tells when each of them has
  /// to stop waiting for others. It begins now, or has begun before.
  ///
  /// At the end of the process all saves share the time for which they wait, since the process saves in one database
  /// after the other. The time in which they write is not counted.
  func waiting<Result, Failure: Error>(
    in database: UserDatabase, _ begun: LockQueue.Wait? = nil,
    _ body: (LockQueue.Wait) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let endPatience = state.withLock { $0.endPatience }
    let wait =
      (endPatience == nil ? begun : nil)
      ?? database.queue.wait(until: .now + (endPatience ?? UserDatabase.patience))
    defer {
      if let endPatience {
        let remaining = wait.remaining
        state.withLock { $0.endPatience = min($0.endPatience ?? endPatience, remaining) }
      }
    }
    return try body(wait)
  }

  /// Whether the process is ending.
  var isEnding: Bool { state.withLock { $0.endPatience != nil } }

  /// Whether ``changesWereMade(in:)`` has to be called for each change, even if a write is scheduled.
  var hasToKnowAll: Bool { needsAllCalls.load(ordering: .relaxed) }

  /// Schedules the write of a database's changes, or makes it if the process is ending or no thread could.
  ///
  /// - Parameter isFirst: Whether this is the first unsaved change of its domain. Its write does not wait for the next
  ///   attempt of other domains, whose writes have failed.
  func changesWereMade(in domains: PersistentDomains, isFirst: Bool) {
    guard domains.database != nil else { return }
    let (time, isEnding, isFirst) = state.withLock { state -> (MonotonicTime, Bool, Bool) in
      let identifier = ObjectIdentifier(domains)
      let isEnding = state.endPatience != nil
      let time = MonotonicTime.now + Synchronizer.saveDelay
      if let unsaved = state.unsaved[identifier], !isFirst || unsaved.time <= time && !unsaved.isBegun {
        return (unsaved.time, isEnding, false)
      }
      state.unsaved[identifier] = Unsaved(domains: domains, time: time)
      state.due.add(identifier, at: time)
      return (time, isEnding, true)
    }
    if isEnding {
      save(domains)
      LossReport.shared.tell(of: domains.losses)
    } else {
      let isScheduled = saving.schedule(at: time)
      if isScheduled == hasToKnowAll {
        // The next change tries again, if the system could provide no thread.
        state.withLock { needsAllCalls.store(!isScheduled || $0.endPatience != nil, ordering: .relaxed) }
      }
      // After a save that has failed, changes do not wait for the lock again before the next attempt is due.
      if !isScheduled, isFirst || time <= .now { saveHere(domains) }
    }
  }

  /// Writes the domains of a database whose write is due on this thread, for lack of another one.
  ///
  /// An update is written when it has ended: another thread may wait for its lock, and have the turn to save.
  private func saveHere(_ domains: PersistentDomains) {
    guard UpdateLock.shared.isHeld else { return saveDue(of: domains) }
    let identifier = ObjectIdentifier(domains)
    guard state.withLock({ $0.awaitingUpdate.insert(identifier).inserted }) else { return }
    UpdateLock.shared.afterwards {
      self.state.withLock { _ = $0.awaitingUpdate.remove(identifier) }
      self.saveDue(of: domains)
    }
  }

  /// Adds a weakly held object, to be synchronized periodically.
  package func add(_ object: any Synchronizable) {
    let time = MonotonicTime.now + Synchronizer.period
    // Not released under the lock: the last release runs a deinit, and a subclass's may call back.
    var living: [any Synchronizable] = []
    state.withLock { state in
      if state.objects.count >= state.sweepCount {
        living = state.objects.compactMap { $0.object as? any Synchronizable }
        state.objects = living.map { WeakReference($0) }
        state.sweepCount = max(16, 2 * living.count)
      }
      state.objects.append(WeakReference(object))
      if state.nextPeriod == nil { state.nextPeriod = time }
    }
    withExtendedLifetime(living) {}
    synchronizing.schedule(at: time)
  }

  /// Writes everything at the end of the process, reports what could not be written, and makes each later
  /// change be written at once.
  ///
  /// Exit handlers that were registered before this one run after it, and other threads continue.
  private func end() {
    // A forked child must not write its parent's changes, and its locks may be held by threads that it did
    // not inherit.
    guard CurrentProcess.identifier == process else { return }
    ProcessExit.waitUnlessFirst()
    // Called several times (``ProcessExit``), of which the first does all.
    let all = state.withLock { state -> [PersistentDomains]? in
      guard state.endPatience == nil else { return nil }
      state.endPatience = UserDatabase.patience
      needsAllCalls.store(true, ordering: .relaxed)
      return state.unsaved.values.map(\.domains)
    }
    guard let all else { return }
    for domains in all { save(domains) }
    LossReport.shared.tell(of: all.flatMap(\.losses))
    // One of their observers may wait for this thread, or for ever.
    PersistentDomains.waitForObserversOfSaves(until: .now + KeyObservers.patience)
  }

  /// Has the objects synchronized if it is time; gives the next time, or nil if no object is left.
  private func synchronizeObjects() -> MonotonicTime? {
    let now = MonotonicTime.now
    let (objects, next) = state.withLock { state -> ([any Synchronizable], MonotonicTime?) in
      guard let period = state.nextPeriod, period <= now else { return ([], state.nextPeriod) }
      let objects = state.objects.compactMap { $0.object as? any Synchronizable }
      state.nextPeriod = objects.isEmpty ? nil : now + Synchronizer.period
      // One that an observer holds up waits for no second time.
      return (objects.filter { state.synchronizing.insert(ObjectIdentifier($0)).inserted }, state.nextPeriod)
    }
    for object in objects { WorkerThreads.forSynchronizing.run { self.synchronize(object) } }
    return next
  }

  private func synchronize(_ object: any Synchronizable) {
    _ = object.synchronize()
    state.withLock { _ = $0.synchronizing.remove(ObjectIdentifier(object)) }
  }

  /// Writes the databases that are due; gives the next time, or nil if nothing is left to be written.
  private func saveWhatIsDue() -> MonotonicTime? {
    let now = MonotonicTime.now
    let (domains, next) = state.withLock { state -> ([PersistentDomains], MonotonicTime?) in
      var domains: [PersistentDomains] = []
      while let (time, identifier) = state.due.next(at: now) ?? state.dueAgain.next(at: now) {
        guard let unsaved = state.unsaved[identifier], unsaved.time == time else { continue }
        state.unsaved[identifier]?.isBegun = true
        let count = state.savingCounts[identifier] ?? 0
        // Otherwise the first of them that ends plans the next save.
        guard count < Synchronizer.maximumSavingCount else { continue }
        state.savingCounts[identifier] = count + 1
        domains.append(unsaved.domains)
      }
      return (domains, [state.due.nextTime, state.dueAgain.nextTime].compactMap { $0 }.min())
    }
    for domains in domains { WorkerThreads.forSaves.run { self.saveDue(of: domains, isOnWorker: true) } }
    return next
  }

  /// Writes all unsaved changes of a database at the end of the process.
  private func save(_ domains: PersistentDomains) {
    // A change during this save is made now at the earliest; its own save is due at this time.
    let next = MonotonicTime.now + Synchronizer.saveDelay
    domains.save(andRefresh: false, onWorker: true) { _ in planNextSave(of: domains, at: next) }
  }

  /// Writes the domains of a database whose write is due; several threads may do so at the same time.
  private func saveDue(of domains: PersistentDomains, isOnWorker: Bool = false) {
    let next = MonotonicTime.now + Synchronizer.saveDelay
    domains.save(andRefresh: false, only: .due, onWorker: isOnWorker) { _ in
      planNextSave(of: domains, at: next, endsOnWorker: isOnWorker)
    }
  }

  /// Schedules the save of what is unsaved after a save.
  ///
  /// - Parameters:
  ///   - next: When a change that was made meanwhile is due.
  ///   - endsOnWorker: Whether a worker thread ends its save with this.
  private func planNextSave(
    of domains: PersistentDomains, at next: MonotonicTime, endsOnWorker: Bool = false
  ) {
    let time = state.withLock { state -> MonotonicTime? in
      let identifier = ObjectIdentifier(domains)
      if endsOnWorker, let count = state.savingCounts[identifier] {
        state.savingCounts[identifier] = count > 1 ? count - 1 : nil
      }
      // While this database has an entry, or lists a domain as unsaved, a change of that domain does not schedule a
      // save.
      guard let time = domains.nextSave(notBefore: next) else {
        state.unsaved[identifier] = nil
        return nil
      }
      state.unsaved[identifier] = Unsaved(domains: domains, time: time)
      if time <= next {
        state.due.add(identifier, at: time)
      } else {
        state.dueAgain.add(identifier, at: time)
      }
      return time
    }
    guard let time, !saving.schedule(at: time) else { return }
    // The system provides no thread now. The next change tries again; without one, a worker does.
    state.withLock { _ in needsAllCalls.store(true, ordering: .relaxed) }
    if endsOnWorker { WorkerThreads.forSaves.run(fromJob: true) { self.scheduleAgain(at: time) } }
  }

  /// Schedules a save as soon as the system provides a thread for it; on a worker thread.
  private func scheduleAgain(at time: MonotonicTime) {
    CurrentProcess.pause(microseconds: Int(1e6 * Synchronizer.saveDelay))
    let isEnding = state.withLock { $0.endPatience != nil }
    if isEnding || saving.schedule(at: time) { return }
    WorkerThreads.forSaves.run(fromJob: true) { self.scheduleAgain(at: time) }
  }
}
