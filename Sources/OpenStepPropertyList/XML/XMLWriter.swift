extension PropertyList {
  /// The property list as an XML document in UTF-8; ``init(parsingXML:options:)`` reads
  /// it back to an equal value.
  ///
  /// In ``XMLStyle/apple`` these are the bytes that Foundation writes on Linux, with three exceptions: a line
  /// has at most 100 tabs; −0.0 is `-0.0`, where Foundation writes 0.0; and a carriage return is
  /// `&#13;`, because readers that obey XML convert a raw one to a line feed. Keys are in the order
  /// of their UTF-16 code units.
  ///
  /// In ``XMLStyle/gnustep`` these are the bytes that GNUstep writes, with escapes (`\U001B`) for control
  /// characters, which are read back with ``XMLParsingOptions/undoesGNUstepEscapes``. The text `\U0041` is
  /// `\U005CU0041`, because GNUstep reads `A` where it has written that text itself. A number has 17 digits
  /// if the 16 that GNUstep writes do not suffice, and a `Float` is written as the equal `Double`. Characters
  /// beyond U+FFFF are raw, because GNUstep does not read its own escapes of them. Keys outside of ASCII may
  /// be in another order than GNUstep's.
  ///
  /// - Throws: ``PropertyListError`` that names the key, if XML has no form for a value: a `Float` in Apple's
  ///   form (it would become a `Double`), a date outside of the years 1 to 9999 or with a fraction of a
  ///   second, a control character in Apple's form, U+FFFE, which GNUstep does not read back either, more than
  ///   ``maximumDepth`` nested containers, or more than ``maximumObjectCount`` values and keys.
  /// - Complexity: linear in the length of the document, apart from sorting keys.
  public func xmlBytes(style: XMLStyle = .apple) throws(PropertyListError) -> [UInt8] {
    try xmlBytes(style: style, within: .max)
  }

  /// The property list as ``xmlBytes(style:)`` gives it, if that has no more bytes than so many.
  ///
  /// - Throws: also an error that says that there are more.
  package func xmlBytes(style: XMLStyle, within maximumCount: Int) throws(PropertyListError) -> [UInt8] {
    var writer = XMLWriter(style: style)
    // The writer uses entries without retaining them.
    return try withExtendedLifetime(self) { () throws(PropertyListError) in
      try writer.bytes(of: self, within: maximumCount)
    }
  }
}

/// Writes an XML document: one element per line, with sorted keys.
///
/// It uses an explicit stack in place of recursion, because threads other than the
/// first may have small stacks.
struct XMLWriter: ~Copyable {
  private var output = TextOutput()
  private let style: PropertyList.XMLStyle
  private let strings: XMLStrings
  /// The open containers, from the outermost to the innermost.
  private var open: [OpenContainer] = []
  private var bounds: WritingBounds
  /// The entries of the open dictionaries.
  private var entries = SortedEntryStack()
  /// The length of the output at which ``appendRest()`` returns.
  private var pause = XMLWriter.sampleSize

  /// The number of bytes that are written before the length of the document is estimated.
  private static let sampleSize = 65_536

  /// The maximum number of indented levels: without a maximum, a small value of a thousand levels would
  /// become a document that is a hundred times as large as without indentation.
  private static let deepestIndentation = 100

  /// The text before and after the value of a document.
  static let head: StaticString = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """

  static let tail: StaticString = "</plist>\n"

  init(style: PropertyList.XMLStyle, objectBound: Int = PropertyList.maximumObjectCount) {
    self.style = style
    bounds = WritingBounds(objectBound: objectBound)
    strings = XMLStrings(style: style)
  }

  /// Writes a value and gives its document; memory is allocated as in ``PropertyListWriter``.
  ///
  /// - Parameter maximumCount: How many bytes the document may have.
  mutating func bytes(
    of root: PropertyList, within maximumCount: Int = .max
  ) throws(PropertyListError) -> [UInt8] {
    output.append(XMLWriter.head)
    try append(root)
    try appendRest()
    pause = maximumCount
    let capacity = min(
      OpenContainer.expectedCount(of: root, open.first, written: output.count, tail: 16), maximumCount)
    var whole = TextOutput(capacity: 0)
    swap(&output, &whole)
    return try whole.array(capacity: capacity) { (whole) throws(PropertyListError) in
      swap(&output, &whole)
      defer { swap(&output, &whole) }
      try appendRest()
      output.append(XMLWriter.tail)
      // GNUstep's writer does not end the last line.
      if style == .gnustep { output.truncate(to: output.count - 1) }
      guard open.isEmpty, output.count <= maximumCount else {
        throw WritingBounds.tooLong(maximumCount)
      }
    }
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

  // MARK: Containers

  /// Appends a scalar or an empty container as a whole, and only the start tag of any other container.
  private mutating func append(_ value: PropertyList) throws(PropertyListError) {
    switch value {
    case .string(let text):
      output.append("<string>" as StaticString)
      try appendCharacters(text)
      output.append("</string>\n" as StaticString)
    case .integer(let number):
      output.append("<integer>" as StaticString)
      output.append(number)
      output.append("</integer>\n" as StaticString)
    case .real(let number):
      output.append("<real>" as StaticString)
      append(number)
      output.append("</real>\n" as StaticString)
    case .boolean(let isTrue):
      output.append((isTrue ? "<true/>\n" : "<false/>\n") as StaticString)
    case .date(let date):
      try append(date)
    case .data(let bytes):
      append(bytes)
    case .float(let number) where style == .gnustep:
      // GNUstep writes all numbers with fractions as doubles.
      try append(.real(Double(number)))
    case .float(let number):
      throw refusal(
        "the number \(number) is a Float, which XML does not tell from a Double; store it as a Double")
    case .array(let elements):
      try bounds.add(elements.count, atDepth: open.count)
      if elements.isEmpty { return appendEmpty("array") }
      output.append("<array>\n" as StaticString)
      open.append(OpenContainer(elements: elements, firstEntry: entries.count))
    case .dictionary(let dictionary):
      try bounds.add(2 * dictionary.count, atDepth: open.count)
      if dictionary.isEmpty { return appendEmpty("dict") }
      output.append("<dict>\n" as StaticString)
      open.append(OpenContainer(elements: nil, firstEntry: entries.count))
      entries.push(dictionary, order: .utf16)
    }
  }

  private mutating func appendEmpty(_ name: StaticString) {
    output.append(ascii: "<")
    output.append(name)
    guard style == .gnustep else { return output.append("/>\n" as StaticString) }
    output.append(">\n" as StaticString)
    indent(open.count)
    output.append("</" as StaticString)
    output.append(name)
    output.append(">\n" as StaticString)
  }

  /// Appends the elements of the innermost open array until a container is opened, or all and the end tag.
  private mutating func appendElements(
    of elements: [PropertyList], from start: Int
  ) throws(PropertyListError) {
    let depth = open.count
    for index in start..<elements.count {
      open[depth - 1].begun = index + 1
      indent(depth)
      try append(elements[index])
      if open.count > depth || output.count >= pause { return }
    }
    close("</array>\n")
  }

  /// Appends the entries of the innermost open dictionary until a container is
  /// opened, or all and the end tag.
  private mutating func appendEntries(from first: Int, begun: Int) throws(PropertyListError) {
    let depth = open.count
    // The entries of the innermost dictionary are at the top of the stack.
    for position in first + begun..<entries.count {
      if (position - first) % SortedEntryStack.batch == 0 { entries.fetchBatch(at: position) }
      open[depth - 1].begun = position - first + 1
      let (key, value) = entries[position]
      indent(depth)
      output.append("<key>" as StaticString)
      try appendCharacters(key.text)
      output.append("</key>\n" as StaticString)
      indent(depth)
      try append(value)
      if open.count > depth || output.count >= pause { return }
    }
    entries.removeAll(from: first)
    close("</dict>\n")
  }

  private mutating func close(_ tag: StaticString) {
    open.removeLast()
    indent(open.count)
    output.append(tag)
  }

  /// Apple indents each level by a tab; GNUstep by four columns, at most 48 in all,
  /// with a tab for every eight.
  @inline(__always)
  private mutating func indent(_ level: Int) {
    if style == .apple { return output.append(tabs: min(level, XMLWriter.deepestIndentation)) }
    let columns = min(4 * level, 48)
    output.append(tabs: columns / 8)
    output.appendSpaces(columns % 8)
  }

  // MARK: Scalars

  private mutating func appendCharacters(_ text: String) throws(PropertyListError) {
    if let character = strings.append(text, to: &output) {
      throw refusal(XMLStrings.complaint(about: character))
    }
  }

  /// Appends a number with 17 digits as Foundation does, or with 16 as GNUstep does if these suffice.
  private mutating func append(_ number: Double) {
    if number.isNaN { return output.append("nan" as StaticString) }
    if number.isInfinite {
      output.append(ascii: number < 0 ? "-" : "+")
      if style == .apple { return output.append("infinity" as StaticString) }
      if number > 0 { output.truncate(to: output.count - 1) }
      return output.append("inf" as StaticString)
    }
    guard style == .gnustep else {
      if number == 0 { return output.append((number.sign == .minus ? "-0.0" : "0.0") as StaticString) }
      return DecimalPrinter.append(number, digits: 17, to: &output)
    }
    let start = output.count
    DecimalPrinter.append(number, digits: 16, to: &output)
    let read = DecimalReader.real(output.contents.slice(from: start))
    if read != number {
      output.truncate(to: start)
      DecimalPrinter.append(number, digits: 17, to: &output)
    }
  }

  private mutating func append(_ date: PropertyListDate) throws(PropertyListError) {
    let seconds = date.secondsSinceReferenceDate
    guard let whole = Int64(exactly: seconds), !(seconds == 0 && seconds.sign == .minus),
      let civil = CivilTime(secondsSinceReferenceDate: whole)
    else {
      throw refusal(
        "the date \(date.text) does not fit XML, which has whole seconds in the years 1 to 9999; round it first"
      )
    }
    output.append("<date>" as StaticString)
    output.append(digits: civil.year.magnitude, count: 4)
    for (separator, number) in [
      ("-", civil.month), ("-", civil.day), ("T", civil.secondOfDay / 3600),
      (":", civil.secondOfDay / 60 % 60), (":", civil.secondOfDay % 60),
    ] as [(Unicode.Scalar, Int64)] {
      output.append(ascii: separator)
      output.append(digits: number.magnitude, count: 2)
    }
    output.append("Z</date>\n" as StaticString)
  }

  /// Appends base64: in Apple's form in lines of 76 columns, of which each level of indentation takes eight;
  /// in GNUstep's form in one line.
  private mutating func append(_ bytes: [UInt8]) {
    output.append("<data>\n" as StaticString)
    if style == .gnustep {
      Base64.append(bytes.span, to: &output)
    } else {
      let level = min(open.count, 8)
      let lineLength = (76 - 8 * level) / 4 * 3
      for start in stride(from: 0, to: bytes.count, by: lineLength) {
        output.append(tabs: level)
        Base64.append(bytes.span.slice(start..<min(start + lineLength, bytes.count)), to: &output)
        output.append(ascii: "\n")
      }
      output.append(tabs: min(open.count, XMLWriter.deepestIndentation))
    }
    output.append("</data>\n" as StaticString)
  }

  // MARK: Errors

  /// An error that names the keys on the path to the value.
  private func refusal(_ message: String) -> PropertyListError {
    let keys = open.compactMap { container -> String? in
      container.elements == nil && container.begun > 0
        ? entries[container.firstEntry + container.begun - 1].key.text : nil
    }
    let place = keys.isEmpty ? "" : "at “\(keys.joined(separator: "."))”: "
    return PropertyListError(message: place + message)
  }
}
