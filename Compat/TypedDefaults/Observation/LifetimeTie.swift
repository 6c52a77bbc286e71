import DefaultsDatabase

/// Holds an observation as long as another object is there.
///
/// Only Objective-C tells of an object's end. So whoever is held is asked for at each call, when it finds
/// the object gone, and at each new tie, which lets go of all that are over.
final class LifetimeTie: Sendable {
  private static let ties = Lock<[ObjectIdentifier: Held]>([:])

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
    let over = LifetimeTie.ties.withLock { ties in
      let over = ties.values.filter(\.tie.isOver)
      for held in over { ties[ObjectIdentifier(held.tie)] = nil }
      ties[ObjectIdentifier(self)] = held
      return over
    }
    for held in over { held.observation.invalidate() }
  }

  /// Whether the object is gone.
  var isOver: Bool {
    // Taken out of the lock, for it may be the last to hold the object, whose end may run the program's code.
    let object = owner.withLock { $0.object }
    return object == nil
  }

  /// Lets go of the observation.
  func remove() {
    let held = LifetimeTie.ties.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    withExtendedLifetime(held) {}
  }
}
