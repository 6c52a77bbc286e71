import DefaultsDatabase
import DefaultsHistory
import DefaultsImport
import OpenStepPropertyList

/// The inputs and outputs of a command: the environment, the database and the streams.
struct CommandContext {
  let environment: EnvironmentLookup
  let input: () throws -> [UInt8]
  let output: CommandOutput
  /// Where the database lies: on the disk, unless a test says otherwise.
  var fileSystem: any FileSystem = DiskFileSystem()
  /// Asks a person on the terminal, and gives the line that was answered, nil at the end of input; itself nil where
  /// there is no terminal.
  let ask: Question?
  /// The user whose database is meant; nil for the current user.
  var user: String?
  /// Whether GNUstep's database is meant.
  var isGNUstep = false
  /// Whose habits the output follows.
  var style = OutputStyle.openstep
  /// Records what the command changes; nil for a command that changes nothing.
  var recorder: HistoryRecorder?
  /// Whether `-g` before the verb gives its domain.
  var isGlobal = false
  /// Whether nothing but files is read: a pipe and the standard input would be waited for, and their data lost.
  var readsOnlyFiles = false
  private let shared = Shared()
  /// Of all databases that the command changes.
  let patience = SharedPatience()
  /// For all that the command reads of snapshots without being asked for it.
  let readingBudget = ReadingBudget()

  /// What was made for the command by ``managedKeys()`` and ``openDatabase()``.
  private final class Shared {
    var keys: ManagedKeys?
    var database: (user: String?, isGNUstep: Bool, recorder: ObjectIdentifier?, database: UserDatabase)?
  }

  /// The programs that share the database.
  var dialect: DatabaseDialect { isGNUstep ? .gnustep : .openStep }

  /// Reads the standard input to its end.
  func readInput() throws -> [UInt8] {
    if readsOnlyFiles { throw CommandError(.inputOutput, "standard input: is not read here") }
    do {
      return try input()
    } catch let StreamError.failed(reason) {
      throw CommandError(.inputOutput, "standard input: \(reason)")
    }
  }

  /// Reads lines from the standard input to its end; a person who types them is told how they end.
  func readLines() throws -> [UInt8] {
    if ask != nil { try output.tellPerson("reading lines from standard input; Ctrl-D ends them") }
    return try readInput()
  }

  /// The keys of that database that the administrator sets, the same object each time, so that the command reads
  /// each file once, and reports one that is damaged once.
  func managedKeys() throws -> ManagedKeys {
    if let keys = shared.keys { return keys }
    let keys = try presentManagedKeys()
    shared.keys = keys
    return keys
  }

  /// The keys that the administrator sets by now.
  ///
  /// They apply to this package's database in any directory, but not to GNUstep's, whose programs do not know
  /// them.
  func presentManagedKeys() throws -> ManagedKeys {
    ManagedKeys(
      directory: isGNUstep ? nil : try ManagedDirectory.location(environment: environment), output: output)
  }

  /// Opens the database that the environment, `-u` and `-gnustep` name.
  ///
  /// It is the same object each time, because the first change in a directory looks at all of its files.
  func openDatabase() throws -> UserDatabase {
    let recorder = recorder.map { ObjectIdentifier($0) }
    if let known = shared.database, known.user == user, known.isGNUstep == isGNUstep,
      known.recorder == recorder
    {
      return known.database
    }
    let database = try newDatabase()
    shared.database = (user, isGNUstep, recorder, database)
    return database
  }

  private func newDatabase() throws -> UserDatabase {
    guard let directory = try directory() else {
      throw CommandError(.refused, "there is no user “\(user ?? "")”; nothing was read or written")
    }
    let account = try user.flatMap { try Account(actingFor: $0) }
    let plain = UserDatabase(
      directory: directory, dialect: dialect, account: account, fileSystem: fileSystem, patience: patience)
    let database = UserDatabase(
      directory: directory, dialect: dialect, account: account, fileSystem: fileSystem, patience: patience,
      onChange: recorder?.hook(of: History(of: plain)))
    guard let user else { return database }
    guard try !database.isOutOfReach() else {
      throw CommandError(
        .refused, "\(directory): you may neither read nor write the database of the user “\(user)”")
    }
    return database
  }

  /// The database's directory; nil if there is no such user.
  private func directory() throws -> String? {
    guard isGNUstep else {
      guard let user else { return try DatabaseLocation.resolve(environment: environment) }
      return try DatabaseLocation.forUser(user, environment: environment)
    }
    let configuration = GNUstepConfiguration(user: user, environment: environment)
    for reason in configuration?.ignored ?? [] { try output.report(CommandError(.done, reason)) }
    return try configuration?.userDefaultsDirectory
  }
}

extension UserDatabase {
  /// The values of a domain; nil if there is no such domain.
  ///
  /// - Throws: `DatabaseError` for a damaged or an unreadable file.
  func values(of domain: DomainName) throws -> [PropertyListKey: PropertyList]? {
    try valuesAndSize(of: domain)?.values
  }

  /// The values of a domain, and how many bytes its file had when they were read; nil if there is no such domain.
  ///
  /// - Throws: `DatabaseError` for a damaged or an unreadable file.
  func valuesAndSize(of domain: DomainName) throws -> (
    values: [PropertyListKey: PropertyList], byteCount: Int
  )? {
    let loaded = try load(domain)
    if let damage = loaded.damage { throw damage }
    return loaded.identity.map { (loaded.values, Int($0.size)) }
  }

  /// The present values of a domain that is about to be replaced or removed.
  ///
  /// A file that is damaged or too large to be read has none, because no program can see its values.
  func replacedValues(of domain: DomainName) throws -> [PropertyListKey: PropertyList] {
    do {
      return try values(of: domain) ?? [:]
    } catch let error as DatabaseError where error.isTooLarge || error.kind == .damaged {
      return [:]
    }
  }

  /// What octal escapes above `\177` mean in a domain's text, and in a value that is typed for it.
  func octalEscapes(of domain: DomainName) -> PropertyList.ParsingOptions.OctalEscapes {
    isWindowMakers(domain) ? .utf8Bytes : .nextStep
  }

  /// The values of a domain; throws if there is no such domain.
  func existingValues(of domain: DomainName) throws -> [PropertyListKey: PropertyList] {
    guard let values = try values(of: domain) else { throw absence(of: domain) }
    return values
  }

  /// The names of all domains, sorted; reports Window Maker's menu, which is none, what lies in the place of a domain's
  /// file, how many links of other users do, and how many files belong to no domain, because their names are not UTF-8.
  ///
  /// - Parameter leaveOut: Receives each domain in the place of whose file something else lies, and the error.
  func domainNames(
    reportingTo output: CommandOutput, leavingOut leaveOut: (DomainName, DatabaseError) -> Void = { _, _ in }
  ) throws -> [DomainName] {
    let names = try domainNames()
    let leftOutCount = try undecodableNameCount()
    if leftOutCount > 0 {
      try output.report(
        CommandError(
          .done,
          "\(directory): files were left out, because names that are not UTF-8 belong to no domain: \(leftOutCount)"
        ))
    }
    var othersLinkCount = 0
    for misplacement in try misplacements(besides: names) {
      // Another user's link is no domain; a snapshot without what it hides is not whole.
      if misplacement.isOthersLink {
        othersLinkCount += 1
      } else {
        try output.report(CommandError(.done, misplacement.error.description))
      }
      leaveOut(misplacement.domain, misplacement.error)
    }
    if othersLinkCount > 0 {
      try output.report(
        CommandError(
          .done,
          "\(directory): links of other users, which are not followed, were left out: \(othersLinkCount)"))
    }
    try tellOfMenu(output)
    return names
  }

  /// Calls a body with each domain, sorted by name; a damaged or unreadable domain is reported and left out.
  ///
  /// - Parameters:
  ///   - kept: The domains that are meant; nil for all.
  ///   - leaveOut: Receives each domain that is left out, and the error; also one in whose place something else lies.
  /// - Returns: the code of the most severe error that was reported about a domain that there is.
  func forEachDomain(
    among kept: Set<DomainName>? = nil, reportingTo output: CommandOutput,
    _ body: (DomainName, [PropertyListKey: PropertyList]) throws -> Void,
    leavingOut leaveOut: (DomainName, DatabaseError) -> Void = { _, _ in }
  ) throws -> ExitCode {
    var code = ExitCode.done
    let domains = try domainNames(reportingTo: output, leavingOut: leaveOut)
    for domain in domains where kept?.contains(domain) ?? true {
      let values: [PropertyListKey: PropertyList]?
      do {
        values = try self.values(of: domain)
      } catch let error as DatabaseError {
        leaveOut(domain, error)
        let error = CommandError(error)
        try output.report(error)
        code = max(code, error.code)
        continue
      }
      if let values { try body(domain, values) }
    }
    return code
  }
}

extension CommandOutput {
  /// The line of a default.
  func line(of domain: DomainName, key: PropertyListKey, value: PropertyList) throws -> String {
    try DefaultLine.text(domain: domain.text, key: key, value: value, escaping: escapes)
  }

  /// Prints a domain's defaults, one per line, sorted by key.
  func print(_ values: [PropertyListKey: PropertyList], of domain: DomainName) throws {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      try print(line(of: domain, key: key, value: value))
    }
  }
}
