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
    The lines are held in memory, and take up to six times their size, besides one domain at a time.
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

  private static func deleteBatch(in context: CommandContext) throws -> ExitCode {
    let lines = try BatchLines(of: context.readInput(), in: context.dialect) { line in
      let words = line.words
      guard (2...3).contains(words.count) else {
        throw TokenLine.error(
          line: line.number, .usage,
          words.count == 1
            ? "a key is missing after the domain “\(words[0])”"
            : "there are \(words.count) words instead of a domain and a key")
      }
      do throws(DatabaseError) {
        return try DomainName(words[0], in: context.dialect)
      } catch {
        throw TokenLine.error(line: line.number, .refused, CommandError(error).message)
      }
    }
    let database = try context.openDatabase()
    let managed = try context.managedKeys()
    // All are read first: a domain that cannot be read cannot be written either, and is to be reported before
    // any other is written. They are read again later, because all together could fill the memory.
    try lines.forEachDomain { domain in
      let values = try database.values(of: domain.name) ?? [:]
      let changes = try changes(of: domain, in: lines, over: values) { _, _ in }
      try managed.check(changes, of: domain.name, over: values)
    }
    var commits = BatchCommit(to: database, reportingTo: context.output)
    try lines.forEachDomain { domain in
      let values: [PropertyListKey: PropertyList]
      do {
        values = try database.values(of: domain.name) ?? [:]
      } catch let error as DatabaseError {
        return try commits.report(CommandError(error))
      }
      let changes = try changes(of: domain, in: lines, over: values) { line, key in
        let absence = CommandError.absence(of: key, in: domain.name)
        try commits.report(TokenLine.error(line: line.number, .absent, absence.message))
      }
      if !changes.isEmpty { try commits.commit(CommitRequest(changes, to: domain.name)) }
    }
    return commits.code
  }

  /// The removal of those keys of a domain's lines that it has.
  ///
  /// - Parameter absence: Called with each line whose key it does not have.
  private static func changes(
    of domain: BatchLines.Domain, in lines: BatchLines, over values: [PropertyListKey: PropertyList],
    absence: (TokenLine, PropertyListKey) throws -> Void
  ) throws -> DomainChanges {
    var changes = DomainChanges()
    try lines.forEachLine(of: domain) { line in
      let key = PropertyListKey(line.words[1])
      if values[key] != nil { changes.remove(key) } else { try absence(line, key) }
    }
    return changes
  }
}
