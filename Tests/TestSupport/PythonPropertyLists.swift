import Foundation

/// Python's plistlib.
public enum PythonPropertyLists {
  /// What a skipped test says.
  public static let absence = "python3 is not installed"

  /// Whether tests that need it are to run: it is there, or its absence is a failure.
  public static var isExpected: Bool {
    BuildServer.isRunning
      || (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: $0 + "/python3")
      }
  }

  /// Reads documents and writes what was read as XML again.
  public static func rewritten(_ documents: [[UInt8]]) throws -> [[UInt8]] {
    let home = try TemporaryHome()
    let directory = URL(fileURLWithPath: home.path)
    for (index, document) in documents.enumerated() {
      try Data(document).write(to: directory.appendingPathComponent("\(index).plist"))
    }
    let program = """
      import plistlib, sys
      for index in range(int(sys.argv[2])):
          name = "%s/%d.plist" % (sys.argv[1], index)
          with open(name, "rb") as file:
              value = plistlib.load(file)
          with open(name, "wb") as file:
              plistlib.dump(value, file, sort_keys=False)
      """
    _ = try GNUstepProgram.run(
      "/usr/bin/env", ["python3", "-c", program, directory.path, "\(documents.count)"])
    return try documents.indices.map {
      [UInt8](try Data(contentsOf: directory.appendingPathComponent("\($0).plist")))
    }
  }
}
