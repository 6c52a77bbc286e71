public import OpenStepPropertyList

/// The tagged JSON notation of values that the shared vectors and files use.
///
/// `{"s":"…"}` string, `{"d":"hex"}` data, `{"a":[…]}` array, `{"o":{…}}` dictionary, `{"int":"5"}`,
/// `{"real":"3.14"}`, `{"bool":true}`, `{"date":"2001-01-01T00:00:00Z"}`, `{"uid":"5"}` a keyed archive's
/// reference, which is a dictionary of one key here; and, from programs that leave the calendar to us,
/// `{"seconds":"0"}`: a date by its seconds since 2001.
extension PropertyList {
  /// Why a JSON value is not in the notation.
  public struct NotationError: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) {
      self.description = description
    }
  }

  /// Reads the notation.
  public init(tagged json: JSONValue) throws {
    guard case .object(let members) = json, members.count == 1, let (tag, content) = members.first else {
      throw NotationError(description: "not an object of one member")
    }
    switch (tag, content) {
    case ("s", .string(let text)):
      self = .string(text)
    case ("d", .string(let digits)):
      self = .data(try PropertyList.bytes(hexadecimal: digits))
    case ("a", .array(let elements)):
      self = .array(try elements.map(PropertyList.init(tagged:)))
    case ("o", .object(let members)):
      let entries = try members.map { (PropertyListKey($0.key), try PropertyList(tagged: $0.value)) }
      self = .dictionary(
        try [PropertyListKey: PropertyList](entries) { _, _ in
          throw NotationError(description: "one key twice")
        })
    case ("int", .string(let text)):
      guard let value = PropertyListInteger(text) else { throw NotationError(description: "int \(text)") }
      self = .integer(value)
    case ("real", .string(let text)):
      guard let value = Double(text) else { throw NotationError(description: "real \(text)") }
      self = .real(value)
    case ("bool", .boolean(let value)):
      self = .boolean(value)
    case ("date", .string(let text)):
      guard text.hasSuffix("Z"), let mark = text.firstIndex(of: "T"),
        let value = PropertyListDate(text: "\(text[..<mark]) \(text[mark...].dropFirst().dropLast()) +0000")
      else { throw NotationError(description: "date \(text)") }
      self = .date(value)
    case ("uid", .string(let text)):
      guard let value = UInt32(text) else { throw NotationError(description: "uid \(text)") }
      self = ["CF$UID": .integer(PropertyListInteger(Int64(value)))]
    case ("seconds", .string(let text)):
      guard let value = Double(text) else { throw NotationError(description: "seconds \(text)") }
      self = .date(PropertyListDate(secondsSinceReferenceDate: value))
    default:
      throw NotationError(description: "unknown tag “\(tag)”, or a value that does not go with it")
    }
  }

  /// Reads the form of deep values: `{"outer_to_inner": ["a", "o:k"], "repeat": 250, "leaf": …}`.
  public init(nested json: JSONValue) throws {
    guard let steps = json["outer_to_inner"]?.array, !steps.isEmpty, let leaf = json["leaf"],
      case .number(let text) = json["repeat"], let count = Int(text), count > 0
    else { throw NotationError(description: "not the nested form") }
    var value: PropertyList? = if case .null = leaf { nil } else { try PropertyList(tagged: leaf) }
    for _ in 0..<count {
      for step in steps.reversed() {
        switch step.string {
        case "a":
          value = .array(value.map { [$0] } ?? [])
        case .some(let name) where name.hasPrefix("o:"):
          let key = PropertyListKey(String(name.dropFirst(2)))
          value = .dictionary(value.map { [key: $0] } ?? [:])
        default:
          throw NotationError(description: "unknown step in the nested form")
        }
      }
    }
    guard let value else { throw NotationError(description: "no containers in the nested form") }
    self = value
  }

  /// The notation as compact ASCII JSON: no white space, keys sorted by code point.
  public var taggedText: String {
    switch self {
    case .string(let text): "{\"s\":\(PropertyList.json(text))}"
    case .data(let bytes): "{\"d\":\"\(PropertyList.hexadecimal(bytes))\"}"
    case .array(let elements): "{\"a\":[\(elements.map(\.taggedText).joined(separator: ","))]}"
    case .dictionary(let entries) where uidNumber(in: entries) != nil:
      "{\"uid\":\"\(uidNumber(in: entries) ?? 0)\"}"
    case .dictionary(let entries):
      "{\"o\":{\(entries.sorted { $0.key < $1.key }.map(PropertyList.member).joined(separator: ","))}}"
    case .integer(let value): "{\"int\":\"\(value)\"}"
    case .real(let value): "{\"real\":\"\(value)\"}"
    case .float(let value): "{\"real\":\"\(Double(value))\"}"
    case .boolean(let value): "{\"bool\":\(value)}"
    case .date(let value):
      "{\"date\":\"\(value.text.split(separator: " ").prefix(2).joined(separator: "T"))Z\"}"
    }
  }

  private func uidNumber(in entries: [PropertyListKey: PropertyList]) -> UInt32? {
    guard entries.count == 1, case .integer(let number)? = entries["CF$UID"] else { return nil }
    return number.exactly(as: UInt32.self)
  }

  private static func member(_ key: PropertyListKey, _ value: PropertyList) -> String {
    "\(json(key.text)):\(value.taggedText)"
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func bytes(hexadecimal digits: String) throws -> [UInt8] {
    let digits = Array(digits)
    guard digits.count.isMultiple(of: 2) else { throw NotationError(description: "odd number of digits") }
    return try stride(from: 0, to: digits.count, by: 2).map { index in
      guard let byte = UInt8(String(digits[index...index + 1]), radix: 16) else {
        throw NotationError(description: "not a hexadecimal digit")
      }
      return byte
    }
  }

  private static func json(_ text: String) -> String {
    var result = "\""
    for unit in text.utf16 {
      switch unit {
      case 0x08: result += "\\b"
      case 0x09: result += "\\t"
      case 0x0A: result += "\\n"
      case 0x0C: result += "\\f"
      case 0x0D: result += "\\r"
      case 0x22: result += "\\\""
      case 0x5C: result += "\\\\"
      case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      default:
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      }
    }
    return result + "\""
  }
}
