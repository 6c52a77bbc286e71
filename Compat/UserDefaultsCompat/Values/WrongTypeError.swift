import DefaultsDatabase
public import Foundation
package import OpenStepPropertyList

/// The default for a key exists, but is not of the requested type.
public struct WrongTypeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The default's key.
  public let key: String
  /// The domain in which the value was found.
  public let domain: String
  /// The requested type, as Swift prints it.
  public let expectedType: String
  /// The kind and the beginning of the value that was found.
  public let found: String

  init(key: String, domain: DomainName, expectedType: Any.Type, found value: PropertyList) {
    self.key = key
    self.domain = domain.text
    self.expectedType = String(describing: expectedType)
    found = WrongTypeError.summary(of: value)
  }

  public var description: String {
    "the value for the key “\(key)” in the domain “\(domain)” is \(found), not of type \(expectedType); "
      + "it was left as it is"
  }

  /// A value's kind and beginning, for messages.
  package static func summary(of value: PropertyList) -> String {
    switch value {
    case .string(let text): "the string “\(text.prefix(40))\(text.count > 40 ? "…" : "")”"
    case .data(let bytes): "data of \(bytes.count) bytes"
    case .array(let elements): "an array of \(elements.count) elements"
    case .dictionary(let entries): "a dictionary of \(entries.count) entries"
    case .integer, .real, .float: "the number \(value.scalarText ?? "")"
    case .boolean(let value): "the truth value \(value ? "YES" : "NO")"
    case .date(let date): "the date \(date.text)"
    }
  }
}

extension WrongTypeError: LocalizedError {
  public var errorDescription: String? { description }
}
