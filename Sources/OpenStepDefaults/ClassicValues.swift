import Foundation
package import OpenStepPropertyList

/// The classic class's view of values: `String`, `Data`, `[Any]` and `[String: Any]`, nothing else.
package enum ClassicValues {
  /// How many containers a value that is set may nest: what every reader of the format reads.
  package static let maximumDepth = 500

  // MARK: - Out of the store

  /// A stored value as a classic program sees it; typed scalars are strings.
  static func object(_ value: PropertyList) -> Any {
    switch value {
    case .string(let text): text
    case .data(let bytes): Data(bytes)
    case .array(let elements): elements.map(object)
    case .dictionary(let entries): dictionary(entries)
    case .integer, .real, .float, .boolean, .date: value.scalarText ?? ""
    }
  }

  /// A stored dictionary as a classic program sees it.
  ///
  /// Swift takes canonically equivalent keys for one; of such entries the one with the greater key
  /// is shown. `NSUserDefaults.propertyListForKey` shows all.
  static func dictionary(_ entries: [PropertyListKey: PropertyList]) -> [String: Any] {
    var result = [String: Any](minimumCapacity: entries.count)
    for (key, value) in entries { result[key.text] = object(value) }
    if result.count < entries.count {
      for (key, value) in entries.sorted(by: { $0.key < $1.key }) { result[key.text] = object(value) }
    }
    return result
  }

  // MARK: - Into the store

  /// The property list that an object is; numbers, truth and dates become strings.
  ///
  /// - Throws: `InvalidArgumentError` naming the type and the path of what is no property list.
  static func propertyList(_ object: Any, path: String) throws(InvalidArgumentError) -> PropertyList {
    try propertyList(object, path: path, depth: 0)
  }

  /// The property lists that a dictionary's values are.
  static func propertyLists(
    _ dictionary: [String: Any], path: String
  ) throws(InvalidArgumentError) -> [PropertyListKey: PropertyList] {
    try entries(dictionary, path: path, depth: 0)
  }

  private static func propertyList(
    _ object: Any, path: String, depth: Int
  ) throws(InvalidArgumentError) -> PropertyList {
    switch object {
    case let text as String:
      return .string(text)
    case let data as Data:
      return .data([UInt8](data))
    case let value as PropertyList:
      guard depth + value.depth <= maximumDepth else { throw tooDeep(path) }
      return value
    case let date as Date:
      return .string(PropertyListDate(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate).text)
    case let optional as any Wrapping:
      // Swift casts most values out of an optional by itself, but no truth values.
      guard let wrapped = optional.wrapped else { break }
      return try propertyList(wrapped, path: path, depth: depth)
    default:
      break
    }
    if let text = NumberText.text(of: object) { return .string(text) }
    if let text = object as? Substring { return .string(String(text)) }
    if let dictionary = object as? [String: Any] {
      return .dictionary(try entries(dictionary, path: path, depth: depth + 1))
    }
    if let array = object as? [Any] {
      guard depth < maximumDepth else { throw tooDeep(path) }
      var elements: [PropertyList] = []
      elements.reserveCapacity(array.count)
      for (index, element) in array.enumerated() {
        elements.append(try propertyList(element, path: "\(path)[\(index)]", depth: depth + 1))
      }
      return .array(elements)
    }
    throw InvalidArgumentError(
      "\(path) is of type \(type(of: object)), which is no property list: "
        + "a property list is a string, data, or an array or dictionary (with string keys) of property lists")
  }

  private static func entries(
    _ dictionary: [String: Any], path: String, depth: Int
  ) throws(InvalidArgumentError) -> [PropertyListKey: PropertyList] {
    guard depth <= maximumDepth else { throw tooDeep(path) }
    var result = [PropertyListKey: PropertyList](minimumCapacity: dictionary.count)
    for (key, value) in dictionary {
      result[PropertyListKey(key)] = try propertyList(value, path: "\(path)[\"\(key)\"]", depth: depth)
    }
    return result
  }

  private static func tooDeep(_ path: String) -> InvalidArgumentError {
    // The whole path has hundreds of steps, all alike.
    InvalidArgumentError("\(path.prefix(80))… nests more than \(maximumDepth) arrays and dictionaries")
  }
}

/// An optional of any type, as an object.
package protocol Wrapping {
  var wrapped: Any? { get }
}

extension Optional: Wrapping {
  package var wrapped: Any? { map { $0 as Any } }
}

extension PropertyList {
  /// How many containers are nested at the deepest place; found without recursion.
  package var depth: Int {
    var deepest = 0
    var open: [(value: PropertyList, depth: Int)] = [(self, 0)]
    while let (value, depth) = open.popLast() {
      switch value {
      case .array(let elements):
        deepest = max(deepest, depth + 1)
        for element in elements { open.append((element, depth + 1)) }
      case .dictionary(let entries):
        deepest = max(deepest, depth + 1)
        for element in entries.values { open.append((element, depth + 1)) }
      default:
        break
      }
    }
    return deepest
  }
}
