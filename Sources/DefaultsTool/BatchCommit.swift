import DefaultsDatabase
import DefaultsImport

/// Commits several domains, one after the other; a domain that fails is reported, and the others are written.
struct BatchCommit {
  let database: UserDatabase
  let output: CommandOutput
  /// How many domains the command changes.
  private let domainCount: Int
  /// The code of the most severe error that was reported.
  private(set) var code = ExitCode.done

  init(to database: UserDatabase, ofDomains count: Int, reportingTo output: CommandOutput) {
    self.database = database
    domainCount = count
    self.output = output
  }

  /// Commits one domain; an error of the database is reported.
  ///
  /// - Returns: Whether it is committed.
  /// - Throws: an error of the output.
  @discardableResult
  mutating func commit(_ request: CommitRequest) throws -> Bool {
    try commit(request) { (request, database) throws(DatabaseError) in try database.commit(request) } ?? false
  }

  /// Commits one domain if its file still can hold these types; an error of the database is reported.
  ///
  /// - Returns: Whether it is committed; nil if the file can hold other types by now, and nothing was changed.
  /// - Throws: an error of the output.
  mutating func commit(_ request: CommitRequest, ifStill capacity: FileCapacity) throws -> Bool? {
    try commit(request) { (request, database) throws(DatabaseError) in
      try database.commit(request, ifStill: capacity)
    }
  }

  private mutating func commit(
    _ request: CommitRequest, by save: (CommitRequest, UserDatabase) throws(DatabaseError) -> Commit?
  ) throws -> Bool? {
    let commit: Commit
    do throws(DatabaseError) {
      guard let made = try save(request, database) else { return nil }
      commit = made
    } catch {
      try report(error, of: request.domain)
      return false
    }
    try output.reportMovedAside(commit, of: request.domain, in: database)
    return true
  }

  /// Reports an error about one of the domains.
  mutating func report(_ error: DatabaseError, of domain: DomainName) throws {
    try report(CommandError(error, of: domain, among: domainCount))
  }

  /// Reports an error.
  mutating func report(_ error: CommandError) throws {
    try output.report(error)
    code = max(code, error.code)
  }
}
