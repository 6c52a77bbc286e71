import DefaultsDatabase
import DefaultsHistory

/// `paths`: tells where the database and what belongs to it are.
enum PathsCommand: Subcommand {
  static let name = "paths"
  static let forms = [
    CommandForm(
      "", "tell where the database is, and why",
      example: """
        $ defaults paths | cut -f 1 | head -n 3
        database
        lock
        history
        """)
  ]
  static let discussion = """
    Each line is a name, a path and its reason, separated by tabs: the database, its lock, its history,
    the administrator's directory, and GNUstep's database. With -gnustep it is that database, and the lock of
    GNUstep's programs has a line as well. The paths need not exist.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard arguments.isEmpty else { throw usageError("“paths” takes no arguments") }
    let database = try context.openDatabase()
    var rows = [("database", database.directory, try reason(in: context))]
    rows.append(("lock", database.lockPath, "of the database"))
    if let path = database.gnustepLockPath { rows.append(("gnustep-lock", path, "of GNUstep's programs")) }
    rows.append(("history", History.path(inDatabase: database.directory), "of the database"))
    if !context.isGNUstep {
      let managed = try ManagedDirectory.location(environment: context.environment)
      let isFixed = managed == ManagedDirectory.path
      rows.append(("managed", managed, isFixed ? "fixed" : ManagedDirectory.environmentVariable))
      if let gnustep = GNUstepConfiguration(user: context.user, environment: context.environment) {
        rows.append(("gnustep", try gnustep.userDefaultsDirectory, "GNUstep's configuration"))
      }
    }
    for (name, path, reason) in rows {
      try context.output.print("\(name)\t\(path.onOneLine)\t\(reason)")
    }
    return .done
  }

  /// Why the database is where it is.
  private static func reason(in context: CommandContext) throws -> String {
    if context.isGNUstep { return "GNUstep's configuration" }
    func isSet(_ variable: String) throws -> Bool {
      guard !CurrentProcess.hasBorrowedRights else { return false }
      return try context.environment(variable)?.isEmpty == false
    }
    if let user = context.user, try !(Account(named: user)?.isSame(as: .current) ?? false) {
      return "the home directory of “\(user)”"
    }
    if try isSet(DatabaseLocation.environmentVariable) { return DatabaseLocation.environmentVariable }
    return try isSet("HOME") ? "HOME" : "the password database"
  }
}
