import Foundation
import OpenStepPropertyList
import UserDefaultsCompat

/// Finds references to objects in a value: a program that changes such an object would
/// change it for all readers.
enum SharedReferences {
  /// Whether a value is an object, or may contain one at any depth.
  ///
  /// - Complexity: proportional to the number of parts; parts whose type cannot contain objects are skipped.
  static func may(beIn value: Any) -> Bool {
    // Without recursion, because values may nest to any depth.
    var open = [value]
    while let value = open.popLast() {
      let type = type(of: value)
      if type is AnyObject.Type { return true }
      if isFree(type) { continue }
      // A type that describes itself may hide its parts, or show endlessly many.
      if value is any CustomReflectable, !(value is any Container) { return true }
      open += Mirror(reflecting: value).children.map(\.value)
    }
    return false
  }

  /// Whether no value of a type contains an object.
  private static func isFree(_ type: Any.Type) -> Bool {
    if type is any StoredScalar.Type || valueTypes.contains(ObjectIdentifier(type)) { return true }
    return (type as? any Container.Type)?.contentTypes.allSatisfy(isFree) ?? false
  }

  /// Value types that may be implemented with objects, but never share their changes.
  private static let valueTypes = Set(
    [
      UUID.self, Decimal.self, Calendar.self, DateComponents.self, DateInterval.self, IndexPath.self,
      IndexSet.self, CharacterSet.self, Locale.self, TimeZone.self, URLComponents.self,
      PersonNameComponents.self, Character.self, Substring.self, Defaults.AnySerializable.self,
    ].map { ObjectIdentifier($0 as Any.Type) })

  /// A type whose values contain values of other types.
  protocol Container {
    static var contentTypes: [Any.Type] { get }
  }
}

extension Optional: SharedReferences.Container {
  static var contentTypes: [Any.Type] { [Wrapped.self] }
}

extension Array: SharedReferences.Container {
  static var contentTypes: [Any.Type] { [Element.self] }
}

extension Set: SharedReferences.Container {
  static var contentTypes: [Any.Type] { [Element.self] }
}

extension Dictionary: SharedReferences.Container {
  static var contentTypes: [Any.Type] { [Key.self, Value.self] }
}

extension Range: SharedReferences.Container {
  static var contentTypes: [Any.Type] { [Bound.self] }
}

extension ClosedRange: SharedReferences.Container {
  static var contentTypes: [Any.Type] { [Bound.self] }
}
