import OpenStepPropertyList

/// Commands of this tool as text, ready to be pasted into a shell.
struct CommandText {
  /// What stands before the verb, such as a variable's value.
  var prefix = ""
  /// The words that name the domain or the file.
  let operand: [String]
  /// Whose spelling of types is used.
  var style = OutputStyle.openstep
  /// Whether a character must be escaped.
  let isEscaped: (Unicode.Scalar) -> Bool

  /// Makes the commands about a domain.
  ///
  /// - Parameter isEscaped: Whether a character must be escaped.
  init(domain: String, escaping isEscaped: @escaping (Unicode.Scalar) -> Bool) {
    let isPlain =
      domain.utf8.first != UInt8(ascii: "-") && !domain.utf8.contains(UInt8(ascii: "/"))
      && !DomainOperand.globalNames.contains(domain)
    operand = isPlain ? [domain] : ["-domain", domain]
    self.isEscaped = isEscaped
  }

  /// Makes the commands about a file.
  init(file: String, escaping isEscaped: @escaping (Unicode.Scalar) -> Bool) {
    operand = [file]
    self.isEscaped = isEscaped
  }

  /// The command that removes the whole domain or file.
  var deletion: String { text(["delete"] + operand) }

  /// The command that removes a value.
  func deletion(of path: PropertyListPath) -> String {
    text(["delete"] + operand + [KeyArgument.text(of: path)])
  }

  /// The command that sets a value.
  ///
  /// - Throws: `PropertyListError` for a value that text cannot represent.
  func writing(_ value: PropertyList, at path: PropertyListPath) throws(PropertyListError) -> String {
    text(["write"] + operand + [KeyArgument.text(of: path)] + (try words(of: value)))
  }

  /// The command that adds elements to an array.
  ///
  /// - Throws: `PropertyListError` for a value that text cannot represent.
  func appending(
    _ elements: [PropertyList], at path: PropertyListPath
  ) throws(PropertyListError) -> String {
    var words = ["write"] + operand + [KeyArgument.text(of: path), "-array-add"]
    for element in elements { words += try self.words(of: element) }
    return text(words)
  }

  /// The words from which `write` reads a value.
  private func words(of value: PropertyList) throws(PropertyListError) -> [String] {
    let text = try DefaultLine.text(of: value)
    switch value {
    case .string(let string):
      if ValueArgument.flags.contains(text) { return ["-string", text] }
      let isItself = text == string || string.utf8.contains(0) || style == .openstep
      return isItself ? [text] : ["-string", string]
    case _ where style == .openstep: return [text]
    case .integer(let number): return ["-int", number.description]
    case .real: return ["-float", value.scalarText ?? ""]
    case .boolean(let truth): return ["-bool", truth ? "true" : "false"]
    case .data(let bytes): return ["-data", TaggedText.hexadecimal(bytes)]
    case .date, .float, .array, .dictionary: return [text]
    }
  }

  private func text(_ words: [String]) -> String {
    "\(prefix)defaults " + words.map { ShellWord.text($0, escaping: isEscaped) }.joined(separator: " ")
  }
}
