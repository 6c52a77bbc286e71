import DefaultsDatabase
import GNUstepCompat
import OpenStepPropertyList

/// What a command works with: the database, the standard input, and where its results go.
struct CommandContext {
  let environment: [String: String]
  let input: () throws -> [UInt8]
  let output: CommandOutput
  /// Whose database is meant; nil for the current user's.
  var user: String?
  /// Whether GNUstep's database is meant.
  var isGNUstep = false

  func with(user: String?, isGNUstep: Bool) -> CommandContext {
    var context = self
    context.user = user
    context.isGNUstep = isGNUstep
    return context
  }

  /// Reads the standard input to its end.
  func readInput() throws -> [UInt8] {
    do {
      return try input()
    } catch let StreamError.failed(reason) {
      throw CommandError(.inputOutput, "standard input: \(reason)")
    }
  }

  /// Opens the database that the environment, `-u` and `-gnustep` name.
  func openDatabase() throws -> UserDatabase {
    let dialect = isGNUstep ? DatabaseDialect.gnustep : .openStep
    guard let directory = try directory() else {
      throw CommandError(.refused, "there is no user “\(user ?? "")”; nothing was read or written")
    }
    guard let user else { return UserDatabase(directory: directory, dialect: dialect) }
    guard !DatabaseLocation.isOutOfReach(directory) else {
      throw CommandError(
        .refused, "\(directory): you may neither read nor write the database of the user “\(user)”")
    }
    return UserDatabase(directory: directory, dialect: dialect, account: Account(named: user))
  }

  /// Where the database lies; nil where there is no such user.
  private func directory() throws -> String? {
    let lookUp: (String) -> String? = { environment[$0] }
    guard isGNUstep else {
      guard let user else { return DatabaseLocation.resolve(environment: lookUp) }
      return DatabaseLocation.forUser(user, environment: lookUp)
    }
    let configuration = GNUstepConfiguration(user: user, environment: lookUp)
    for reason in configuration?.ignored ?? [] { try output.printError("defaults: \(reason)") }
    return configuration?.userDefaultsDirectory
  }
}

extension UserDatabase {
  /// The values of a domain, or nil where there is none.
  ///
  /// - Throws: `DatabaseError` for a damaged file and for one that cannot be read.
  func values(of domain: DomainName) throws -> [PropertyListKey: PropertyList]? {
    let loaded = try load(domain)
    if let damage = loaded.damage { throw damage }
    return loaded.identity == nil ? nil : loaded.values
  }

  /// The values of a domain that must be there.
  func existingValues(of domain: DomainName) throws -> [PropertyListKey: PropertyList] {
    guard let values = try values(of: domain) else {
      throw CommandError.absence(of: domain)
    }
    return values
  }

  /// Goes over all domains by name; a domain that cannot be read is reported and left out.
  ///
  /// - Returns: the heaviest code of what was reported.
  func forEachDomain(
    reportingTo output: CommandOutput, _ body: (DomainName, [PropertyListKey: PropertyList]) throws -> Void
  ) throws -> ExitCode {
    var code = ExitCode.done
    for domain in try domainNames() {
      let values: [PropertyListKey: PropertyList]?
      do {
        values = try self.values(of: domain)
      } catch let error as DatabaseError {
        let error = CommandError(error)
        try output.report(error)
        code = max(code, error.code)
        continue
      }
      if let values { try body(domain, values) }
    }
    return code
  }

  /// Commits the changes of several domains; a domain that fails is reported, and the others are written.
  ///
  /// - Returns: the heaviest code of what was reported.
  func commit(
    _ changes: [DomainName: DomainChanges], reportingTo output: CommandOutput
  ) throws -> ExitCode {
    var code = ExitCode.done
    let deadline = MonotonicTime.now + UserDatabase.patience
    for (domain, changes) in changes.sorted(by: { $0.key < $1.key }) {
      do {
        _ = try commit(changes, to: domain, onDamage: .refuse, deadline: deadline)
      } catch {
        let error = CommandError(error)
        try output.report(error)
        code = max(code, error.code)
      }
    }
    return code
  }
}

extension CommandOutput {
  /// Prints a domain's defaults, one a line, sorted by key.
  func print(_ values: [PropertyListKey: PropertyList], of domain: DomainName) throws {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      try print(DefaultLine.text(domain: domain.text, key: key, value: value))
    }
  }
}
