import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

/// One side of a comparison: a single property list, or the domains of a directory.
///
/// Of a directory one domain is in memory at a time: a user can have any number of large ones, which may be one file under
/// many names.
struct DiffSide {
  /// The name in the header.
  let name: String
  private let contents: Contents
  /// The names of domains that could not be read, and that are compared with nothing therefore.
  private(set) var unreadable: Set<PropertyListKey> = []
  /// The code of the most severe error with which that was reported.
  private(set) var code = ExitCode.done
  /// The domain or file; nil for a directory.
  private let operand: DomainOperand?

  private enum Contents {
    case single(PropertyList)
    case domains([PropertyListKey: DomainName], UserDatabase, ManagedKeys?, CommandOutput)
  }

  /// Whether it is a directory of domains.
  var isDatabase: Bool {
    if case .domains = contents { true } else { false }
  }

  /// The domains' names; a single property list has the empty name.
  var names: Set<PropertyListKey> {
    switch contents {
    case .single: [""]
    case .domains(let domains, _, _, _): Set(domains.keys)
    }
  }

  /// Reads a domain, a file, a directory of domains, or a snapshot or a domain of one.
  static func reading(_ operand: DiffOperand, in context: CommandContext) throws -> DiffSide {
    switch operand {
    case .standardInput:
      let file = try SourceFile("-", in: context)
      return DiffSide(name: file.name, value: try file.recognisedValue(context.output))
    case .snapshot(let snapshot, let domain):
      let whole = try context.openDatabase()
      let database = try SnapshotCommand.snapshot(snapshot, in: History(of: whole)).files(of: whole)
      guard let domain else {
        return try DiffSide(of: database, named: operand.description, reportingTo: context.output)
      }
      let values = try database.existingValues(
        of: DomainOperand.domain(named: domain, in: context.dialect))
      return DiffSide(name: operand.description, value: .dictionary(values))
    case .subject(let subject):
      guard operand.isDirectory else { return try DiffSide(single: subject, in: context) }
      let path = subject.description
      let database = UserDatabase(
        directory: try DatabaseLocation.resolve(argument: path), dialect: context.dialect)
      return try DiffSide(of: database, named: path, reportingTo: context.output)
    }
  }

  /// What is now in the place of a snapshot, a directory, or a domain of a snapshot.
  static func present(beside operand: DiffOperand, in context: CommandContext) throws -> DiffSide {
    if case .snapshot(_, let domain?) = operand {
      let name = try DomainOperand.domain(named: domain, in: context.dialect)
      return try DiffSide(single: .domain(name), in: context)
    }
    let database = try context.openDatabase()
    var kept: Set<DomainName>?
    if case .snapshot(let name, nil) = operand {
      let history = History(of: database)
      let snapshot = try SnapshotCommand.snapshot(name, in: history)
      // The others were not made since.
      if try history.isPartial(snapshot) { kept = Set(try snapshot.files(of: database).domainNames()) }
    }
    return try DiffSide(
      of: database, managed: context.managedKeys(), only: kept, reportingTo: context.output)
  }

  /// Makes a single property list, which no command can change.
  private init(name: String, value: PropertyList) {
    self.name = name
    contents = .single(value)
    operand = nil
  }

  private init(single operand: DomainOperand, in context: CommandContext) throws {
    name = operand.description
    self.operand = operand
    let subject = try operand.subject(in: context)
    let root = try subject.existing().value
    try subject.tellOfManagedKeys(nil, in: root)
    contents = .single(root)
  }

  /// Lists all domains of a database; one in whose place something else lies is reported and left out.
  ///
  /// - Parameters:
  ///   - managed: The keys that the administrator sets for its programs, which are reported; nil for a directory that no
  ///     program searches.
  ///   - selection: The domains that are compared; nil for all.
  init(
    of database: UserDatabase, named name: String? = nil, managed: ManagedKeys? = nil,
    only selection: Set<DomainName>? = nil, reportingTo output: CommandOutput
  ) throws {
    self.name = name ?? database.directory
    operand = nil
    var misplaced: [(domain: DomainName, error: DatabaseError)] = []
    let domains = try database.domainNames(reportingTo: output) { misplaced.append(($0, $1)) }
    func isKept(_ domain: DomainName) -> Bool { selection?.contains(domain) ?? true }
    let byName = domains.filter(isKept).map { (PropertyListKey($0.text), $0) }
    contents = .domains(Dictionary(uniqueKeysWithValues: byName), database, managed, output)
    for (domain, error) in misplaced where isKept(domain) { leaveOut(domain, error) }
  }

  private mutating func leaveOut(_ domain: DomainName, _ error: DatabaseError) {
    unreadable.insert(PropertyListKey(domain.text))
    code = max(code, CommandError(error).code)
  }

  /// Reads the property list of a name; nil for none. One that cannot be read is reported and left out.
  mutating func value(of name: PropertyListKey) throws -> PropertyList? {
    switch contents {
    case .single(let value): return value
    case .domains(let domains, let database, let managed, let output):
      guard let domain = domains[name] else { return nil }
      let entries: [PropertyListKey: PropertyList]?
      do {
        entries = try database.values(of: domain)
      } catch let error as DatabaseError {
        leaveOut(domain, error)
        try output.report(CommandError(error))
        return nil
      }
      guard let entries else { return nil }
      try managed?.tell(of: entries.keys, in: domain)
      return .dictionary(entries)
    }
  }

  /// The commands that change this side.
  func commands(of domain: String, in context: CommandContext) throws -> CommandText {
    var commands: CommandText
    switch operand {
    case .domain(let name)?: return try context.commands(about: name)
    case .file(let path)?:
      commands = CommandText(file: path, escaping: context.output.escapes)
    case nil where context.isGNUstep:
      guard try context.openDatabase().lies(in: name) else {
        throw CommandError(
          .refused,
          "\(name): no command of this tool names it as a directory of GNUstep's; “-to lines” shows the differences"
        )
      }
      return try context.commands(about: DomainName(domain, in: context.dialect))
    case nil:
      commands = CommandText(domain: domain, escaping: context.output.escapes)
      commands.useDatabase(in: name)
    }
    commands.style = context.style
    return commands
  }
}

/// What an operand of `diff` names.
enum DiffOperand: Hashable {
  /// A snapshot, or a domain of it.
  case snapshot(String, domain: String?)
  case standardInput
  case subject(DomainOperand)

  /// Takes the next operand; nil if there is none.
  init?(_ words: inout CommandWords) throws {
    let isLiteral = words.isNextLiteral
    guard let operand = try words.domain() else { return nil }
    let text = operand.description
    guard !isLiteral, text == "-" || text.utf8.first == UInt8(ascii: "@") else {
      self = .subject(operand)
      return
    }
    if text == "-" {
      self = .standardInput
      return
    }
    let parts = text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), maxSplits: 1)
    guard let name = parts.first else {
      throw DiffCommand.usageError("a snapshot's name is missing behind “@”")
    }
    self = .snapshot(
      String(Substring(name)), domain: parts.count == 2 ? String(Substring(parts[1])) : nil)
  }

  var isSnapshot: Bool {
    if case .snapshot = self { true } else { false }
  }

  /// Whether it is a directory of domains.
  var isDirectory: Bool {
    guard case .subject(.file(let path)) = self else { return false }
    return DiskFileSystem().reachedStatus(at: path)?.kind == .directory
  }
}

extension DiffOperand: CustomStringConvertible {
  /// The operand as it was given.
  var description: String {
    switch self {
    case .snapshot(let name, let domain): "@\(name)" + (domain.map { "/\($0)" } ?? "")
    case .standardInput: "-"
    case .subject(let operand): operand.description
    }
  }
}
