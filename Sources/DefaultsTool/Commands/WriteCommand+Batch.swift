import DefaultsDatabase
import OpenStepPropertyList

/// The lines of standard input that `write` takes.
extension WriteCommand {
  private enum Change {
    case set(PropertyListKey, PropertyList)
    case replaceAll([PropertyListKey: PropertyList])
  }

  /// How many values and keys one line has at most.
  ///
  /// A value takes up to forty times the memory of its text until it is written, and the lines are promised to take
  /// little more than themselves.
  static let objectBound = 1 << 20

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
      of: words[words.count - 1], octalEscapes: database.octalEscapes(of: domain),
      objectBound: objectBound)
    if words.count == 3 { return (domain, .set(PropertyListKey(words[1]), value)) }
    guard case .dictionary(let entries) = value else { throw notDictionary(words[1]) }
    return (domain, .replaceAll(entries))
  }

  static func writeBatch(
    rehearsing isRehearsal: Bool, in context: CommandContext
  ) throws -> ExitCode {
    let database = try context.openDatabase()
    let forEachDomain = try readBatch(of: database, in: context)
    // All are read first: a domain that cannot be read cannot be written either, and is to be reported before
    // any other is written.
    let managed = try context.managedKeys()
    var count = 0
    try forEachDomain { domain, values in
      count += 1
      try database.refuseUnread(domain)
      // What a damaged file holds does not matter where the whole domain is replaced.
      let loaded = values.replacesAll ? nil : try database.load(domain)
      if let damage = loaded?.damage { throw damage.advisingRepair }
      let old = try loaded?.values ?? database.replacedValues(of: domain)
      let capacity = try database.capacity(of: domain)
      if let changes = try Self.held(values, in: domain, of: database, capacity)?.changes {
        try managed.check(changes, of: domain, over: old)
      } else {
        try managed.check(values, of: domain, over: old)
      }
    }
    if isRehearsal {
      try forEachDomain { domain, values in
        let old = try database.valuesToReplace(of: domain, reportingTo: context.output).values
        let held = try Self.held(values, in: domain, of: database, database.capacity(of: domain))
        let changes = held?.changes ?? values.changes
        try context.output.printDifferences(
          from: old.map { .dictionary($0) }, to: .dictionary(changes.applied(to: old ?? [:])),
          domain: domain.text)
        try context.output.tellOfLostTypes(in: held?.held, rehearsing: true)
      }
      return .done
    }
    var commits = BatchCommit(to: database, ofDomains: count, reportingTo: context.output)
    try forEachDomain { domain, values in try commit(values, of: domain, to: database, &commits) }
    return commits.code
  }

  /// Commits a domain's lines, with the values as its file can hold them.
  private static func commit(
    _ values: DomainLines, of domain: DomainName, to database: UserDatabase, _ commits: inout BatchCommit
  ) throws {
    let capacity: FileCapacity
    let held: (changes: DomainChanges, held: HeldValue)?
    do {
      capacity = try database.capacity(of: domain)
      held = try Self.held(values, in: domain, of: database, capacity)
    } catch let error as DatabaseError {
      return try commits.report(error, of: domain)
    }
    var request = held.map { CommitRequest($0.changes, to: domain) } ?? CommitRequest(values, to: domain)
    if values.replacesAll { request.onDamage = .moveAside }
    guard let isCommitted = try commits.commit(request, ifStill: capacity) else {
      return try commit(values, of: domain, to: database, &commits)
    }
    if isCommitted { try commits.output.tellOfLostTypes(in: held?.held, rehearsing: false) }
  }

  /// The changes that a domain's lines make, with the values as its file can hold them; nil if it holds all as they
  /// are.
  private static func held(
    _ lines: DomainLines, in domain: DomainName, of database: UserDatabase, _ capacity: FileCapacity
  ) throws -> (changes: DomainChanges, held: HeldValue)? {
    guard capacity != .everything else { return nil }
    let old = try lines.replacesAll ? database.replacedValues(of: domain) : database.values(of: domain) ?? [:]
    return try lines.changes.held(over: old, in: capacity)
  }

  /// Reads and checks all lines of standard input.
  ///
  /// - Returns: what calls a body with each domain, sorted by name, and its new values. Those of one domain are
  ///   kept; those of many domains could fill the memory, and are made from the lines each time.
  private static func readBatch(
    of database: UserDatabase, in context: CommandContext
  ) throws -> ((DomainName, DomainLines) throws -> Void) throws -> Void {
    let input = try context.readLines()
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
