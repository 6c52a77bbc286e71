import DefaultsDatabase
import OpenStepPropertyList

/// Commands of this tool as text, ready to be pasted into a shell.
struct CommandText {
  /// What stands before the command, such as a variable's value.
  private var prefix = ""
  /// The options before the verb.
  var options: [String] = []
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
      && !DomainOperand.isGlobal(domain)
    operand = isPlain ? [domain] : ["-domain", domain]
    self.isEscaped = isEscaped
  }

  /// Makes the commands about a file.
  init(file: String, escaping isEscaped: @escaping (Unicode.Scalar) -> Bool) {
    operand = [file]
    self.isEscaped = isEscaped
  }

  /// Makes them commands about the database in a directory.
  mutating func useDatabase(in directory: String) {
    prefix = "\(DatabaseLocation.environmentVariable)=\(ShellWord.portable(directory, escaping: isEscaped)) "
  }

  /// The command that removes the whole domain or file.
  var deletion: String { text(["delete"] + operand) }

  /// The command that removes a value.
  func deletion(of path: PropertyListPath) -> String {
    text(["delete"] + operand + [KeyArgument.text(of: path, escaping: isEscaped)])
  }

  /// The command that sets a value.
  ///
  /// - Throws: `PropertyListError` for a value that text cannot represent.
  func writing(_ value: PropertyList, at path: PropertyListPath) throws(PropertyListError) -> String {
    text(["write"] + operand + [KeyArgument.text(of: path, escaping: isEscaped)] + (try words(of: value)))
  }

  /// The command that adds elements to an array.
  ///
  /// - Throws: `PropertyListError` for a value that text cannot represent.
  func appending(
    _ elements: [PropertyList], at path: PropertyListPath
  ) throws(PropertyListError) -> String {
    var words = ["write"] + operand + [KeyArgument.text(of: path, escaping: isEscaped), "-array-add"]
    for element in elements { words += try self.words(of: element) }
    return text(words)
  }

  /// The words from which `write` reads a value.
  private func words(of value: PropertyList) throws(PropertyListError) -> [String] {
    let text = try DefaultLine.text(of: value, escaping: isEscaped)
    switch value {
    case .string(let string):
      if ValueArgument.isFlag(text) { return ["-string", text] }
      let isItself =
        text.utf8.elementsEqual(string.utf8) || string.unicodeScalars.contains(where: isEscaped)
        || style == .openstep
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
    "\(prefix)defaults "
      + (options + words).map { ShellWord.portable($0, escaping: isEscaped) }.joined(separator: " ")
  }
}

extension CommandContext {
  /// The options before the verb by which another command is about the same database.
  var databaseOptions: [String] { (user.map { ["-u", $0] } ?? []) + (isGNUstep ? ["-gnustep"] : []) }

  /// The commands about a domain of the database that this command line and its environment name.
  func commands(about domain: DomainName) throws -> CommandText {
    var commands = CommandText(domain: domain.text, escaping: output.escapes)
    commands.style = style
    commands.options = databaseOptions
    if !isGNUstep, let directory = try environment(DatabaseLocation.environmentVariable), !directory.isEmpty {
      // A shell into which the command is pasted need not have the variable.
      commands.useDatabase(in: try DatabaseLocation.absolute(directory))
    }
    return commands
  }
}
