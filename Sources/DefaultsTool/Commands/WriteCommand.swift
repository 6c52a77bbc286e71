import DefaultsDatabase
import OpenStepPropertyList

/// `write`: sets one default, replaces a domain, or reads the lines of `read`.
enum WriteCommand: Subcommand {
  static let name = "write"
  static let takesDomain = true
  static let forms = [
    CommandForm("domain key value", "set one default"),
    CommandForm("domain '{…}'", "replace a domain by a dictionary"),
    CommandForm("", "set what standard input lists"),
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

    Put the value and its note in single quotes, '5 /*integer*/'; without them, words that end
    with such a note are joined. A value that does not fit its note is refused.

    Each line of standard input is a domain, a key and a value, or a domain and a dictionary,
    quoted as “defaults read” does it. If one line is bad, nothing is written. The lines
    are held in memory, and take up to six times their size, in any number of domains.
    A key that the administrator sets is refused, exit code 3, unless the lines leave its stored
    value as it is.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard !arguments.isEmpty else { return try writeBatch(in: context) }
    let (domain, change) = try change(arguments) { (name) throws(DatabaseError) in
      try DomainName(operand: name)
    }
    let database = try context.openDatabase()
    let managed = try context.managedKeys()
    var changes = DomainChanges()
    switch change {
    case .set(let key, let value):
      try managed.check(key, in: domain)
      changes.set(value, for: key)
    case .replaceAll(let values):
      changes.replaceAll(with: values)
      try managed.check(changes, of: domain, over: try database.replacedValues(of: domain))
    }
    _ = try database.commit(CommitRequest(changes, to: domain))
    if case .set(_, let value) = change, database.isWindowMakers(domain), try value.withoutTypes != value {
      try context.output.printError(
        "defaults: “\(arguments[1].onOneLine)” is written without its type: Window Maker reads no comments")
    }
    return .done
  }

  private enum Change {
    case set(PropertyListKey, PropertyList)
    case replaceAll([PropertyListKey: PropertyList])
  }

  /// The change that the words describe: a domain, a key and a value, or a domain and a dictionary.
  ///
  /// - Parameter domainName: Checks the domain's name.
  private static func change(
    _ words: [String], domainName: (String) throws(DatabaseError) -> DomainName
  ) throws -> (DomainName, Change) {
    let words = joiningTypedScalar(words)
    guard words.count >= 2 else { throw usageError("a key and a value are missing after “\(words[0])”") }
    guard words.count <= 3 else {
      throw usageError(
        "there are \(words.count) words instead of a domain, a key and a value; quote the value")
    }
    let domain = try domainName(words[0])
    if words.count == 3 {
      return (domain, .set(PropertyListKey(words[1]), try DefaultLine.value(of: words[2])))
    }
    guard case .dictionary(let entries) = try DefaultLine.value(of: words[1]) else {
      throw usageError(
        "“\(words[1])” is no dictionary and no key with a value; a whole domain is written as '{ key = value; }'"
      )
    }
    return (domain, .replaceAll(entries))
  }

  /// The words, with those of an unquoted scalar and its type note joined: `5`, `/*integer*/`.
  private static func joiningTypedScalar(_ words: [String]) -> [String] {
    guard words.count > 3, PropertyList.isTypeNote(words[words.count - 1]) else { return words }
    return words.prefix(2) + [words.dropFirst(2).joined(separator: " ")]
  }

  // MARK: Standard input

  private static func writeBatch(in context: CommandContext) throws -> ExitCode {
    let forEachDomain = try readBatch(in: context)
    let database = try context.openDatabase()
    // All are read first: a domain that cannot be read cannot be written either, and is to be reported before
    // any other is written.
    let managed = try context.managedKeys()
    try forEachDomain { domain, values in
      let loaded = try database.load(domain)
      if let damage = loaded.damage { throw damage }
      try managed.check(values, of: domain, over: loaded.values)
    }
    var commits = BatchCommit(to: database, reportingTo: context.output)
    try forEachDomain { domain, values in try commits.commit(CommitRequest(values, to: domain)) }
    return commits.code
  }

  /// Reads and checks all lines of standard input.
  ///
  /// - Returns: what calls a body with each domain, sorted by name, and its new values. Those of one domain are
  ///   kept; those of many domains could fill the memory, and are made from the lines each time.
  private static func readBatch(
    in context: CommandContext
  ) throws -> ((DomainName, DomainLines) throws -> Void) throws -> Void {
    let input = try context.readInput()
    let dialect = context.dialect
    var domain: DomainName?
    var isOnlyDomain = true
    var values = DomainLines()
    try TokenLine.forEach(of: input) { line in
      if !isOnlyDomain { values = DomainLines() }
      let name = try record(line, in: &values, dialect: dialect)
      if let domain, domain != name { isOnlyDomain = false }
      domain = name
    }
    if isOnlyDomain, let domain {
      let values = try finished(&values, of: domain)
      return { body in try body(domain, values) }
    }
    let lines = try BatchLines(of: input, in: dialect) { try DomainName($0.words[0], in: dialect) }
    return { body in
      try lines.forEachDomain { domain in
        var values = DomainLines()
        try lines.forEachLine(of: domain) { line in _ = try record(line, in: &values, dialect: dialect) }
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
    _ line: TokenLine, in values: inout DomainLines, dialect: DatabaseDialect
  ) throws -> DomainName {
    do {
      let (domain, change) = try change(line.words) { (name) throws(DatabaseError) in
        try DomainName(name, in: dialect)
      }
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
