import Foundation
import Testing

/// Lists of known differences, which keep a driver's checks green and true.
@Suite
struct ExpectedListTests {
  private static let wrong = #"echo "{\"n\": $n, \"outcome\": {\"b\": false}}""#
  private static let right = #"echo "{\"n\": $n, \"outcome\": {\"b\": true}}""#

  private func run(_ step: String, list: String, options: [String] = []) throws -> Runner.Outcome {
    let runner = try Runner()
    let path = try runner.write(list, "list.expected")
    return try runner.run(
      [try runner.questions(2), "--driver", try runner.driver(step: step), "--expected", path] + options)
  }

  @Test("differences that are listed are no failure, whatever else the line says")
  func listed() throws {
    let list = """
      # a comment
      classic/x/0   # known

      classic/x/1 {"b": false}  # exactly this one

      """
    let result = try run(ExpectedListTests.wrong, list: list)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("a driver's list excuses nothing of the package's own classes, whose differences are printed")
  func ownClasses() throws {
    let runner = try Runner()
    let question =
      #"{"id": "classic/x/0", "title": "synchronize", "basis": "openstep", "source": "text", "#
      + #""api": "classic", "setup": [], "call": ["sync"], "expect": {"b": false}}"#
    let result = try runner.run([
      try runner.write(question + "\n", "questions.jsonl"), "--class", "classic", "--driver",
      try runner.driver(step: ExpectedListTests.right), "--expected",
      try runner.write("classic/x/0\n", "list.expected"),
    ])
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("classic/x/0\n"), "\(result.output)")
    #expect(!result.output.contains("(shell)"))
  }

  @Test(
    "a list that is not true is a failure",
    arguments: [
      ("classic/x/0\n", "classic/x/1: differs, and is not listed"),
      (
        "classic/x/0 {\"b\": true}\nclassic/x/1\n",
        "list.expected:1: classic/x/0 is {\"b\": false} now, not {\"b\": true}"
      ),
      ("classic/x/0\nclassic/x/1\nclassic/x/2\n", "list.expected:3: there is no question classic/x/2"),
      (
        "classic/x/0\nclassic/x/1\nclassic/arguments/0ed7581e\n",
        "classic/arguments/0ed7581e: it is classic/arguments/ae63de83 now"
      ),
    ])
  func untrue(list: String, message: String) throws {
    let result = try run(ExpectedListTests.wrong, list: list)
    #expect(result.status == 1)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test("a listed question whose answer is the expected one now is a failure, unless that is allowed")
  func better() throws {
    let list = "classic/x/0  # known\n"
    let result = try run(ExpectedListTests.right, list: list)
    #expect(result.status == 1)
    #expect(result.errors.contains("classic/x/0 agrees now: take it from the list"), "\(result.errors)")
    #expect(try run(ExpectedListTests.right, list: list, options: ["--allow-better"]).status == 0)
  }

  @Test(
    "a line that is no entry is named",
    arguments: [
      ("classic/x/0 {\"b\"\n", "list.expected:1: the outcome behind classic/x/0 is not JSON"),
      ("classic/x/0\nclassic/x/0\n", "list.expected:2: classic/x/0 is listed twice"),
    ])
  func damaged(list: String, message: String) throws {
    let result = try run(ExpectedListTests.wrong, list: list)
    #expect(result.status == 2)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test("a list that is written from a run excuses exactly that run")
  func written() throws {
    let runner = try Runner()
    let list = runner.folder.appendingPathComponent("new.expected").path
    let questions = try runner.questions(2)
    let manifest = try runner.driver(step: ExpectedListTests.wrong)
    #expect(try runner.run([questions, "--driver", manifest, "--write-expected", list]).status == 1)
    #expect(
      try runner.text("new.expected")
        == "classic/x/0 {\"b\": false}  # synchronize\nclassic/x/1 {\"b\": false}  # synchronize\n")
    #expect(try runner.run([questions, "--driver", manifest, "--expected", list]).status == 0)
    let better = try runner.driver(step: ExpectedListTests.right)
    #expect(try runner.run([questions, "--driver", better, "--expected", list]).status == 1)
  }

  @Test("without a list, a driver fails on every basis but a choice")
  func basis() throws {
    for (basis, status) in [("openstep", Int32(1)), ("apple", 1), ("gnustep", 1), ("choice", 0)] {
      let runner = try Runner()
      let questions = try runner.write(
        #"{"id": "classic/x/1", "basis": "\#(basis)", "api": "classic", "setup": [], "call": ["sync"], "#
          + #""expect": {"b": true}}"#, "questions.jsonl")
      let result = try runner.run([questions, "--driver", try runner.driver(step: ExpectedListTests.wrong)])
      #expect(result.status == status, "\(basis)")
    }
  }
}
