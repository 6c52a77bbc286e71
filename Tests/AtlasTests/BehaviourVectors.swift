import Foundation
import TestSupport
import Testing

@testable import DefaultsAtlas

/// The questions about behaviour, asked by the program `conformance`, and the program itself.
///
/// `BEHAVIOUR_VECTORS` names another file of questions, which is asked too.
@Suite
struct BehaviourVectors {
  @Test("the package's own classes give the outcome wanted at every question, and the checked-in answers")
  func ownQuestions() throws {
    let runner = try Runner()
    let path = runner.folder.appendingPathComponent("results.json").path
    let others = ["--class", "gnustep-compat", "--class", "typed"]
    try expectAllToPass(others + ["--results", path], runner)
    // The names of runs, and what a file's mode and a missing user are, belong to the system.
    #if os(Linux)
      try CheckedInResultsTests.expectSame(try Results(path: path))
    #endif
    if let path = ProcessInfo.processInfo.environment["BEHAVIOUR_VECTORS"] {
      try expectAllToPass([path], runner)
    }
  }

  @Test(
    "a class gives the same answers behind a manifest as where it is built in",
    arguments: [
      ("classic", "classic", "classic/string"), ("modern", "modern", "modern/string"),
      ("gnustep-compat", "classic", "classic/string"), ("typed", "modern", "modern/string"),
    ])
  func manifest(name: String, api: String, id: String) throws {
    let runner = try Runner()
    let manifest = """
      {"atlas": 1, "id": "\(name)", "name": "x", "version": "", "apis": ["\(api)"],
       "program": "\(BuiltProduct.path(of: "conformance"))",
       "environment": {"ATLAS_CLASS": "\(name)", "OPENSTEP_DEFAULTS_DIR": "{store}",
                       "GNUSTEP_CONFIG_FILE": "{scene}/GNUstep.conf"},
       "files": {"GNUstep.conf": "GNUSTEP_USER_DEFAULTS_DIR={store}\\n"}}
      """
    let path = try runner.write(manifest, "driver.json")
    let foreign = try runner.run(["--driver", path, "--validate", "--json", "--id", id])
    #expect(foreign.errors.contains("every message is right"), "\(foreign.errors)")
    let own = try runner.run(["--class", name, "--json", "--id", id])
    #expect(!own.output.isEmpty && foreign.output == own.output)
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
    let table = try Runner().run(["--class", "foundation", "--class", "modern", "--id", "modern/string/"])
    #expect(table.status == 0)
    #expect(table.output.contains("9 of 9"))
    let json = try Runner().run(["--json", "--class", "foundation", "--id", "modern/string/"])
    #expect(json.status == 0)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [String: Any]])
    let differences = try #require(object["foundation"]?["differences"] as? [[String: Any]])
    // As the vectors themselves say, corelibs writes 5.0 where Apple writes 5, and has no largest Int.
    #expect(differences.count == 2)
    #expect(differences.allSatisfy { $0["got"] != nil && $0["expected"] != nil })
  }

  @Test("a class whose program is copied starts at every question, however many are asked at the same time")
  func copies() throws {
    let result = try Runner().run([
      "--class", "foundation", "--jobs", "8", "--verbose", "--id", "modern/bool-string",
    ])
    #expect(result.output.contains("63 of 63"))
    #expect(!result.output.contains("stderr"))
  }

  @Test(
    "a command line that makes no sense is told so",
    arguments: [
      (["--class", "none"], "there is no class “none”: there are classic, modern, gnustep-compat, typed"),
      (["--merge", "x"], "and neither is named"), (["--frob"], "there is no option “--frob”"),
      (["--id"], "“--id” takes a value"), (["--basis", "x"], "there is no basis “x”"),
      (["--jobs", "0"], "no number of jobs"), (["--driver", "/nonexistent.json"], "nonexistent.json"),
      (["--class", "classic", "--expected", "x"], "is of one driver"),
      (["--id", "classic/arguments/0ed7581e"], "is classic/arguments/ae63de83 now"),
      (
        ["--id", "text/quoted", "--id", "text/oktal"],
        "there is no question whose id begins with “text/oktal”"
      ),
      (["/nowhere/questions.jsonl"], "/nowhere/questions.jsonl"),
      (["/nonexistent"], "nonexistent"),
    ])
  func usage(arguments: [String], message: String) throws {
    let result = try Runner().run(arguments)
    #expect(result.status == 2)
    #expect(result.errors.contains(message))
  }

  // MARK: - Playing

  private func expectAllToPass(_ arguments: [String], _ runner: Runner) throws {
    let result = try runner.run(arguments + ["--class", "classic", "--class", "modern"])
    if result.status == 0 {
      print(result.output)
    } else {
      Issue.record("\(result.output)\(result.errors)")
    }
  }

  private func play(text: String) throws -> Runner.Outcome {
    let runner = try Runner()
    return try runner.run([try runner.write(text, "questions.jsonl"), "--class", "classic"])
  }
}
