import OpenStepPropertyList

/// The words of a new value: one word, or a flag of its type and what that takes.
///
/// ```ebnf
/// value  = scalar | "-array" , { scalar } | "-array-add" , { scalar } | "-dict" , { pair } | "-dict-add" , { pair } ;
/// pair   = ( WORD | "-string" , WORD ) , scalar ;
/// scalar = WORD | "-string" , WORD | "-data" , HEX | ( "-int" | "-integer" ) , INT | "-float" , REAL
///        | ( "-bool" | "-boolean" ) , TRUTH | "-date" , DATE ;
/// ```
enum ValueArgument {
  /// A value in the place of whatever there is.
  case value(PropertyList)
  /// Elements behind those of an array.
  case elements([PropertyList])
  /// Entries into a dictionary.
  case entries([(PropertyListKey, PropertyList)])

  /// The words that are flags where a value is due.
  static let flags = [
    "-string", "-data", "-int", "-integer", "-float", "-bool", "-boolean", "-date", "-array", "-array-add",
    "-dict",
    "-dict-add",
  ]

  /// Whether a word is such a flag.
  static func isFlag(_ word: String) -> Bool {
    // By bytes: Swift compares characters, in a time that grows with the square of their combining marks.
    flags.contains { $0.utf8.elementsEqual(word.utf8) }
  }

  /// Reads all words of a value.
  ///
  /// - Parameters:
  ///   - octalEscapes: What octal escapes above `\177` mean.
  ///   - strings: Gets the words that became strings as they stand, and no flag said so.
  /// - Throws: a usage error.
  init(
    _ words: [String], octalEscapes: PropertyList.ParsingOptions.OctalEscapes, strings: inout [String]
  ) throws(CommandError) {
    var reader = ValueReader(words, octalEscapes: octalEscapes)
    defer { strings = reader.strings }
    switch words.first {
    case "-array", "-array-add":
      _ = reader.word()
      var elements: [PropertyList] = []
      while !reader.isAtEnd { elements.append(try reader.scalar()) }
      self = words[0] == "-array" ? .value(.array(elements)) : .elements(elements)
    case "-dict", "-dict-add":
      _ = reader.word()
      var entries: [(PropertyListKey, PropertyList)] = []
      while !reader.isAtEnd { entries.append(try reader.pair()) }
      self =
        words[0] == "-dict"
        ? .value(.dictionary([PropertyListKey: PropertyList](entries, uniquingKeysWith: { $1 })))
        : .entries(entries)
    default:
      let value = try reader.scalar()
      guard reader.isAtEnd else { throw ValueArgument.surplus(words.count) }
      self = .value(value)
    }
  }

  /// The value after it was put over an old one.
  ///
  /// - Throws: a refusal if the old one is no array or no dictionary to add to.
  func applied(to old: PropertyList?, of key: String) throws(CommandError) -> PropertyList {
    switch (self, old) {
    case (.value(let value), _): return value
    case (.elements(let new), nil): return .array(new)
    case (.elements(let new), .array(let elements)?): return .array(elements + new)
    case (.entries(let new), nil): return .dictionary([:].merging(new) { $1 })
    case (.entries(let new), .dictionary(let entries)?): return .dictionary(entries.merging(new) { $1 })
    case (.elements, let old?):
      throw CommandError(
        .refused, "“\(key)” is \(old.kindWithArticle), and “-array-add” takes an array; nothing was changed")
    case (.entries, let old?):
      throw CommandError(
        .refused,
        "“\(key)” is \(old.kindWithArticle), and “-dict-add” takes a dictionary; nothing was changed")
    }
  }

  /// The error for more words than a value has.
  private static func surplus(_ count: Int) -> CommandError {
    WriteCommand.usageError(
      "there are \(count + 2) words instead of a domain, a key and a value; quote the value")
  }
}

/// Reads the words of a value one by one.
private struct ValueReader {
  private var rest: ArraySlice<String>
  private let octalEscapes: PropertyList.ParsingOptions.OctalEscapes
  /// The words without a flag that became strings as they stand.
  private(set) var strings: [String] = []

  init(_ words: [String], octalEscapes: PropertyList.ParsingOptions.OctalEscapes) {
    rest = words[...]
    self.octalEscapes = octalEscapes
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func word() -> String? { rest.popFirst() }

  mutating func pair() throws(CommandError) -> (PropertyListKey, PropertyList) {
    var key = rest.popFirst() ?? ""
    if key.utf8.elementsEqual("-string".utf8) {
      guard let word = rest.popFirst() else { throw missing("-string") }
      key = word
    } else if ValueArgument.isFlag(key) {
      throw WriteCommand.usageError(
        "“\(key)” stands where a key is due; a key of that name is “-string \(key)”")
    }
    guard !rest.isEmpty else { throw WriteCommand.usageError("the key “\(key)” lacks a value") }
    return (PropertyListKey(key), try scalar())
  }

  mutating func scalar() throws(CommandError) -> PropertyList {
    guard let flag = rest.popFirst() else { throw WriteCommand.usageError("a value is missing") }
    guard ValueArgument.isFlag(flag) else {
      let value = try DefaultLine.value(of: flag, octalEscapes: octalEscapes)
      if value == .string(flag) { strings.append(flag) }
      return value
    }
    if flag.hasPrefix("-array") || flag.hasPrefix("-dict") {
      throw WriteCommand.usageError(
        "“\(flag)” cannot stand inside another value; a container in a container is one word: '(1, 2)', '{ a = b; }'"
      )
    }
    guard let word = rest.popFirst() else { throw missing(flag) }
    if flag == "-string" { return .string(word) }
    if let value = TypedWord.value(of: word, flag: flag) { return value }
    let reason = flag == "-date" ? TypedWord.missingZone(of: word).map { ": \($0)" } : nil
    throw WriteCommand.usageError(
      "“\(flag)” takes \(TypedWord.description(of: flag)), and “\(word)” is none\(reason ?? "")")
  }

  private func missing(_ flag: String) -> CommandError {
    WriteCommand.usageError(
      "“\(flag)” takes \(TypedWord.description(of: flag)); the word itself is written “-string \(flag)”")
  }
}

extension PropertyList {
  /// The kind of value with its article, for messages.
  var kindWithArticle: String {
    switch self {
    case .string: "a string"
    case .data: "data"
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .integer: "an integer"
    case .real, .float: "a float"
    case .boolean: "a truth value"
    case .date: "a date"
    }
  }
}
