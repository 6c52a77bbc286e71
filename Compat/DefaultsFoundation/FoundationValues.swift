import DefaultsDatabase
package import Foundation
package import OpenStepPropertyList

/// The modern class's view of values: Foundation's objects, with the types with which they were set.
package enum FoundationValues {
  // MARK: - From the store

  /// A stored value as a program sees it.
  ///
  /// Numbers and truth values are `NSNumber`s, because `as?` casts those to every Swift type that holds their
  /// value; Swift's own number types do not cast into one another.
  package static func object(_ value: PropertyList) -> Any {
    ObjectConversion.object(of: value, scalar: scalar)
  }

  /// A stored value as the object that a program changes.
  package static func object(_ value: PropertyList, losesKeys: inout Bool) -> Any {
    ObjectConversion.object(of: value, losesKeys: &losesKeys, scalar: scalar)
  }

  /// A stored value as a type of Swift's or Foundation's; nil if it is of another one.
  package static func object<Value>(_ value: PropertyList, as type: Value.Type) -> Value? {
    // A cast to a class of Foundation's converts a collection with all its contents, by recursion: some kilobytes a level.
    guard value.isContainer, value.extent.depth > 16 else { return object(value) as? Value }
    return LargeStack.runWithStackToRelease(room: LargeStack.recursionRoom) { object(value) as? Value }
  }

  /// A stored dictionary as a program sees it.
  ///
  /// To Swift, canonically equivalent keys are equal; of such entries the one with the greater key is shown.
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

  // MARK: - To the store

  /// Converts an object to a property list.
  ///
  /// - Parameter limit: The maximum number of nested containers.
  /// - Throws: `InvalidArgumentError` that names the type and path of an object that is no property list.
  package static func propertyList(
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

  /// Converts the outermost level of an object that lies inside `depth` containers.
  package static func parts(
    of object: Any, depth: Int, maximumDepth limit: Int = ObjectConversion.maximumDepth, path: () -> String
  ) throws(InvalidArgumentError) -> ObjectConversion.Parts {
    guard let object = Wrapper.contents(of: object) else {
      throw InvalidArgumentError("\(path()) is nil, which is no property list: leave it out")
    }
    if let scalar = try scalar(object, path: path) { return .scalar(scalar) }
    if let parts = try containerParts(of: object, depth: depth, maximumDepth: limit, path: path) {
      return parts
    }
    throw refusal(of: object, path: path())
  }

  /// Converts the outermost level of a dictionary, an array or a `PropertyList`; nil for another object.
  package static func containerParts(
    of object: Any, depth: Int, maximumDepth limit: Int, path: () -> String
  ) throws(InvalidArgumentError) -> ObjectConversion.Parts? {
    if let value = object as? PropertyList {
      guard depth + value.extent.depth <= limit else {
        throw InvalidArgumentError(path(), nestsMoreThan: limit)
      }
      return .scalar(value)
    }
    if type(of: object) is NSArray.Type || type(of: object) is NSDictionary.Type {
      guard ObjectNesting.fits(object, within: limit - depth) else {
        throw InvalidArgumentError(path(), nestsMoreThan: limit)
      }
    }
    if let entries = entries(of: object) {
      guard depth < limit else { throw InvalidArgumentError(path(), nestsMoreThan: limit) }
      return .dictionary(try dictionary(entries, path: path))
    }
    if let array = ObjectNesting.elements(of: object) ?? (object as? [Any]) {
      guard depth < limit else { throw InvalidArgumentError(path(), nestsMoreThan: limit) }
      return .array(array)
    }
    return nil
  }

  /// The keys and values of any kind of dictionary; nil for another object.
  private static func entries(of object: Any) -> [(key: Any, value: Any)]? {
    if let entries = ObjectNesting.entries(of: object) { return entries }
    // Enumerated, not cast: a Swift dictionary would keep only one of canonically equivalent keys.
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
    // The type is compared first for two reasons: Foundation's numbers cast to Swift's types if the value
    // fits, so that an NSNumber of 1 would pass for true; and a cast to a class of Foundation's converts a
    // Swift array with all its contents, by recursion.
    if type(of: object) is NSNumber.Type, let number = object as? NSNumber {
      guard let decimal = number as? NSDecimalNumber else { return propertyList(number) }
      return propertyList(decimal.decimalValue)
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
      return propertyList(value)
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

  /// A whole number of up to 64 bits, or else the nearest double-precision number, which is what Apple's writers of
  /// property lists make of a decimal number.
  package static func propertyList(_ decimal: Decimal) -> PropertyList {
    if let integer = PropertyListInteger(decimal.description) { return .integer(integer) }
    // No decimal number is too large, and the text of NaN is the one that `Double` reads.
    return .real((Double(decimal.description) ?? .nan).withOrdinaryNaN)
  }

  /// The number that has the same digits; nil if there is none.
  package static func exactly(_ decimal: Decimal) -> PropertyList? {
    let value = propertyList(decimal)
    if case .real(let real) = value, Decimal(string: real.description) != decimal { return nil }
    return value
  }

  private static func refusal(of object: Any, path: String) -> InvalidArgumentError {
    InvalidArgumentError(
      "\(path) is of type \(type(of: object)), which is no property list: a property list is a string, data, "
        + "a date, a number, a truth value, or an array or dictionary (with string keys) of property lists")
  }
}
