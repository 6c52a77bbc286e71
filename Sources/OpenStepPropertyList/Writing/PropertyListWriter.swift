extension PropertyList {
  /// For whom a property list is written.
  public enum Style: CaseIterable, Sendable {
    /// For every living reader: UTF-8, strings quoted wherever one of them would want it, type notes
    /// behind typed scalars.
    case openStep
    /// For an OPENSTEP machine, which would take raw UTF-8 for NeXT's character set: as ``openStep``,
    /// but pure ASCII, with `\U` escapes.
    case ascii
    /// For GNUstep's own directories: pure ASCII, typed scalars in GNUstep's form (`<*I5>`). A float
    /// becomes a real; a date must be of whole seconds in the years 1 to 9999.
    case gnustep
    /// For a line of a listing: as ``openStep``, but without a line break anywhere.
    case oneLine
  }

  /// The property list as text; ``init(parsing:options:)-(String,_)`` reads it back to an equal value.
  ///
  /// Typed scalars come back as what they are only where type notes are honoured. Keys are sorted
  /// by code point, so equal values give equal text.
  ///
  /// - Throws: ``PropertyListError`` if containers are nested deeper than ``maximumDepth``, or if the
  ///   style cannot hold a date exactly.
  /// - Complexity: linear in the length of the text, but for the sorting of keys.
  public func text(style: Style = .openStep) throws(PropertyListError) -> String {
    String(decoding: try bytes(style: style), as: UTF8.self)
  }

  /// The UTF-8 bytes of ``text(style:)``, without the cost of making a string of them.
  public func bytes(style: Style = .openStep) throws(PropertyListError) -> [UInt8] {
    var writer = PropertyListWriter(style: style)
    try writer.append(self, level: 0)
    if style != .oneLine { writer.output.append(UInt8(ascii: "\n")) }
    return writer.output
  }
}

/// Lays out a value: one entry a line, four spaces a level, keys sorted, short arrays on one line.
private struct PropertyListWriter {
  var output: [UInt8] = []

  private let style: PropertyList.Style
  private let quoting: StringQuoting
  /// Where the current line begins in the output.
  private var lineStart = 0
  /// The keys on the way to the current value, for messages.
  private var path: [PropertyListKey] = []

  /// The column that a line with an array in it should not pass.
  private static let lineWidth = 78

  init(style: PropertyList.Style) {
    self.style = style
    quoting = StringQuoting(style: style)
  }

  /// Appends a value that stands in so many containers.
  mutating func append(_ value: PropertyList, level: Int) throws(PropertyListError) {
    switch value {
    case .string(let text):
      quoting.append(text, to: &output)
    case .data(let bytes):
      append(bytes)
    case .array(let elements):
      try checkDepth(level)
      try append(elements, level: level)
    case .dictionary(let entries):
      try checkDepth(level)
      try append(entries, level: level)
    case .integer, .real, .float, .boolean, .date:
      try append(typed: value)
    }
  }

  private func checkDepth(_ level: Int) throws(PropertyListError) {
    guard level < PropertyList.maximumDepth else {
      throw PropertyListError(
        message:
          "the value has more than \(PropertyList.maximumDepth) nested containers, too many to be read back")
    }
  }

  // MARK: Containers

  private mutating func append(
    _ entries: [PropertyListKey: PropertyList], level: Int
  ) throws(PropertyListError) {
    output.append(UInt8(ascii: "{"))
    for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
      beginEntry(level: level + 1)
      path.append(key)
      quoting.append(key.text, to: &output)
      output.append(contentsOf: " = ".utf8)
      try append(value, level: level + 1)
      path.removeLast()
      output.append(UInt8(ascii: ";"))
      if style == .oneLine { output.append(UInt8(ascii: " ")) }
    }
    if !entries.isEmpty { beginEntry(level: level) }
    output.append(UInt8(ascii: "}"))
  }

  private mutating func append(_ elements: [PropertyList], level: Int) throws(PropertyListError) {
    if style != .oneLine, try appendOnOneLine(elements) { return }
    output.append(UInt8(ascii: "("))
    var isFirst = true
    for element in elements {
      if !isFirst { output.append(contentsOf: (style == .oneLine ? ", " : ",").utf8) }
      isFirst = false
      beginEntry(level: level + 1)
      try append(element, level: level + 1)
    }
    beginEntry(level: level)
    output.append(UInt8(ascii: ")"))
  }

  /// Appends an array without containers in it if it fits the line; otherwise appends nothing.
  private mutating func appendOnOneLine(_ elements: [PropertyList]) throws(PropertyListError) -> Bool {
    let start = output.count
    output.append(UInt8(ascii: "("))
    for element in elements {
      if output.count > start + 1 { output.append(contentsOf: ", ".utf8) }
      let isContainer =
        switch element {
        case .array, .dictionary: true
        case .string, .data, .integer, .real, .float, .boolean, .date: false
        }
      // A character has up to four bytes: beyond that many it cannot fit, and a long array is not
      // written twice.
      if isContainer || output.count - start > 4 * PropertyListWriter.lineWidth {
        output.removeSubrange(start...)
        return false
      }
      try append(element, level: 0)
    }
    output.append(UInt8(ascii: ")"))
    let columns = output[lineStart...].reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    if columns > PropertyListWriter.lineWidth || output[start...].contains(UInt8(ascii: "\n")) {
      output.removeSubrange(start...)
      return false
    }
    return true
  }

  /// Begins a line with the indentation of its level; does nothing in the style of one line.
  private mutating func beginEntry(level: Int) {
    guard style != .oneLine else { return }
    output.append(UInt8(ascii: "\n"))
    lineStart = output.count
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 4 * level))
  }

  // MARK: Scalars

  /// Appends bytes as lower-case hexadecimal digits, a space after every fourth byte.
  private mutating func append(_ bytes: [UInt8]) {
    output.append(UInt8(ascii: "<"))
    for (index, byte) in bytes.enumerated() {
      if index > 0 && index % 4 == 0 { output.append(UInt8(ascii: " ")) }
      output.append(PropertyListWriter.hexadecimalDigit(byte >> 4))
      output.append(PropertyListWriter.hexadecimalDigit(byte & 15))
    }
    output.append(UInt8(ascii: ">"))
  }

  private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  private mutating func append(typed value: PropertyList) throws(PropertyListError) {
    if style == .gnustep {
      guard let text = try gnustepText(of: value) else { return }
      output.append(contentsOf: "<*\(text)>".utf8)
    } else if let text = value.scalarText, let note = value.typeNote {
      quoting.append(text, to: &output)
      output.append(contentsOf: " /*\(note.rawValue)*/".utf8)
    }
  }

  /// The letter of a typed scalar and its text, as they stand in GNUstep's `<*I5>`.
  private func gnustepText(of value: PropertyList) throws(PropertyListError) -> String? {
    switch value {
    case .integer(let number): return "I" + number.description
    case .real(let number): return "R" + PropertyList.text(of: number)
    case .float(let number): return "R" + PropertyList.text(of: Double(number))
    case .boolean(let truth): return truth ? "BY" : "BN"
    case .date(let date):
      // GNUstep's reader refuses the whole file over a fraction of a second.
      guard let text = date.calendarText, !text.contains(".") else {
        let place = path.isEmpty ? "" : " at “\(path.map(\.text).joined(separator: "."))”"
        throw PropertyListError(
          message: "the date “\(date.text)”\(place) does not fit GNUstep's format, "
            + "which has whole seconds in the years 1 to 9999; round it first")
      }
      return "D" + text
    case .string, .data, .array, .dictionary: return nil
    }
  }
}
