import Foundation
import OpenStepPropertyList

/// Apple's binary format, read and written by Foundation behind checks of our own.
///
/// Foundation recurs with each nested container: when it reads, when it writes, and when it lets go of its objects.
enum FoundationFormats {
  // MARK: Reading

  static func propertyList(fromBinary bytes: [UInt8]) throws(FormatError) -> PropertyList {
    try onLargeStack { () throws(FormatError) in try readBinary(bytes) }
  }

  private static func readBinary(_ bytes: [UInt8]) throws(FormatError) -> PropertyList {
    let pairCount = try BinaryPropertyListGuard(checking: bytes).pairCount
    let value = try propertyList(from: bytes, format: .binary, pairCount: pairCount, Conversion())
    guard let value else {
      throw FormatError("has a key twice in one dictionary, perhaps in two spellings of the same characters")
    }
    return value
  }

  /// Reads a file that has been checked; nil where Foundation has fewer keys than there are in it.
  private static func propertyList(
    from bytes: [UInt8], format: PropertyListSerialization.PropertyListFormat, pairCount: Int,
    _ conversion: Conversion
  ) throws(FormatError) -> PropertyList? {
    var found = format
    let object: Any
    do {
      object = try PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: &found)
    } catch {
      throw FormatError(reason(error))
    }
    // What is no XML, Foundation tries to read as text.
    guard found == format else {
      throw FormatError("is no \(format == .xml ? "XML" : "binary") property list")
    }
    var conversion = conversion
    let value = try conversion.propertyList(object)
    return conversion.pairCount == pairCount ? value : nil
  }

  /// Foundation's own explanation, which it hides behind a general one.
  private static func reason(_ error: any Error) -> String {
    let explanation = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
    return "is damaged: \(explanation ?? "Foundation cannot read it")"
  }

  private struct Conversion {
    var pairCount = 0

    mutating func propertyList(_ object: Any) throws(FormatError) -> PropertyList {
      switch object {
      case let text as String:
        return .string(text)
      case let data as Data:
        return .data([UInt8](data))
      case let date as Date:
        return .date(PropertyListDate(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate))
      case let elements as [Any]:
        var values: [PropertyList] = []
        values.reserveCapacity(elements.count)
        for element in elements { values.append(try propertyList(element)) }
        return .array(values)
      case let entries as [AnyHashable: Any]:
        // Not cast to a dictionary of strings, which would build it anew.
        var values = [PropertyListKey: PropertyList](minimumCapacity: entries.count)
        for (key, value) in entries {
          guard let key = key.base as? String else { throw notPlain }
          values[PropertyListKey(key)] = try propertyList(value)
        }
        pairCount += values.count
        return .dictionary(values)
      case let number as NSNumber:
        return FoundationFormats.propertyList(number)
      default:
        throw notPlain
      }
    }

    private var notPlain: FormatError {
      FormatError("is a keyed archive, not a plain property list", isForeign: true)
    }
  }

  /// A number by its type code, which alone tells a truth value from a 1.
  private static func propertyList(_ number: NSNumber) -> PropertyList {
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "c"), UInt8(ascii: "B"): .boolean(number.boolValue)
    case UInt8(ascii: "d"): .real(number.doubleValue)
    case UInt8(ascii: "f"): .float(number.floatValue)
    case UInt8(ascii: "Q"): .integer(PropertyListInteger(exactly: number.uint64Value) ?? 0)
    default: .integer(PropertyListInteger(number.int64Value))
    }
  }

  // MARK: Writing

  static func binary(of value: PropertyList) throws(FormatError) -> [UInt8] {
    try onLargeStack { () throws(FormatError) in
      let bytes = try bytes(of: value, format: .binary)
      try check(bytes, equals: value, reading: readBinary)
      return bytes
    }
  }

  private static func check(
    _ bytes: [UInt8], equals value: PropertyList, reading: ([UInt8]) throws(FormatError) -> PropertyList
  ) throws(FormatError) {
    let found: PropertyList
    do throws(FormatError) {
      found = try reading(bytes)
    } catch {
      // What was just written is at fault, not a file that the reader might look at.
      throw FormatError("this format cannot hold the value: what it becomes \(error)")
    }
    if found != value { throw FormatError("this format cannot hold the value exactly") }
  }

  private static func bytes(
    of value: PropertyList, format: PropertyListSerialization.PropertyListFormat
  ) throws(FormatError) -> [UInt8] {
    let object = try object(of: value, depth: 0)
    do {
      return [UInt8](try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0))
    } catch {
      throw FormatError("Foundation cannot write this value: \(error.localizedDescription)")
    }
  }

  private static func object(of value: PropertyList, depth: Int) throws(FormatError) -> Any {
    if depth > PropertyList.maximumDepth {
      throw FormatError("nests more than \(PropertyList.maximumDepth) containers")
    }
    switch value {
    case .string(let text): return text
    case .data(let bytes): return Data(bytes)
    case .integer(let value): return try number(value)
    case .real(let value): return NSNumber(value: value)
    case .float(let value): return NSNumber(value: value)
    case .boolean(let value): return NSNumber(value: value)
    case .date(let value): return Date(timeIntervalSinceReferenceDate: value.secondsSinceReferenceDate)
    case .array(let elements):
      var objects: [Any] = []
      for element in elements { objects.append(try object(of: element, depth: depth + 1)) }
      return objects
    case .dictionary(let entries):
      var objects: [String: Any] = [:]
      for (key, value) in entries { objects[key.text] = try object(of: value, depth: depth + 1) }
      guard objects.count == entries.count else {
        throw FormatError("two keys are two spellings of the same characters, which Foundation takes for one")
      }
      return objects
    }
  }

  private static func number(_ value: PropertyListInteger) throws(FormatError) -> NSNumber {
    if let signed = value.exactly(as: Int64.self) { return NSNumber(value: signed) }
    guard let unsigned = value.exactly(as: UInt64.self) else {
      throw FormatError("the number \(value) has more than 64 bits")
    }
    return NSNumber(value: unsigned)
  }

  // MARK: Room

  /// Runs a conversion where it has room for the deepest nesting.
  private static func onLargeStack<Value: Sendable>(
    _ convert: @escaping @Sendable () throws(FormatError) -> Value
  ) throws(FormatError) -> Value {
    guard let value = try LargeStack.run(convert) else {
      throw FormatError(
        "this thread's stack is too small for the conversion, and the system has no other thread to give",
        isTransient: true)
    }
    return value
  }
}
