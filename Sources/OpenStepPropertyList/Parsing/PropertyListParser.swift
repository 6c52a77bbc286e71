extension PropertyList {
  /// Parses a text property list from a file's bytes.
  ///
  /// It accepts OPENSTEP's text, GNUstep's typed values and strings files. The encoding is UTF-8, UTF-16,
  /// UTF-32 with a byte order mark, or an eight-bit character set. The result is the whole value or an
  /// error, never a part of the value.
  ///
  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - options: The options where dialects differ.
  /// - Throws: `PropertyListError` with the position of the error.
  /// - Complexity: linear in the number of bytes.
  public init(parsing bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PropertyListError) {
    guard bytes.count <= options.bounds.byteCount else {
      throw PropertyListError(
        message: "the file has \(bytes.count) bytes; at most \(options.bounds.byteCount) are read")
    }
    let text = try TextDecoding.utf8(of: bytes, eightBitEncoding: options.eightBitEncoding)
    self = try PropertyListParser.parse(text, options: options)
  }

  /// Parses a text property list.
  ///
  /// - Parameters:
  ///   - text: The whole text; a byte order mark in it is an ordinary character.
  ///   - options: The options where dialects differ.
  /// - Throws: `PropertyListError` with the position of the error.
  public init(parsing text: String, options: ParsingOptions = ParsingOptions()) throws(PropertyListError) {
    self = try PropertyListParser.parse(Array(text.utf8), options: options)
  }
}

/// The parser of text property lists: a predictive parser with explicit stacks in place of recursion.
///
/// It reads the text once. The open containers are in `open`; all of them share the two stacks of the values
/// and keys that are parsed so far, so that each container is allocated once, with its final size.
struct PropertyListParser: ~Copyable, ~Escapable {
  var cursor: TextCursor
  private var strings: StringParsing
  private let options: PropertyList.ParsingOptions
  private let depthBound: Int
  private var open: [OpenContainer] = []
  /// The number of values and keys so far.
  private var objectCount = 0
  private var values: UniqueStack<PropertyList>
  private var keys: UniqueStack<PropertyListKey>
  /// Whether the last value was a string, quoted or not.
  private var lastWasString = false
  /// The offsets of the keys in `keys`, if the caller wants warnings; otherwise nil.
  private var keyPlaces: [Int]?
  /// Whether the text may be damaged.
  var isDamaged = false
  /// The warnings so far; nil if the caller wants none.
  private var warnings: WarningPlaces?
  /// The offset of the note that gave the last value its type.
  private var fittingNote: Int?

  private struct OpenContainer {
    enum Kind { case array, dictionary, entriesWithoutBraces }
    let kind: Kind
    /// Its offset in the text, and the indexes of its first value and key in the stacks.
    let place: Int
    let firstValue: Int
    let firstKey: Int
  }

  static func parse(
    _ text: [UInt8], options: PropertyList.ParsingOptions
  ) throws(PropertyListError) -> PropertyList {
    try parsing(text, options: options) { (parser) throws(PropertyListError) in try parser.root() }
  }

  /// Parses a whole text, and collects warnings.
  ///
  /// - Parameter lost: Each U+FFFD that replaces what stands for no character in the text's encoding.
  static func parseWithWarnings(
    _ text: [UInt8], options: PropertyList.ParsingOptions, lost: [LostCharacter]
  ) throws(PropertyListError) -> (value: PropertyList, warnings: [PropertyListWarning]) {
    try parsing(text, options: options) { (parser) throws(PropertyListError) in
      parser.beginWarnings()
      let value = try parser.root()
      return (value, parser.allWarnings(with: lost, in: text))
    }
  }

  /// What stands for no character in a text, in its encoding and as escapes; of warnings there is a bound.
  static func lostNumbers(
    in bytes: [UInt8], options: PropertyList.ParsingOptions
  ) throws(PropertyListError) -> [UInt32?] {
    var numbers: [UInt32?] = []
    let text = try TextDecoding.utf8(of: bytes, eightBitEncoding: options.eightBitEncoding) {
      numbers.append($0.number)
    }
    return try parsing(text, options: options) { (parser) throws(PropertyListError) in
      parser.beginWarnings()
      _ = try parser.root()
      return numbers + (parser.strings.lost?.numbers ?? [])
    }
  }

  private static func parsing<Value>(
    _ text: [UInt8], options: PropertyList.ParsingOptions,
    _ body: (inout PropertyListParser) throws(PropertyListError) -> Value
  ) throws(PropertyListError) -> Value {
    if text.isEmpty {
      throw PropertyListError(message: "the text is empty", line: 1, column: 1)
    }
    // An entry seldom has fewer than 32 characters, and the kernel provides memory only for what is used.
    var parser = PropertyListParser(text.span, options: options, capacity: 16 + text.count / 32)
    return try body(&parser)
  }

  mutating func value() throws(PropertyListError) -> PropertyList {
    try readValue()
    return values.pop()
  }

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, options: PropertyList.ParsingOptions, capacity: Int) {
    cursor = TextCursor(text)
    strings = StringParsing(octalEscapes: options.octalEscapes)
    self.options = options
    depthBound = min(options.bounds.depth, PropertyList.maximumDepth)
    values = UniqueStack(capacity: capacity)
    keys = UniqueStack(capacity: capacity)
  }

  // MARK: - The whole text

  private mutating func root() throws(PropertyListError) -> PropertyList {
    if let comment = cursor.skipGapToOpenComment(), cursor.isAtEnd,
      options.form != .file || options.refusesOpenComment
    {
      throw cursor.error("the comment that begins here is never closed", at: comment)
    }
    if cursor.isAtEnd {
      guard options.form == .file else {
        throw cursor.error("there is nothing here but white space and comments")
      }
      return .dictionary([:])
    }
    let start = cursor.position
    try readValue()
    let valueWasString = lastWasString
    cursor.skipGap()
    if cursor.isAtEnd || isOnlyPadding() { return values.pop() }
    guard valueWasString, options.form != .argument else {
      throw cursor.error(expected: "the end of the text")
    }
    // A string that does not end the text is the first key of a file without outer braces.
    _ = values.pop()
    cursor.move(to: start)
    if warnings != nil { beginWarnings() }
    try push(.entriesWithoutBraces)
    try readValue()
    return values.pop()
  }

  /// Whether only NULs are left, with which some tools pad a file.
  private func isOnlyPadding() -> Bool {
    guard options.form != .argument else { return false }
    var rest = cursor
    while rest.byte == 0 { rest.advance() }
    return rest.isAtEnd
  }

  // MARK: - Values

  /// Parses until the outermost open container, or one value if none is open, is complete and on the stack.
  private mutating func readValue() throws(PropertyListError) {
    var isComplete = open.isEmpty ? false : try nextEntry()
    while true {
      if isComplete {
        if warnings != nil { checkNote() }
        guard let container = open.last else { return }
        isComplete = container.kind == .array ? try afterElement() : try afterEntry()
      } else {
        isComplete = try beginValue()
      }
    }
  }

  /// Pushes a scalar or an empty container onto the stack, or opens a container; false
  /// if its first value follows.
  private mutating func beginValue() throws(PropertyListError) -> Bool {
    lastWasString = false
    try count()
    guard let byte = cursor.byte else { throw unexpected("a value") }
    switch byte {
    case UInt8(ascii: "{"):
      try push(.dictionary)
      cursor.advance()
      return try nextEntry()
    case UInt8(ascii: "("):
      try push(.array)
      cursor.advance()
      cursor.skipGap()
      return closeArrayAtBracket()
    case UInt8(ascii: "<"):
      values.push(
        try DataParsing.value(
          &cursor, refusingOtherNumbers: options.refusesOtherNumbers, inDamaged: isDamaged))
    default:
      let start = cursor.position
      guard let text = try string() else { throw unexpected("a value") }
      lastWasString = true
      values.push(options.honoursTypeNotes ? try noted(text, from: start) : .string(text))
    }
    return true
  }

  /// Counts a value or a key.
  private mutating func count() throws(PropertyListError) {
    objectCount += 1
    guard objectCount <= options.bounds.objectCount else {
      throw cursor.tooManyObjects(options.bounds.objectCount)
    }
  }

  /// Parses a string; nil if none begins here.
  mutating func string() throws(PropertyListError) -> String? {
    guard let byte = cursor.byte else { return nil }
    if TextCursor.isUnquoted(byte) {
      let start = cursor.position
      cursor.skipUnquoted()
      return cursor.text(from: start)
    }
    if byte == UInt8(ascii: "\"") || (byte == UInt8(ascii: "'") && options.form != .argument) {
      return try strings.quotedString(&cursor, quote: byte)
    }
    return nil
  }

  /// The string, or the typed value if a note that fits follows it.
  private mutating func noted(_ text: String, from start: Int) throws(PropertyListError) -> PropertyList {
    let behind = cursor.position
    cursor.skipWhiteSpace()
    if cursor.byte == UInt8(ascii: "/"), let note = TypeNote(at: cursor),
      let value = PropertyList(text: text, note: note)
    {
      if options.refusesOtherNumbers, let reason = value.otherNumber(than: text) {
        throw cursor.error(reason, at: start)
      }
      fittingNote = cursor.position
      return value
    }
    cursor.move(to: behind)
    return .string(text)
  }

  // MARK: - Warnings

  private mutating func beginWarnings() {
    (warnings, strings.lost, keyPlaces) = (WarningPlaces(), LostCharacterList(), [])
  }

  /// Warns of an entry whose value does not count.
  private mutating func warn(ofEqualKeyAt place: Int?, _ key: PropertyListKey) {
    guard let place else { return }
    warnings?.add(
      place, .equalKeys, "the key “\(key)” stands here again further on, and only the last value counts")
  }

  /// Warns of a type note after the last value that did not give the value its type.
  private mutating func checkNote() {
    let behind = cursor.position
    cursor.skipWhiteSpace()
    if cursor.position == fittingNote, let note = TypeNote(at: cursor) {
      cursor.advance(by: note.comment.utf8.count)
      cursor.skipWhiteSpace()
    }
    if cursor.byte == UInt8(ascii: "/"), let note = TypeNote(at: cursor) {
      warnings?.add(
        cursor.position, .unfittingNote,
        "the note \(note.comment) does not fit the value before it: it takes \(note.values)")
    } else if cursor.byte == UInt8(ascii: "/"), let note = TypeNote(meantAt: cursor) {
      warnings?.add(
        cursor.position, .misspeltNote,
        "this comment gives the value before it no type; the note is written \(note.comment)")
    }
    cursor.move(to: behind)
  }

  private mutating func allWarnings(with lost: [LostCharacter], in text: [UInt8]) -> [PropertyListWarning] {
    for place in lost + (strings.lost?.first ?? []) {
      warnings?.add(place.offset, place.kind, "\(place.kind.reasonOfLoss ?? ""), and is read as U+FFFD")
    }
    return warnings?.warnings(in: text.span) ?? []
  }

  // MARK: - Containers

  private mutating func push(_ kind: OpenContainer.Kind) throws(PropertyListError) {
    guard open.count < depthBound else {
      throw cursor.error("more than \(depthBound) containers are nested here")
    }
    open.append(
      OpenContainer(kind: kind, place: cursor.position, firstValue: values.count, firstKey: keys.count))
  }

  /// Parses the text after an element of an array; false if another element follows.
  private mutating func afterElement() throws(PropertyListError) -> Bool {
    cursor.skipGap()
    if cursor.byte == UInt8(ascii: ",") {
      cursor.advance()
      cursor.skipGap()
      // A trailing comma is allowed.
      return closeArrayAtBracket()
    }
    guard closeArrayAtBracket() else { throw unexpected("“,” or “)”") }
    return true
  }

  /// Replaces the array's elements on the stack by the array; false if the cursor is not at the array's end.
  private mutating func closeArrayAtBracket() -> Bool {
    guard cursor.byte == UInt8(ascii: ")") else { return false }
    cursor.advance()
    let container = open.removeLast()
    values.push(.array(values.pop(from: container.firstValue)))
    lastWasString = false
    return true
  }

  /// Parses the text after an entry's value; false if the value of another entry follows.
  private mutating func afterEntry() throws(PropertyListError) -> Bool {
    cursor.skipGap()
    if cursor.byte == UInt8(ascii: ";") {
      cursor.advance()
      return try nextEntry()
    }
    guard lastSemicolonMayBeMissing, cursor.byte == UInt8(ascii: "}") else { throw unexpected("“;”") }
    closeDictionary()
    return true
  }

  private var lastSemicolonMayBeMissing: Bool {
    open.last?.kind == .dictionary && options.form != .argument
  }

  /// Parses up to the next value of a dictionary and gives false; closes a dictionary
  /// without one and gives true.
  private mutating func nextEntry() throws(PropertyListError) -> Bool {
    while true {
      cursor.skipGap()
      guard let byte = cursor.byte else {
        guard open.last?.kind == .entriesWithoutBraces else { throw unexpected("a key or “}”") }
        closeDictionary()
        return true
      }
      if byte == UInt8(ascii: "}"), open.last?.kind == .dictionary {
        closeDictionary()
        return true
      }
      try count()
      keyPlaces?.append(cursor.position)
      // A missing key before "=" is the empty key.
      var key = ""
      if byte != UInt8(ascii: "=") {
        guard let text = try string() else {
          throw unexpected(open.last?.kind == .dictionary ? "a key or “}”" : "a key or the end of the text")
        }
        key = text
        cursor.skipGap()
      }
      if cursor.byte == UInt8(ascii: ";"), options.form != .argument {
        // "key;" is short for "key = key;".
        try append(key, .string(key))
        cursor.advance()
        continue
      }
      guard cursor.byte == UInt8(ascii: "=") else {
        throw unexpected(options.form == .argument ? "“=”" : "“=” or “;”")
      }
      cursor.advance()
      cursor.skipGap()
      if cursor.byte == UInt8(ascii: ";") {
        // A missing value is the empty string.
        try append(key, .string(""))
        cursor.advance()
      } else if cursor.byte == UInt8(ascii: "}"), lastSemicolonMayBeMissing {
        try append(key, .string(""))
        closeDictionary()
        return true
      } else {
        keys.push(PropertyListKey(key))
        return false
      }
    }
  }

  private mutating func append(_ key: String, _ value: PropertyList) throws(PropertyListError) {
    try count()
    keys.push(PropertyListKey(key))
    values.push(value)
  }

  /// Replaces the dictionary's values on the stack by the dictionary.
  private mutating func closeDictionary() {
    // A file without outer braces has no closing brace.
    if !cursor.isAtEnd { cursor.advance() }
    let container = open.removeLast()
    var entries = [PropertyListKey: PropertyList](minimumCapacity: keys.count - container.firstKey)
    while keys.count > container.firstKey {
      let key = keys.pop()
      let place = keyPlaces?.popLast()
      if let later = entries.updateValue(values.pop(), forKey: key) {
        // The last of two equal keys wins.
        entries[key] = later
        warn(ofEqualKeyAt: place, key)
      }
    }
    values.push(.dictionary(entries))
    lastWasString = false
  }

  // MARK: - Errors

  /// An error at the cursor; at the end of the text it names the container that is not closed.
  func unexpected(_ expected: String) -> PropertyListError {
    guard cursor.isAtEnd, let container = open.last, container.kind != .entriesWithoutBraces else {
      return cursor.error(expected: expected)
    }
    let bracket = container.kind == .array ? "(" : "{"
    let place = cursor.lineAndColumn(of: container.place)
    return cursor.error(
      "the text ends where \(expected) was expected; the “\(bracket)” at \(place) is not closed")
  }
}
