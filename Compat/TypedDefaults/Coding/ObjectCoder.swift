import DefaultsFoundation
import OpenStepPropertyList
import UserDefaultsCompat

/// Converts objects of any type to property lists.
///
/// A nil element of a container is left out, as in the containers of typed keys.
enum ObjectCoder {
  /// The property list of an object; nil for an empty optional.
  ///
  /// - Parameter isLiteral: Whether the object comes from a literal, which may contain any value that can be
  ///   stored; otherwise a value that is no property list is refused, because its type would be lost.
  static func propertyList(_ object: Any, isLiteral: Bool = false) throws(CodingFailure) -> PropertyList? {
    try ObjectConversion.propertyList(of: object) { (object, depth, path) throws(CodingFailure) in
      do throws(CodingFailure) {
        return try parts(of: object, isLiteral: isLiteral, depth: depth)
      } catch {
        throw error.inside(path())
      }
    } refusal: {
      CodingFailure($0)
    }
  }

  private static func parts(
    of object: Any, isLiteral: Bool, depth: Int
  ) throws(CodingFailure) -> ObjectConversion.Parts {
    guard let object = Wrapper.contents(of: object) else { return .nothing }
    if isLiteral, let value = object as? any Defaults.Serializable {
      return try encoded(value).map { .scalar($0) } ?? .nothing
    }
    do {
      return try FoundationValues.parts(of: object, depth: depth) { "" }
    } catch {
      throw CodingFailure("is no property list:\(error.reason)")
    }
  }

  private static func encoded<Value: Defaults.Serializable>(_ value: Value) throws(CodingFailure)
    -> PropertyList?
  {
    try ValueCoder<Value>().encode(value)
  }
}
