import DefaultsDatabase
import DefaultsDomains
import OpenStepDefaults
import OpenStepPropertyList

/// The one object that ``GNUstepUserDefaults/standardUserDefaults()`` gives.
enum SharedDefaults {
  private static let shared = Lock<GNUstepUserDefaults?>(nil)

  /// The object, made at the first use.
  static var object: GNUstepUserDefaults {
    let (object, isNew) = shared.withLock { shared in
      if let object = shared { return (object, false) }
      let object = GNUstepUserDefaults(applicationName: nil)
      shared = object
      return (object, true)
    }
    // Outside the lock: an observer may ask for the object.
    if isNew { object.postCreation() }
    return object
  }

  /// Saves the object if there is one, and makes a new one with its registration domain.
  static func remake() {
    guard let old = shared.withLock({ $0 }) else { return }
    old.synchronize()
    let registered = old.propertyLists(ofVolatileDomain: NSRegistrationDomain)
    shared.withLock { if $0 === old { $0 = nil } }
    let new = object
    if let registered { new.setVolatileDomain(registered, named: NSRegistrationDomain) }
  }
}

extension GNUstepUserDefaults {
  /// Posts the notification as often as GNUstep 1.31 posts it while it makes the shared object: where it finds
  /// domains, makes the application's and the global one, sets the languages, and makes a language's domain.
  fileprivate func postCreation() {
    let languages = searchList().filter { name in
      let isLanguage = ![GSPrimaryDomain, NSArgumentDomain, GSConfigDomain, NSRegistrationDomain].contains(
        name)
      return isLanguage && propertyLists(ofVolatileDomain: name) != nil
    }
    let hasChosen = propertyLists(ofVolatileDomain: GSPrimaryDomain) != nil
    let count = (foundDomains.isEmpty ? 0 : 1) + missingDomains.count + (hasChosen ? 2 : 0) + languages.count
    for _ in 0..<count { postOtherChange() }
  }
}
