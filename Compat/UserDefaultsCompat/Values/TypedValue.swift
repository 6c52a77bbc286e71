import DefaultsFoundation
import Foundation
package import OpenStepPropertyList

/// Conversion of a stored value to a Swift type, without loss.
package enum TypedValue {
  /// The value as a type, if it is of that type or converts to it exactly; else nil.
  package static func value<Value>(_ stored: PropertyList, as type: Value.Type) -> Value? {
    if let scalar = type as? any StoredScalar.Type { return scalar.init(stored: stored) as? Value }
    if type == Decimal.self { return decimal(stored) as? Value }
    return FoundationValues.object(stored, as: type)
  }

  private static func decimal(_ stored: PropertyList) -> Decimal? {
    // Foundation's parser ignores a rest that is not a number; Swift's refuses it.
    guard let text = stored.scalarText, let real = Double(stored: stored) ?? Double(text) else { return nil }
    if real.isNaN { return .nan }
    return Decimal(string: text)
  }
}
