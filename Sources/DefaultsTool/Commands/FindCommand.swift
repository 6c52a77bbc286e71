import DefaultsDatabase
import OpenStepPropertyList

/// `find`: looks for a word among domains, keys and values.
enum FindCommand: Subcommand {
  static let name = "find"
  static let forms = [CommandForm("word", "list what has that name or value")]
  static let discussion = """
    The whole name, key or string must be equal to the word; strings within arrays and
    dictionaries, and their keys, count too. A domain is listed by its name, a default by the
    line of “defaults read”.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard arguments.count == 1 else { throw usageError("“find” takes one word") }
    let word = PropertyListKey(arguments[0])
    let managed = try context.managedKeys()
    var isFound = false
    let database = try context.openDatabase()
    let code = try database.forEachDomain(reportingTo: context.output) { domain, values in
      if PropertyListKey(domain.text) == word {
        isFound = true
        try context.output.print(DefaultLine.token(ofName: domain.text, escaping: context.output.escapes))
      }
      let found = values.filter { $0.key == word || contains($0.value, word) }
      if !found.isEmpty { isFound = true }
      try context.output.print(found, of: domain)
      try managed.tell(of: found.keys, in: domain)
    }
    guard isFound || code != .done else {
      throw CommandError(.absent, "nothing is called “\(word)”")
    }
    return code
  }

  private static func contains(_ value: PropertyList, _ word: PropertyListKey) -> Bool {
    switch value {
    case .array(let elements):
      elements.contains { contains($0, word) }
    case .dictionary(let entries):
      entries.contains { $0.key == word || contains($0.value, word) }
    case .string, .data, .integer, .real, .float, .boolean, .date:
      value.scalarText.map { PropertyListKey($0) } == word
    }
  }
}
