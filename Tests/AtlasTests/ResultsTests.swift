import Foundation
import OpenStepPropertyList
import Testing

@testable import DefaultsAtlas

/// Files of results.
@Suite
struct ResultsTests {
  private static let wrong = #"echo "{\"n\": $n, \"outcome\": {\"d\": {\"é\": [\"a\"]}}}""#

  @Test("two runs give the same file, byte for byte, with a line for each answer, in ASCII")
  func sameBytes() throws {
    let runner = try Runner()
    let questions = try runner.questions(6)
    let manifest = try runner.driver(step: ResultsTests.wrong)
    for name in ["a.json", "b.json"] {
      let path = runner.folder.appendingPathComponent(name).path
      let result = try runner.run([
        questions, "--driver", manifest, "--class", "classic", "--results", path, "--jobs",
        name == "a.json" ? "1" : "4",
      ])
      #expect(result.status == 1, "\(result.errors)")
    }
    // The day is the only thing that may differ, at midnight.
    let texts = try ["a.json", "b.json"].map { name in
      try runner.text(name).replacing(/"date": "\d{4}-\d\d-\d\d"/, with: "\"date\": \"a day\"")
    }
    #expect(texts[0] == texts[1])
    #expect(texts[0].utf8.allSatisfy { $0 < 0x80 })
    let line = #"    "shell-1-linux": {"outcome": {"d": {"\u00e9": ["a"]}}, "verdict": "differs"}"#
    #if os(Linux)
      #expect(texts[0].components(separatedBy: line).count == 7, "\(texts[0])")
    #endif
    let json = try JSONReader.value(of: texts[0].utf8)
    #expect(json["runs"]?.elements?.count == 2)
    #expect(json["questions"]?.description == "6")
  }

  private static func file(_ run: String, _ outcome: String) -> String {
    #"{"atlas": 1, "questions": 2, "runs": [{"id": "\#(run)", "name": "Old", "date": "2020-01-01"}], "answers": "#
      + #"{"classic/x/0": {"\#(run)": {"verdict": "differs", "outcome": \#(outcome)}}}}"#
  }

  @Test("runs that were made elsewhere are added, and a run that was made now is not replaced")
  func merging() throws {
    let runner = try Runner()
    let old = try runner.write(ResultsTests.file("mac-1-macos", "\"x\""), "old.json")
    let path = runner.folder.appendingPathComponent("new.json").path
    let arguments = [
      try runner.questions(2), "--driver", try runner.driver(step: ResultsTests.wrong), "--results", path,
    ]
    #expect(try runner.run(arguments + ["--merge", old]).status == 1)
    let first = try JSONReader.value(of: try runner.text("new.json").utf8)
    #expect(first["runs"]?.elements?.compactMap { $0["id"]?.text }.contains("mac-1-macos") == true)
    #expect(first["answers"]?["classic/x/0"]?["mac-1-macos"]?["outcome"]?.text == "x")
    #expect(first["answers"]?["classic/x/1"]?["mac-1-macos"] == nil)
    let name = try #require(
      first["runs"]?.elements?.compactMap { $0["id"]?.text }.first { $0 != "mac-1-macos" })

    let own = try runner.write(ResultsTests.file(name, "\"stale\""), "own.json")
    #expect(try runner.run(arguments + ["--merge", own, "--merge", old]).status == 1)
    let second = try JSONReader.value(of: try runner.text("new.json").utf8)
    #expect(second["answers"]?.description == first["answers"]?.description)
  }

  @Test(
    "a file that is no file of results is refused",
    arguments: [
      ("{", "byte"), ("[]", "these are no results"),
      (#"{"atlas": 2, "runs": [], "answers": {}}"#, "these are no results"),
      (
        #"{"atlas": 1, "runs": [], "answers": {"a": {"r": {"verdict": "agrees", "outcome": null}}}}"#,
        "a: the answer of r"
      ),
      (#"{"atlas": 1, "runs": [{}], "answers": {}}"#, "a run without an id"),
    ])
  func damage(text: String, message: String) throws {
    let runner = try Runner()
    let path = try runner.write(text, "bad.json")
    let result = try runner.run([
      try runner.questions(1), "--class", "classic", "--merge", path, "--results", path + ".new",
    ])
    #expect(result.status == 2)
    #expect(result.errors.contains("bad.json: ") && result.errors.contains(message), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: path + ".new"))
  }

  @Test("a value that is nested deep is written in the short form, and another is not")
  func deepValues() throws {
    let driver = Driver(.classic, runner: "/nonexistent")
    let question = try Question(
      try JSONReader.value(of: #"{"id": "text/x/1", "input_base64": "", "expect": {"error": true}}"#.utf8))
    func text(_ value: String) throws -> String {
      let outcome = try JSONReader.value(of: "{\"value\": \(value)}".utf8)
      return Results([Answer(question, driver, outcome: outcome)], of: [driver], day: "2026-01-01").text(
        questions: 1)
    }
    func nested(_ count: Int, _ open: String, _ leaf: String, _ close: String) -> String {
      String(repeating: open, count: count) + leaf + String(repeating: close, count: count)
    }
    let pairs = nested(60, #"{"a": [{"o": {"k": "#, #"{"s": "x"}"#, "}}]}")
    #expect(
      try text(pairs).contains(
        #"{"nested": {"leaf": {"s": "x"}, "outer_to_inner": ["a", "o:k"], "repeat": 60}}"#))
    let empty = nested(120, #"{"a": ["#, #"{"a": []}"#, "]}")
    #expect(try text(empty).contains(#"{"nested": {"leaf": null, "outer_to_inner": ["a"], "repeat": 121}}"#))
    #expect(try text(nested(50, #"{"a": ["#, #"{"a": []}"#, "]}")).contains(#"{"value": {"a": [{"a": "#))
  }
}
