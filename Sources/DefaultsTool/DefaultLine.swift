import DefaultsDatabase
import OpenStepPropertyList

/// One default in the notation of the `defaults` tool: `App Name 'two words'`.
///
/// A line has three tokens: the domain, the key and the value. A token that is empty or contains white space
/// or a quote is in single quotes, with `''` for a single quote in it. A token's text means:
///
/// - as a value, ``value(of:)``: a property list if it begins like one, otherwise a string, unchanged;
/// - as a domain or key, ``name(of:)``: the text itself, unless it is a string in double quotes.
///
/// A text that would be read back as something else, or that would break the line, is written as a property
/// list's string in double quotes: `App Note '"a\nb"'`. So each default has exactly one line, from which it
/// can be read back.
enum DefaultLine {
  /// The line of a default.
  ///
  /// - Parameter isEscaped: Whether a character must be escaped; a text with such a character is written in
  ///   double quotes, where escapes are possible.
  /// - Throws: `PropertyListError` for a value that text cannot represent.
  static func text(
    domain: String, key: PropertyListKey, value: PropertyList,
    escaping isEscaped: (Unicode.Scalar) -> Bool = \.breaksLines
  ) throws(PropertyListError) -> String {
    let names = try [domain, key.text].map { (name) throws(PropertyListError) in
      try token(ofName: name, escaping: isEscaped)
    }
    return try "\(names[0]) \(names[1]) \(quoted(text(of: value, escaping: isEscaped)))"
  }

  /// The line of a value and its path: `.Window.frames[2].x 5`.
  ///
  /// - Throws: `PropertyListError` for a value that text cannot represent.
  static func text(
    path: PropertyListPath, value: PropertyList, escaping isEscaped: (Unicode.Scalar) -> Bool
  ) throws(PropertyListError) -> String {
    try text(key: path.description, value: value, escaping: isEscaped)
  }

  /// The line of a key and its value.
  ///
  /// - Throws: `PropertyListError` for a value that text cannot represent.
  static func text(
    key: String, value: PropertyList, escaping isEscaped: (Unicode.Scalar) -> Bool
  ) throws(PropertyListError) -> String {
    try "\(token(ofName: key, escaping: isEscaped)) \(quoted(text(of: value, escaping: isEscaped)))"
  }

  // MARK: Domains and keys

  /// The token of a domain or key.
  static func token(
    ofName name: String, escaping isEscaped: (Unicode.Scalar) -> Bool = \.breaksLines
  ) throws(PropertyListError) -> String {
    let readsBack = DefaultLine.name(of: name).utf8.elementsEqual(name.utf8)
    if readsBack && !name.unicodeScalars.contains(where: isEscaped) { return quoted(name) }
    return quoted(escaped(try PropertyList.string(name).text(style: .oneLine), isEscaped))
  }

  /// The domain or key that a token's text means: the contents of a string in double quotes, otherwise the
  /// text itself.
  static func name(of text: String) -> String {
    guard text.utf8.first == UInt8(ascii: "\"") else { return text }
    do {
      guard case .string(let name) = try PropertyList(parsing: text, options: .argument) else { return text }
      return name
    } catch {
      return text
    }
  }

  // MARK: Values

  /// The token of a value.
  static func token(
    of value: PropertyList, escaping isEscaped: (Unicode.Scalar) -> Bool = \.breaksLines
  ) throws(PropertyListError) -> String {
    quoted(try text(of: value, escaping: isEscaped))
  }

  /// The text of a value on one line; ``value(of:)`` is the inverse.
  static func text(
    of value: PropertyList, escaping isEscaped: (Unicode.Scalar) -> Bool = \.breaksLines
  ) throws(PropertyListError) -> String {
    if case .string(let text) = value, readsBack(text),
      !text.unicodeScalars.contains(where: isEscaped)
    {
      return text
    }
    return escaped(try value.text(style: .oneLine), isEscaped)
  }

  /// A property list's text with escapes also for the characters that it has as they are; they stand in double quotes.
  private static func escaped(_ text: String, _ isEscaped: (Unicode.Scalar) -> Bool) -> String {
    guard text.unicodeScalars.contains(where: isEscaped) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isEscaped(scalar) {
        result += TerminalText.escape(for: scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The value that a text means, a token's or an argument's.
  ///
  /// A text that begins like data, an array, a dictionary, a quoted string or XML must be one. Any other text
  /// is a string, unchanged with its white space, unless it is a scalar with a type note: `5 /*integer*/` is
  /// a number.
  ///
  /// - Parameters:
  ///   - octalEscapes: What octal escapes above `\177` mean.
  ///   - objectBound: How many values and keys a text has at most.
  /// - Throws: ``CommandError`` for a text that begins like a property list and is not one, for a type note that does
  ///   not fit its value or makes another number of it, and for a text of too many values.
  static func value(
    of text: String, octalEscapes: PropertyList.ParsingOptions.OctalEscapes = .nextStep,
    objectBound: Int = PropertyList.maximumObjectCount
  ) throws(CommandError) -> PropertyList {
    switch firstCharacter(of: text) {
    case "(", "{", "\"", "<":
      do {
        let bytes = Array(text.utf8)
        // Only XML is recognised by its bytes: a text's character set is known here, and need not be guessed.
        if DomainFileFormat(recognising: bytes) == .xml {
          var options = PropertyList.XMLParsingOptions()
          options.bounds.objectCount = objectBound
          options.refusesOtherNumbers = true
          options.isOfString = true
          return try PropertyList(parsingXML: bytes, options: options)
        }
        var options = PropertyList.ParsingOptions.argument
        options.octalEscapes = octalEscapes
        options.bounds.objectCount = objectBound
        options.refusesOtherNumbers = true
        let (value, warnings) = try PropertyList.parsingWithWarnings(text, options: options)
        guard let note = warnings.first(where: { $0.kind == .unfittingNote }) else { return value }
        throw refusal("\(note)")
      } catch let error as CommandError {
        throw error
      } catch let error as PropertyListError where error.exceedsObjectCount {
        throw CommandError(
          .usage,
          "the value has more than \(objectBound) values and keys in it; “defaults import” takes so many from a file"
        )
      } catch {
        throw refusal("the value is no property list: \(error)")
      }
    default:
      do {
        return try PropertyList(typedScalar: text) ?? commentedScalar(text) ?? .string(text)
      } catch {
        throw refusal("\(error)")
      }
    }
  }

  private static func refusal(_ reason: String) -> CommandError {
    CommandError(.usage, "\(reason); to write it as a string, put it in double quotes: '\"…\"'")
  }

  /// The number, truth value or date that a text with a type note and other comments means; nil for any other
  /// text.
  ///
  /// - Throws: an error for a number of which its type makes another.
  private static func commentedScalar(_ text: String) throws(PropertyListError) -> PropertyList? {
    // By pairs of bytes: searching for a collection in another is slow on long texts.
    let pairs = zip(text.utf8, text.utf8.dropFirst())
    guard pairs.contains(where: { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "*") }) else { return nil }
    var options = PropertyList.ParsingOptions.argument
    // One object is a scalar; a text of more of them, and one that is no property list, is a string.
    options.bounds.objectCount = 1
    guard let value = try? PropertyList(parsing: text, options: options) else { return nil }
    switch value {
    case .integer, .boolean, .date: return value
    case .real, .float:
      options.refusesOtherNumbers = true
      return try PropertyList(parsing: text, options: options)
    case .string, .data, .array, .dictionary: return nil
    }
  }

  private static func readsBack(_ text: String) -> Bool {
    do {
      return try value(of: text) == .string(text)
    } catch {
      return false
    }
  }

  /// The first character that is not white space to the parser.
  private static func firstCharacter(of text: String) -> Unicode.Scalar? {
    text.unicodeScalars.first { scalar in
      switch scalar.value {
      case 0x09...0x0D, 0x20, 0x2028, 0x2029: false
      default: true
      }
    }
  }

  // MARK: Quotes

  /// A text as a token: in single quotes if it needs them.
  private static func quoted(_ text: String) -> String {
    let needsQuotes =
      text.isEmpty
      || text.unicodeScalars.contains { scalar in
        scalar == "'" || scalar == "\""
          || (scalar.isASCII ? scalar.value <= 0x20 : scalar.properties.isWhitespace)
      }
    guard needsQuotes else { return text }
    // By scalars, since a quote with a combining mark is another character in Swift.
    var token = "'"
    for scalar in text.unicodeScalars {
      token.unicodeScalars.append(scalar)
      if scalar == "'" { token.unicodeScalars.append(scalar) }
    }
    return token + "'"
  }
}
