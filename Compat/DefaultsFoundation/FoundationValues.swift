package import Foundation
package import OpenStepPropertyList

/// The modern class's view of values: Foundation's objects, with the type that they were set with.
package enum FoundationValues {
  // MARK: - Out of the store

  /// A stored value as a program sees it.
  ///
  /// Numbers and truth values are `NSNumber`s, for those cast to every type of Swift's that holds their
  /// value; Swift's own types do not cast into one another.
  package static func object(_ value: PropertyList) -> Any {
    ObjectConversion.object(of: value, scalar: scalar)
  }

  /// A stored dictionary as a program sees it.
  ///
  /// Swift takes canonically equivalent keys for one; of such entries the one with the greater key is shown.
  package static func dictionary(_ entries: [PropertyListKey: PropertyList]) -> [String: Any] {
    ObjectConversion.dictionary(of: entries, scalar: scalar)
  }

  private static func scalar(_ value: PropertyList) -> Any {
    switch value {
    case .string(let text): text
    case .data(let bytes): Data(bytes)
    case .integer(let value): number(value)
    case .real(let value): NSNumber(value: value)
    case .float(let value): NSNumber(value: value)
    case .boolean(let value): NSNumber(value: value)
    case .date(let value): Date(timeIntervalSinceReferenceDate: value.secondsSinceReferenceDate)
    case .array, .dictionary: preconditionFailure("a container is no scalar")
    }
  }

  private static func number(_ value: PropertyListInteger) -> NSNumber {
    if let signed: Int64 = value.exactly() { return NSNumber(value: signed) }
    return NSNumber(value: value.exactly(as: UInt64.self) ?? .max)
  }

  // MARK: - Into the store

  /// The property list that an object is.
  ///
  /// - Throws: `InvalidArgumentError` naming the type and the path of what is no property list.
  package static func propertyList(_ object: Any, path: String) throws(InvalidArgumentError) -> PropertyList {
    let value = try ObjectConversion.propertyList(of: object) {
      (object, depth, steps) throws(InvalidArgumentError) in
      try parts(of: object, depth: depth) { path + steps() }
    }
    guard let value else { throw refusal(of: object, path: path) }
    return value
  }

  /// What an object is, inside so many containers.
  package static func parts(
    of object: Any, depth: Int, path: () -> String
  ) throws(InvalidArgumentError) -> ObjectConversion.Parts {
    guard let object = Wrapper.contents(of: object) else {
      throw InvalidArgumentError("\(path()) is nil, which is no property list: leave it out")
    }
    if let scalar = try scalar(object, path: path) { return .scalar(scalar) }
    if let value = object as? PropertyList {
      guard depth + value.depth <= ObjectConversion.maximumDepth else { throw tooDeep(path()) }
      return .scalar(value)
    }
    if type(of: object) is NSArray.Type || type(of: object) is NSDictionary.Type {
      guard ObjectNesting.fits(object, within: ObjectConversion.maximumDepth - depth) else {
        throw tooDeep(path())
      }
    }
    if let entries = entries(of: object) {
      guard depth < ObjectConversion.maximumDepth else { throw tooDeep(path()) }
      return .dictionary(try dictionary(entries, path: path))
    }
    if let array = ObjectNesting.elements(of: object) ?? (object as? [Any]) {
      guard depth < ObjectConversion.maximumDepth else { throw tooDeep(path()) }
      return .array(array)
    }
    throw refusal(of: object, path: path())
  }

  /// The keys and values of a dictionary of any kind; nil for what is none.
  private static func entries(of object: Any) -> [(key: Any, value: Any)]? {
    if let entries = ObjectNesting.entries(of: object) { return entries }
    // Enumerated, not cast: as a Swift dictionary it would lose all but one of canonically equivalent keys.
    if type(of: object) is NSDictionary.Type, let dictionary = object as? NSDictionary {
      return dictionary.map { ($0.key, $0.value) }
    }
    if let dictionary = object as? [String: Any] { return dictionary.map { ($0.key, $0.value) } }
    return (object as? [AnyHashable: Any])?.map { ($0.key.base, $0.value) }
  }

  private static func dictionary(
    _ entries: [(key: Any, value: Any)], path: () -> String
  ) throws(InvalidArgumentError) -> [(key: String, value: Any)] {
    var result: [(key: String, value: Any)] = []
    result.reserveCapacity(entries.count)
    for (key, value) in entries {
      guard let key = key as? String else {
        throw InvalidArgumentError(
          "\(path()) has a key of type \(type(of: key)), but the keys of a property list are strings")
      }
      result.append((key, value))
    }
    return result
  }

  private static func scalar(
    _ object: Any, path: () -> String
  ) throws(InvalidArgumentError) -> PropertyList? {
    // The type is compared first, because Foundation's numbers convert to Swift's types where the
    // value fits, so that an NSNumber of 1 would pass for true, and because a cast to a class of
    // Foundation's turns a Swift array with all that is below it into Foundation's, by recursion.
    if type(of: object) is NSNumber.Type, let number = object as? NSNumber {
      guard let decimal = number as? NSDecimalNumber else { return propertyList(number) }
      return try propertyList(decimal.decimalValue, path: path)
    }
    switch object {
    case let text as String:
      return .string(text)
    case let value as Bool where type(of: object) == Bool.self:
      return .boolean(value)
    case let value as any BinaryInteger:
      guard let integer = PropertyListInteger(exactly: value) else {
        throw InvalidArgumentError("\(path()) is \(value), which is more than 64 bits hold")
      }
      return .integer(integer)
    case let value as Float:
      return .float(value.withOrdinaryNaN)
    case let value as any BinaryFloatingPoint:
      return .real(Double(value).withOrdinaryNaN)
    case let value as Decimal:
      return try propertyList(value, path: path)
    case let data as Data:
      return .data([UInt8](data))
    case let date as Date:
      return .date(PropertyListDate(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate))
    case let text as Substring:
      return .string(String(text))
    default:
      return nil
    }
  }

  package static func propertyList(_ number: NSNumber) -> PropertyList {
    if NumberText.isBoolean(number) { return .boolean(number.boolValue) }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"): return .real(number.doubleValue.withOrdinaryNaN)
    case UInt8(ascii: "f"): return .float(number.floatValue.withOrdinaryNaN)
    case UInt8(ascii: "Q"): return .integer(PropertyListInteger(exactly: number.uint64Value) ?? 0)
    default: return .integer(PropertyListInteger(number.int64Value))
    }
  }

  /// A whole number, or the double-precision number that prints as the same digits.
  ///
  /// - Throws: an error for a number with more digits than either holds.
  package static func propertyList(
    _ decimal: Decimal, path: () -> String
  ) throws(InvalidArgumentError) -> PropertyList {
    if decimal.isNaN { return .real(.nan) }
    if let integer = PropertyListInteger(decimal.description) { return .integer(integer) }
    if let real = Double(decimal.description), Decimal(string: real.description) == decimal {
      return .real(real)
    }
    throw InvalidArgumentError(
      "\(path()) is the decimal number \(decimal), which has more digits than a property list's numbers hold: "
        + "set it as a string")
  }

  private static func refusal(of object: Any, path: String) -> InvalidArgumentError {
    InvalidArgumentError(
      "\(path) is of type \(type(of: object)), which is no property list: a property list is a string, data, "
        + "a date, a number, a truth value, or an array or dictionary (with string keys) of property lists")
  }

  private static func tooDeep(_ path: String) -> InvalidArgumentError {
    // The whole path has hundreds of steps, all alike.
    InvalidArgumentError(
      "\(path.prefix(80))… nests more than \(ObjectConversion.maximumDepth) arrays and dictionaries")
  }
}
