package import OpenStepPropertyList

/// The place of GNUstep's defaults, according to its configuration files.
///
/// GNUstep's programs read the file that `GNUSTEP_CONFIG_FILE` names, or the system's, and then the user's
/// own, whose name the first file sets. Three of the settings matter here. As run with GNUstep 1.28: no other
/// environment variable counts, not even `HOME`; the account's home does.
package struct GNUstepConfiguration: Sendable {
  /// The directory of the user's defaults database, as an absolute path; it need not exist.
  ///
  /// A configuration file that this user may not read does not count, as with GNUstep's programs.
  ///
  /// - Throws: an error of the kind `refused` if its path, or the name of the file
  ///   that sets it, is not UTF-8. An error of the system if the account could not be looked up, or a configuration file not
  ///   be read, for a reason that may have passed a moment later: other processes take another directory then.
  package var userDefaultsDirectory: String {
    get throws(DatabaseError) { try directory.get() }
  }
  private let directory: Result<String, DatabaseError>
  /// The main file that was read; nil if there was none.
  package let path: String?
  /// What the configuration files and the installation's `GlobalDefaults` set, as GNUstep's
  /// `GSConfigDomain` has it.
  package let defaults: [PropertyListKey: PropertyList]
  /// Files that were ignored, since users other than their owner may write to them, and settings that are not
  /// UTF-8; each with the reason.
  package let ignored: [String]

  package static let environmentVariable = "GNUSTEP_CONFIG_FILE"

  private static let systemFiles = [
    "/etc/GNUstep/GNUstep.conf", "/usr/local/etc/GNUstep/GNUstep.conf", "/usr/GNUstep/System/GNUstep.conf",
  ]

  /// Reads the configuration.
  ///
  /// - Parameters:
  ///   - user: The user whose database is meant; nil for the current user.
  ///   - environment: Looks up a variable; not used in a process with borrowed rights.
  /// - Returns: nil if there is no such user.
  package init?(
    user: String? = nil,
    environment: EnvironmentLookup = CurrentProcess.environment,
    fileSystem: any FileSystem = DiskFileSystem()
  ) {
    let account: Account
    let actingFor: Account?
    let home: String
    let named: String?
    do throws(DatabaseError) {
      guard let found = if let user { try Account(named: user) } else { try Account.current } else {
        return nil
      }
      account = found
      actingFor = if let user { try Account(actingFor: user) } else { nil }
      home = try account.home
      named =
        CurrentProcess.hasBorrowedRights ? nil : try environment(GNUstepConfiguration.environmentVariable)
    } catch {
      (directory, path, defaults, ignored) = (.failure(error), nil, [:], [])
      return
    }
    var failure: DatabaseError?
    let candidates = named.map { [$0] } ?? GNUstepConfiguration.systemFiles
    var ignored: [String] = []
    var settings: [PropertyListKey: ConfigurationFile.Setting] = [:]
    var found: String?
    for path in candidates where found == nil {
      guard let file = ConfigurationFile(path, fileSystem, &ignored, &failure) else { continue }
      found = path
      settings = file.settings
    }
    // Always in the home, even if the name begins with a slash.
    let userFile: String
    do throws(DatabaseError) {
      userFile = try settings["GNUSTEP_USER_CONFIG_FILE"]?.text ?? ".GNUstep.conf"
    } catch {
      (directory, path, defaults, self.ignored) = (.failure(error), found, [:], ignored)
      return
    }
    let userPath = "\(home)/\(userFile)"
    if let file = ConfigurationFile(
      userPath, ownedBy: account.user, actingFor: actingFor, fileSystem, &ignored, &failure
    ) {
      settings.merge(file.settings) { $1 }
    }
    path = found
    var defaults: [PropertyListKey: PropertyList] = [:]
    var undecodable: [DatabaseError] = []
    for (name, setting) in settings.sorted(by: { $0.key < $1.key }) {
      do throws(DatabaseError) {
        defaults[name] = .string(try setting.text)
      } catch {
        undecodable.append(error)
      }
    }
    ignored += undecodable.prefix(10).map(\.description)
    if undecodable.count > 10 {
      ignored.append("and \(undecodable.count - 10) more settings that are not UTF-8")
    }
    if let slash = found?.utf8.lastIndex(of: UInt8(ascii: "/")),
      let folder = found.map({ String($0[..<slash]) })
    {
      defaults.merge(GlobalDefaults.values(in: folder, fileSystem, &ignored)) { $1 }
    }
    self.defaults = defaults
    self.ignored = ignored
    let firstFailure = failure
    directory = Result { () throws(DatabaseError) in
      if let firstFailure { throw firstFailure }
      return try DatabaseLocation.absolute(
        GNUstepConfiguration.absolute(
          try settings["GNUSTEP_USER_DEFAULTS_DIR"]?.text ?? "GNUstep/Defaults", inHome: home))
    }
  }

  private static func absolute(_ path: String, inHome home: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    if haveEqualBytes(path, "~") { return home }
    return path.hasBytePrefix("~/") ? home + String(Substring(path.utf8.dropFirst())) : "\(home)/\(path)"
  }
}

/// A file of lines `NAME=value`, as GNUstep's makefiles and programs read it.
private struct ConfigurationFile {
  private(set) var settings: [PropertyListKey: Setting] = [:]
  private let path: String

  /// A setting as a file contains it.
  struct Setting {
    let name: String
    let bytes: [UInt8]
    let path: String

    /// The value.
    ///
    /// - Throws: an error of the kind `refused` if it is not UTF-8.
    var text: String {
      get throws(DatabaseError) {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        throw DatabaseError(
          .refused, path: path, message: "the value of \(name) is not UTF-8",
          advice: "the setting is ignored")
      }
    }
  }

  /// Reads a file; nil if there is none, and if it cannot be trusted or read, which it reports in `ignored`.
  ///
  /// The administrator reads it with the rights of the user that it acts for, or else of the user who can
  /// change where the path leads.
  init?(
    _ path: String, ownedBy owner: UInt32? = nil, actingFor account: Account? = nil,
    _ fileSystem: any FileSystem, _ ignored: inout [String], _ failure: inout DatabaseError?
  ) {
    guard
      let bytes = InstallationFile.bytes(
        of: path, ownedBy: owner, actingFor: account, fileSystem, &ignored, &failure)
    else { return nil }
    self.path = path
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var rest = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    while !rest.isEmpty { read(&rest) }
  }

  /// Reads a line: a name, an equals sign and a value; the rest of the line is ignored.
  private mutating func read(_ rest: inout ArraySlice<UInt8>) {
    rest = rest.drop(while: \.isConfigurationSpace)
    let line = rest.prefix { $0 != UInt8(ascii: "\n") }
    if line.first != UInt8(ascii: "#"), let sign = line.firstIndex(of: UInt8(ascii: "=")) {
      let name = line[..<sign].prefix { !$0.isConfigurationSpace }
      rest = rest[(sign + 1)...].drop { $0 != UInt8(ascii: "\n") && $0.isConfigurationSpace }
      let key = String(decoding: name, as: UTF8.self)
      settings[PropertyListKey(key)] = Setting(name: key, bytes: ConfigurationFile.value(&rest), path: path)
    }
    rest = rest.drop { $0 != UInt8(ascii: "\n") }
  }

  /// A value, to its closing quote or else to the next white space; a backslash escapes the next character,
  /// but not in single quotes.
  private static func value(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    let quote = rest.first.flatMap { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") ? $0 : nil }
    if quote != nil { rest.removeFirst() }
    var value: [UInt8] = []
    while let byte = rest.first, byte != quote, quote != nil || !byte.isConfigurationSpace {
      rest.removeFirst()
      if byte != UInt8(ascii: "\\") || quote == UInt8(ascii: "'") {
        value.append(byte)
      } else if let escaped = rest.first, quote != nil || !escaped.isConfigurationSpace {
        value.append(escaped)
        rest.removeFirst()
      }
    }
    return value
  }
}

extension UInt8 {
  /// Whether this is a space, or one of the control characters that count as white space.
  fileprivate var isConfigurationSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
