import DefaultsFoundation
import OpenStepPropertyList
import UserDefaultsCompat

/// The property lists that objects of any type are.
///
/// What is nil inside a container is left out, as in the containers of typed keys.
enum ObjectCoder {
  /// The property list that an object is; nil for an optional that holds nothing.
  ///
  /// - Parameter isLiteral: Whether whatever can be stored may be inside, as in what a program writes down; else what
  ///   is not a property list is refused, for nobody could read it as what it was.
  static func propertyList(_ object: Any, isLiteral: Bool = false) throws(CodingFailure) -> PropertyList? {
    try ObjectConversion.propertyList(of: object) { (object, depth, path) throws(CodingFailure) in
      do throws(CodingFailure) {
        return try parts(of: object, isLiteral: isLiteral, depth: depth)
      } catch {
        throw error.inside(path())
      }
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
