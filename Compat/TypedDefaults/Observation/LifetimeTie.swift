import DefaultsDatabase

/// Holds an observation as long as another object is there.
///
/// Swift tells nobody of an object's end, so the objects are looked for: by each call of the observer, and every
/// quarter of a second by a thread that is there only while there are ties. It lets go of the observations whose
/// object is gone, and so of their closures.
final class LifetimeTie: Sendable {
  /// From one look at all objects to the next, in seconds.
  private static let period = 0.25
  /// The part of its time that the thread may spend on looking.
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
    // Each time, in case the system had no thread to give before.
    LifetimeTie.looking.schedule(at: .now + LifetimeTie.period)
  }

  /// Ends the observations whose object is gone; gives the time of the next look, or nil where no tie is left.
  private static func endThoseThatAreOver() -> MonotonicTime? {
    let start = MonotonicTime.now
    // Outside the lock, for the look may be the last to hold an object, whose end may run the program's code.
    for held in ties.withLock({ Array($0.values) }) where held.tie.isOver {
      // One that was taken back meanwhile ends nothing.
      if held.tie.remove() { held.observation.invalidate() }
    }
    let end = MonotonicTime.now
    let spent = Double(end.nanoseconds - start.nanoseconds) / 1e9
    return ties.withLock { $0.isEmpty } ? nil : end + max(period, spent / share)
  }

  /// Whether the object is gone.
  var isOver: Bool {
    // Taken out of the lock, for it may be the last to hold the object, whose end may run the program's code.
    let object = owner.withLock { $0.object }
    return object == nil
  }

  /// Lets go of the observation; false where that was done before.
  @discardableResult
  func remove() -> Bool {
    let held = LifetimeTie.ties.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    return held != nil
  }
}
