import OpenStepPropertyList

/// What XML can carry.
enum XMLCapacity {
  /// Throws for a value that no XML property list holds, before Foundation writes or traps over it.
  static func check(_ value: PropertyList) throws(FormatError) {
    try value.forEachScalar(key: check) { value throws(FormatError) in
      switch value {
      case .string(let text):
        try check(text)
      case .date(let date):
        // Whole seconds in the years 1 to 9999, which is what the calendar form has.
        let text = date.text
        guard text.utf8.count == "0000-00-00 00:00:00 +0000".utf8.count, text.hasSuffix(" +0000") else {
          throw FormatError("XML has no form for the date \(text)")
        }
      case .float:
        throw FormatError("XML does not tell a Float from a Double")
      case .data, .integer, .real, .boolean, .array, .dictionary:
        break
      }
    }
  }

  private static func check(_ text: String) throws(FormatError) {
    // A carriage return can stand there, but every XML reader must make a line feed of it.
    for scalar in text.unicodeScalars where !canCarry(scalar.value) || scalar == "\r" {
      throw FormatError("XML cannot carry the character \(scalar.escaped(asASCII: true))")
    }
  }

  /// Whether XML 1.0 has a code point at all.
  static func canCarry(_ codePoint: UInt32) -> Bool {
    switch codePoint {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }
}

extension PropertyList {
  /// Looks at all keys and all values that are no containers, in no order; without recursion, for the calling thread's stack
  /// may be small.
  func forEachScalar(
    key seeKey: (String) throws(FormatError) -> Void, _ seeScalar: (PropertyList) throws(FormatError) -> Void
  ) throws(FormatError) {
    var pending = [self]
    while let value = pending.popLast() {
      switch value {
      case .array(let elements):
        pending += elements
      case .dictionary(let entries):
        for key in entries.keys { try seeKey(key.text) }
        pending += entries.values
      case .string, .data, .integer, .real, .float, .boolean, .date:
        try seeScalar(value)
      }
    }
  }
}
