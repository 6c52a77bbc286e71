extension PropertyList {
  /// The property list as JSON (RFC 8259) in UTF-8; ``init(parsingJSON:bounds:)`` reads it back to an equal value.
  ///
  /// Keys are in the order of their UTF-8 bytes, so that equal values have equal texts. Integers are exact. A real
  /// has the shortest digits that read back as the same number, with `.0` or an exponent on whole ones, and a
  /// `Float` the shortest digits of a `Float`: what is read back of it is a real, whose nearest `Float` it is.
  /// Control characters, U+2028, U+2029 and U+FEFF are escapes; other characters are written raw.
  ///
  /// - Parameter style: How the text is laid out.
  /// - Returns: The text; in ``JSONStyle/indented`` it ends with a line end.
  /// - Throws: ``PropertyListError`` that names the keys and indexes on the way to a value that JSON does not have:
  ///   data, a date, an infinity, NaN. XML and text have all of them. Also for more than ``maximumDepth`` nested
  ///   containers.
  /// - Complexity: linear in the length of the text, but for the sorting of keys; no recursion.
  public func jsonBytes(style: JSONStyle = .indented) throws(PropertyListError) -> [UInt8] {
    var writer = JSONWriter(style: style, isEscaped: nil)
    // The writer looks at entries in which it has no share.
    return try withExtendedLifetime(self) { () throws(PropertyListError) in try writer.bytes(of: self) }
  }

  /// The same, for a place where more characters have to be escapes, such as a terminal.
  ///
  /// - Parameter isEscaped: Whether a character stands as an escape although JSON does not demand it.
  package func jsonBytes(
    style: JSONStyle = .indented, escaping isEscaped: (Unicode.Scalar) -> Bool
  ) throws(PropertyListError) -> [UInt8] {
    try withoutActuallyEscaping(isEscaped) { (isEscaped) throws(PropertyListError) in
      var writer = JSONWriter(style: style, isEscaped: isEscaped)
      return try withExtendedLifetime(self) { () throws(PropertyListError) in try writer.bytes(of: self) }
    }
  }
}

/// Lays out JSON with sorted keys.
///
/// It goes without recursion, because threads other than the first may have little stack.
struct JSONWriter: ~Copyable {
  private var output = TextOutput()
  private let isIndented: Bool
  private let strings: JSONStrings
  /// The containers around the current place, from outside to inside.
  private var open: [OpenContainer] = []
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

  init(style: PropertyList.JSONStyle, isEscaped: ((Unicode.Scalar) -> Bool)?) {
    isIndented = style == .indented
    strings = JSONStrings(isEscaped: isEscaped)
  }

  mutating func bytes(of root: PropertyList) throws(PropertyListError) -> [UInt8] {
    try append(root)
    while let container = open.last {
      if let elements = container.elements {
        try appendElements(of: elements, from: container.begun)
      } else {
        try appendEntries(from: container.firstEntry, begun: container.begun)
      }
    }
    if isIndented { output.append(ascii: "\n") }
    return output.bytes
  }

  // MARK: - Containers

  /// Appends a scalar or an empty container whole, and of any other container the opening bracket.
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
      try checkDepth()
      if elements.isEmpty { return output.append("[]" as StaticString) }
      output.append(ascii: "[")
      open.append(OpenContainer(elements: elements, firstEntry: entries.count))
    case .dictionary(let dictionary):
      try checkDepth()
      if dictionary.isEmpty { return output.append("{}" as StaticString) }
      output.append(ascii: "{")
      open.append(OpenContainer(elements: nil, firstEntry: entries.count))
      entries.push(dictionary)
    }
  }

  private func checkDepth() throws(PropertyListError) {
    guard open.count < PropertyList.maximumDepth else {
      throw PropertyListError(
        message:
          "the value has more than \(PropertyList.maximumDepth) nested containers, too many to be read back")
    }
  }

  /// Appends the elements of the innermost open array up to one that has to be opened, or all and the bracket.
  private mutating func appendElements(
    of elements: [PropertyList], from start: Int
  ) throws(PropertyListError) {
    let depth = open.count
    for index in start..<elements.count {
      open[depth - 1].begun = index + 1
      beginEntry(isFirst: index == 0)
      try append(elements[index])
      if open.count > depth { return }
    }
    close("]")
  }

  /// Appends the entries of the innermost open dictionary up to one that has to be opened, or all and the bracket.
  private mutating func appendEntries(from first: Int, begun: Int) throws(PropertyListError) {
    let depth = open.count
    // An innermost dictionary's entries reach up to the top of the stack.
    for position in first + begun..<entries.count {
      if (position - first) % SortedEntryStack.batch == 0 { entries.fetchBatch(at: position) }
      open[depth - 1].begun = position - first + 1
      let (key, value) = entries[position]
      beginEntry(isFirst: position == first)
      strings.append(key.text, to: &output)
      output.append((isIndented ? ": " : ":") as StaticString)
      try append(value)
      if open.count > depth { return }
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
    // As text's: with all levels, a small value would become a text a thousand times as large.
    output.appendSpaces(4 * min(open.count, 32))
  }

  // MARK: - Scalars

  /// Appends a finite number with the digits of a Float, or with those of a Double in the rare case that these
  /// would, read as a Double and then rounded, become the next Float.
  private mutating func append(_ number: Float) {
    let start = output.count
    output.append(text: number.description)
    let read = DecimalReader.real(output.contents.slice(from: start))
    guard read.map({ Float($0) }) != number else { return }
    output.truncate(to: start)
    output.append(text: Double(number).description)
  }

  // MARK: - Errors

  /// An error that names the keys and indexes on the way to a value.
  private func refusal(_ what: String) -> PropertyListError {
    let path = open.map { container in
      container.elements == nil
        ? entries[container.firstEntry + container.begun - 1].key.text : String(container.begun - 1)
    }
    let place = path.isEmpty ? "" : " at “\(path.joined(separator: "."))”"
    return PropertyListError(message: "JSON cannot hold \(what)\(place)")
  }
}
