/// The location of a user's defaults database.
package enum DatabaseLocation {
  /// The environment variable that names another directory.
  package static let environmentVariable = "OPENSTEP_DEFAULTS_DIR"

  private static let folder = ".OpenStep/Defaults"

  /// The directory of the current user's database, as an absolute path; it need not exist.
  ///
  /// It is the argument, or the first of these that is given and not empty: `OPENSTEP_DEFAULTS_DIR`,
  /// `.OpenStep/Defaults` in `HOME`, the same in the home directory in the password database. A process with
  /// borrowed rights, such as a set-uid program, ignores the two variables, which any user can set.
  ///
  /// - Throws: an error of the kind `refused` if that name is not UTF-8, or the argument is empty: a program whose text
  ///   for a directory is empty by mistake would write into the user's own database. An error of the system if the account
  ///   cannot be looked up.
  package static func resolve(
    argument: String? = nil,
    environment: EnvironmentLookup = CurrentProcess.environment,
    hasBorrowedRights: Bool = CurrentProcess.hasBorrowedRights
  ) throws(DatabaseError) -> String {
    func variable(_ name: String) throws(DatabaseError) -> String? {
      hasBorrowedRights ? nil : nonEmpty(try environment(name))
    }
    if let argument {
      guard !argument.isEmpty else {
        throw DatabaseError(
          .refused, path: "“”", message: "is empty, and names no directory",
          advice: "nothing is read or written; name a directory, or open the user's own database")
      }
      return try absolute(argument)
    }
    if let directory = try variable(environmentVariable) { return try absolute(directory) }
    if let home = try variable("HOME") { return try database(inHome: home) }
    // The home directory of an unknown user is the root directory, as in a shell.
    return try database(inHome: Account.current?.home ?? "/")
  }

  /// The directory of an account's database; nil if there is no such user.
  ///
  /// For the user that this process runs as, it is the one that
  /// ``resolve(argument:environment:hasBorrowedRights:)`` finds; for another user, the one in the home
  /// directory in the password database. Of two names with one number, that with another home is another user.
  package static func forUser(
    _ name: String, environment: EnvironmentLookup = CurrentProcess.environment,
    hasBorrowedRights: Bool = CurrentProcess.hasBorrowedRights
  ) throws(DatabaseError) -> String? {
    guard let account = try Account(named: name) else { return nil }
    return try directory(
      of: account, actingAs: .current, environment: environment, hasBorrowedRights: hasBorrowedRights)
  }

  /// The same for an account, in a process that runs as another one.
  package static func directory(
    of account: Account, actingAs own: Account?, environment: EnvironmentLookup, hasBorrowedRights: Bool
  ) throws(DatabaseError) -> String {
    if account.isSame(as: own) {
      return try resolve(environment: environment, hasBorrowedRights: hasBorrowedRights)
    }
    return try database(inHome: account.home)
  }

  private static func database(inHome home: String) throws(DatabaseError) -> String {
    try absolute("\(home)/\(folder)")
  }

  /// The absolute path, so that a later change of the working directory does not move the database.
  ///
  /// It is normalised, without needless slashes and dots, so that one directory has one object.
  package static func absolute(_ path: String) throws(DatabaseError) -> String {
    var path = path
    if path.utf8.first != slash {
      guard let workingDirectory = try CurrentProcess.workingDirectory() else { return path }
      path = "\(workingDirectory)/\(path)"
    }
    var result = ""
    for name in PathNames.all(in: path) { result += "/" + name }
    return result.isEmpty ? "/" : result
  }

  /// The directory in which a path lies.
  package static func parent(of path: String) -> String {
    DatabaseDirectory.parent(of: path)
  }

  private static let slash = UInt8(ascii: "/")

  private static func nonEmpty(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty ? nil : $0 }
  }
}
