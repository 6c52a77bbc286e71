package import DefaultsDatabase

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
    let account = if let user { HomeDirectory.of(user) } else { HomeDirectory.current }
    guard let home = account else { return nil }
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
    self.ignored = ignored
    userDefaultsDirectory = GNUstepConfiguration.absolute(
      settings["GNUSTEP_USER_DEFAULTS_DIR"] ?? "GNUstep/Defaults", inHome: home)
  }

  /// The directory beside the main configuration file, in which the defaults of the whole installation lie.
  package var installationDirectory: String? {
    guard let path, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return String(path[..<slash])
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
    let text: String
    do throws(SystemError) {
      let descriptor = try fileSystem.open(path, for: .reading)
      defer { fileSystem.close(descriptor) }
      let status = try fileSystem.status(of: descriptor)
      guard status.kind == .regular else { return nil }
      guard status.mode & 0o022 == 0 else {
        ignored.append("\(path): is ignored, since others than its owner may write to it")
        return nil
      }
      text = String(decoding: try ConfigurationFile.bytes(of: descriptor, fileSystem), as: UTF8.self)
    } catch SystemError.notFound {
      return nil
    } catch {
      ignored.append("\(path): cannot be read: \(error)")
      return nil
    }
    for line in text.split(whereSeparator: \.isNewline) { read(line) }
  }

  private static func bytes(
    of descriptor: Int32, _ fileSystem: any FileSystem
  ) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    // Far more than any configuration has.
    while bytes.count < 1 << 20 {
      let part = try fileSystem.read(from: descriptor, upTo: 1 << 16)
      if part.isEmpty { break }
      bytes += part
    }
    return bytes
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
