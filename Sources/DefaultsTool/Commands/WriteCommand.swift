import DefaultsDatabase
import OpenStepPropertyList

/// `write`: sets one default, replaces a domain, or takes the lines of `read`.
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
    What begins so and is no property list is refused; to write it as a string, put it in
    double quotes as well: '"(1, 2"'. Anything else is a string as it stands, but for one with
    a note of its type: '5 /*integer*/', also real, float, boolean (YES, NO) and date.

    Each line of standard input is a domain, a key and a value, or a domain and a dictionary,
    quoted as “defaults read” does it. If one line is bad, nothing at all is written.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard !arguments.isEmpty else { return try writeBatch(in: context) }
    let (domain, changes) = try change(arguments)
    _ = try context.openDatabase().commit(changes, to: domain, onDamage: .refuse)
    return .done
  }

  /// The change that a domain, a key and a value, or a domain and a dictionary, ask for.
  private static func change(_ words: [String]) throws -> (DomainName, DomainChanges) {
    guard words.count >= 2 else { throw usageError("a key and a value are missing behind “\(words[0])”") }
    guard words.count <= 3 else {
      throw usageError(
        "there are \(words.count) words instead of a domain, a key and a value; quote the value")
    }
    let domain = try DomainName(words[0])
    var changes = DomainChanges()
    if words.count == 3 {
      changes.set(try DefaultLine.value(of: words[2]), for: PropertyListKey(words[1]))
    } else if case .dictionary(let entries) = try DefaultLine.value(of: words[1]) {
      changes.replaceAll(with: entries)
    } else {
      throw usageError(
        "“\(words[1])” is no dictionary and no key with a value; a whole domain is written as '{ key = value; }'"
      )
    }
    return (domain, changes)
  }

  // MARK: Standard input

  private static func writeBatch(in context: CommandContext) throws -> ExitCode {
    var changes: [DomainName: DomainChanges] = [:]
    for line in try TokenLine.lines(of: context.readInput()) {
      do {
        let (domain, change) = try change(line.words)
        changes[domain, default: DomainChanges()].merge(change)
      } catch {
        let error = CommandError(error)
        throw TokenLine.error(line: line.number, error.code, error.message)
      }
    }
    let database = try context.openDatabase()
    // A domain that cannot be read cannot be written either: better known before the first is written.
    for domain in changes.keys.sorted() { _ = try database.values(of: domain) }
    return try database.commit(changes, reportingTo: context.output)
  }
}
