import Foundation
import OpenStepPropertyList

/// A stored value as a type of Swift's, whole or not at all.
enum TypedValue {
  /// The value as a type, if it is of that type or can be told from it exactly; else nil.
  static func value<Value>(_ stored: PropertyList, as type: Value.Type) -> Value? {
    if type == URL.self { return URLCoding.url(stored) as? Value }
    if let value = FoundationValues.object(stored) as? Value { return value }
    switch stored {
    case .string(let text): return value(ofText: text, as: type)
    // Foundation's numbers do not cast to these two on Linux.
    case .integer, .real, .float:
      let isOneOfTheTwo = type is CGFloat.Type || type is Decimal.Type
      return isOneOfTheTwo ? value(ofText: stored.scalarText ?? "", as: type) : nil
    case .boolean, .data, .array, .dictionary, .date: return nil
    }
  }

  /// What the classic class and a command line keep as text.
  private static func value<Value>(ofText text: String, as type: Value.Type) -> Value? {
    switch type {
    case is Bool.Type: return truth(ofText: text) as? Value
    case is Date.Type:
      return PropertyListDate(text: text).map {
        Date(timeIntervalSinceReferenceDate: $0.secondsSinceReferenceDate)
      } as? Value
    case is CGFloat.Type: return Double(text).map { CGFloat($0) } as? Value
    case is Decimal.Type:
      // Foundation reads as far as it understands; what is no number to Swift is none here.
      return Double(text) == nil ? nil : Decimal(string: text) as? Value
    case let number as any (LosslessStringConvertible & Numeric).Type: return number.init(text) as? Value
    default: return nil
    }
  }

  private static func truth(ofText text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true", "1": true
    case "no", "false", "0": false
    default: nil
    }
  }
}
