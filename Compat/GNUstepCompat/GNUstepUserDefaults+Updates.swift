import DefaultsDatabase
package import DefaultsDomains
import DefaultsFoundation
package import OpenStepDefaults
package import OpenStepPropertyList

/// Updates by the engine, with GNUstep's values.
extension GNUstepUserDefaults: UpdatedByEngine {
  package final var isExactFace: Bool { type(of: self) == GNUstepUserDefaults.self }

  package final func object(of value: PropertyList) -> Any { FoundationValues.object(value) }

  package final func stored(_ value: Any, forKey key: String) -> PropertyList {
    if key.isEmpty { Misuse.stop("GNUstepUserDefaults.modifyObjectForKey(_:_:): the key is empty") }
    return GNUstepUserDefaults.propertyList(value, "the value for the key \"\(key)\"")
  }

  package final func draft(in domains: PersistentDomains) -> NSUserDefaults {
    GNUstepUserDefaults(draftOf: self, in: domains)
  }
}
