import DefaultsDatabase
import Foundation

/// A GNUstep database of a test's own, and the programs that share it.
public struct GNUstepHome {
  public let home: TemporaryHome
  public let directory: String

  public init() throws {
    home = try TemporaryHome()
    directory = home.path + "/Defaults"
    try home.write("GNUSTEP_USER_DEFAULTS_DIR=\(directory)\n", to: "GNUstep.conf")
    // Else GNUstep and this package do not believe it.
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: home.path + "/GNUstep.conf")
  }

  /// What a program needs to find the database.
  public var environment: [String: String] {
    ProcessInfo.processInfo.environment.merging([
      GNUstepConfiguration.environmentVariable: home.path + "/GNUstep.conf", "DEFAULTS_FOLDER": directory,
    ]) { $1 }
  }

  /// Runs GNUstep's own `defaults`.
  @discardableResult
  public func gnustepDefaults(_ arguments: String...) throws -> String {
    String(
      decoding: try GNUstepProgram.run("/usr/bin/defaults", arguments, environment: environment),
      as: UTF8.self)
  }

  /// This package's `defaults`.
  public static var ownDefaults: String { BuiltProduct.path(of: "defaults") }
}
