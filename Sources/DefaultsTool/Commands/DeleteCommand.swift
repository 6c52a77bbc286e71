import DefaultsDatabase
import OpenStepPropertyList

/// `delete`: removes a default, a domain, or the defaults that standard input lists.
enum DeleteCommand: Subcommand {
  static let name = "delete"
  static let takesDomain = true
  static let forms = [
    CommandForm("domain key", "delete one default"),
    CommandForm("domain", "delete a domain with all its defaults"),
    CommandForm("", "delete what standard input lists"),
  ]
  static let discussion = """
    Each line of standard input is a domain and a key, quoted as “defaults read” does it; a
    value after them, as “read” prints it, is ignored. If one line is bad, nothing is deleted.
    A default that does not exist is reported, and the others are deleted. A key that the
    administrator sets is refused, exit code 3, and so is a domain with such a key.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard arguments.count <= 2 else { throw usageError("“delete” takes a domain and a key at most") }
    guard let first = arguments.first else { return try deleteBatch(in: context) }
    let domain = try DomainName(operand: first)
    let database = try context.openDatabase()
    let managed = try context.managedKeys()
    guard arguments.count == 2 else {
      var changes = DomainChanges()
      changes.replaceAll(with: [:])
      try managed.check(changes, of: domain, over: try database.replacedValues(of: domain))
      guard try database.remove(domain) else { throw CommandError.absence(of: domain) }
      return .done
    }
    let key = PropertyListKey(arguments[1])
    guard try database.existingValues(of: domain)[key] != nil else {
      throw CommandError.absence(of: key, in: domain)
    }
    try managed.check(key, in: domain)
    var changes = DomainChanges()
    changes.remove(key)
    _ = try database.commit(CommitRequest(changes, to: domain))
    return .done
  }

  // MARK: Standard input

  private struct Deletion {
    let line: Int
    let key: PropertyListKey
  }

  private static func deleteBatch(in context: CommandContext) throws -> ExitCode {
    var deletions: [DomainName: [Deletion]] = [:]
    try TokenLine.forEach(of: context.readInput()) { line in
      let words = line.words
      guard (2...3).contains(words.count) else {
        throw TokenLine.error(
          line: line.number, .usage,
          words.count == 1
            ? "a key is missing after the domain “\(words[0])”"
            : "there are \(words.count) words instead of a domain and a key")
      }
      do throws(DatabaseError) {
        let domain = try DomainName(words[0], in: context.dialect)
        deletions[domain, default: []].append(Deletion(line: line.number, key: PropertyListKey(words[1])))
      } catch {
        throw TokenLine.error(line: line.number, .refused, CommandError(error).message)
      }
    }
    let database = try context.openDatabase()
    let managed = try context.managedKeys()
    // All are read first: a domain that cannot be read cannot be written either, and is to be reported before
    // any other is written.
    var values: [DomainName: [PropertyListKey: PropertyList]] = [:]
    for domain in deletions.keys.sorted() { values[domain] = try database.values(of: domain) }
    var code = ExitCode.done
    var changes: [DomainName: DomainChanges] = [:]
    for (domain, deletions) in deletions.sorted(by: { $0.key < $1.key }) {
      for deletion in deletions {
        if values[domain]?[deletion.key] != nil {
          changes[domain, default: DomainChanges()].remove(deletion.key)
        } else {
          let absence = CommandError.absence(of: deletion.key, in: domain)
          try context.output.report(TokenLine.error(line: deletion.line, .absent, absence.message))
          code = .absent
        }
      }
    }
    for (domain, changes) in changes.sorted(by: { $0.key < $1.key }) {
      try managed.check(changes, of: domain, over: values[domain] ?? [:])
    }
    return max(
      code, try database.commit(changes.map { CommitRequest($1, to: $0) }, reportingTo: context.output))
  }
}
