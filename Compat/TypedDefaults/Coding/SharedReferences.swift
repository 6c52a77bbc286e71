import OpenStepPropertyList
import UserDefaultsCompat

/// Objects in a value, which everyone who is given the same value could change for the others.
enum SharedReferences {
  /// Whether a value is an object, or holds one at any depth.
  ///
  /// Takes time proportional to the number of parts, but for those of which the type says that they are none.
  static func are(in value: Any) -> Bool {
    let type = type(of: value)
    if type is AnyObject.Type { return true }
    if isFree(type) { return false }
    return Mirror(reflecting: value).children.contains { are(in: $0.value) }
  }

  /// Whether no value of a type holds an object.
  private static func isFree(_ type: Any.Type) -> Bool {
    // Some of these are made of objects, whose changes nobody else sees.
    if type is any StoredScalar.Type { return true }
    return (type as? any Container.Type)?.contentTypes.allSatisfy(isFree) ?? false
  }

  /// A type whose values hold those of others.
  protocol Container {
    static var contentTypes: [Any.Type] { get }
  }
}

extension Defaults.AnySerializable: SharedReferences.Container {
  static var contentTypes: [Any.Type] { [] }
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
