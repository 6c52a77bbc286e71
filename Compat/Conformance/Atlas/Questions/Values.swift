import Foundation
import OpenStepPropertyList

/// Converts the values of the vectors from their notation, described in their README,
/// to Swift objects and back.
enum Values {
  /// An object that no property list can hold.
  final class Stranger {}

  static func value(of json: JSON) throws(NotSupported) -> Any {
    switch json {
    case .string(let text):
      return text
    case .array(let elements):
      var values: [Any] = []
      for element in elements { values.append(try value(of: element)) }
      return values
    default:
      guard let (tag, content) = json.tagged, let value = try value(tag: tag, content) else {
        throw NotSupported(what: "\(json) as a value")
      }
      return value
    }
  }

  private static func value(tag: String, _ content: JSON) throws(NotSupported) -> Any? {
    switch (tag, content) {
    case ("d", .object(let entries)): return try dictionary(entries)
    case ("b", .boolean(let value)): return value
    case ("i", .string(let text)): return Int(text) ?? UInt(text)
    case ("r", .string(let text)): return Double(text)
    case ("f", .string(let text)): return Float(text)
    case ("x", .string(let text)): return data(hexadecimal: text)
    case ("t", .string(let text)): return date(text)
    case ("u", .string(let text)): return url(text)
    case ("o", .string("NSObject")): return Stranger()
    case ("o", .string("NSNull")): return NSNull()
    default: return nil
    }
  }

  private static func dictionary(_ entries: [PropertyListKey: JSON]) throws(NotSupported) -> [String: Any] {
    var values: [String: Any] = [:]
    for (key, entry) in entries { values[key.text] = try value(of: entry) }
    guard values.count == entries.count else {
      throw NotSupported(what: "a dictionary with keys that Swift takes for the same")
    }
    return values
  }

  private static func data(hexadecimal text: String) -> Data? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
    return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
  }

  private static func url(_ text: String) -> URL? {
    guard text.hasPrefix("file://~/") else { return URL(string: text) }
    return URL(fileURLWithPath: NSHomeDirectory() + "/" + text.dropFirst("file://~/".count))
  }
}

// MARK: - To JSON

extension Values {
  /// The notation of a value that the library returned; an unknown value is represented
  /// by the name of its type.
  static func json(of value: Any?) -> JSON {
    guard let value else { return .null }
    switch value {
    case let text as String: return .string(text)
    case let data as Data:
      let digits = data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      return .tagged("x", .string(digits.joined()))
    case let date as Date: return .tagged("t", .string(text(of: date)))
    case let url as URL:
      let home = "file://" + NSHomeDirectory()
      let text = url.absoluteString
      return .tagged("u", .string(text.hasPrefix(home) ? "file://~" + text.dropFirst(home.count) : text))
    case let elements as [Any]: return .array(elements.map { json(of: $0) })
    case let entries as [String: Any]:
      let pairs = entries.map { (PropertyListKey($0), json(of: $1)) }
      return .tagged("d", .object([PropertyListKey: JSON](uniqueKeysWithValues: pairs)))
    case let number as NSNumber: return json(of: number)
    default: return .tagged("o", .string(String(describing: type(of: value))))
    }
  }

  /// A number in the notation of the type from which it was made.
  private static func json(of number: NSNumber) -> JSON {
    // Each truth value is a single object; the type code does not tell, since an Int8 has the same on Linux.
    for truth in [true, false] where number === NSNumber(value: truth) { return .truth(truth) }
    return switch Unicode.Scalar(UInt8(bitPattern: number.objCType.pointee)) {
    case "d": .tagged("r", .string(number.doubleValue.description))
    case "f": .tagged("f", .string(number.floatValue.description))
    default: .tagged("i", .string(number.stringValue))
    }
  }
}

// MARK: - Dates

extension Values {
  private static let utc: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  /// Reads `2001-01-01T00:00:00Z`; a fraction may follow the seconds.
  static func date(_ text: String) -> Date? {
    let fields = text.dropLast().split(whereSeparator: { "-T:".contains($0) })
    // No calendar has to bear more than six digits.
    let numbers = fields.dropLast().compactMap { $0.utf8.count <= 6 ? Int($0) : nil }
    guard text.hasSuffix("Z"), fields.count == 6, numbers.count == 5, let seconds = Double(fields[5]),
      (0..<100).contains(seconds)
    else { return nil }
    var parts = DateComponents()
    (parts.year, parts.month, parts.day) = (numbers[0], numbers[1], numbers[2])
    (parts.hour, parts.minute) = (numbers[3], numbers[4])
    return utc.date(from: parts)?.addingTimeInterval(seconds)
  }

  /// The date with enough digits of the second to read the same date back.
  private static func text(of date: Date) -> String {
    let whole = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
    let fraction = date.timeIntervalSince(whole)
    let digits = fraction == 0 ? "" : String(format: "%.17f", fraction).dropFirst()
    return whole.ISO8601Format().dropLast() + digits + "Z"
  }
}
