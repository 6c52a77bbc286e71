extension PropertyList {
  /// The property list as JSON (RFC 8259) in UTF-8; ``init(parsingJSON:bounds:)`` reads
  /// it back to an equal value.
  ///
  /// Keys are sorted by their UTF-8 bytes, so that equal values have equal texts. Integers are exact. A real
  /// has the shortest digits that read back as the same number, with `.0` or an exponent if it is whole. A
  /// `Float` has the shortest digits of a `Float`, and is read back as a real whose nearest `Float` it is.
  /// Control characters, U+2028, U+2029 and U+FEFF are escaped; other characters are raw.
  ///
  /// - Parameter style: The layout.
  /// - Returns: The text; in ``JSONStyle/indented`` it ends with a line end.
  /// - Throws: ``PropertyListError`` that names the keys and indexes on the path to a value that JSON does
  ///   not have: data, a date, an infinity or NaN, which XML and text have. Also if more than
  ///   ``maximumDepth`` containers are nested.
  /// - Complexity: linear in the length of the text, apart from sorting keys; no recursion.
  public func jsonBytes(style: JSONStyle = .indented) throws(PropertyListError) -> [UInt8] {
    var writer = JSONWriter(style: style, isEscaped: nil)
    // The writer uses entries without retaining them.
    return try withExtendedLifetime(self) { () throws(PropertyListError) in try writer.bytes(of: self) }
  }

  /// The property list as JSON in which more characters are escaped, for example for a terminal.
  ///
  /// - Parameter isEscaped: Whether a character is escaped although JSON does not require it.
  package func jsonBytes(
    style: JSONStyle = .indented, escaping isEscaped: (Unicode.Scalar) -> Bool
  ) throws(PropertyListError) -> [UInt8] {
    try withoutActuallyEscaping(isEscaped) { (isEscaped) throws(PropertyListError) in
      var writer = JSONWriter(style: style, isEscaped: isEscaped)
      return try withExtendedLifetime(self) { () throws(PropertyListError) in try writer.bytes(of: self) }
    }
  }

  /// Gives the property list as JSON in pieces, since with its indentation the text may take many times as much memory as the
  /// value.
  ///
  /// An error may come behind pieces.
  ///
  /// - Parameter isEscaped: Whether a character is escaped although JSON does not require it.
  package func forEachJSONPiece(
    escaping isEscaped: (Unicode.Scalar) -> Bool, _ body: (Span<UInt8>) throws -> Void
  ) throws {
    try withoutActuallyEscaping(isEscaped) { isEscaped in
      var writer = JSONWriter(style: .indented, isEscaped: isEscaped)
      try withExtendedLifetime(self) { try writer.forEachPiece(of: self, body) }
    }
  }
}

/// Writes JSON with sorted keys.
///
/// It uses an explicit stack in place of recursion, because threads other than the
/// first may have small stacks.
struct JSONWriter: ~Copyable {
  private var output = TextOutput()
  private let isIndented: Bool
  private let strings: JSONStrings
  /// The open containers, from the outermost to the innermost.
  private var open: [OpenContainer] = []
  /// The entries of the open dictionaries.
  private var entries = SortedEntryStack()
  /// The length of the output at which ``appendRest()`` returns.
  private var pause = Int.max

  /// How many bytes a piece has at least, except the last; one with a long string has more.
  private static let pieceSize = 65_536

  init(style: PropertyList.JSONStyle, isEscaped: ((Unicode.Scalar) -> Bool)?) {
    isIndented = style == .indented
    strings = JSONStrings(isEscaped: isEscaped)
  }

  mutating func bytes(of root: PropertyList) throws(PropertyListError) -> [UInt8] {
    try append(root)
    try appendRest()
    if isIndented { output.append(ascii: "\n") }
    return output.bytes
  }

  /// Writes a value, and gives its text in pieces.
  mutating func forEachPiece(of root: PropertyList, _ body: (Span<UInt8>) throws -> Void) throws {
    pause = JSONWriter.pieceSize
    try append(root)
    while !open.isEmpty {
      try appendRest()
      guard !open.isEmpty else { break }
      try body(output.contents)
      output.truncate(to: 0)
    }
    if isIndented { output.append(ascii: "\n") }
    try body(output.contents)
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

  // MARK: - Containers

  /// Appends a scalar or an empty container as a whole, and only the opening bracket of any other container.
  private mutating func append(_ value: PropertyList) throws(PropertyListError) {
    switch value {
    case .string(let text):
      strings.append(text, to: &output)
    case .integer(let number):
      output.append(number)
    case .real(let number):
      guard number.isFinite else { throw refusal("the number \(PropertyList.text(of: number))") }
      output.append(text: number.description)
    case .float(let number):
      guard number.isFinite else { throw refusal("the number \(PropertyList.text(of: number))") }
      append(number)
    case .boolean(let isTrue):
      output.append((isTrue ? "true" : "false") as StaticString)
    case .data:
      throw refusal("data")
    case .date:
      throw refusal("a date")
    case .array(let elements):
      try WritingBounds.checkDepth(open.count)
      if elements.isEmpty { return output.append("[]" as StaticString) }
      output.append(ascii: "[")
      open.append(OpenContainer(elements: elements, firstEntry: entries.count))
    case .dictionary(let dictionary):
      try WritingBounds.checkDepth(open.count)
      if dictionary.isEmpty { return output.append("{}" as StaticString) }
      output.append(ascii: "{")
      open.append(OpenContainer(elements: nil, firstEntry: entries.count))
      entries.push(dictionary)
    }
  }

  /// Appends the elements of the innermost open array until a container is opened, or all and the bracket.
  private mutating func appendElements(
    of elements: [PropertyList], from start: Int
  ) throws(PropertyListError) {
    let depth = open.count
    for index in start..<elements.count {
      open[depth - 1].begun = index + 1
      beginEntry(isFirst: index == 0)
      try append(elements[index])
      if open.count > depth || output.count >= pause { return }
    }
    close("]")
  }

  /// Appends the entries of the innermost open dictionary until a container is
  /// opened, or all and the bracket.
  private mutating func appendEntries(from first: Int, begun: Int) throws(PropertyListError) {
    let depth = open.count
    // The entries of the innermost dictionary are at the top of the stack.
    for position in first + begun..<entries.count {
      if (position - first) % SortedEntryStack.batch == 0 { entries.fetchBatch(at: position) }
      open[depth - 1].begun = position - first + 1
      let (key, value) = entries[position]
      beginEntry(isFirst: position == first)
      strings.append(key.text, to: &output)
      output.append((isIndented ? ": " : ":") as StaticString)
      try append(value)
      if open.count > depth || output.count >= pause { return }
    }
    entries.removeAll(from: first)
    close("}")
  }

  @inline(__always)
  private mutating func beginEntry(isFirst: Bool) {
    if !isFirst { output.append(ascii: ",") }
    breakLine()
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    open.removeLast()
    breakLine()
    output.append(ascii: bracket)
  }

  @inline(__always)
  private mutating func breakLine() {
    guard isIndented else { return }
    output.append(ascii: "\n")
    // As in text, a maximum of 32 levels: without it, a small value could become a thousand times as large.
    output.appendSpaces(4 * min(open.count, 32))
  }

  // MARK: - Scalars

  /// Appends a finite number with the digits of a Float, or with the digits of a Double if the former, read
  /// as a Double and rounded, would become another Float.
  private mutating func append(_ number: Float) {
    let start = output.count
    output.append(text: number.description)
    let read = DecimalReader.real(output.contents.slice(from: start))
    guard read.map({ Float($0) }) != number else { return }
    output.truncate(to: start)
    output.append(text: Double(number).description)
  }

  // MARK: - Errors

  /// An error that names the keys and indexes on the path to a value.
  private func refusal(_ what: String) -> PropertyListError {
    let path = open.map { container in
      container.elements == nil
        ? entries[container.firstEntry + container.begun - 1].key.text : String(container.begun - 1)
    }
    let place = path.isEmpty ? "" : " at “\(path.joined(separator: "."))”"
    return PropertyListError(message: "JSON cannot hold \(what)\(place)")
  }
}
