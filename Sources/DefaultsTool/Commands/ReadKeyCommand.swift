import DefaultsDatabase
import OpenStepPropertyList

/// `readkey`: prints one key's default in every domain that has it.
enum ReadKeyCommand: Subcommand {
  static let name = "readkey"
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "key", "print that key of every domain",
      example: """
        $ defaults write App Size 5
        $ defaults write Other Size 6
        $ defaults readkey Size
        App Size 5
        Other Size 6
        """)
  ]
  static let discussion = """
    The lines are those of “defaults read”. A key that begins with . or [ is a path to a value inside
    another, and its lines have the path: they show where the values are, and are not for “write”.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    if let option = try words.option() { throw words.unknown(option) }
    guard let word = words.word() else { throw usageError("“readkey” takes one key") }
    try words.end("one key")
    let key = try KeyArgument(word, of: self)
    let managed = try context.managedKeys()
    var isFound = false
    let code = try context.openDatabase().forEachDomain(reportingTo: context.output) { domain, values in
      guard let value = try? PropertyList.dictionary(values).value(at: key.path) else { return }
      isFound = true
      // A value inside another has no line of its own; its path tells where it stands.
      let name = key.key ?? PropertyListKey(key.path.description)
      try context.output.print(context.output.line(of: domain, key: name, value: value))
      if let top = key.topKey { try managed.tell(of: [top], in: domain) }
    }
    guard isFound || code != .done else {
      throw CommandError(.absent, "there is no default “\(word)” in any domain")
    }
    return code
  }
}
