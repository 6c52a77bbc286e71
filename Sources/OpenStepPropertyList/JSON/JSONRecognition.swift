extension PropertyList {
  /// Whether bytes begin as JSON does and as no property list's text can: with `[`, or with `{`, a string and `:`.
  ///
  /// `{}` is the same value in both; a string or a word alone, which both have too, is text.
  ///
  /// - Complexity: linear in the length of the white space and the first key.
  package static func isJSON(_ bytes: [UInt8]) -> Bool {
    // A character of ASCII is one byte and NULs in every encoding that JSON may have.
    let isWide =
      bytes.prefix(4).contains(0) || bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    var rest = bytes[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { rest = bytes.dropFirst(3) }
    if isWide { rest = rest.drop { $0 == 0xFF || $0 == 0xFE || $0 == 0 } }
    func next() -> UInt8? {
      rest = rest.drop { $0.isXMLSpace || (isWide && $0 == 0) }
      return rest.popFirst()
    }
    let first = next()
    guard first == UInt8(ascii: "{") else { return first == UInt8(ascii: "[") }
    guard next() == UInt8(ascii: "\"") else { return false }
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      guard byte == UInt8(ascii: "\\") else { continue }
      if isWide { rest = rest.drop { $0 == 0 } }
      rest = rest.dropFirst()
    }
    return next() == UInt8(ascii: ":")
  }
}
