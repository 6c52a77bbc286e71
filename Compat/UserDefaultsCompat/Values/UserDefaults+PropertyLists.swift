import DefaultsFoundation
import OpenStepPropertyList

/// The values that the setters take.
extension UserDefaults {
  static func propertyList(
    _ value: Any, forKey key: String, maximumDepth: Int = ObjectConversion.maximumDepth
  ) throws(InvalidArgumentError) -> PropertyList {
    return try propertyList(value, path: "the value for the key \"\(key)\"", maximumDepth: maximumDepth)
  }

  static func propertyList(
    _ value: Any, path: String, maximumDepth: Int = ObjectConversion.maximumDepth
  ) throws(InvalidArgumentError) -> PropertyList {
    if let url = URLCoding.url(given: value) { return URLCoding.propertyList(url) }
    return try FoundationValues.propertyList(value, path: path, maximumDepth: maximumDepth)
  }
}
