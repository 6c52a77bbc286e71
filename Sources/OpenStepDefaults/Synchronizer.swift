import DefaultsDatabase

/// Decides when changes are written and when files are read again, without being called.
///
/// Changes are written a moment after they are made, so that several become one write, and at
/// normal exit. Objects are synchronized every 30 seconds, as OPENSTEP has it. A thread of its own
/// does both; it sleeps otherwise, and needs no run loop.
final class Synchronizer: Sendable {
  static let shared = Synchronizer()

  /// From a change to its write, in seconds: room is left to be on disk within a quarter of a second.
  static let saveDelay = 0.15
  /// From a failed write to the next attempt, in seconds.
  static let retryDelay = 2.0
  /// From one automatic synchronize of an object to the next, in seconds.
  static let period = 30.0

  private let state = Lock(State())
  private let thread: TimerThread

  private struct State {
    /// What has changes to write, held until they are written, and when.
    var unsaved: [ObjectIdentifier: (domains: PersistentDomains, time: MonotonicTime)] = [:]
    var objects: [Member] = []
    /// At how many objects those that are gone are sorted out, so that adding many takes linear time.
    var sweepCount = 16
    var nextPeriod: MonotonicTime?
  }

  private struct Member {
    weak var object: NSUserDefaults?
  }

  private init() {
    thread = TimerThread { Synchronizer.shared.tick() }
    ProcessExit.atExit { Synchronizer.shared.saveAll() }
  }

  /// Has a database's changes written soon.
  func changesWereMade(in domains: PersistentDomains) {
    guard domains.database != nil else { return }
    let time = MonotonicTime.now + Synchronizer.saveDelay
    let isNew = state.withLock { state in
      guard state.unsaved[ObjectIdentifier(domains)] == nil else { return false }
      state.unsaved[ObjectIdentifier(domains)] = (domains, time)
      return true
    }
    if isNew { thread.schedule(at: time) }
  }

  /// Has an object synchronized from time to time, as long as someone holds it.
  func add(_ object: NSUserDefaults) {
    let time = MonotonicTime.now + Synchronizer.period
    let living = state.withLock { state in
      var living: [NSUserDefaults] = []
      if state.objects.count >= state.sweepCount {
        living = state.objects.compactMap(\.object)
        state.objects = living.map(Member.init)
        state.sweepCount = max(16, 2 * living.count)
      }
      state.objects.append(Member(object: object))
      if state.nextPeriod == nil { state.nextPeriod = time }
      return living
    }
    // Not let go of under the lock: who holds one last runs its deinit, and a subclass's may call back.
    withExtendedLifetime(living) {}
    thread.schedule(at: time)
  }

  /// Writes everything that is unsaved now; what fails is kept.
  func saveAll() {
    for domains in state.withLock({ $0.unsaved.values.map(\.domains) }) { save(domains) }
  }

  /// Does what is due, and gives the time at which more will be.
  private func tick() -> MonotonicTime? {
    let now = MonotonicTime.now
    let (due, objects) = state.withLock { state in
      let due = state.unsaved.values.filter { $0.time <= now }.map(\.domains)
      var objects: [NSUserDefaults] = []
      if let period = state.nextPeriod, period <= now {
        objects = state.objects.compactMap(\.object)
        state.nextPeriod = objects.isEmpty ? nil : now + Synchronizer.period
      }
      return (due, objects)
    }
    due.forEach(save)
    for object in objects { _ = object.synchronize() }
    return state.withLock { state in
      (state.unsaved.values.map(\.time) + [state.nextPeriod].compactMap { $0 }).min()
    }
  }

  private func save(_ domains: PersistentDomains) {
    let isSaved = domains.save(andRefresh: false) == nil
    let retry = MonotonicTime.now + Synchronizer.retryDelay
    state.withLock { state in
      // Changes made while the others were written set a time of their own only if ours is gone.
      if isSaved && !domains.hasUnsavedChanges {
        state.unsaved[ObjectIdentifier(domains)] = nil
      } else {
        state.unsaved[ObjectIdentifier(domains)]?.time =
          isSaved ? MonotonicTime.now + Synchronizer.saveDelay : retry
      }
    }
  }
}
