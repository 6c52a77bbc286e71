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
  package static func resolve(
    argument: String? = nil, environment: (String) -> String? = CurrentProcess.environment,
    hasBorrowedRights: Bool = CurrentProcess.hasBorrowedRights
  ) -> String {
    func variable(_ name: String) -> String? { hasBorrowedRights ? nil : nonEmpty(environment(name)) }
    if let directory = nonEmpty(argument) ?? variable(environmentVariable) {
      return absolute(directory)
    }
    // A user whom nobody knows has the root directory for a home, as in a shell.
    return database(inHome: variable("HOME") ?? Account.current?.home ?? "/")
  }

  /// The directory of an account's database, or nil where there is no such user.
  ///
  /// Of the name under which this process runs it is the current user's, as ``resolve(argument:environment:hasBorrowedRights:)``
  /// finds it; of any other the one in the home that the password database names.
  package static func forUser(
    _ name: String, environment: (String) -> String? = CurrentProcess.environment,
    hasBorrowedRights: Bool = CurrentProcess.hasBorrowedRights
  ) -> String? {
    guard let account = Account(named: name) else { return nil }
    if account.user == CurrentProcess.effectiveUser {
      return resolve(environment: environment, hasBorrowedRights: hasBorrowedRights)
    }
    return database(inHome: account.home)
  }

  /// Whether this process can neither read nor write a directory of domains.
  ///
  /// One that is known not to exist can be read: it has no domains.
  package static func isOutOfReach(
    _ directory: String, fileSystem: any FileSystem = DiskFileSystem()
  ) -> Bool {
    do throws(SystemError) {
      _ = try fileSystem.names(inDirectory: directory)
      return false
    } catch .notFound {
      return false
    } catch {
      return !fileSystem.mayAccess(directory, for: .writing)
    }
  }

  private static func database(inHome home: String) -> String {
    absolute(home.hasSuffix("/") ? home + folder : "\(home)/\(folder)")
  }

  /// The path from the root, so that a later change of the working directory does not move the database.
  ///
  /// Written in one way only, so that one directory has one object: without needless slashes and dots.
  private static func absolute(_ path: String) -> String {
    var path = path
    if path.utf8.first != slash {
      guard let workingDirectory = CurrentProcess.workingDirectory else { return path }
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

  private static let slash = UInt8(ascii: "/")

  private static func nonEmpty(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty ? nil : $0 }
  }
}
