import DefaultsDatabase
package import DefaultsDomains
import DefaultsFoundation
package import OpenStepDefaults
package import OpenStepPropertyList

/// Updates by the engine, with GNUstep's values.
extension GNUstepUserDefaults: UpdatedByEngine {
  package final var isExactFace: Bool { type(of: self) == GNUstepUserDefaults.self }

  package final func object(of value: PropertyList, losesKeys: inout Bool) -> Any {
    FoundationValues.object(value, losesKeys: &losesKeys)
  }

  package final func stored(
    _ value: Any, forKey key: String, maximumDepth: Int
  ) throws(InvalidArgumentError) -> PropertyList {
    guard !key.isEmpty else { throw InvalidArgumentError("the key is empty") }
    return try FoundationValues.propertyList(
      value, path: "the value for the key \"\(key)\"", maximumDepth: maximumDepth)
  }

  package final func draft(in domains: PersistentDomains) -> NSUserDefaults {
    GNUstepUserDefaults(draftOf: self, in: domains)
  }
}
