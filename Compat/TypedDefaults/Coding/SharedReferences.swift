import Foundation
import OpenStepPropertyList
import UserDefaultsCompat

/// Objects in a value, which everyone who is given the same value could change for the others.
enum SharedReferences {
  /// Whether a value is an object, or may hold one at any depth.
  ///
  /// Takes time proportional to the number of parts, but for those of which the type says that they hold none.
  static func may(beIn value: Any) -> Bool {
    // Without recursion, for values may nest as deep as they like.
    var open = [value]
    while let value = open.popLast() {
      let type = type(of: value)
      if type is AnyObject.Type { return true }
      if isFree(type) { continue }
      // What such a type shows is not what it has, and may even be without end.
      if value is any CustomReflectable, !(value is any Container) { return true }
      open += Mirror(reflecting: value).children.map(\.value)
    }
    return false
  }

  /// Whether no value of a type holds an object.
  private static func isFree(_ type: Any.Type) -> Bool {
    if type is any StoredScalar.Type || valueTypes.contains(ObjectIdentifier(type)) { return true }
    return (type as? any Container.Type)?.contentTypes.allSatisfy(isFree) ?? false
  }

  /// Types that may be made of objects, whose changes nobody else sees.
  private static let valueTypes = Set(
    [
      UUID.self, Decimal.self, Calendar.self, DateComponents.self, DateInterval.self, IndexPath.self,
      IndexSet.self, CharacterSet.self, Locale.self, TimeZone.self, URLComponents.self,
      PersonNameComponents.self, Character.self, Substring.self, Defaults.AnySerializable.self,
    ].map { ObjectIdentifier($0 as Any.Type) })

  /// A type whose values hold those of others.
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
