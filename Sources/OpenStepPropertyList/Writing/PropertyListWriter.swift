extension PropertyList {
  /// The readers for which a property list is written.
  public enum Style: CaseIterable, Sendable {
    /// For every current reader: UTF-8, with quotes if any reader needs them, and type
    /// notes after typed scalars.
    case openStep
    /// For an OPENSTEP machine, which would read raw UTF-8 as NeXT's character set: as ``openStep``, but in
    /// ASCII with `\U` escapes.
    case ascii
    /// For GNUstep's own directories: ASCII, with typed scalars in GNUstep's form (`<*I5>`). A float becomes
    /// a real; a date must have whole seconds and a year from 1 to 9999.
    case gnustep
    /// For Window Maker: ASCII, in which other characters are escaped as the octal bytes of their UTF-8, and
    /// strings in place of typed scalars, since its reader knows no comments. To be read with the option
    /// ``ParsingOptions/OctalEscapes/utf8Bytes``.
    case windowMaker
    /// For one line of a listing: as ``openStep``, but without line breaks.
    case oneLine
  }

  /// The property list as text; ``init(parsing:options:)-(String,_)`` reads it back to an equal value.
  ///
  /// Typed scalars with type notes are read back as strings unless the notes are honoured. Keys are sorted by
  /// code point, so that equal values have equal texts.
  ///
  /// - Throws: ``PropertyListError`` if containers are nested deeper than ``maximumDepth``, if there are more
  ///   than ``maximumObjectCount`` values and keys, or if the style cannot represent a date exactly.
  /// - Complexity: linear in the length of the text, apart from sorting keys.
  public func text(style: Style = .openStep) throws(PropertyListError) -> String {
    String(decoding: try bytes(style: style), as: UTF8.self)
  }

  /// The UTF-8 bytes of ``text(style:)``, without the cost of making a string of them.
  public func bytes(style: Style = .openStep) throws(PropertyListError) -> [UInt8] {
    try bytes(style: style, within: .max)
  }

  /// The UTF-8 bytes of ``text(style:)``, if there are no more than so many.
  ///
  /// - Throws: also an error that says that there are more.
  package func bytes(style: Style, within maximumCount: Int) throws(PropertyListError) -> [UInt8] {
    var writer = PropertyListWriter(style: style)
    // The writer uses entries without retaining them.
    return try withExtendedLifetime(self) { () throws(PropertyListError) in
      try writer.bytes(of: self, within: maximumCount)
    }
  }

  /// Gives the UTF-8 bytes of ``text(style:)`` in pieces, since with its indentation the text may take many times as much memory
  /// as the value.
  ///
  /// An error may come behind pieces.
  package func forEachTextPiece(style: Style, _ body: (Span<UInt8>) throws -> Void) throws {
    var writer = PropertyListWriter(style: style)
    try withExtendedLifetime(self) { try writer.forEachPiece(of: self, body) }
  }
}

/// Writes a value as text: one entry per line, four spaces for each of at most 32 levels, sorted keys, short
/// arrays on one line.
///
/// It uses an explicit stack in place of recursion, because threads other than the
/// first may have small stacks.
struct PropertyListWriter: ~Copyable {
  private var output = TextOutput()
  private let style: PropertyList.Style
  private var quoting: StringQuoting
  private let layout: Layout
  /// The open containers, from the outermost to the innermost.
  private var open: [OpenContainer] = []
  private var bounds: WritingBounds
  /// The offset of the current line in the output.
  private var lineStart = 0
  /// The length of the output at which ``appendRest()`` returns.
  private var pause = PropertyListWriter.sampleSize
  /// Whether a scalar that is longer than the pause allows is written like any other.
  private var writesLongScalars = false
  /// The estimated length of a container's remaining scalars if ``appendRest()`` returned before a long one.
  private var longCount = 0
  /// The entries of the open dictionaries.
  private var entries = SortedEntryStack()

  /// The number of bytes that are written before the length of the text is estimated.
  private static let sampleSize = 65_536
  /// The maximum number of indented levels: without a maximum, a small value of a thousand levels would
  /// become a text that is a thousand times as large as without indentation.
  private static let deepestIndentation = 32
  /// The maximum width of a line with an array.
  static let lineWidth = 78

  /// How lines are broken and indented.
  private struct Layout {
    var lineEnd: [UInt8] = [0x0A]
    /// The blanks of the outermost level; nil for none, which is written faster.
    var indentation: [UInt8]?
    var unit: [UInt8] = []
    /// Whether everything is on one line.
    var isOnOneLine = false
    /// Whether a container on one line has a blank before its closing brace.
    var hasBlankBeforeBrace = true
    /// The number of characters before the value on its line.
    var column = 0
  }

  init(style: PropertyList.Style, objectBound: Int = PropertyList.maximumObjectCount) {
    self.style = style
    bounds = WritingBounds(objectBound: objectBound)
    quoting = StringQuoting(style: style)
    layout = Layout(isOnOneLine: style == .oneLine)
  }

  private init(spelling: EditedSpelling, column: Int) {
    style = spelling.style
    bounds = WritingBounds(objectBound: PropertyList.maximumObjectCount)
    quoting = StringQuoting(style: style, isNeedless: spelling.isQuoted)
    layout = Layout(
      lineEnd: spelling.lineEnd, indentation: spelling.indentation, unit: spelling.unit,
      isOnOneLine: spelling.isOnOneLine, hasBlankBeforeBrace: false, column: column)
  }

  /// Writes a value that is put into another text.
  ///
  /// - Parameter column: The number of characters before the value on its line.
  static func bytes(
    of value: PropertyList, spelled spelling: EditedSpelling, atColumn column: Int
  ) throws(PropertyListError) -> [UInt8] {
    var writer = PropertyListWriter(spelling: spelling, column: column)
    writer.pause = .max
    // The writer uses entries without retaining them.
    return try withExtendedLifetime(value) { () throws(PropertyListError) in
      try writer.append(value)
      try writer.appendRest()
      return writer.output.bytes
    }
  }

  /// Writes a value and gives its text.
  ///
  /// The kernel has to provide memory that is written for the first time, which takes longer than the
  /// writing: a quarter of the time for a large value, if a buffer grows and is copied to an array at
  /// the end. Therefore the length of the text is estimated from its beginning, and the rest is
  /// written directly into the array.
  ///
  /// - Parameter maximumCount: How many bytes the text may have.
  mutating func bytes(
    of root: PropertyList, within maximumCount: Int = .max
  ) throws(PropertyListError) -> [UInt8] {
    try append(root: root)
    try appendRest()
    pause = maximumCount
    let capacity = min(
      longCount + OpenContainer.expectedCount(of: root, open.first, written: output.count, tail: 1),
      maximumCount)
    var whole = TextOutput(capacity: 0)
    swap(&output, &whole)
    return try whole.array(capacity: capacity) { (whole) throws(PropertyListError) in
      swap(&output, &whole)
      defer { swap(&output, &whole) }
      try appendRest()
      if !layout.isOnOneLine { output.append(ascii: "\n") }
      guard open.isEmpty, output.count <= maximumCount else {
        throw WritingBounds.tooLong(maximumCount)
      }
    }
  }

  /// Writes a value, and gives its text in pieces.
  mutating func forEachPiece(of root: PropertyList, _ body: (Span<UInt8>) throws -> Void) throws {
    writesLongScalars = true
    try append(root: root)
    while !open.isEmpty {
      try appendRest()
      guard !open.isEmpty else { break }
      try body(output.contents)
      // What follows begins with a line of its own.
      output.truncate(to: 0)
      lineStart = 0
    }
    if !layout.isOnOneLine { output.append(ascii: "\n") }
    try body(output.contents)
  }

  private mutating func append(root: PropertyList) throws(PropertyListError) {
    // Without quotes its file would begin as a binary one.
    if case .string(let text) = root, BinaryTrailer.recognises(Array(text.utf8.prefix(8))) {
      quoting.isNeedless = true
    }
    try append(root)
  }

  /// Appends an entry of the outermost dictionary as ``bytes(of:)`` writes it, with the line break before.
  ///
  /// - Parameter maximumCount: How many bytes the output may have then.
  static func append(
    _ key: PropertyListKey, _ value: PropertyList, to output: inout TextOutput, within maximumCount: Int
  ) throws(PropertyListError) {
    var writer = PropertyListWriter(style: .openStep)
    writer.pause = maximumCount
    swap(&writer.output, &output)
    defer { swap(&writer.output, &output) }
    let start = writer.output.count
    let root = PropertyList.dictionary([key: value])
    try withExtendedLifetime(root) { () throws(PropertyListError) in
      try writer.append(root)
      // Without the brackets of the dictionary, of which only the opening one is written so far.
      writer.output.truncate(to: start)
      try writer.appendRest()
    }
    guard writer.open.isEmpty else { throw WritingBounds.tooLong(maximumCount) }
    writer.output.truncate(to: writer.output.count - 2)
  }

  /// A lower bound for the length of a value's text.
  static func leastCount(of value: PropertyList?) -> Int {
    switch value {
    case nil: 0
    case .string(let text): text.utf8.count
    case .data(let bytes): 2 + hexadecimalCount(of: bytes.count)
    case .integer, .real, .float, .boolean, .date, .array, .dictionary: 0
    }
  }

  /// Whether ``appendRest()`` returns before a scalar, because the scalar alone is
  /// longer than the pause allows.
  ///
  /// The scalar is then written directly into the array.
  private func pauses(before value: PropertyList) -> Bool {
    pause < .max && !writesLongScalars && PropertyListWriter.leastCount(of: value) > pause
  }

  /// Appends the rest of the open containers, or as much of it as comes before the pause.
  private mutating func appendRest() throws(PropertyListError) {
    while output.count < pause, let container = open.last {
      if let elements = container.elements {
        try appendElements(of: elements, from: container.begun)
      } else {
        try appendEntries(from: container.firstEntry, begun: container.begun)
      }
    }
  }

  /// Appends a scalar or an empty container as a whole, and only the opening bracket of any other container.
  private mutating func append(_ value: PropertyList) throws(PropertyListError) {
    switch value {
    case .string(let text):
      quoting.append(text, to: &output)
    case .data(let bytes):
      append(bytes)
    case .integer, .real, .float, .boolean, .date:
      try append(typed: value)
    case .array(let elements):
      try bounds.add(elements.count, atDepth: open.count)
      if elements.isEmpty {
        output.append("()" as StaticString)
      } else if try !appendOnOneLine(elements) {
        output.append(ascii: "(")
        open.append(OpenContainer(elements: elements, firstEntry: entries.count))
      }
    case .dictionary(let dictionary):
      try bounds.add(2 * dictionary.count, atDepth: open.count)
      if dictionary.isEmpty {
        output.append("{}" as StaticString)
      } else {
        output.append(ascii: "{")
        open.append(OpenContainer(elements: nil, firstEntry: entries.count))
        entries.push(dictionary)
      }
    }
  }

  // MARK: Containers

  /// Appends the elements of the innermost open array until a container is opened, or all and the bracket.
  private mutating func appendElements(
    of elements: [PropertyList], from start: Int
  ) throws(PropertyListError) {
    let depth = open.count
    for index in start..<elements.count {
      if pauses(before: elements[index]) {
        longCount = elements[index...].reduce(0) { $0 + PropertyListWriter.leastCount(of: $1) + 64 }
        pause = 0
        return
      }
      open[depth - 1].begun = index + 1
      if index > 0 { output.append((layout.isOnOneLine ? ", " : ",") as StaticString) }
      beginLine()
      try append(elements[index])
      if open.count > depth || output.count >= pause { return }
    }
    close(with: ")")
  }

  /// Appends the entries of the innermost open dictionary until a container is
  /// opened, or all and the bracket.
  private mutating func appendEntries(from first: Int, begun: Int) throws(PropertyListError) {
    let depth = open.count
    // The entries of the innermost dictionary are at the top of the stack.
    for position in first + begun..<entries.count {
      if (position - first) % SortedEntryStack.batch == 0 { entries.fetchBatch(at: position) }
      let (key, value) = entries[position]
      if pauses(before: value) {
        longCount = (position..<entries.count).reduce(0) {
          $0 + PropertyListWriter.leastCount(of: entries[$1].value) + 64
        }
        pause = 0
        return
      }
      open[depth - 1].begun = position - first + 1
      if position > first { endEntry() }
      beginLine()
      quoting.append(key.text, to: &output)
      output.append(" = " as StaticString)
      try append(value)
      if open.count > depth || output.count >= pause { return }
    }
    endEntry()
    if layout.isOnOneLine, !layout.hasBlankBeforeBrace { output.truncate(to: output.count - 1) }
    entries.removeAll(from: first)
    close(with: "}")
  }

  private mutating func endEntry() {
    output.append((layout.isOnOneLine ? "; " : ";") as StaticString)
  }

  private mutating func close(with bracket: Unicode.Scalar) {
    open.removeLast()
    beginLine()
    output.append(ascii: bracket)
  }

  /// Begins a line with the indentation of its level; does nothing on one line.
  private mutating func beginLine() {
    guard !layout.isOnOneLine else { return }
    let depth = min(open.count, PropertyListWriter.deepestIndentation)
    guard let indentation = layout.indentation else {
      output.append(ascii: "\n")
      lineStart = output.count
      return output.appendSpaces(4 * depth)
    }
    let (lineEnd, unit) = (layout.lineEnd, layout.unit)
    output.append(lineEnd.span)
    lineStart = output.count
    output.append(indentation.span)
    for _ in 0..<depth { output.append(unit.span) }
  }

  /// Appends an array on one line if it contains no containers and fits; otherwise appends nothing.
  private mutating func appendOnOneLine(_ elements: [PropertyList]) throws(PropertyListError) -> Bool {
    if layout.isOnOneLine { return false }
    let start = output.count
    output.append(ascii: "(")
    for element in elements {
      if output.count > start + 1 { output.append(", " as StaticString) }
      let isContainer =
        switch element {
        case .array, .dictionary: true
        case .string, .data, .integer, .real, .float, .boolean, .date: false
        }
      // A character has at most four bytes: a longer array cannot fit, and is not written in vain.
      let count = output.count - start + PropertyListWriter.leastCount(of: element)
      if isContainer || count > 4 * PropertyListWriter.lineWidth {
        output.truncate(to: start)
        return false
      }
      try append(element)
    }
    output.append(ascii: ")")
    let column = lineStart == 0 ? layout.column : 0
    if column + characterCount(from: lineStart) > PropertyListWriter.lineWidth || hasLineBreak(from: start) {
      output.truncate(to: start)
      return false
    }
    return true
  }

  private func characterCount(from start: Int) -> Int {
    let contents = output.contents
    var count = 0
    for place in start..<contents.count where contents[place] & 0xC0 != 0x80 { count += 1 }
    return count
  }

  private func hasLineBreak(from start: Int) -> Bool {
    output.contents.slice(from: start).contains { $0 == UInt8(ascii: "\n") }
  }

  // MARK: Scalars

  /// Appends data as lower-case hexadecimal digits with a space after every fourth byte: `<0fbd7a00 11>`.
  private mutating func append(_ bytes: [UInt8]) {
    output.append(ascii: "<")
    let bytes = bytes.span
    output.append(atMost: PropertyListWriter.hexadecimalCount(of: bytes.count)) { room in
      var index = 0
      while index + 8 < bytes.count {
        let word = bytes.word(at: index)
        let (group, next) = (UInt32(truncatingIfNeeded: word), UInt32(truncatingIfNeeded: word &>> 32))
        room.append(word: PropertyListWriter.hexadecimalDigits(of: group), count: 8)
        room.append(UInt8(ascii: " "))
        room.append(word: PropertyListWriter.hexadecimalDigits(of: next), count: 8)
        room.append(UInt8(ascii: " "))
        index += 8
      }
      while index < bytes.count {
        let count = min(bytes.count - index, 4)
        var group: UInt32 = 0
        for offset in 0..<count { group |= UInt32(bytes[index + offset]) << UInt32(8 * offset) }
        room.append(word: PropertyListWriter.hexadecimalDigits(of: group), count: 2 * count)
        index += count
        if index < bytes.count { room.append(UInt8(ascii: " ")) }
      }
    }
    output.append(ascii: ">")
  }

  /// The number of digits and spaces for so many bytes.
  private static func hexadecimalCount(of byteCount: Int) -> Int {
    2 * byteCount + max(0, byteCount - 1) / 4
  }

  /// The digits of four bytes; the first digit is in the lowest byte.
  @inline(__always)
  private static func hexadecimalDigits(of group: UInt32) -> UInt64 {
    var wide = UInt64(group)
    wide = (wide | wide << 16) & 0x0000_FFFF_0000_FFFF
    wide = (wide | wide << 8) & 0x00FF_00FF_00FF_00FF
    // All eight digits at once, one in each byte; the upper half of each byte comes first.
    let values = (wide >> 4 & 0x000F_000F_000F_000F) | (wide & 0x000F_000F_000F_000F) << 8
    let isLetter = (values + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return values + 0x3030_3030_3030_3030 + isLetter * UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
  }

  private mutating func append(typed value: PropertyList) throws(PropertyListError) {
    if style == .windowMaker {
      if let text = value.scalarText { quoting.append(text, to: &output) }
    } else if style == .gnustep {
      guard let text = try gnustepText(of: value) else { return }
      output.append(text: "<*\(text)>")
    } else if let text = value.scalarText, let note = value.typeNote {
      // Only strings are quoted needlessly.
      StringQuoting(style: style).append(text, to: &output)
      output.append(text: " /*\(note.rawValue)*/")
    }
  }

  /// The letter and the text of a typed scalar, as in GNUstep's `<*I5>`; nil for other values.
  private func gnustepText(of value: PropertyList) throws(PropertyListError) -> String? {
    switch value {
    case .integer(let number): return "I" + number.description
    case .real(let number): return "R" + PropertyList.text(of: number)
    case .float(let number): return "R" + PropertyList.text(of: Double(number))
    case .boolean(let truth): return truth ? "BY" : "BN"
    case .date(let date):
      // GNUstep's reader refuses the whole file if a date has a fraction of a second.
      guard let text = date.calendarText, !text.contains(".") else {
        let place = path.isEmpty ? "" : " at “\(path)”"
        throw PropertyListError(
          message: "the date “\(date.text)”\(place) does not fit GNUstep's format, "
            + "which has whole seconds in the years 1 to 9999; round it first")
      }
      return "D" + text
    case .string, .data, .array, .dictionary: return nil
    }
  }

  /// The keys on the path to the current value.
  private var path: String {
    let keys = open.compactMap { container -> String? in
      container.elements == nil ? entries[container.firstEntry + container.begun - 1].key.text : nil
    }
    return keys.joined(separator: ".")
  }
}
