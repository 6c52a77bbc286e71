import DefaultsDatabase

/// Decides when changes are written and when files are read again, without being called.
///
/// Changes are written a moment after they are made, so that several become one write, and at
/// normal exit. Objects are synchronized every 30 seconds, as OPENSTEP has it. Threads of its own do
/// both, without a run loop: one for the synchronizing, one that counts the time to the writes, and a few that
/// write, so that up to as many databases whose locks are held keep no other waiting.
package final class Synchronizer: Sendable {
  package static let shared = Synchronizer()

  /// From a change to its write, in seconds: room is left to be on disk within a quarter of a second.
  static let saveDelay = 0.15
  /// From a failed write to the next attempt, in seconds.
  static let retryDelay = 2.0
  /// From one automatic synchronize of an object to the next, in seconds.
  static let period = 30.0

  private let state = Lock(State())
  private let synchronizing: TimerThread
  private let saving: TimerThread
  /// The process whose changes these are; a child that it forks has copies of them.
  private let process = CurrentProcess.identifier

  private struct State {
    /// What has changes to write, held until they are written.
    var unsaved: [ObjectIdentifier: Unsaved] = [:]
    /// When to write them: after a change, and after a write that failed. Each database is in one of the two, unless it
    /// is being written.
    var (due, dueAgain) = (DueQueue(), DueQueue())
    var objects: [WeakReference] = []
    /// At how many objects those that are gone are sorted out, so that adding many takes linear time.
    var sweepCount = 16
    var nextPeriod: MonotonicTime?
    /// When to stop waiting for other processes if this one is ending, and nothing can be written later.
    var endDeadline: MonotonicTime?
  }

  private struct Unsaved {
    let domains: PersistentDomains
    let time: MonotonicTime
  }

  /// Databases in the order of their times, which have the same delay and so come in that order.
  private struct DueQueue {
    private var entries: [(time: MonotonicTime, database: ObjectIdentifier)] = []
    /// How many of the entries were taken.
    private var taken = 0

    var nextTime: MonotonicTime? { taken < entries.count ? entries[taken].time : nil }

    mutating func append(_ database: ObjectIdentifier, at time: MonotonicTime) {
      entries.append((time, database))
    }

    /// Takes the first database if it is due.
    mutating func next(at now: MonotonicTime) -> ObjectIdentifier? {
      guard let time = nextTime, time <= now else { return nil }
      defer {
        taken += 1
        if taken > entries.count / 2 {
          entries.removeFirst(taken)
          taken = 0
        }
      }
      return entries[taken].database
    }
  }

  private init() {
    synchronizing = TimerThread { Synchronizer.shared.synchronizeObjects() }
    saving = TimerThread { Synchronizer.shared.saveWhatIsDue() }
    ProcessExit.atExit { Synchronizer.shared.end() }
  }

  /// When a save that begins now is to stop waiting for other processes.
  ///
  /// At the end of the process all have one deadline, since that waits for every database in turn.
  var deadline: MonotonicTime {
    state.withLock { $0.endDeadline } ?? .now + UserDatabase.patience
  }

  /// Has a database's changes written soon.
  func changesWereMade(in domains: PersistentDomains) {
    guard domains.database != nil else { return }
    let (time, isEnding) = state.withLock { state -> (MonotonicTime, Bool) in
      let identifier = ObjectIdentifier(domains)
      let isEnding = state.endDeadline != nil
      if let unsaved = state.unsaved[identifier] { return (unsaved.time, isEnding) }
      let time = MonotonicTime.now + Synchronizer.saveDelay
      state.unsaved[identifier] = Unsaved(domains: domains, time: time)
      state.due.append(identifier, at: time)
      return (time, isEnding)
    }
    if isEnding {
      save(domains)
      LossReport.shared.tell(of: domains.losses)
    } else {
      // Each time, in case the system had no thread to give before.
      saving.schedule(at: time)
    }
  }

  /// Has an object synchronized from time to time, as long as someone holds it.
  package func add(_ object: any Synchronizable) {
    let time = MonotonicTime.now + Synchronizer.period
    // Not let go of under the lock: who holds one last runs its deinit, and a subclass's may call back.
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

  /// Writes everything at the end of the process, says what could not be written, and from now on writes each
  /// change as it is made.
  ///
  /// Exit handlers that were registered before this one run after it, and other threads run on.
  private func end() {
    // A forked child has no right to write its parent's changes, and its locks may be held by threads
    // that are not in it.
    guard CurrentProcess.identifier == process else { return }
    ProcessExit.stayUnlessFirst()
    let unsaved = state.withLock { state -> [PersistentDomains] in
      guard state.endDeadline == nil else { return [] }
      state.endDeadline = .now + UserDatabase.patience
      return state.unsaved.values.map(\.domains)
    }
    for domains in unsaved { save(domains) }
    LossReport.shared.tell(of: unsaved.flatMap(\.losses))
  }

  /// Synchronizes the objects if it is time; gives the next time, or nil where no object is left.
  private func synchronizeObjects() -> MonotonicTime? {
    let now = MonotonicTime.now
    let (objects, next) = state.withLock { state -> ([any Synchronizable], MonotonicTime?) in
      guard let period = state.nextPeriod, period <= now else { return ([], state.nextPeriod) }
      let objects = state.objects.compactMap { $0.object as? any Synchronizable }
      state.nextPeriod = objects.isEmpty ? nil : now + Synchronizer.period
      return (objects, state.nextPeriod)
    }
    for object in objects { _ = object.synchronize() }
    return next
  }

  /// Has those databases written whose time has come; gives the next time, or nil where all are written.
  private func saveWhatIsDue() -> MonotonicTime? {
    let now = MonotonicTime.now
    let (domains, next) = state.withLock { state -> ([PersistentDomains], MonotonicTime?) in
      var domains: [PersistentDomains] = []
      while let identifier = state.due.next(at: now) ?? state.dueAgain.next(at: now) {
        if let unsaved = state.unsaved[identifier] { domains.append(unsaved.domains) }
      }
      return (domains, [state.due.nextTime, state.dueAgain.nextTime].compactMap { $0 }.min())
    }
    for domains in domains { WorkerThreads.shared.run { self.save(domains) } }
    return next
  }

  private func save(_ domains: PersistentDomains) {
    // Changes made while others are written have waited since now at the longest.
    let next = MonotonicTime.now + Synchronizer.saveDelay
    let isSaved = domains.save(andRefresh: false) == nil
    let retry = MonotonicTime.now + Synchronizer.retryDelay
    let time = state.withLock { state -> MonotonicTime? in
      let identifier = ObjectIdentifier(domains)
      // Such changes set a time of their own only if ours is gone.
      if isSaved && !domains.hasUnsavedChanges {
        state.unsaved[identifier] = nil
        return nil
      }
      let time = isSaved ? next : retry
      state.unsaved[identifier] = Unsaved(domains: domains, time: time)
      if isSaved {
        state.due.append(identifier, at: time)
      } else {
        state.dueAgain.append(identifier, at: time)
      }
      return time
    }
    if let time { saving.schedule(at: time) }
  }
}
