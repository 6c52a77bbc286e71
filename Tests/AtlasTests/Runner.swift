import Foundation
import TestSupport

/// The program `conformance`, and files for it in a folder of its own.
final class Runner {
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("atlas-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Writes a file and gives its path.
  func write(_ text: String, _ name: String, isProgram: Bool = false) throws -> String {
    let file = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    if isProgram {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
    return file.path
  }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
  }

  func run(_ arguments: [String]) throws -> Outcome {
    let files = ["output", "errors"].map { folder.appendingPathComponent("\($0)-\(UUID().uuidString)") }
    for file in files { try Data().write(to: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: BuiltProduct.path(of: "conformance"))
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }

  /// Questions about `synchronize`, whose answer `{"b":true}` is wanted on the basis of OPENSTEP's text.
  func questions(_ count: Int) throws -> String {
    let lines = (0..<count).map { index in
      #"{"id": "classic/x/\#(index)", "title": "synchronize", "basis": "openstep", "source": "text", "#
        + #""api": "classic", "setup": [], "call": ["sync"], "expect": {"b": true}}"#
    }
    return try write(lines.joined(separator: "\n") + "\n", "questions.jsonl")
  }

  /// A driver that is a shell script, and answers each step by a command; gives its manifest's path.
  ///
  /// The command finds the number of the message in `$n`.
  func driver(
    hello: String = #"echo '{"protocol": 1, "name": "Shell"}'"#, step: String, end: String = "exit 0",
    seconds: Double = 60
  ) throws -> String {
    let script = """
      #!/bin/sh
      while read -r line; do
        n=${line#*'"n": '}
        n=${n%%[,\\}]*}
        case "$line" in
          *'"do": "hello"'*) \(hello) ;;
          *'"do": "end"'*) \(end) ;;
          *) \(step) ;;
        esac
      done

      """
    _ = try write(script, "driver.sh", isProgram: true)
    let manifest =
      #"{"atlas": 1, "id": "shell", "name": "Shell", "version": "1", "apis": ["classic"], "text": true, "#
      + #""program": "driver.sh", "seconds": \#(seconds)}"#
    return try write(manifest, "driver.json")
  }
}
