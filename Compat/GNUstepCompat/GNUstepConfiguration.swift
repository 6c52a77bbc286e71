package import DefaultsDatabase
package import OpenStepPropertyList

/// What GNUstep's configuration files say of where defaults lie.
///
/// GNUstep's programs read the file that `GNUSTEP_CONFIG_FILE` names, or the system's, and then the user's
/// own, whose name the first one gives. Of what they hold three settings matter here. As run with
/// GNUstep 1.28: no other variable of the environment counts, nor does `HOME`; the account's home does.
package struct GNUstepConfiguration: Sendable {
  /// The directory of the user's defaults database, as an absolute path; it need not exist.
  package let userDefaultsDirectory: String
  /// The main file that was read; nil where there was none.
  package let path: String?
  /// What the configuration files and the installation's `GlobalDefaults` set, as GNUstep's `GSConfigDomain` has it.
  package let defaults: [PropertyListKey: PropertyList]
  /// Files that were ignored, since others than their owner may write to them; each with the reason.
  package let ignored: [String]

  package static let environmentVariable = "GNUSTEP_CONFIG_FILE"

  private static let systemFiles = [
    "/etc/GNUstep/GNUstep.conf", "/usr/local/etc/GNUstep/GNUstep.conf", "/usr/GNUstep/System/GNUstep.conf",
  ]

  /// Reads the configuration.
  ///
  /// - Parameters:
  ///   - user: Whose database is meant; nil for the current user's.
  ///   - environment: Looks up a variable; not asked in a process with borrowed rights.
  /// - Returns: nil where there is no such user.
  package init?(
    user: String? = nil, environment: (String) -> String? = CurrentProcess.environment,
    fileSystem: any FileSystem = DiskFileSystem()
  ) {
    let account = if let user { Account(named: user) } else { Account.current }
    guard let home = account?.home else { return nil }
    let named = CurrentProcess.hasBorrowedRights ? nil : environment(GNUstepConfiguration.environmentVariable)
    let candidates = named.map { [$0] } ?? GNUstepConfiguration.systemFiles
    var ignored: [String] = []
    var settings: [String: String] = [:]
    var found: String?
    for path in candidates where found == nil {
      guard let file = ConfigurationFile(path, fileSystem, &ignored) else { continue }
      found = path
      settings = file.settings
    }
    let userFile = settings["GNUSTEP_USER_CONFIG_FILE"] ?? ".GNUstep.conf"
    let userPath = GNUstepConfiguration.absolute(userFile, inHome: home)
    if let file = ConfigurationFile(userPath, fileSystem, &ignored) {
      settings.merge(file.settings) { $1 }
    }
    path = found
    var defaults = settings.reduce(into: [PropertyListKey: PropertyList]()) {
      $0[PropertyListKey($1.key)] = .string($1.value)
    }
    if let slash = found?.utf8.lastIndex(of: UInt8(ascii: "/")),
      let folder = found.map({ String($0[..<slash]) })
    {
      defaults.merge(GlobalDefaults.values(in: folder, fileSystem, &ignored)) { $1 }
    }
    self.defaults = defaults
    self.ignored = ignored
    userDefaultsDirectory = GNUstepConfiguration.absolute(
      settings["GNUSTEP_USER_DEFAULTS_DIR"] ?? "GNUstep/Defaults", inHome: home)
  }

  private static func absolute(_ path: String, inHome home: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    if path == "~" { return home }
    let rest = path.hasPrefix("~/") ? String(path.dropFirst(2)) : path
    return home.hasSuffix("/") ? home + rest : "\(home)/\(rest)"
  }
}

/// A file of lines `NAME=value`, as GNUstep's makefiles and programs read it.
private struct ConfigurationFile {
  var settings: [String: String] = [:]

  /// Reads a file; nil for none, and for one that others than its owner may write, of which it makes a note.
  init?(_ path: String, _ fileSystem: any FileSystem, _ ignored: inout [String]) {
    guard let bytes = InstallationFile.bytes(of: path, fileSystem, &ignored) else { return nil }
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) { read(line) }
  }

  private mutating func read(_ line: Substring) {
    let line = ConfigurationFile.trimmed(line)
    guard line.first != "#", let sign = line.firstIndex(of: "=") else { return }
    let name = ConfigurationFile.trimmed(line[..<sign])
    settings[String(name)] = ConfigurationFile.unquoted(
      ConfigurationFile.trimmed(line[line.index(after: sign)...]))
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0.isWhitespace }
    while text.last?.isWhitespace ?? false { text.removeLast() }
    return text
  }

  /// The value without the quotes around it, and without the backslashes before characters.
  private static func unquoted(_ text: Substring) -> String {
    var text = text
    if let quote = text.first, quote == "\"" || quote == "'", text.count > 1, text.last == quote {
      text = text.dropFirst().dropLast()
    }
    var result = ""
    var isEscaped = false
    for character in text {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        result.append(character)
        isEscaped = false
      }
    }
    return result
  }
}
