import DefaultsFoundation
import Foundation
import OpenStepPropertyList

/// The classic class's view of values: `String`, `Data`, `[Any]` and `[String: Any]`, nothing else.
package enum ClassicValues {
  // MARK: - From the store

  /// A stored value as a classic program sees it; typed scalars are strings.
  static func object(_ value: PropertyList) -> Any {
    ObjectConversion.object(of: value, scalar: scalar)
  }

  /// A stored value as the object that a program changes.
  static func object(_ value: PropertyList, losesKeys: inout Bool) -> Any {
    ObjectConversion.object(of: value, losesKeys: &losesKeys, scalar: scalar)
  }

  /// A stored dictionary as a classic program sees it.
  ///
  /// To Swift, canonically equivalent keys are equal; of such entries the one with the greater key is shown.
  /// `NSUserDefaults.propertyListForKey` shows all.
  static func dictionary(_ entries: [PropertyListKey: PropertyList]) -> [String: Any] {
    ObjectConversion.dictionary(of: entries, scalar: scalar)
  }

  private static func scalar(_ value: PropertyList) -> Any {
    switch value {
    case .string(let text): text
    case .data(let bytes): Data(bytes)
    default: value.scalarText ?? ""
    }
  }

  // MARK: - To the store

  /// Converts an object to a property list; numbers, truth values and dates become strings.
  ///
  /// - Parameter limit: The maximum number of nested containers.
  /// - Throws: `InvalidArgumentError` that names the type and path of an object that is no property list.
  static func propertyList(
    _ object: Any, path: String, maximumDepth limit: Int = ObjectConversion.maximumDepth
  ) throws(InvalidArgumentError) -> PropertyList {
    let value = try ObjectConversion.propertyList(of: object) {
      (object, depth, steps) throws(InvalidArgumentError) in
      try parts(of: object, depth: depth, maximumDepth: limit) { path + steps() }
    } refusal: {
      InvalidArgumentError("\(path) \($0)")
    }
    guard let value else { throw refusal(of: object, path: path) }
    return value
  }

  /// A property list as a setter stores it: numbers, truth values and dates become strings, at any depth.
  ///
  /// - Throws: `InvalidArgumentError` for more nested containers than a setter takes.
  package static func stored(_ value: PropertyList) throws(InvalidArgumentError) -> PropertyList {
    let stored = try ObjectConversion.propertyList(of: value) {
      (part, depth, path) throws(InvalidArgumentError) -> ObjectConversion.Parts in
      switch part as? PropertyList {
      case .array, .dictionary:
        let limit = ObjectConversion.maximumDepth
        guard depth < limit else { throw InvalidArgumentError("the value\(path())", nestsMoreThan: limit) }
      default: break
      }
      return switch part as? PropertyList {
      case .array(let elements): .array(elements)
      case .dictionary(let entries): .dictionary(entries.map { ($0.key.text, $0.value) })
      case .data(let bytes): .scalar(.data(bytes))
      case .some(let scalar): .scalar(.string(scalar.scalarText ?? ""))
      case nil: .nothing
      }
    } refusal: {
      InvalidArgumentError("the value \($0)")
    }
    return stored ?? value
  }

  /// Converts the values of a dictionary to property lists.
  static func propertyLists(
    _ dictionary: [String: Any], path: String
  ) throws(InvalidArgumentError) -> [PropertyListKey: PropertyList] {
    var result = [PropertyListKey: PropertyList](minimumCapacity: dictionary.count)
    for (key, value) in dictionary {
      result[PropertyListKey(key)] = try propertyList(value, path: "\(path)[\"\(key)\"]")
    }
    return result
  }

  private static func parts(
    of object: Any, depth: Int, maximumDepth limit: Int, path: () -> String
  ) throws(InvalidArgumentError) -> ObjectConversion.Parts {
    guard let object = Wrapper.contents(of: object) else {
      throw InvalidArgumentError("\(path()) is nil, which is no property list: leave it out")
    }
    switch object {
    case let text as String:
      return .scalar(.string(text))
    case let data as Data:
      return .scalar(.data([UInt8](data)))
    case let date as Date:
      let date = PropertyListDate(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate)
      return .scalar(.string(date.text))
    default:
      break
    }
    if let text = NumberText.text(of: object) { return .scalar(.string(text)) }
    if let text = object as? Substring { return .scalar(.string(String(text))) }
    // By the modern class's rules: a cast of one of Foundation's collections would recurse into its contents.
    let parts = try FoundationValues.containerParts(of: object, depth: depth, maximumDepth: limit, path: path)
    if let parts { return parts }
    throw refusal(of: object, path: path())
  }

  private static func refusal(of object: Any, path: String) -> InvalidArgumentError {
    InvalidArgumentError(
      "\(path) is of type \(type(of: object)), which is no property list: "
        + "a property list is a string, data, or an array or dictionary (with string keys) of property lists")
  }
}
