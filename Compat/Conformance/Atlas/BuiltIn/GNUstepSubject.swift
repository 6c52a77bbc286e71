import GNUstepCompat

/// The class `GNUstepUserDefaults`, which behaves as GNUstep's, as the vectors see it.
final class GNUstepSubject: ClassicSubject {
  override var standard: NSUserDefaults { GNUstepUserDefaults.standardUserDefaults() }

  override func make() -> NSUserDefaults { GNUstepUserDefaults() }

  override func make(user: String) -> NSUserDefaults? { GNUstepUserDefaults(user: user) }
}
