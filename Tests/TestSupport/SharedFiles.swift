public import Foundation

/// The reference files that the tests share: vectors, and property lists as programs left them.
///
/// They lie in `SHARED_DIR`, or in `shared` beside the package. Where they are missing, tests that
/// need them are skipped, except on the build server (`CI=true`), where they must be there.
public enum SharedFiles {
  /// What a skipped test says.
  public static let absence = "SHARED_DIR is not set, and there is no ../shared"

  private static let directory: URL = {
    if let path = ProcessInfo.processInfo.environment["SHARED_DIR"] {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    // This file is Tests/TestSupport/SharedFiles.swift of the package.
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return package.deletingLastPathComponent().appendingPathComponent("shared", isDirectory: true)
  }()

  /// Whether tests that need the files are to run: they are there, or their absence is a failure.
  public static var areExpected: Bool {
    BuildServer.isRunning || FileManager.default.fileExists(atPath: directory.path)
  }

  /// Where a file lies; a path relative to the shared directory.
  public static func url(_ path: String) -> URL {
    directory.appendingPathComponent(path)
  }
}

/// The build server, on which nothing may be skipped.
public enum BuildServer {
  public static var isRunning: Bool { ProcessInfo.processInfo.environment["CI"] == "true" }
}
