import Foundation
import OpenStepPropertyList

/// Parses text property lists, and writes their values in the notation of the text questions.
enum TextNotation {
  static func outcome(of base64: String, _ implementation: Implementation) -> JSON {
    guard let bytes = Data(base64Encoded: base64) else { return .unsupported("a text that is not Base64") }
    do {
      guard implementation == .foundation else {
        return .tagged("value", json(of: try PropertyList(parsing: Array(bytes))))
      }
      let object = try PropertyListSerialization.propertyList(from: bytes, options: [], format: nil)
      return .tagged("value", json(ofObject: object))
    } catch let error as PropertyListError {
      return .tagged("error", .string("\(error)"))
    } catch {
      // The description of Foundation's error lists its parts in another order each time.
      return .tagged("error", .string(error.localizedDescription))
    }
  }

  private static func json(of value: PropertyList) -> JSON {
    switch value {
    case .string(let text): .tagged("s", .string(text))
    case .data(let bytes): .tagged("d", .string(hexadecimal(bytes)))
    case .array(let elements): .tagged("a", .array(elements.map(json(of:))))
    case .dictionary(let entries): .tagged("o", .object(entries.mapValues(json(of:))))
    case .integer(let number): .tagged("int", .string(number.description))
    case .real(let number): .tagged("real", .string(number.description))
    case .float(let number): .tagged("real", .string(Double(number).description))
    case .boolean(let value): .tagged("bool", .boolean(value))
    case .date(let date):
      .tagged("date", .string(date.text.split(separator: " ").prefix(2).joined(separator: "T") + "Z"))
    }
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The same of objects of Foundation.
  private static func json(ofObject object: Any) -> JSON {
    switch object {
    case let text as String: return .tagged("s", .string(text))
    case let data as Data: return .tagged("d", .string(hexadecimal(data)))
    case let elements as [Any]: return .tagged("a", .array(elements.map { json(ofObject: $0) }))
    case let entries as [String: Any]:
      let pairs = entries.map { (PropertyListKey($0), json(ofObject: $1)) }
      return .tagged("o", .object([PropertyListKey: JSON](uniqueKeysWithValues: pairs)))
    default: break
    }
    let value = Values.json(of: object)
    return switch value.tagged {
    case ("i", let number)?: .tagged("int", number)
    case ("r", let number)?, ("f", let number)?: .tagged("real", number)
    case ("b", let truth)?: .tagged("bool", truth)
    case ("t", let date)?: .tagged("date", date)
    default: value
    }
  }
}
