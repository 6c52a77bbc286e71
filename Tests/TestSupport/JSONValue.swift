/// A JSON text as it stands: members in order, keys that are only canonically equivalent kept apart,
/// numbers as written.
///
/// Foundation's reader gives dictionaries of strings, in which U+00E9 and U+0065 U+0301 are one key.
public enum JSONValue: Sendable {
  case null
  case boolean(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([(key: String, value: JSONValue)])
}

extension JSONValue {
  /// The value of the last member with this key; nil where there is none, or where this is no object.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }

  public var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  public var array: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }
}

// MARK: - Reading

extension JSONValue {
  /// Why a text is no JSON, and at which byte.
  public struct ReadingError: Error, CustomStringConvertible {
    public let offset: Int

    public var description: String { "no JSON at byte \(offset)" }
  }

  /// Reads one value; white space around it is allowed, anything else is an error.
  public init(parsing bytes: some Sequence<UInt8>) throws {
    var reader = JSONReader(bytes: Array(bytes))
    self = try reader.value()
    reader.skipSpace()
    guard reader.offset == reader.bytes.count else { throw reader.error }
  }
}

private struct JSONReader {
  let bytes: [UInt8]
  var offset = 0

  var error: JSONValue.ReadingError { JSONValue.ReadingError(offset: offset) }

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func skipSpace() {
    while let byte = next, [0x09, 0x0A, 0x0D, 0x20].contains(byte) { offset += 1 }
  }

  private mutating func skip(_ text: String) -> Bool {
    guard bytes[offset...].starts(with: text.utf8) else { return false }
    offset += text.utf8.count
    return true
  }

  mutating func value() throws -> JSONValue {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"):
      var members: [(key: String, value: JSONValue)] = []
      try list(to: "}") { reader in
        let key = try reader.string()
        reader.skipSpace()
        guard reader.skip(":") else { throw reader.error }
        members.append((key, try reader.value()))
      }
      return .object(members)
    case UInt8(ascii: "["):
      var elements: [JSONValue] = []
      try list(to: "]") { reader in elements.append(try reader.value()) }
      return .array(elements)
    case UInt8(ascii: "\""):
      return .string(try string())
    default:
      if skip("null") { return .null }
      if skip("true") { return .boolean(true) }
      if skip("false") { return .boolean(false) }
      let run = bytes[offset...].prefix { "+-.0123456789eE".utf8.contains($0) }
      let text = String(decoding: run, as: UTF8.self)
      guard Double(text) != nil else { throw error }
      offset += text.utf8.count
      return .number(text)
    }
  }

  private mutating func list(to end: String, item: (inout JSONReader) throws -> Void) throws {
    offset += 1
    skipSpace()
    if skip(end) { return }
    while true {
      skipSpace()
      try item(&self)
      skipSpace()
      if skip(end) { return }
      guard skip(",") else { throw error }
    }
  }

  private mutating func string() throws -> String {
    guard skip("\"") else { throw error }
    var units: [UInt16] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") {
        units.append(try escape())
      } else {
        let run = bytes[offset...].prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        units.append(contentsOf: String(decoding: run, as: UTF8.self).utf16)
        offset += run.count
      }
    }
    guard skip("\"") else { throw error }
    return String(decoding: units, as: UTF16.self)
  }

  private mutating func escape() throws -> UInt16 {
    offset += 1
    guard let letter = next else { throw error }
    offset += 1
    switch letter {
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(letter)
    case UInt8(ascii: "u"):
      let digits = String(decoding: bytes[offset...].prefix(4), as: UTF8.self)
      guard digits.utf8.count == 4, let unit = UInt16(digits, radix: 16) else { throw error }
      offset += 4
      return unit
    default: throw error
    }
  }
}
