extension PropertyListPath {
  /// Reads a path.
  ///
  /// ```ebnf
  /// path   = "." | step , { step } ;
  /// step   = "." , ( name | quoted ) | "[" , ( index | insertion | quoted ) , "]" ;
  /// index  = [ "-" ] , digit , { digit } ;
  /// insertion = "+" , { digit } ;
  /// ```
  ///
  /// A name has no `.`, `[`, `]`, quote, backslash or control character; a quoted string is one of a property
  /// list's text.
  ///
  /// - Throws: `PropertyListError` with the column of what is no path, or of the first step behind
  ///   `PropertyList.maximumDepth` steps: a value so deep could not be read back.
  package init(_ text: String) throws(PropertyListError) {
    self.init([Step]())
    if haveEqualBytes(text, ".") { return }
    var reader = PathReader(text)
    var steps: [Step] = []
    repeat {
      guard steps.count < PropertyList.maximumDepth else {
        throw reader.error("a path has at most \(PropertyList.maximumDepth) steps")
      }
      steps.append(try reader.step())
    } while !reader.isAtEnd
    self.init(steps)
  }
}

/// Reads the steps of a path one by one.
private struct PathReader {
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  var isAtEnd: Bool { position >= scalars.count }

  private var next: Unicode.Scalar? { isAtEnd ? nil : scalars[position] }

  mutating func step() throws(PropertyListError) -> PropertyListPath.Step {
    switch next {
    case ".":
      position += 1
      if next == "\"" || next == "'" { return .key(try quoted()) }
      let start = position
      while let scalar = next, PropertyListPath.isPlain(scalar) { position += 1 }
      guard position > start else { throw error("a key is missing behind “.”; an empty one is \"\"") }
      return .key(key(start..<position))
    case "[":
      position += 1
      let step = try bracketed()
      guard next == "]" else { throw error("“]” is missing") }
      position += 1
      return step
    default:
      throw error("a step begins with “.” or “[”; a key with other characters is quoted, as in .\"a.b\".c")
    }
  }

  private mutating func bracketed() throws(PropertyListError) -> PropertyListPath.Step {
    switch next {
    case "\"", "'":
      return .key(try quoted())
    case "+":
      position += 1
      guard next != "]" else { return .insertion(before: nil) }
      return .insertion(before: try digits(isNegative: false))
    case "-":
      position += 1
      return .index(try digits(isNegative: true))
    default:
      return .index(try digits(isNegative: false))
    }
  }

  private mutating func digits(isNegative: Bool) throws(PropertyListError) -> Int {
    let start = position
    while let scalar = next, ("0"..."9").contains(scalar) { position += 1 }
    guard position > start else { throw error("an index such as 0, -1 or + is missing behind “[”") }
    let digits = key(start..<position).text
    guard let number = Int(isNegative ? "-\(digits)" : digits) else {
      throw error("the index \(digits) is too large")
    }
    guard !isNegative || number < 0 else { throw error("there is no index -0; the first element is 0") }
    return number
  }

  /// A string in quotes, with the escapes of a property list.
  private mutating func quoted() throws(PropertyListError) -> PropertyListKey {
    let (quote, start) = (scalars[position], position)
    position += 1
    while let scalar = next, scalar != quote { position += scalar == "\\" ? 2 : 1 }
    guard position < scalars.count else {
      position = start
      throw error("the quote that opens here is not closed")
    }
    position += 1
    var options = PropertyList.ParsingOptions()
    options.form = .file
    let text = key(start..<position).text
    guard case .string(let name) = try PropertyList(parsing: text, options: options) else {
      throw error("this is no string")
    }
    return PropertyListKey(name)
  }

  private func key(_ range: Range<Int>) -> PropertyListKey {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[range])
    return PropertyListKey(String(text))
  }

  func error(_ message: String) -> PropertyListError {
    PropertyListError(message: message, line: 1, column: position + 1)
  }
}
