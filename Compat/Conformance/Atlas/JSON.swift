import OpenStepPropertyList

/// A JSON value that keeps every string exactly as it is written.
///
/// Foundation's reader is unsuitable: in its dictionaries canonically equivalent keys are equal, and the
/// vectors test whether such keys are distinguished.
enum JSON: Sendable {
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([PropertyListKey: JSON])

  /// The only entry of an object with one entry, which is the notation of typed values in the vectors.
  var tagged: (tag: String, value: JSON)? {
    guard case .object(let entries) = self, entries.count == 1, let (tag, value) = entries.first else {
      return nil
    }
    return (tag.text, value)
  }

  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var elements: [JSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  subscript(key: PropertyListKey) -> JSON? {
    if case .object(let entries) = self { entries[key] } else { nil }
  }
}

extension JSON {
  /// The same value with another text in place of one, in all strings but keys.
  func replacing(_ text: String, with other: String) -> JSON {
    switch self {
    case .string(let string): .string(string.replacing(text, with: other))
    case .array(let elements): .array(elements.map { $0.replacing(text, with: other) })
    case .object(let entries): .object(entries.mapValues { $0.replacing(text, with: other) })
    default: self
    }
  }
}

// MARK: - Writing

extension JSON: CustomStringConvertible {
  /// The value on one line, in ASCII, keys in order.
  var description: String { text(comma: ", ", colon: ": ") }

  /// The same without spaces.
  var compact: String { text(comma: ",", colon: ":") }

  private func text(comma: String, colon: String) -> String {
    switch self {
    case .null: "null"
    case .boolean(let value): String(value)
    case .number(let value): PropertyList.text(of: value)
    case .string(let text): JSON.quoted(text)
    case .array(let elements):
      "[" + elements.map { $0.text(comma: comma, colon: colon) }.joined(separator: comma) + "]"
    case .object(let entries):
      "{"
        + entries.sorted { $0.key < $1.key }
        .map { JSON.quoted($0.key.text) + colon + $0.value.text(comma: comma, colon: colon) }
        .joined(separator: comma) + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for unit in text.utf16 {
      switch unit {
      case UInt16(UInt8(ascii: "\"")): result += "\\\""
      case UInt16(UInt8(ascii: "\\")): result += "\\\\"
      case 0x20..<0x7F: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      default:
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result + "\""
  }
}
