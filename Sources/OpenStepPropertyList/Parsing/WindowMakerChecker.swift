/// Finds what Window Maker's reader refuses, or reads differently, in a text that the parser accepts.
///
/// Window Maker refuses the whole file for one of these places. The rules are those of WUtil 0.95.9 as run.
struct WindowMakerChecker: ~Escapable {
  private var cursor: TextCursor
  private var places = WarningPlaces()
  private var before = Token.none
  /// For each open bracket, whether it is a dictionary's, and whether its last entry has an `=` so far.
  private var open: [(isDictionary: Bool, hasEquals: Bool)] = []

  private enum Token {
    case none, opening, closing, comma, semicolon, equals, value
  }

  /// The places, sorted; at most as many as are told of any text.
  static func warnings(in text: [UInt8]) -> [PropertyListWarning] {
    var checker = WindowMakerChecker(cursor: TextCursor(text.span))
    checker.check()
    return checker.places.warnings(in: text.span)
  }

  @_lifetime(copy cursor)
  private init(cursor: TextCursor) {
    self.cursor = cursor
  }

  private mutating func warn(_ place: Int, _ what: String) {
    places.add(place, .windowMaker, "Window Maker \(what)")
  }

  private mutating func check() {
    while true {
      skipGap()
      guard let byte = cursor.byte, byte != 0 else { return }
      let place = cursor.position
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "("):
        open.append((byte == UInt8(ascii: "{"), false))
        take(.opening)
      case UInt8(ascii: "}"):
        if before != .semicolon, before != .opening {
          warn(place, "wants a semicolon behind the last entry, and refuses the file")
        }
        close()
      case UInt8(ascii: ")"):
        if before == .comma { warn(place, "takes no comma behind the last element, and refuses the file") }
        close()
      case UInt8(ascii: ","): take(.comma)
      case UInt8(ascii: ";"): endEntry(at: place)
      case UInt8(ascii: "="):
        if before != .value { warn(place, "wants a key here, and refuses the file") }
        if open.isEmpty { warn(place, "wants braces around the entries, and refuses the file") }
        if !open.isEmpty { open[open.count - 1].hasEquals = true }
        take(.equals)
      default: takeValue(at: place)
      }
    }
  }

  private mutating func take(_ token: Token) {
    cursor.advance()
    before = token
  }

  private mutating func close() {
    if !open.isEmpty { open.removeLast() }
    take(.closing)
  }

  private mutating func endEntry(at place: Int) {
    let hasEquals = open.last?.hasEquals ?? true
    if !hasEquals {
      warn(place, "wants “=” and a value behind the key, and refuses the file")
    } else if before == .equals {
      warn(place, "wants a value here, and refuses the file")
    }
    if !open.isEmpty { open[open.count - 1].hasEquals = false }
    take(.semicolon)
  }

  private mutating func takeValue(at place: Int) {
    defer { before = .value }
    switch cursor.byte {
    case UInt8(ascii: "<"):
      let kind = cursor.byte(ahead: 1)
      if kind == UInt8(ascii: "*") || kind == UInt8(ascii: "[") {
        warn(place, "reads no values in GNUstep's form, and refuses the file")
      }
      cursor.skipValidValue()
    case UInt8(ascii: "\""):
      cursor.skipValidValue()
      checkEscapes(from: place)
    case UInt8(ascii: "'"):
      warn(place, "takes no single quotes, and refuses the file")
      cursor.skipValidValue()
    default:
      cursor.skipValidValue()
      for index in place..<cursor.position where !WindowMakerChecker.isUnquoted(cursor.bytes[index]) {
        let character = Unicode.Scalar(cursor.bytes[index])
        return warn(index, "wants quotes around a string with “\(character)”, and refuses the file")
      }
    }
  }

  /// Whether Window Maker takes a byte in a string without quotes.
  private static func isUnquoted(_ byte: UInt8) -> Bool {
    TextCursor.isBare(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "+")
  }

  /// Warns of the first `\U` in the string that ends at the cursor.
  private mutating func checkEscapes(from start: Int) {
    var index = start
    while index + 1 < cursor.position {
      if cursor.bytes[index] == UInt8(ascii: "\\") {
        if cursor.bytes[index + 1] | 0x20 == UInt8(ascii: "u") {
          return warn(index, "reads “\\U” as letters; it has UTF-8 in octal escapes, such as \\303\\251")
        }
        index += 1
      }
      index += 1
    }
  }

  private mutating func skipGap() {
    while true {
      cursor.skipWhiteSpace()
      let place = cursor.position
      guard cursor.byte == UInt8(ascii: "/"), let next = cursor.byte(ahead: 1),
        next == UInt8(ascii: "/") || next == UInt8(ascii: "*")
      else { return }
      warn(place, "reads no comments, and refuses the file")
      cursor.skipGap()
      // White space and further comments were skipped as well: one warning for a place is enough.
      if cursor.position == place { return }
    }
  }
}

extension PropertyList {
  /// The places of a valid text that Window Maker refuses or reads differently; at most twenty.
  package static func windowMakerWarnings(_ bytes: [UInt8]) throws(PropertyListError) -> [PropertyListWarning]
  {
    WindowMakerChecker.warnings(in: try TextDecoding.utf8(of: bytes, eightBitEncoding: .nextStep))
  }
}
