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
    are held in memory, and take up to six times their size.
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
    var domains: [DomainName: DomainLines] = [:]
    try TokenLine.forEach(of: context.readInput()) { line in
      do {
        let (domain, change) = try change(line.words) { (name) throws(DatabaseError) in
          try DomainName(name, in: context.dialect)
        }
        switch change {
        case .set(let key, let value): try domains[domain, default: DomainLines()].set(value, for: key)
        case .replaceAll(let values): try domains[domain, default: DomainLines()].replaceAll(with: values)
        }
      } catch {
        let error = CommandError(error)
        throw TokenLine.error(line: line.number, error.code, error.message)
      }
    }
    let database = try context.openDatabase()
    // All are read first: a domain that cannot be read cannot be written either, and is to be reported before
    // any other is written.
    let managed = try context.managedKeys()
    for domain in domains.keys.sorted() {
      do throws(PropertyListError) {
        try domains[domain]?.finish()
      } catch {
        throw CommandError(.refused, "\(domain): \(error)")
      }
      guard let lines = domains[domain] else { continue }
      let loaded = try database.load(domain)
      if let damage = loaded.damage { throw damage }
      try managed.check(lines, of: domain, over: loaded.values)
    }
    return try database.commit(domains.map { CommitRequest($1, to: $0) }, reportingTo: context.output)
  }
}
