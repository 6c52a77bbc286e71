import DefaultsDatabase

/// Decides when changes are written and when files are read again, without being called.
///
/// Changes are written a moment after they are made, so that several become one write, and at
/// normal exit. Objects are synchronized every 30 seconds, as OPENSTEP has it. Threads of its own do
/// both, without a run loop: one for the synchronizing, and one for each database as long as it has
/// changes to write, so that a database whose lock is held keeps no other waiting.
final class Synchronizer: Sendable {
  static let shared = Synchronizer()

  /// From a change to its write, in seconds: room is left to be on disk within a quarter of a second.
  static let saveDelay = 0.15
  /// From a failed write to the next attempt, in seconds.
  static let retryDelay = 2.0
  /// From one automatic synchronize of an object to the next, in seconds.
  static let period = 30.0

  private let state = Lock(State())
  private let synchronizing: TimerThread
  /// The process whose changes these are; a child that it forks has copies of them.
  private let process = CurrentProcess.identifier

  private struct State {
    /// What has changes to write, held until they are written.
    var unsaved: [ObjectIdentifier: Unsaved] = [:]
    var objects: [WeakReference] = []
    /// At how many objects those that are gone are sorted out, so that adding many takes linear time.
    var sweepCount = 16
    var nextPeriod: MonotonicTime?
    /// When to stop waiting for other processes if this one is ending, and nothing can be written later.
    var endDeadline: MonotonicTime?
  }

  private struct Unsaved {
    let domains: PersistentDomains
    let saving: TimerThread
    var time: MonotonicTime
  }

  private init() {
    synchronizing = TimerThread { Synchronizer.shared.synchronizeObjects() }
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
    let (unsaved, isEnding) = state.withLock { state in
      let unsaved =
        state.unsaved[ObjectIdentifier(domains)]
        ?? Unsaved(
          domains: domains, saving: TimerThread { Synchronizer.shared.saveIfDue(domains) },
          time: .now + Synchronizer.saveDelay)
      state.unsaved[ObjectIdentifier(domains)] = unsaved
      return (unsaved, state.endDeadline != nil)
    }
    if isEnding {
      save(domains)
    } else {
      // Each time, in case the system had no thread to give before.
      unsaved.saving.schedule(at: unsaved.time)
    }
  }

  /// Has an object synchronized from time to time, as long as someone holds it.
  func add(_ object: NSUserDefaults) {
    let time = MonotonicTime.now + Synchronizer.period
    // Not let go of under the lock: who holds one last runs its deinit, and a subclass's may call back.
    var living: [NSUserDefaults] = []
    state.withLock { state in
      if state.objects.count >= state.sweepCount {
        living = state.objects.compactMap { $0.object as? NSUserDefaults }
        state.objects = living.map(WeakReference.init)
        state.sweepCount = max(16, 2 * living.count)
      }
      state.objects.append(WeakReference(object))
      if state.nextPeriod == nil { state.nextPeriod = time }
    }
    withExtendedLifetime(living) {}
    synchronizing.schedule(at: time)
  }

  /// Writes everything at the end of the process, and from now on each change as it is made.
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
  }

  /// Synchronizes the objects if it is time; gives the next time, or nil where no object is left.
  private func synchronizeObjects() -> MonotonicTime? {
    let now = MonotonicTime.now
    let (objects, next) = state.withLock { state -> ([NSUserDefaults], MonotonicTime?) in
      guard let period = state.nextPeriod, period <= now else { return ([], state.nextPeriod) }
      let objects = state.objects.compactMap { $0.object as? NSUserDefaults }
      state.nextPeriod = objects.isEmpty ? nil : now + Synchronizer.period
      return (objects, state.nextPeriod)
    }
    for object in objects { _ = object.synchronize() }
    return next
  }

  /// Writes a database's changes if it is time; gives the next time, or nil where all are written.
  private func saveIfDue(_ domains: PersistentDomains) -> MonotonicTime? {
    let time = state.withLock { $0.unsaved[ObjectIdentifier(domains)]?.time }
    guard let time, time <= .now else { return time }
    save(domains)
    return state.withLock { $0.unsaved[ObjectIdentifier(domains)]?.time }
  }

  private func save(_ domains: PersistentDomains) {
    // Changes made while others are written have waited since now at the longest.
    let next = MonotonicTime.now + Synchronizer.saveDelay
    let isSaved = domains.save(andRefresh: false) == nil
    let retry = MonotonicTime.now + Synchronizer.retryDelay
    state.withLock { state in
      // Such changes set a time of their own only if ours is gone.
      if isSaved && !domains.hasUnsavedChanges {
        state.unsaved[ObjectIdentifier(domains)] = nil
      } else {
        state.unsaved[ObjectIdentifier(domains)]?.time = isSaved ? next : retry
      }
    }
  }
}
