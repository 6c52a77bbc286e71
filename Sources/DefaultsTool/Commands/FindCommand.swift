import DefaultsDatabase
import OpenStepPropertyList

/// `find`: looks for a word among domains, keys and values.
enum FindCommand: Subcommand {
  static let name = "find"
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-part] word", "list what has that name or value",
      example: """
        $ defaults write App Font Helvetica
        $ defaults find -part helv
        App Font Helvetica
        """)
  ]
  static let discussion = """
    The whole name, key or string must be equal to the word; strings within arrays and
    dictionaries, and their keys, count too. A domain is listed by its name, a default by the
    line of “defaults read”. With -part, the word may be a part of it, in upper or lower case.
    With -macos, the word may always be a part, and what is found is printed domain by domain, as macOS'
    tool prints it; of a domain whose own name has the word, these are all defaults.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var isPart = false
    while let option = try words.option() {
      guard option == "-part" else { throw words.unknown(option) }
      isPart = true
    }
    guard let text = words.word() else { throw usageError("“find” takes one word") }
    try words.end("one word")
    let isMacOS = context.style == .macos
    let matches = matcher(of: text, isPart: isPart || isMacOS)
    let managed = try context.managedKeys()
    var isFound = false
    let database = try context.openDatabase()
    let code = try database.forEachDomain(reportingTo: context.output) { domain, values in
      if isMacOS {
        let name = domain.nameInMacOS
        let found = values.filter { matches(name) || matches($0.key.text) || contains($0.value, matches) }
        guard !found.isEmpty else { return }
        isFound = true
        try context.output.write(
          Array("Found \(found.count) keys in domain '\(name.onOneLine)': ".utf8))
        try OutputFormat.value.print(.dictionary(found), style: .macos, fromFileOf: 0, to: context.output)
        return try managed.tell(of: found.keys, in: domain)
      }
      if matches(domain.text) {
        isFound = true
        try context.output.print(DefaultLine.token(ofName: domain.text, escaping: context.output.escapes))
      }
      let found = values.filter { matches($0.key.text) || contains($0.value, matches) }
      if !found.isEmpty { isFound = true }
      try context.output.print(found, of: domain)
      try managed.tell(of: found.keys, in: domain)
    }
    guard isFound || code != .done else {
      var error = CommandError(
        .absent,
        isMacOS ? "No domain, key, nor value containing '\(text)'" : "nothing is called “\(text)”")
      if !isMacOS && !isPart { error.hint = "“find -part” finds parts of names and values, too" }
      throw error
    }
    return code
  }

  /// Whether a name or a string is the word, or has it as a part.
  private static func matcher(of word: String, isPart: Bool) -> (String) -> Bool {
    guard isPart else {
      let key = PropertyListKey(word)
      return { PropertyListKey($0) == key }
    }
    // By bytes: searching for a text in another is slow, and takes equivalent characters for equal.
    let part = SearchedWord(Array(word.lowercased().utf8))
    return { part.isPart(of: $0.lowercased().utf8) }
  }

  private static func contains(_ value: PropertyList, _ matches: (String) -> Bool) -> Bool {
    switch value {
    case .array(let elements):
      elements.contains { contains($0, matches) }
    case .dictionary(let entries):
      entries.contains { matches($0.key.text) || contains($0.value, matches) }
    case .string, .data, .integer, .real, .float, .boolean, .date:
      value.scalarText.map(matches) ?? false
    }
  }
}
