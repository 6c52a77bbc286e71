import DefaultsDatabase
import OpenStepPropertyList

/// `write`: sets one default, replaces a domain, or reads the lines of `read`.
enum WriteCommand: Subcommand {
  static let name = "write"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-n] domain key value", "set one default",
      example: """
        $ defaults write App '.Window.frames[+]' -int 5
        $ defaults read App
        App Window '{frames = (5 /*integer*/); }'
        """),
    CommandForm(
      "[-n] domain '{…}'", "replace a domain by a dictionary",
      example: """
        $ defaults write App '{ a = 1; b = (x, y); }'
        $ defaults read App
        App a 1
        App b '(x, y)'
        """),
    CommandForm(
      "[-n]", "set what standard input lists",
      example: #"""
        $ printf 'App a 1\nOther b 2\n' | defaults write
        $ defaults read
        App a 1
        Other b 2
        """#),
  ]
  static let discussion = """
    A value is a property list in single quotes: '(1, 2)', '{ a = b; }', '<0fbd>', or XML.
    A value that begins like one but is not valid is refused; to write it as a string, put it in
    double quotes as well: '"(1, 2"'. Any other value is a string, unless a note of its type
    follows it, in exactly this spelling:

      5 /*integer*/        a whole number, -9223372036854775808 to 18446744073709551615
      1.5 /*real*/         a number of double precision; also 1e9, inf, -inf, nan
      1.5 /*float*/        a number of single precision
      YES /*boolean*/      YES or NO
      2026-11-20 15:16:00 +0000 /*date*/
                           a day, a time and the zone's distance from UTC; the seconds may
                           have a fraction: 15:16:00.125

    A flag before a value gives its type, too, and takes a string as it stands:

      -string TEXT         -int NUMBER          -float NUMBER        -bool yes|no|true|false|1|0
      -data HEX            -date DATE, as 2026-11-20, 2026-11-20T15:16:00Z or with +02:00
      -array [value …]     -array-add [value …] behind the elements that are there
      -dict [key value …]  -dict-add [key value …] into the dictionary that is there

    Each value of an array and a dictionary may have its own flag. The flag words are flags
    wherever a value is due; as a string, one is written -string -int.
    A key that begins with . or [ is a path into dictionaries and arrays, which are made where
    they are missing: defaults write App '.Recent[+]' a.txt
    -n shows what would be done, in the lines of “defaults diff”, and does nothing.
    A damaged domain is replaced as a whole only; its file is kept under another name, which is printed.

    In a file of Window Maker's, octal escapes are the bytes of UTF-8, as that program writes them:
    '"caf\\303\\251"'. Elsewhere they are characters of NeXT's set.

    Put the value and its note in single quotes, '5 /*integer*/'; without them, words that end
    with such a note are joined. A value that does not fit its note is refused.

    Each line of standard input is a domain, a key and a value, or a domain and a dictionary,
    quoted as “defaults read” does it. If one line is bad, nothing is written. The lines
    are held in memory, and take up to six times their size, in any number of domains.
    A key that the administrator sets is refused, exit code 3, unless the lines leave its stored
    value as it is.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var isRehearsal = false
    while let option = try words.option() {
      guard option == "-n" || option == "-dry-run" else { throw words.unknown(option) }
      isRehearsal = true
    }
    guard let operand = try words.domain() else {
      return try writeBatch(rehearsing: isRehearsal, in: context)
    }
    let rest = words.all()
    guard !rest.isEmpty else { throw usageError("a key and a value are missing after “\(operand)”") }
    let subject = try operand.subject(in: context)
    let (before, after) =
      rest.count == 1
      ? try replace(subject, by: rest[0], rehearsing: isRehearsal)
      : try set(rest[0], of: subject, to: Array(rest[1...]), rehearsing: isRehearsal, context.output)
    if isRehearsal {
      try context.output.printDifferences(from: before, to: after, domain: subject.column)
    } else if let domain = subject as? DomainSubject {
      try tell(ofLostTypesIn: domain, from: before, to: after, context.output)
    }
    return .done
  }

  /// Replaces all by a dictionary.
  private static func replace(
    _ subject: any Subject, by text: String, rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    if ValueArgument.flags.contains(text) {
      throw usageError("a key stands before “\(text)”")
    }
    let value = try DefaultLine.value(of: text, octalEscapes: subject.octalEscapes)
    guard case .dictionary(let entries) = value else { throw notDictionary(text) }
    if let domain = subject as? DomainSubject {
      return try domain.replaceAll(with: entries, rehearsing: isRehearsal)
    }
    return try subject.change(rehearsing: isRehearsal) { _ in value }
  }

  /// Sets the value of one key, or the value to which a path leads.
  private static func set(
    _ word: String, of subject: any Subject, to words: [String], rehearsing isRehearsal: Bool,
    _ output: CommandOutput
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    guard !ValueArgument.flags.contains(word) else {
      throw usageError("a key stands before “\(word)”; a key of that name is written .\(word)")
    }
    let key = try KeyArgument(word, of: self)
    let value = try ValueArgument(joiningTypedScalar(words), octalEscapes: subject.octalEscapes)
    try hintAtNotes(in: words, output)
    if let domain = subject as? DomainSubject, let key = key.key, case .value(let value) = value {
      return try domain.set(value, for: key, rehearsing: isRehearsal)
    }
    return try subject.change(rehearsing: isRehearsal) { root in
      let base = root ?? key.path.emptyRoot
      do {
        return try base.changed(at: key.path) { try value.applied(to: $0, of: word) }
      } catch let error as PropertyListPathError {
        throw CommandError(.refused, "\(subject.name.onOneLine): \(error); nothing was changed")
      }
    }
  }

  /// Tells a person of a string that was probably meant to have a type.
  private static func hintAtNotes(in words: [String], _ output: CommandOutput) throws {
    for (index, word) in words.enumerated() where index == 0 || words[index - 1] != "-string" {
      guard try DefaultLine.value(of: word) == .string(word),
        let meant = PropertyList.typedScalar(meantBy: word)
      else { continue }
      try output.hint("“\(word)” is written as a string; with its type it is '\(meant)'")
    }
  }

  /// Reports a typed value that a file of Window Maker's holds without its type.
  private static func tell(
    ofLostTypesIn subject: DomainSubject, from old: PropertyList?, to new: PropertyList?,
    _ output: CommandOutput
  ) throws {
    guard subject.database.isWindowMakers(subject.domain), case .dictionary(let after)? = new else { return }
    var before: [PropertyListKey: PropertyList] = [:]
    if case .dictionary(let entries)? = old { before = entries }
    for (name, value) in after where before[name] != value {
      guard try value.withoutTypes != value else { continue }
      return try output.printError(
        "defaults: “\(name.text.onOneLine)” is written without its type: Window Maker reads no comments")
    }
  }

  private enum Change {
    case set(PropertyListKey, PropertyList)
    case replaceAll([PropertyListKey: PropertyList])
  }

  /// The change that the words describe: a domain, a key and a value, or a domain and a dictionary.
  private static func change(
    _ words: [String], in database: UserDatabase
  ) throws -> (DomainName, Change) {
    let words = Array(words.prefix(2)) + joiningTypedScalar(Array(words.dropFirst(2)))
    guard words.count >= 2 else { throw usageError("a key and a value are missing after “\(words[0])”") }
    guard words.count <= 3 else {
      throw usageError(
        "there are \(words.count) words instead of a domain, a key and a value; quote the value")
    }
    let domain = try DomainName(words[0], in: database.dialect)
    let value = try DefaultLine.value(
      of: words[words.count - 1], octalEscapes: database.octalEscapes(of: domain))
    if words.count == 3 { return (domain, .set(PropertyListKey(words[1]), value)) }
    guard case .dictionary(let entries) = value else { throw notDictionary(words[1]) }
    return (domain, .replaceAll(entries))
  }

  private static func notDictionary(_ word: String) -> CommandError {
    usageError(
      "“\(word)” is no dictionary and no key with a value; a whole domain is written as '{ key = value; }'")
  }

  /// The words of a value, with those of an unquoted scalar and its type note joined: `5`, `/*integer*/`.
  private static func joiningTypedScalar(_ words: [String]) -> [String] {
    guard words.count > 1, !ValueArgument.flags.contains(words[0]),
      PropertyList.isTypeNote(words[words.count - 1])
    else { return words }
    return [words.joined(separator: " ")]
  }

  // MARK: Standard input

  private static func writeBatch(
    rehearsing isRehearsal: Bool, in context: CommandContext
  ) throws -> ExitCode {
    let database = try context.openDatabase()
    let forEachDomain = try readBatch(of: database, in: context)
    // All are read first: a domain that cannot be read cannot be written either, and is to be reported before
    // any other is written.
    let managed = try context.managedKeys()
    try forEachDomain { domain, values in
      // What a damaged file holds does not matter where the whole domain is replaced.
      let loaded = values.replacesAll ? nil : try database.load(domain)
      if let damage = loaded?.damage { throw damage.advisingRepair }
      try managed.check(
        values, of: domain, over: try loaded?.values ?? database.replacedValues(of: domain))
    }
    if isRehearsal {
      try forEachDomain { domain, values in
        let loaded = try database.load(domain)
        if let damage = loaded.damage { try context.output.reportDamage(toReplace: damage) }
        let old = loaded.identity == nil || loaded.isDamaged ? nil : loaded.values
        try context.output.printDifferences(
          from: old.map { .dictionary($0) }, to: .dictionary(values.changes.applied(to: old ?? [:])),
          domain: domain.text)
      }
      return .done
    }
    var commits = BatchCommit(to: database, reportingTo: context.output)
    try forEachDomain { domain, values in
      var request = CommitRequest(values, to: domain)
      if values.replacesAll { request.onDamage = .moveAside }
      try commits.commit(request)
    }
    return commits.code
  }

  /// Reads and checks all lines of standard input.
  ///
  /// - Returns: what calls a body with each domain, sorted by name, and its new values. Those of one domain are
  ///   kept; those of many domains could fill the memory, and are made from the lines each time.
  private static func readBatch(
    of database: UserDatabase, in context: CommandContext
  ) throws -> ((DomainName, DomainLines) throws -> Void) throws -> Void {
    let input = try context.readInput()
    var domain: DomainName?
    var isOnlyDomain = true
    var values = DomainLines()
    try TokenLine.forEach(of: input) { line in
      if !isOnlyDomain { values = DomainLines() }
      let name = try record(line, in: &values, of: database)
      if let domain, domain != name { isOnlyDomain = false }
      domain = name
    }
    if isOnlyDomain, let domain {
      let values = try finished(&values, of: domain)
      return { body in try body(domain, values) }
    }
    let dialect = database.dialect
    let lines = try BatchLines(of: input, in: dialect) { try DomainName($0.words[0], in: dialect) }
    return { body in
      try lines.forEachDomain { domain in
        var values = DomainLines()
        try lines.forEachLine(of: domain) { line in _ = try record(line, in: &values, of: database) }
        try body(domain.name, finished(&values, of: domain.name))
      }
    }
  }

  /// The values of all of a domain's lines.
  private static func finished(_ values: inout DomainLines, of domain: DomainName) throws -> DomainLines {
    do throws(PropertyListError) {
      try values.finish()
      return values
    } catch {
      throw CommandError(.refused, "\(domain): \(error)")
    }
  }

  /// Records the values of a line, and gives its domain.
  private static func record(
    _ line: TokenLine, in values: inout DomainLines, of database: UserDatabase
  ) throws -> DomainName {
    do {
      let (domain, change) = try change(line.words, in: database)
      switch change {
      case .set(let key, let value): try values.set(value, for: key)
      case .replaceAll(let entries): try values.replaceAll(with: entries)
      }
      return domain
    } catch {
      let error = CommandError(error)
      throw TokenLine.error(line: line.number, error.code, error.message)
    }
  }
}

extension PropertyListPath {
  /// The empty container with which a new file begins: an array only where the path says so.
  fileprivate var emptyRoot: PropertyList {
    switch steps.first {
    case .index?, .insertion?: []
    case .key?, nil: [:]
    }
  }
}
