import DefaultsDatabase

/// Retains an observation as long as another object exists.
///
/// Swift does not notify of an object's end, so the weak references are polled: by each call of the observer,
/// and every quarter of a second by a thread that exists only while there are ties. The thread releases the
/// observations whose object is gone, and with them their closures.
final class LifetimeTie: Sendable {
  /// The time between two polls, in seconds.
  private static let period = 0.25
  /// The share of its time that the thread may spend on polling.
  private static let share = 0.01

  private static let ties = Lock<[ObjectIdentifier: Held]>([:])
  private static let looking = TimerThread { LifetimeTie.endThoseThatAreOver() }

  private struct Held {
    let tie: LifetimeTie
    let observation: any Defaults.Observation
  }

  private let owner: Lock<Owner>

  // Unchecked, because the object is never used, only looked for.
  private struct Owner: @unchecked Sendable {
    weak var object: AnyObject?
  }

  init(of observation: any Defaults.Observation, to owner: AnyObject) {
    self.owner = Lock(Owner(object: owner))
    let held = Held(tie: self, observation: observation)
    LifetimeTie.ties.withLock { $0[ObjectIdentifier(self)] = held }
    // Scheduled each time, in case the system provided no thread before.
    LifetimeTie.looking.schedule(at: .now + LifetimeTie.period)
  }

  /// Ends the observations whose object is gone; gives the time of the next poll, or nil if no tie is left.
  private static func endThoseThatAreOver() -> MonotonicTime? {
    let start = MonotonicTime.now
    // Outside the lock: the poll may release the last reference to an object, whose deinitializer
    // runs the program's code.
    for held in ties.withLock({ Array($0.values) }) where held.tie.isOver {
      // A tie that was removed meanwhile ends nothing.
      if held.tie.remove() { held.observation.invalidate() }
    }
    let end = MonotonicTime.now
    let spent = end.seconds(since: start)
    return ties.withLock { $0.isEmpty } ? nil : end + max(period, spent / share)
  }

  /// Whether the object is gone.
  var isOver: Bool {
    // Taken out of the lock: this may be the last reference to the object, whose deinitializer
    // runs the program's code.
    let object = owner.withLock { $0.object }
    return object == nil
  }

  /// Releases the observation; false if that was done before.
  @discardableResult
  func remove() -> Bool {
    let held = LifetimeTie.ties.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    return held != nil
  }
}
