import Foundation
import TestSupport
import Testing

/// The behaviour vectors, played by the program `conformance`: small experiments on a database, and
/// the outcome wanted from the class.
///
/// `BEHAVIOUR_VECTORS` names another file to play instead of the shared ones.
@Suite
struct BehaviourVectors {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures")
  private static let copy = fixtures.appendingPathComponent("behaviour-vectors.jsonl")

  @Test("every shared vector has the outcome wanted")
  func sharedVectors() throws {
    let path = ProcessInfo.processInfo.environment["BEHAVIOUR_VECTORS"]
    try expectAllToPass(path.map { URL(fileURLWithPath: $0) } ?? BehaviourVectors.copy)
  }

  @Test("every vector of this package's own has the outcome wanted")
  func ownVectors() throws {
    try expectAllToPass(BehaviourVectors.fixtures.appendingPathComponent("more-behaviour-vectors.jsonl"))
  }

  @Test(
    "the copy of the shared vectors is up to date",
    .enabled(if: SharedFiles.areExpected, Comment(rawValue: SharedFiles.absence)))
  func copyIsCurrent() throws {
    let copy = try Data(contentsOf: BehaviourVectors.copy)
    #expect(try Data(contentsOf: SharedFiles.url("corpus/behaviour/vectors.jsonl")) == copy)
  }

  // MARK: - The runner itself

  @Test(
    "a vector with a wrong expectation fails, and the failure shows what came instead",
    arguments: [
      (call: #"["object", "K"]"#, expected: #""e\u0301""#, got: #""\u00e9""#),
      (call: #"["object", "None"]"#, expected: #""""#, got: "null"),
      (call: #"["bool", "K"]"#, expected: #"{"i": "0"}"#, got: #"{"b": false}"#),
      (call: #"["float", "N"]"#, expected: #"{"r": "0.1"}"#, got: #"{"f": "0.1"}"#),
      (call: #"["set", "K", "x"]"#, expected: #"{"refused": true}"#, got: #"{"ok": true}"#),
      (call: #"["set", "K", {"o": "NSObject"}]"#, expected: #"{"ok": true}"#, got: #"{"aborts": true}"#),
      (call: #"["frobnicate", "K"]"#, expected: "null", got: "frobnicate"),
    ])
  func wrongExpectation(call: String, expected: String, got: String) throws {
    let setup = #"[["set", "K", "\u00e9"], ["setFloat", "N", "0.1"]]"#
    let vector = #"{"id": "classic/x/1", "api": "classic", "setup": \#(setup), "call": \#(call), "#
    let result = try play(text: vector + #""expect": \#(expected)}"#)
    #expect(result.status == 1)
    #expect(result.output.contains("classic/x/1\n"))
    #expect(result.output.split(separator: "\n").contains { $0.hasPrefix("  got ") && $0.contains(got) })
    #expect(result.output.hasSuffix("  0 of 1\n"))
  }

  @Test("a line that is no vector fails by its number")
  func damagedFile() throws {
    let good =
      #"{"id": "classic/x/1", "api": "classic", "setup": [], "call": ["sync"], "expect": {"b": true}}"#
    let result = try play(text: good + "\n\n{\"id\": \n")
    #expect(result.status == 1)
    #expect(result.errors.contains(".jsonl:3: "))
    #expect(result.output.hasSuffix("  1 of 1\n"))
  }

  @Test("Foundation's differences are counted and listed, and are no failure")
  func foundation() throws {
    let table = try run(["--class", "foundation", "--class", "shim", "--id", "modern/string/"])
    #expect(table.status == 0)
    #expect(table.output.contains("9 of 9"))
    let json = try run(["--json", "--class", "foundation", "--id", "modern/string/"])
    #expect(json.status == 0)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [String: Any]])
    let differences = try #require(object["foundation"]?["differences"] as? [[String: Any]])
    // As the vectors themselves say, corelibs writes 5.0 where Apple writes 5, and has no largest Int.
    #expect(differences.count == 2)
    #expect(differences.allSatisfy { $0["got"] != nil && $0["expected"] != nil })
  }

  @Test(
    "a command line that makes no sense is told so",
    arguments: [
      (["--class", "none"], "there is no class “none”"), (["--frob"], "there is no option “--frob”"),
      (["--id"], "“--id” takes a value"), (["a", "b"], "one file too many"),
      (["/nonexistent"], "nonexistent"),
    ])
  func usage(arguments: [String], message: String) throws {
    let result = try run(arguments)
    #expect(result.status == 2)
    #expect(result.errors.contains(message))
  }

  // MARK: - Playing

  private func expectAllToPass(_ file: URL) throws {
    let result = try run([file.path, "--class", "classic", "--class", "shim"])
    if result.status == 0 {
      print(result.output)
    } else {
      Issue.record("\(result.output)")
    }
  }

  private func play(text: String) throws -> Outcome {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jsonl")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try run([file.path, "--class", "classic"])
  }

  private struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  private func run(_ arguments: [String]) throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["output", "errors"].map { folder.appendingPathComponent($0) }
    for file in files { try Data().write(to: file) }
    let process = Process()
    // The products of a build lie in one folder, the test bundle's resources among them.
    process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent()
      .appendingPathComponent("conformance")
    process.arguments = arguments
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }
}
