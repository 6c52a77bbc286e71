import Foundation
public import OpenStepPropertyList

/// Values as the objects that Foundation makes of them, and back.
extension PropertyList {
  /// The objects that Foundation reads of the same value; keys must not be canonically equal.
  public var foundationObject: Any {
    switch self {
    case .string(let text): text
    case .data(let bytes): Data(bytes)
    case .array(let elements): elements.map(\.foundationObject)
    case .dictionary(let entries):
      [String: Any](uniqueKeysWithValues: entries.map { ($0.text, $1.foundationObject) })
    case .integer(let number):
      number.exactly(as: Int64.self).map { NSNumber(value: $0) }
        ?? NSNumber(value: number.exactly(as: UInt64.self) ?? 0)
    case .real(let number): NSNumber(value: number)
    case .float(let number): NSNumber(value: number)
    case .boolean(let isTrue): NSNumber(value: isTrue)
    case .date(let date): Date(timeIntervalSinceReferenceDate: date.secondsSinceReferenceDate)
    }
  }

  /// Makes a value of the objects that Foundation reads.
  public init(foundationObject object: Any) throws {
    switch object {
    case let text as String: self = .string(text)
    case let data as Data: self = .data([UInt8](data))
    case let date as Date:
      self = .date(PropertyListDate(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate))
    case let elements as [Any]: self = .array(try elements.map { try PropertyList(foundationObject: $0) })
    case let entries as [String: Any]:
      let pairs = try entries.map { (PropertyListKey($0.key), try PropertyList(foundationObject: $0.value)) }
      self = .dictionary([PropertyListKey: PropertyList](uniqueKeysWithValues: pairs))
    case let number as NSNumber:
      // The type's code alone tells a truth value from a 1.
      switch UInt8(bitPattern: number.objCType.pointee) {
      case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .boolean(number.boolValue)
      case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .real(number.doubleValue)
      case UInt8(ascii: "Q"): self = .integer(PropertyListInteger(exactly: number.uint64Value) ?? 0)
      default: self = .integer(PropertyListInteger(number.int64Value))
      }
    default: throw NotationError(description: "unexpected \(type(of: object))")
    }
  }
}
