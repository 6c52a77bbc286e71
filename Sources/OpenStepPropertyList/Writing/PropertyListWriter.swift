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
  /// - Throws: ``PropertyListError`` if containers are nested deeper than ``maximumDepth``, if there are more
  ///   than ``maximumObjectCount`` values and keys, or if the style cannot hold a date exactly.
  /// - Complexity: linear in the length of the text, but for the sorting of keys.
  public func text(style: Style = .openStep) throws(PropertyListError) -> String {
    String(decoding: try bytes(style: style), as: UTF8.self)
  }

  /// The UTF-8 bytes of ``text(style:)``, without the cost of making a string of them.
  public func bytes(style: Style = .openStep) throws(PropertyListError) -> [UInt8] {
    var writer = PropertyListWriter(style: style)
    // The writer looks at entries in which it has no share.
    return try withExtendedLifetime(self) { () throws(PropertyListError) in try writer.bytes(of: self) }
  }
}

/// Lays out a value: one entry a line, four spaces a level up to 32, keys sorted, short arrays on one line.
///
/// It goes without recursion, because threads other than the first may have little stack.
struct PropertyListWriter: ~Copyable {
  private var output = TextOutput()
  private let style: PropertyList.Style
  private let quoting: StringQuoting
  /// The containers around the current place, from outside to inside.
  private var open: [OpenContainer] = []
  /// How many values and keys there were so far, the root among them, and how many there may be.
  private var objectCount = 1
  private let objectBound: Int
  /// Where the current line begins in the output.
  private var lineStart = 0
  /// How long the output is to become before ``appendRest()`` comes back.
  private var pause = PropertyListWriter.sampleSize
  /// About how much room the long scalars take before whose first ``appendRest()`` came back.
  private var longCount = 0
  /// The entries of the open dictionaries.
  private var entries = SortedEntryStack()

  /// A container of which the opening bracket and some entries are written.
  private struct OpenContainer {
    /// The elements of an array; nil for a dictionary.
    let elements: [PropertyList]?
    /// Where a dictionary's entries begin in the stack.
    let firstEntry: Int
    /// The number of elements or entries that are written or begun.
    var begun = 0
  }

  /// How many bytes are written before the length of the whole is guessed.
  private static let sampleSize = 65_536
  /// How many levels are told apart by their indentation: with all of them, a small value of a thousand levels would
  /// become a text a thousand times as large as without.
  private static let deepestIndentation = 32
  /// The column that a line with an array in it should not pass.
  private static let lineWidth = 78

  init(style: PropertyList.Style, objectBound: Int = PropertyList.maximumObjectCount) {
    self.style = style
    self.objectBound = objectBound
    quoting = StringQuoting(style: style)
  }

  /// Writes a value and gives its text.
  ///
  /// Memory that is written for the first time has to be given by the kernel, which takes longer than to
  /// write it: with a buffer that grows and an array at the end, a quarter of the time of a large value. So
  /// the beginning tells about how long the text will be, and the rest is written into the array at once.
  mutating func bytes(of root: PropertyList) throws(PropertyListError) -> [UInt8] {
    try append(root)
    try appendRest()
    pause = .max
    let capacity = longCount + expectedCount(of: root)
    var whole = TextOutput(capacity: 0)
    swap(&output, &whole)
    return try whole.array(capacity: capacity) { (whole) throws(PropertyListError) in
      swap(&output, &whole)
      defer { swap(&output, &whole) }
      try appendRest()
      if style != .oneLine { output.append(ascii: "\n") }
    }
  }

  /// About how long the text will be; never a guess that would itself be a danger.
  private func expectedCount(of root: PropertyList) -> Int {
    guard let begun = open.first?.begun, begun >= 16 else { return output.count + 1 }
    let total =
      switch root {
      case .array(let elements): elements.count
      case .dictionary(let entries): entries.count
      case .string, .data, .integer, .real, .float, .boolean, .date: begun
      }
    // A little more than its share, as entries differ.
    return Int(min(1.05 * Double(output.count) / Double(begun) * Double(total) + 4096, 67_108_864))
  }

  /// Appends an entry as ``bytes(of:)`` writes it into the outermost dictionary, with the line break before it.
  static func append(
    _ key: PropertyListKey, _ value: PropertyList, to output: inout TextOutput
  ) throws(PropertyListError) {
    var writer = PropertyListWriter(style: .openStep)
    writer.pause = .max
    swap(&writer.output, &output)
    defer { swap(&writer.output, &output) }
    let start = writer.output.count
    let root = PropertyList.dictionary([key: value])
    try withExtendedLifetime(root) { () throws(PropertyListError) in
      try writer.append(root)
      // Without the brackets of the dictionary, of which this one was written so far.
      writer.output.truncate(to: start)
      try writer.appendRest()
    }
    writer.output.truncate(to: writer.output.count - 2)
  }

  /// How many bytes a scalar takes at least.
  static func leastCount(of value: PropertyList?) -> Int {
    switch value {
    case nil: 0
    case .string(let text): text.utf8.count
    case .data(let bytes): 2 + hexadecimalCount(of: bytes.count)
    case .integer, .real, .float, .boolean, .date, .array, .dictionary: 0
    }
  }

  /// Whether ``appendRest()`` is to come back before a scalar, which is longer than all that comes before the pause may be.
  ///
  /// Then it goes into the array at once.
  private func pauses(before value: PropertyList) -> Bool {
    pause < .max && PropertyListWriter.leastCount(of: value) > pause
  }

  /// Appends what remains of the open containers, or of it as much as should be appended before a pause.
  private mutating func appendRest() throws(PropertyListError) {
    while output.count < pause, let container = open.last {
      if let elements = container.elements {
        try appendElements(of: elements, from: container.begun)
      } else {
        try appendEntries(from: container.firstEntry, begun: container.begun)
      }
    }
  }

  /// Appends a scalar or an empty container whole, and of any other container the opening.
  private mutating func append(_ value: PropertyList) throws(PropertyListError) {
    switch value {
    case .string(let text):
      quoting.append(text, to: &output)
    case .data(let bytes):
      append(bytes)
    case .integer, .real, .float, .boolean, .date:
      try append(typed: value)
    case .array(let elements):
      try checkRoom(for: elements.count)
      if elements.isEmpty {
        output.append("()" as StaticString)
      } else if try !appendOnOneLine(elements) {
        output.append(ascii: "(")
        open.append(OpenContainer(elements: elements, firstEntry: entries.count))
      }
    case .dictionary(let dictionary):
      try checkRoom(for: 2 * dictionary.count)
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

  /// Checks that a container with so many values and keys can be read back.
  private mutating func checkRoom(for count: Int) throws(PropertyListError) {
    guard open.count < PropertyList.maximumDepth else {
      throw PropertyListError(
        message:
          "the value has more than \(PropertyList.maximumDepth) nested containers, too many to be read back")
    }
    objectCount += count
    guard objectCount <= objectBound else {
      throw PropertyListError(
        message: "the value has more than \(objectBound) values and keys, too many to be read back")
    }
  }

  /// Appends the elements of the innermost open array up to one that has to be opened, or all and its closing.
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
      if index > 0 { output.append((style == .oneLine ? ", " : ",") as StaticString) }
      beginLine()
      try append(elements[index])
      if open.count > depth || output.count >= pause { return }
    }
    close(with: ")")
  }

  /// Appends the entries of the innermost open dictionary up to one that has to be opened, or all and its closing.
  private mutating func appendEntries(from first: Int, begun: Int) throws(PropertyListError) {
    let depth = open.count
    // An innermost dictionary's entries reach up to the top of the stack.
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
    entries.removeAll(from: first)
    close(with: "}")
  }

  private mutating func endEntry() {
    output.append((style == .oneLine ? "; " : ";") as StaticString)
  }

  private mutating func close(with bracket: Unicode.Scalar) {
    open.removeLast()
    beginLine()
    output.append(ascii: bracket)
  }

  /// Begins a line with the indentation of its level; does nothing in the style of one line.
  private mutating func beginLine() {
    guard style != .oneLine else { return }
    output.append(ascii: "\n")
    lineStart = output.count
    output.appendSpaces(4 * min(open.count, PropertyListWriter.deepestIndentation))
  }

  /// Appends an array without containers in it if it fits the line; otherwise appends nothing.
  private mutating func appendOnOneLine(_ elements: [PropertyList]) throws(PropertyListError) -> Bool {
    if style == .oneLine { return false }
    let start = output.count
    output.append(ascii: "(")
    for element in elements {
      if output.count > start + 1 { output.append(", " as StaticString) }
      let isContainer =
        switch element {
        case .array, .dictionary: true
        case .string, .data, .integer, .real, .float, .boolean, .date: false
        }
      // A character has up to four bytes: beyond that many it cannot fit, and a long array is not
      // written twice.
      let count = output.count - start + PropertyListWriter.leastCount(of: element)
      if isContainer || count > 4 * PropertyListWriter.lineWidth {
        output.truncate(to: start)
        return false
      }
      try append(element)
    }
    output.append(ascii: ")")
    if characterCount(from: lineStart) > PropertyListWriter.lineWidth || hasLineBreak(from: start) {
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

  /// Appends bytes as lower-case hexadecimal digits, a space after every fourth byte.
  /// `<0fbd7a00 11>`: groups of four bytes.
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

  /// How many digits and spaces stand for bytes.
  private static func hexadecimalCount(of byteCount: Int) -> Int {
    2 * byteCount + max(0, byteCount - 1) / 4
  }

  /// The digits of four bytes, the first byte in the lowest one.
  @inline(__always)
  private static func hexadecimalDigits(of group: UInt32) -> UInt64 {
    var wide = UInt64(group)
    wide = (wide | wide << 16) & 0x0000_FFFF_0000_FFFF
    wide = (wide | wide << 8) & 0x00FF_00FF_00FF_00FF
    // A digit in each byte, eight at a time: the upper half of each byte first.
    let values = (wide >> 4 & 0x000F_000F_000F_000F) | (wide & 0x000F_000F_000F_000F) << 8
    let isLetter = (values + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return values + 0x3030_3030_3030_3030 + isLetter * UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
  }

  private mutating func append(typed value: PropertyList) throws(PropertyListError) {
    if style == .gnustep {
      guard let text = try gnustepText(of: value) else { return }
      output.append(text: "<*\(text)>")
    } else if let text = value.scalarText, let note = value.typeNote {
      quoting.append(text, to: &output)
      output.append(text: " /*\(note.rawValue)*/")
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
        let place = path.isEmpty ? "" : " at “\(path)”"
        throw PropertyListError(
          message: "the date “\(date.text)”\(place) does not fit GNUstep's format, "
            + "which has whole seconds in the years 1 to 9999; round it first")
      }
      return "D" + text
    case .string, .data, .array, .dictionary: return nil
    }
  }

  /// The keys on the way to the current value.
  private var path: String {
    let keys = open.compactMap { container -> String? in
      container.elements == nil ? entries[container.firstEntry + container.begun - 1].key.text : nil
    }
    return keys.joined(separator: ".")
  }
}
