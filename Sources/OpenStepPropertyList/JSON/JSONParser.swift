extension PropertyList {
  /// Parses a JSON text (RFC 8259) from a file's bytes.
  ///
  /// The encoding is UTF-8, UTF-16 or UTF-32, with or without a byte order mark. The root may be any value.
  /// Objects become dictionaries, and `true` and `false` become truth values. A number without a fraction and
  /// an exponent is an integer from −2^63 to 2^64−1; all other numbers are the nearest `Double`, so that
  /// `1.0` and `1e3` are reals, and so is `-0`, whose sign no integer has. A number that is too small for a
  /// `Double` becomes zero. Strings keep all characters, also U+0000.
  ///
  /// Refused are `null`, which property lists do not have, an integer outside of that range, a number that is
  /// too large for a `Double`, a lone surrogate (`"\ud800"`), a key that occurs twice in one object, and
  /// everything that RFC 8259 does not have: comments, trailing commas, control characters in strings, `NaN`.
  /// Keys are compared by their UTF-8 bytes, so that U+00E9 is not U+0065 U+0301.
  ///
  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - bounds: The bounds of the parser: bytes, nested containers, values and keys.
  /// - Throws: ``PropertyListError`` with the position of the error.
  /// - Complexity: linear in the number of bytes, in time and memory; no recursion.
  public init(parsingJSON bytes: [UInt8], bounds: Bounds = Bounds()) throws(PropertyListError) {
    try self.init(
      parsingJSON: bytes, bounds: bounds, depth: min(bounds.depth, PropertyList.maximumDepth))
  }

  /// Parses a JSON text in which every value of a property list is an object that tells its type.
  ///
  /// Such an object stands around each container, and around a scalar in the innermost of them; so the property list
  /// that it means has at most ``maximumDepth`` nested containers.
  package init(parsingTaggedJSON bytes: [UInt8]) throws(PropertyListError) {
    try self.init(parsingJSON: bytes, bounds: Bounds(), depth: 2 * PropertyList.maximumDepth + 1)
  }

  private init(parsingJSON bytes: [UInt8], bounds: Bounds, depth: Int) throws(PropertyListError) {
    guard bytes.count <= bounds.byteCount else {
      throw PropertyListError(
        message: "the file has \(bytes.count) bytes; at most \(bounds.byteCount) are read")
    }
    // JSON's encodings are detected as those of XML: by a byte order mark or by NULs.
    self = try XMLDecoding.withUTF8(of: bytes, readsDeclaration: false) {
      (buffer) throws(PropertyListError) in
      var parser = JSONParser(buffer, objectBound: bounds.objectCount, depthBound: depth)
      return try parser.document()
    }
  }
}

/// The parser of JSON: a predictive parser with explicit stacks in place of recursion.
///
/// It reads the text once. The open containers are in `open`; all of them share the two stacks of the values
/// and keys that are parsed so far, as in ``PropertyListParser``.
struct JSONParser: ~Copyable, ~Escapable {
  private var cursor: TextCursor
  private let objectBound: Int
  private let depthBound: Int
  private var open: [OpenContainer] = []
  private var objectCount = 0
  private var values: UniqueStack<PropertyList>
  private var keys: UniqueStack<Key>
  /// The buffer in which strings with escapes are assembled.
  private var scratch = TextOutput()

  private struct OpenContainer {
    let isDictionary: Bool
    /// Its offset in the text, and the indexes of its first value and key in the stacks.
    let place: Int
    let firstValue: Int
    let firstKey: Int
  }

  private struct Key {
    let key: PropertyListKey
    /// Its offset in the text.
    let place: Int
  }

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, objectBound: Int, depthBound: Int) {
    cursor = TextCursor(text)
    self.objectBound = objectBound
    self.depthBound = depthBound
    // An entry has about 64 characters, and the kernel provides memory only for what is used.
    let capacity = 16 + text.count / 64
    values = UniqueStack(capacity: capacity)
    keys = UniqueStack(capacity: capacity)
  }

  mutating func document() throws(PropertyListError) -> PropertyList {
    cursor.skipJSONSpace()
    try begin()
    while let container = open.last {
      if container.isDictionary {
        try readEntries(of: container)
      } else {
        try readElements(of: container)
      }
    }
    cursor.skipJSONSpace()
    guard cursor.isAtEnd else { throw cursor.error(expected: "the end of the text") }
    return values.pop()
  }

  // MARK: - Values

  /// Parses the value at the cursor: a scalar as a whole, and of a container the opening bracket.
  @inline(__always)
  private mutating func begin() throws(PropertyListError) {
    switch cursor.byte {
    case UInt8(ascii: "\""):
      try count()
      values.push(.string(try cursor.jsonString(&scratch)))
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
      try count()
      values.push(try JSONNumber.value(&cursor))
    case UInt8(ascii: "{"):
      try openContainer(isDictionary: true)
    case UInt8(ascii: "["):
      try openContainer(isDictionary: false)
    default:
      try beginWord()
    }
  }

  private mutating func beginWord() throws(PropertyListError) {
    let isTrue = cursor.starts(with: "true")
    guard isTrue || cursor.starts(with: "false") else {
      if cursor.starts(with: "null") {
        throw cursor.error("property lists have no null; leave it out, or write a value in its place")
      }
      throw unexpected("a value")
    }
    try count()
    cursor.advance(by: isTrue ? 4 : 5)
    values.push(.boolean(isTrue))
  }

  @inline(__always)
  private mutating func count() throws(PropertyListError) {
    objectCount += 1
    guard objectCount <= objectBound else {
      throw cursor.tooManyObjects(objectBound)
    }
  }

  // MARK: - Containers

  private mutating func openContainer(isDictionary: Bool) throws(PropertyListError) {
    guard open.count < depthBound else {
      throw cursor.error("more than \(depthBound) containers are nested here")
    }
    try count()
    open.append(
      OpenContainer(
        isDictionary: isDictionary, place: cursor.position, firstValue: values.count, firstKey: keys.count))
    cursor.advance()
  }

  /// Parses the elements of the innermost array until a container is opened, or to the end of the array.
  private mutating func readElements(of container: OpenContainer) throws(PropertyListError) {
    let depth = open.count
    while open.count == depth {
      cursor.skipJSONSpace()
      if cursor.byte == UInt8(ascii: "]") { return closeArray() }
      if values.count > container.firstValue {
        guard cursor.byte == UInt8(ascii: ",") else { throw unexpected("“,” or “]”") }
        cursor.advance()
        cursor.skipJSONSpace()
      }
      try begin()
    }
  }

  /// Parses the entries of the innermost dictionary until a container is opened, or to
  /// the end of the dictionary.
  private mutating func readEntries(of container: OpenContainer) throws(PropertyListError) {
    let depth = open.count
    while open.count == depth {
      cursor.skipJSONSpace()
      if cursor.byte == UInt8(ascii: "}") { return try closeDictionary() }
      let isFirst = keys.count == container.firstKey
      if !isFirst {
        guard cursor.byte == UInt8(ascii: ",") else { throw unexpected("“,” or “}”") }
        cursor.advance()
        cursor.skipJSONSpace()
      }
      guard cursor.byte == UInt8(ascii: "\"") else {
        throw unexpected(isFirst ? "a key in double quotes or “}”" : "a key in double quotes")
      }
      try count()
      let place = cursor.position
      keys.push(Key(key: PropertyListKey(try cursor.jsonString(&scratch)), place: place))
      cursor.skipJSONSpace()
      guard cursor.byte == UInt8(ascii: ":") else { throw unexpected("“:”") }
      cursor.advance()
      cursor.skipJSONSpace()
      try begin()
    }
  }

  private mutating func closeArray() {
    cursor.advance()
    let container = open.removeLast()
    values.push(.array(values.pop(from: container.firstValue)))
  }

  private mutating func closeDictionary() throws(PropertyListError) {
    let container = open.removeLast()
    var entries = [PropertyListKey: PropertyList](minimumCapacity: keys.count - container.firstKey)
    while keys.count > container.firstKey {
      let key = keys.pop()
      if entries.updateValue(values.pop(), forKey: key.key) != nil { throw duplicate(of: key) }
    }
    cursor.advance()
    values.push(.dictionary(entries))
  }

  // MARK: - Errors

  /// An error at the cursor; at the end of the text it names the container that is not closed.
  private func unexpected(_ expected: String) -> PropertyListError {
    let error = cursor.error(expected: expected)
    guard cursor.isAtEnd, let container = open.last else { return error }
    let bracket = container.isDictionary ? "{" : "["
    return cursor.error(
      "\(error.message); the “\(bracket)” at \(cursor.lineAndColumn(of: container.place)) is not closed")
  }

  /// An error about a key that occurs again in its object, whose end is at the cursor.
  private mutating func duplicate(of first: Key) -> PropertyListError {
    let name = TextCursor.shown(first.key.text)
    guard let second = place(ofNext: first) else {
      return cursor.error("the key “\(name)” stands twice in one object", at: first.place)
    }
    let place = cursor.lineAndColumn(of: first.place)
    return cursor.error(
      "the key “\(name)” stands here for the second time, after \(place); remove one of the two", at: second)
  }

  /// The offset at which a key occurs again in its object, whose text is known to be valid.
  ///
  /// The text is searched, because the entries are no longer on the stacks, and keeping their offsets would
  /// take time in valid texts.
  private mutating func place(ofNext first: Key) -> Int? {
    var search = cursor
    search.move(to: first.place)
    var depth = 0
    while depth >= 0, search.position < cursor.position, let byte = search.byte {
      guard byte == UInt8(ascii: "\"") else {
        // The opening bracket and brace differ in one bit only, and so do the closing ones.
        if byte | 0x20 == UInt8(ascii: "{") { depth += 1 }
        if byte | 0x20 == UInt8(ascii: "}") { depth -= 1 }
        search.advance()
        continue
      }
      let place = search.position
      guard let text = try? search.jsonString(&scratch) else { return nil }
      search.skipJSONSpace()
      if depth == 0, place > first.place, search.byte == UInt8(ascii: ":"),
        PropertyListKey(text) == first.key
      {
        return place
      }
    }
    return nil
  }
}
