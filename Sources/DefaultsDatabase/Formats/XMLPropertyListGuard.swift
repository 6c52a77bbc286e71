import OpenStepPropertyList

/// Checks an XML property list before Foundation reads it.
///
/// Foundation drops what stands behind the root, takes `2001-13-41` for a date and data with a
/// missing letter for no data; here they are errors. Documents that define entities are refused.
struct XMLPropertyListGuard {
  /// How many keys stand in all the dictionaries.
  private(set) var keyCount = 0
  /// Where the texts of the keys begin, if that is asked for.
  private var keyStarts: [Int]?

  private let bytes: [UInt8]
  private var position = 0
  /// The elements that are open, outermost first.
  private var open: [String] = []
  private var isPastRoot = false

  private static let containers: Set = ["plist", "dict", "array"]
  private static let scalars: Set = ["key", "string", "integer", "real", "true", "false", "date", "data"]

  static func recognises(_ bytes: [UInt8]) -> Bool {
    guard let text = XMLText.start(of: bytes) else { return false }
    let trimmed = text.drop(while: \.isXMLSpace)
    guard trimmed.first == UInt8(ascii: "<"), let second = trimmed.dropFirst().first else { return false }
    // `<` opens data in a text, but then a hexadecimal digit follows, a comment, `*` or `[`.
    if second == UInt8(ascii: "?") || second == UInt8(ascii: "!") { return true }
    let name = String(decoding: trimmed.dropFirst().prefix { $0.isXMLNameLetter }, as: UTF8.self)
    return containers.contains(name) || scalars.contains(name)
  }

  /// Checks a whole document, in UTF-8 and without a declaration.
  init(checking bytes: [UInt8]) throws(FormatError) {
    try self.init(checking: bytes, keyStarts: nil)
  }

  /// The same document with a number and a colon in front of each key that is not empty.
  ///
  /// Foundation takes two spellings of the same characters for one key; so they are two.
  static func numberingKeys(of bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    let starts = try XMLPropertyListGuard(checking: bytes, keyStarts: []).keyStarts ?? []
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + starts.count * 8)
    var copied = 0
    for (number, start) in starts.enumerated() {
      result += bytes[copied..<start]
      result += Array("\(number):".utf8)
      copied = start
    }
    return result + bytes[copied...]
  }

  private init(checking bytes: [UInt8], keyStarts: [Int]?) throws(FormatError) {
    self.bytes = bytes
    self.keyStarts = keyStarts
    while position < bytes.count { try checkNext() }
    if let name = open.last { throw error("ends inside <\(name)>") }
    if !isPastRoot { throw error("has no element") }
  }

  // MARK: Markup

  private mutating func checkNext() throws(FormatError) {
    guard bytes[position] == UInt8(ascii: "<") else { return try checkText() }
    if starts(with: "<!--") {
      try skip(past: "-->", from: 4, "a comment")
    } else if starts(with: "<![CDATA[") {
      if open.isEmpty { throw error("has text outside its root element") }
      try skip(past: "]]>", from: 9, "a CDATA section")
    } else if starts(with: "<?") {
      try skip(past: "?>", from: 2, "a processing instruction")
    } else if starts(with: "<!DOCTYPE") {
      let declaration = try tag()
      if declaration.contains(UInt8(ascii: "[")) {
        throw error("defines entities of its own, which is refused")
      }
    } else if starts(with: "<!") {
      throw error("has a declaration that is not allowed here")
    } else if starts(with: "</") {
      try close(try tag().dropFirst(2).dropLast())
    } else {
      try openElement(try tag().dropFirst().dropLast())
    }
  }

  private mutating func openElement(_ content: ArraySlice<UInt8>) throws(FormatError) {
    let name = String(decoding: content.prefix { $0.isXMLNameLetter }, as: UTF8.self)
    let isContainer = XMLPropertyListGuard.containers.contains(name)
    guard isContainer || XMLPropertyListGuard.scalars.contains(name) else {
      throw error("has the element <\(name)>, which no property list has")
    }
    if isPastRoot { throw error("has something behind its root element") }
    if let parent = open.last, !XMLPropertyListGuard.containers.contains(parent) {
      throw error("has <\(name)> inside <\(parent)>")
    }
    if name == "key" {
      guard open.last == "dict" else { throw error("has a <key> outside of a <dict>") }
      keyCount += 1
    }
    // The root element <plist> is no container.
    if open.count > PropertyList.maximumDepth {
      throw error("nests more than \(PropertyList.maximumDepth) containers")
    }
    if content.last == UInt8(ascii: "/") {
      isPastRoot = open.isEmpty
    } else {
      open.append(name)
      if name == "key" { keyStarts?.append(position) }
      if name == "date" { try checkDate() }
      if name == "data" { try checkData() }
    }
  }

  private mutating func close(_ content: ArraySlice<UInt8>) throws(FormatError) {
    let name = String(decoding: content.prefix { $0.isXMLNameLetter }, as: UTF8.self)
    guard let expected = open.popLast() else { throw error("closes <\(name)>, which is not open") }
    if name != expected { throw error("closes <\(name)> where <\(expected)> is open") }
    isPastRoot = open.isEmpty
  }

  /// The tag at the position, which then stands behind it.
  private mutating func tag() throws(FormatError) -> ArraySlice<UInt8> {
    guard let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else {
      throw error("ends inside a tag")
    }
    let tag = bytes[position...end]
    // A `>` in an attribute's value ends the tag for Foundation, but not in XML.
    for quote in [UInt8(ascii: "\""), UInt8(ascii: "'")] where tag.count(where: { $0 == quote }) % 2 != 0 {
      throw error("has a quote in a tag that is not closed")
    }
    position = end + 1
    return tag
  }

  // MARK: Contents

  /// Text up to the next tag: white space only, but in the elements that hold text.
  private mutating func checkText() throws(FormatError) {
    let text = textHere()
    if let parent = open.last, XMLPropertyListGuard.scalars.contains(parent) {
      position += text.count
    } else if text.allSatisfy(\.isXMLSpace) {
      position += text.count
    } else {
      throw error(isPastRoot ? "has text behind its root element" : "has text between its elements")
    }
  }

  private func checkDate() throws(FormatError) {
    let fields = String(decoding: textHere(), as: UTF8.self).split(
      separator: "T", omittingEmptySubsequences: false)
    guard fields.count == 2, fields[0].utf8.count == 10, fields[1].utf8.count == 9, fields[1].hasSuffix("Z"),
      PropertyListDate(text: "\(fields[0]) \(fields[1].dropLast()) +0000") != nil
    else { throw error("has a <date> that the calendar does not have") }
  }

  private func checkData() throws(FormatError) {
    let text = textHere().filter { !$0.isXMLSpace }
    let digits = text.prefix { $0.isBase64Digit }
    let padding = text.dropFirst(digits.count)
    guard text.count % 4 == 0, padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else {
      throw error("has <data> that is not whole base64")
    }
  }

  private func textHere() -> ArraySlice<UInt8> {
    bytes[position...].prefix { $0 != UInt8(ascii: "<") }
  }

  // MARK: Helpers

  private func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }

  private mutating func skip(past end: String, from offset: Int, _ what: String) throws(FormatError) {
    let pattern = Array(end.utf8)
    var start = position + offset
    while start + pattern.count <= bytes.count {
      if bytes[start] == pattern[0], bytes[start...].starts(with: pattern) {
        position = start + pattern.count
        return
      }
      start += 1
    }
    throw error("ends inside \(what)")
  }

  private func error(_ message: String) -> FormatError {
    let line = bytes[..<min(position, bytes.count)].count { $0 == 0x0A } + 1
    return FormatError("is broken XML: line \(line) \(message)")
  }
}

extension UInt8 {
  var isXMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

  fileprivate var isXMLNameLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

  fileprivate var isBase64Digit: Bool {
    isXMLNameLetter || (0x30...0x39).contains(self) || self == UInt8(ascii: "+") || self == UInt8(ascii: "/")
  }
}
