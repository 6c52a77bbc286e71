/// Where a user's defaults database lies.
package enum DatabaseLocation {
  /// The environment variable that names another directory.
  package static let environmentVariable = "OPENSTEP_DEFAULTS_DIR"

  private static let folder = ".OpenStep/Defaults"

  /// The directory of the current user's database, as an absolute path; it need not exist.
  ///
  /// The first that is there and not empty counts: the argument, `OPENSTEP_DEFAULTS_DIR`,
  /// `.OpenStep/Defaults` in `HOME`, the same in the home that the password database names. A process
  /// with borrowed rights, such as a set-uid program, ignores the two variables, which anyone can set.
  ///
  /// - Throws: an error of the kind `refused` where what counts is not UTF-8.
  package static func resolve(
    argument: String? = nil,
    environment: EnvironmentLookup = CurrentProcess.environment,
    hasBorrowedRights: Bool = CurrentProcess.hasBorrowedRights
  ) throws(DatabaseError) -> String {
    func variable(_ name: String) throws(DatabaseError) -> String? {
      hasBorrowedRights ? nil : nonEmpty(try environment(name))
    }
    if let argument = nonEmpty(argument) { return try absolute(argument) }
    if let directory = try variable(environmentVariable) { return try absolute(directory) }
    if let home = try variable("HOME") { return try database(inHome: home) }
    // A user whom nobody knows has the root directory for a home, as in a shell.
    return try database(inHome: Account.current?.home ?? "/")
  }

  /// The directory of an account's database, or nil where there is no such user.
  ///
  /// Of the name under which this process runs it is the current user's, as ``resolve(argument:environment:hasBorrowedRights:)``
  /// finds it; of any other the one in the home that the password database names.
  package static func forUser(
    _ name: String, environment: EnvironmentLookup = CurrentProcess.environment,
    hasBorrowedRights: Bool = CurrentProcess.hasBorrowedRights
  ) throws(DatabaseError) -> String? {
    guard let account = Account(named: name) else { return nil }
    if account.user == CurrentProcess.effectiveUser {
      return try resolve(environment: environment, hasBorrowedRights: hasBorrowedRights)
    }
    return try database(inHome: account.home)
  }

  private static func database(inHome home: String) throws(DatabaseError) -> String {
    try absolute(home.hasSuffix("/") ? home + folder : "\(home)/\(folder)")
  }

  /// The path from the root, so that a later change of the working directory does not move the database.
  ///
  /// Written in one way only, so that one directory has one object: without needless slashes and dots.
  package static func absolute(_ path: String) throws(DatabaseError) -> String {
    var path = path
    if path.utf8.first != slash {
      guard let workingDirectory = try CurrentProcess.workingDirectory() else { return path }
      path = "\(workingDirectory)/\(path)"
    }
    // Bytes, not characters: a combining mark after the slash would make one character with it. A loop, since
    // splitting and joining take the runtime a good part of a millisecond when a process first does it.
    var result: [UInt8] = []
    var step: [UInt8] = []
    for byte in Array(path.utf8) + [slash] {
      guard byte == slash else {
        step.append(byte)
        continue
      }
      if !step.isEmpty, step != [UInt8(ascii: ".")] { result += [slash] + step }
      step.removeAll(keepingCapacity: true)
    }
    return result.isEmpty ? "/" : String(decoding: result, as: UTF8.self)
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
