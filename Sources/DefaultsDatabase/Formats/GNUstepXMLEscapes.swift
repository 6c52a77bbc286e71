import OpenStepPropertyList

/// The escapes by which GNUstep's XML carries characters that XML cannot.
///
/// GNUstep writes U+001B as the six characters `\U001B` and reads back every `\U` with four digits.
/// Here only those are read back that stand for something XML has no place for, so that Apple's
/// files stay as they are. Half a surrogate pair stands for nothing and stays as it is too.
enum GNUstepXMLEscapes {
  /// Refuses a value with a text that GNUstep would read from XML as another: one with `\U` and four digits in it.
  static func check(_ value: PropertyList) throws(FormatError) {
    try value.forEachScalar(key: check) { value throws(FormatError) in
      if case .string(let text) = value { try check(text) }
    }
  }

  private static func check(_ text: String) throws(FormatError) {
    if nextEscape(in: Array(text.utf8), from: 0) != nil {
      throw FormatError("has a text that GNUstep would read as another")
    }
  }

  static func undone(in text: String) -> String {
    let bytes = Array(text.utf8)
    guard var next = nextEscape(in: bytes, from: 0) else { return text }
    var result: [UInt8] = []
    var start = 0
    while true {
      let (scalar, length) = scalar(in: bytes, at: next)
      if let scalar {
        result += bytes[start..<next]
        result += Array(String(scalar).utf8)
        start = next + length
      }
      guard let following = nextEscape(in: bytes, from: next + length) else { break }
      next = following
    }
    result += bytes[start...]
    return String(decoding: result, as: UTF8.self)
  }

  /// Where the next `\U` with four hexadecimal digits stands.
  private static func nextEscape(in bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index + 6 <= bytes.count {
      if unit(in: bytes, at: index) != nil { return index }
      index += 1
    }
    return nil
  }

  /// The character that an escape stands for, nil where it is to stay, and the length that was looked at.
  private static func scalar(in bytes: [UInt8], at index: Int) -> (Unicode.Scalar?, length: Int) {
    guard let first = unit(in: bytes, at: index), !XMLCapacity.canCarry(UInt32(first)) else {
      return (nil, 6)
    }
    if let scalar = Unicode.Scalar(UInt32(first)) { return (scalar, 6) }
    guard UTF16.isLeadSurrogate(first), let second = unit(in: bytes, at: index + 6),
      UTF16.isTrailSurrogate(second)
    else { return (nil, 6) }
    return (UTF16.decode(UTF16.EncodedScalar([first, second])), 12)
  }

  private static func unit(in bytes: [UInt8], at index: Int) -> UInt16? {
    guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "U")
    else { return nil }
    var unit: UInt16 = 0
    for byte in bytes[index + 2..<index + 6] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
