extension PropertyList {
  /// Parses an XML property list from a file's bytes.
  ///
  /// The encoding is UTF-8, UTF-16 or UTF-32, with or without a byte order mark, or ISO-8859-1, Windows-1252
  /// or US-ASCII if the XML declaration names it. Comments, CDATA sections and processing instructions are
  /// allowed wherever XML allows them, also in a string, and white space is allowed around numbers and dates.
  /// The root may be `<plist>` or a value.
  ///
  /// Two rules differ from XML 1.0, because Foundation and GNUstep read and write files like this: a raw
  /// carriage return is not changed, and raw control characters, which XML does not have, are accepted. A
  /// reference such as `&#1;` is an error.
  ///
  /// A document type with its own declarations is refused (entities could expand without bounds), and so are
  /// a key that occurs twice in one dictionary and everything else that is not one whole
  /// property list. A dictionary with the one key `CF$UID` is read as a dictionary, so that the
  /// references of an archive are kept.
  ///
  /// - Parameters:
  ///   - bytes: The whole document.
  ///   - options: The bounds, and whether GNUstep's escapes are undone.
  /// - Throws: ``PropertyListError`` with the position of the error.
  /// - Complexity: linear in the number of bytes, in time and memory; no recursion.
  public init(
    parsingXML bytes: [UInt8], options: XMLParsingOptions = XMLParsingOptions()
  ) throws(PropertyListError) {
    guard bytes.count <= options.bounds.byteCount else {
      throw PropertyListError(
        message: "the file has \(bytes.count) bytes; at most \(options.bounds.byteCount) are read")
    }
    self = try XMLDecoding.withUTF8(of: bytes, readsDeclaration: !options.isOfString) {
      (buffer) throws(PropertyListError) in
      var parser = XMLParser(buffer, options: options)
      return try parser.document()
    }
  }

  /// Whether bytes begin as an XML property list does, in any encoding.
  ///
  /// It reads at most the first 512 bytes. A text property list never begins like this.
  package static func isXML(_ bytes: [UInt8]) -> Bool {
    XMLDecoding.recognises(bytes)
  }
}

/// The parser of XML property lists: a predictive parser with explicit stacks in place of recursion.
///
/// It reads the text once. The open containers are in `open`; all of them share the two stacks of the values
/// and keys that are parsed so far, as in ``PropertyListParser``.
struct XMLParser: ~Copyable, ~Escapable {
  var cursor: TextCursor
  private var content = XMLContent()
  private let options: PropertyList.XMLParsingOptions
  private let depthBound: Int
  private var open: [OpenElement] = []
  /// The number of open elements that are containers; `<plist>` at the root does not count.
  private var depth = 0
  private(set) var objectCount = 0
  private var values: UniqueStack<PropertyList>
  private var keys: UniqueStack<Key>

  struct OpenElement {
    let element: XMLElement
    /// Its offset in the text, and the indexes of its first value and key in the stacks.
    let place: Int
    let firstValue: Int
    let firstKey: Int
  }

  struct Key {
    let key: PropertyListKey
    /// The offset of its element in the text.
    let place: Int
  }

  /// - Parameter capacity: The initial capacity of the stacks; by default for the values of the whole text.
  @_lifetime(copy text)
  init(
    _ text: Span<UInt8>, options: PropertyList.XMLParsingOptions, capacity: Int? = nil
  ) {
    cursor = TextCursor(text)
    self.options = options
    depthBound = min(options.bounds.depth, PropertyList.maximumDepth)
    // An entry has about 64 characters, and the kernel provides memory only for what is used.
    let capacity = capacity ?? 16 + text.count / 64
    values = UniqueStack(capacity: capacity)
    keys = UniqueStack(capacity: capacity)
  }

  // MARK: - Documents and entries

  mutating func document() throws(PropertyListError) -> PropertyList {
    try skipMarkup(takesDocumentType: true)
    guard !cursor.isAtEnd else { throw cursor.error(expected: "an element") }
    try readValue()
    try skipMarkup(takesDocumentType: false)
    guard cursor.isAtEnd else { throw cursor.error(expected: "the end of the text") }
    return values.pop()
  }

  /// Opens the root's dictionary and moves the cursor into it, so that ``entry()`` can parse its entries.
  mutating func enterRoot(movingTo place: Int) throws(PropertyListError) {
    cursor.move(to: place)
    try openContainer(XMLTag(element: .dict, kind: .start), at: place)
  }

  /// Parses the entry of the root's dictionary at the cursor.
  mutating func entry() throws(PropertyListError) -> (key: PropertyListKey, value: PropertyList) {
    try nextEntry()
    while open.count > 1 { try continueContainer() }
    return (keys.pop().key, values.pop())
  }

  /// Parses one entry of a dictionary that ``XMLDictionaryChecker`` accepted.
  static func entry(
    in text: Span<UInt8>, at start: Int, options: PropertyList.XMLParsingOptions
  ) -> (key: PropertyListKey, value: PropertyList) {
    var parser = XMLParser(text, options: options, capacity: 0)
    do throws(PropertyListError) {
      try parser.enterRoot(movingTo: start)
      return try parser.entry()
    } catch {
      preconditionFailure("a document that was checked cannot be read: \(error)")
    }
  }

  /// Parses the innermost container up to its next value, or closes it.
  private mutating func continueContainer() throws(PropertyListError) {
    guard let container = open.last else { return }
    switch container.element {
    case .dict: try nextEntry()
    case .array: try nextElement()
    default: try nextRoot(of: container)
    }
  }

  /// Parses the value at the cursor with its contents, and pushes it onto the stack.
  private mutating func readValue() throws(PropertyListError) {
    let outerCount = open.count
    let place = cursor.position
    let tag = try tag()
    guard tag.kind != .end else { throw closesNothing(tag, at: place) }
    try begin(tag, at: place)
    while open.count > outerCount { try continueContainer() }
  }

  /// Moves over white space, comments and processing instructions to the next tag, or
  /// to the end after the root.
  @inline(__always)
  private mutating func skipMarkup(takesDocumentType: Bool = false) throws(PropertyListError) {
    cursor.skipXMLSpace()
    guard cursor.byte == UInt8(ascii: "<"), let next = cursor.byte(ahead: 1),
      next != UInt8(ascii: "!"), next != UInt8(ascii: "?")
    else { return try skipLongMarkup(takesDocumentType: takesDocumentType) }
  }

  private mutating func skipLongMarkup(takesDocumentType: Bool) throws(PropertyListError) {
    var takesDocumentType = takesDocumentType
    while true {
      cursor.skipXMLSpace()
      guard let byte = cursor.byte else {
        if open.isEmpty { return }
        throw endsInside()
      }
      guard byte == UInt8(ascii: "<") else { throw cursor.error(expected: expectation) }
      switch cursor.byte(ahead: 1) {
      case UInt8(ascii: "?"):
        try cursor.skipInstruction()
      case UInt8(ascii: "!"):
        if cursor.starts(with: "<!--") {
          try cursor.skipComment()
        } else if takesDocumentType, cursor.starts(with: "<!DOCTYPE") {
          try cursor.skipDocumentType()
          takesDocumentType = false
        } else if cursor.starts(with: "<![CDATA[") {
          throw cursor.error("found text where \(expectation) was expected")
        } else {
          throw cursor.error("a declaration is not allowed here")
        }
      default:
        return
      }
    }
  }

  /// A description of what may follow at the cursor, for messages.
  private var expectation: String {
    guard let container = open.last else { return values.count == 0 ? "an element" : "the end of the text" }
    switch container.element {
    case .dict:
      let hasKey = keys.count - container.firstKey > values.count - container.firstValue
      return hasKey ? "a value" : "<key> or </dict>"
    case .array: return "a value or </array>"
    default: return values.count == container.firstValue ? "a value" : "</plist>"
    }
  }

  // MARK: - Values

  /// Parses the value of a start tag or an empty element: a scalar as a whole, and of
  /// a container the beginning.
  private mutating func begin(_ tag: XMLTag, at place: Int) throws(PropertyListError) {
    let isEmpty = tag.kind == .empty
    switch tag.element {
    case .string:
      try push(.string(isEmpty ? "" : try content.string(&cursor, .string, options)), at: place)
    case .integer:
      try push(.integer(try content.integer(&cursor, isEmpty: isEmpty)), at: place)
    case .real:
      try push(.real(try content.real(&cursor, isEmpty: isEmpty, options)), at: place)
    case .date:
      try push(.date(try content.date(&cursor, isEmpty: isEmpty)), at: place)
    case .data:
      try push(.data(isEmpty ? [] : try content.data(&cursor)), at: place)
    case .true, .false:
      if !isEmpty { try content.nothing(&cursor, tag.element) }
      try push(.boolean(tag.element == .true), at: place)
    case .array:
      try openContainer(tag, at: place)
      if isEmpty { closeArray() }
    case .dict:
      try openContainer(tag, at: place)
      if isEmpty { try closeDictionary() }
    case .plist:
      guard open.allSatisfy({ $0.element == .plist }) else {
        throw cursor.error("<plist> stands inside a value", at: place)
      }
      if isEmpty { throw cursor.error("the property list has no value", at: place) }
      try openContainer(tag, at: place)
    case .key:
      throw cursor.error("a <key> stands where \(expectation) was expected", at: place)
    }
  }

  private mutating func push(_ value: PropertyList, at place: Int) throws(PropertyListError) {
    try count(at: place)
    values.push(value)
  }

  @inline(__always)
  mutating func count(at place: Int) throws(PropertyListError) {
    objectCount += 1
    guard objectCount <= options.bounds.objectCount else {
      throw cursor.tooManyObjects(options.bounds.objectCount, at: place)
    }
  }

  private mutating func openContainer(_ tag: XMLTag, at place: Int) throws(PropertyListError) {
    let isRoot = tag.element == .plist && open.isEmpty
    if !isRoot {
      guard depth < depthBound else {
        throw cursor.error("more than \(depthBound) containers are nested here", at: place)
      }
      try count(at: place)
      depth += 1
    }
    open.append(
      OpenElement(element: tag.element, place: place, firstValue: values.count, firstKey: keys.count))
  }

  // MARK: - Containers

  /// Parses up to the next value of the innermost array and begins it, or closes the array.
  private mutating func nextElement() throws(PropertyListError) {
    try skipMarkup()
    let place = cursor.position
    let tag = try tag()
    if tag.kind != .end { return try begin(tag, at: place) }
    try check(tag, closes: .array, at: place)
    closeArray()
  }

  /// Parses the next key of the innermost dictionary and begins its value, or closes the dictionary.
  private mutating func nextEntry() throws(PropertyListError) {
    try skipMarkup()
    let keyPlace = cursor.position
    let keyTag = try tag()
    if keyTag.kind == .end {
      try check(keyTag, closes: .dict, at: keyPlace)
      return try closeDictionary()
    }
    guard keyTag.element == .key else {
      throw cursor.error("found <\(keyTag.element.name)> where <key> or </dict> was expected", at: keyPlace)
    }
    let key = keyTag.kind == .empty ? "" : try content.string(&cursor, .key, options)
    try count(at: keyPlace)
    keys.push(Key(key: PropertyListKey(key), place: keyPlace))
    try skipMarkup()
    let place = cursor.position
    let tag = try tag()
    guard tag.kind != .end else {
      throw cursor.error("the key “\(TextCursor.shown(key))” has no value", at: keyPlace)
    }
    try begin(tag, at: place)
  }

  /// Parses up to the value of `<plist>` and begins it, or closes the element.
  private mutating func nextRoot(of container: OpenElement) throws(PropertyListError) {
    try skipMarkup()
    let place = cursor.position
    let tag = try tag()
    let hasValue = values.count > container.firstValue
    if tag.kind != .end {
      if hasValue { throw cursor.error("found a second value; a property list has one", at: place) }
      return try begin(tag, at: place)
    }
    try check(tag, closes: .plist, at: place)
    if !hasValue { throw cursor.error("the property list has no value", at: place) }
    open.removeLast()
    if !open.isEmpty { depth -= 1 }
  }

  private mutating func closeArray() {
    let container = open.removeLast()
    depth -= 1
    values.push(.array(values.pop(from: container.firstValue)))
  }

  private mutating func closeDictionary() throws(PropertyListError) {
    let container = open.removeLast()
    depth -= 1
    var entries = [PropertyListKey: PropertyList](minimumCapacity: keys.count - container.firstKey)
    while keys.count > container.firstKey {
      let key = keys.pop()
      if entries.updateValue(values.pop(), forKey: key.key) != nil {
        throw cursor.error(
          "the key “\(TextCursor.shown(key.key.text))” stands here and again further on in the dictionary; remove one of the two",
          at: key.place)
      }
    }
    values.push(.dictionary(entries))
  }

  // MARK: - Tags

  @inline(__always)
  private mutating func tag() throws(PropertyListError) -> XMLTag {
    if let word = cursor.word(ahead: 1), let (tag, length) = XMLTag.common(word) {
      cursor.advance(by: length)
      return tag
    }
    return try cursor.xmlTag()
  }

  private func check(_ tag: XMLTag, closes element: XMLElement, at place: Int) throws(PropertyListError) {
    guard tag.element != element else { return }
    throw closesNothing(tag, at: place)
  }

  private func closesNothing(_ tag: XMLTag, at place: Int) -> PropertyListError {
    guard let container = open.last else {
      return cursor.error("</\(tag.element.name)> closes nothing", at: place)
    }
    let opening = cursor.lineAndColumn(of: container.place)
    return cursor.error(
      "</\(tag.element.name)> stands where </\(container.element.name)> was expected, for the <\(container.element.name)> at \(opening)",
      at: place)
  }

  /// An error for a text that ends inside an element.
  private func endsInside() -> PropertyListError {
    guard let container = open.last else { return cursor.error(expected: expectation) }
    let place = cursor.lineAndColumn(of: container.place)
    return cursor.error(
      "the text ends where \(expectation) was expected; the <\(container.element.name)> at \(place) is not closed"
    )
  }
}
