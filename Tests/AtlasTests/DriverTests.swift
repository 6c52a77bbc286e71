import Foundation
import TestSupport
import Testing

/// Manifests, the checks of `--validate`, and the drivers that come with the package.
@Suite
struct DriverTests {
  private static let drivers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Compat/Conformance/Drivers")

  private static func manifest(_ name: String) -> String {
    drivers.appendingPathComponent("\(name)/driver.json").path
  }

  /// Whether a command of the shell ends with status 0.
  private static func succeeds(_ command: String) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test(
    "a manifest that is wrong is told so",
    arguments: [
      ("[]", "a manifest is a JSON object"), ("{\"atlas\": 2}", "“atlas” is the number of the protocol"),
      ("{", "driver.json: byte"), ("{\"atlas\": 1, \"programm\": \"x\"}", "a manifest has no “programm”"),
      ("{\"atlas\": 1, \"id\": \"a/b\"}", "the id “a/b” may hold only"),
      ("{\"atlas\": 1, \"id\": \"a\", \"name\": \"A\", \"version\": \"1\"}", "neither “apis” nor “text”"),
      (
        "{\"atlas\": 1, \"id\": \"a\", \"name\": \"A\", \"version\": \"1\", \"apis\": [\"old\"]}",
        "“apis” holds “classic”, “modern” or both"
      ),
    ])
  func manifests(text: String, message: String) throws {
    let runner = try Runner()
    let result = try runner.run([try runner.questions(1), "--driver", try runner.write(text, "driver.json")])
    #expect(result.status == 2)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test("a manifest whose program is missing, or cannot be built, is a driver that does not start")
  func missingProgram() throws {
    let runner = try Runner()
    let start = #"{"atlas": 1, "id": "a", "name": "A", "version": "1", "text": true, "program": "none""#
    let missing = try runner.run([
      try runner.questions(1), "--driver", try runner.write(start + "}", "a.json"),
    ])
    #expect(missing.status == 3)
    #expect(missing.errors.contains("none is no program that may be executed"), "\(missing.errors)")
    let unbuilt = try runner.write(start + #", "build": ["sh", "-c", "echo no compiler; exit 1"]}"#, "b.json")
    let result = try runner.run([try runner.questions(1), "--driver", unbuilt])
    #expect(result.status == 3)
    #expect(result.errors.contains("the driver a cannot be built\n  no compiler"), "\(result.errors)")
  }

  @Test(
    "an outcome in no form of the protocol is a difference, and a wrong message with --validate",
    arguments: [
      ("true", "a truth value is written"), ("5", "a number is written"),
      (#"{\"b\": 1}"#, "there is no tag “b”"),
      (#"{\"ok\": 1}"#, "“ok” stands with true"), (#"{\"x\": \"0\"}"#, "pairs of hexadecimal digits"),
      (#"{\"d\": {\"k\": [{\"i\": \"x\"}]}}"#, "“i” is no integer"),
      (#"{\"aborts\": true}"#, "“aborts” is the runner's own finding"), ("{}", "an object has one member"),
    ])
  func validation(outcome: String, message: String) throws {
    let runner = try Runner()
    let manifest = try runner.driver(step: #"echo "{\"n\": $n, \"outcome\": \#(outcome)}""#)
    let questions = try runner.questions(1)
    #expect(try runner.run([questions, "--driver", manifest]).status == 1)
    let result = try runner.run([questions, "--driver", manifest, "--validate"])
    #expect(result.status == 3)
    #expect(result.errors.contains("classic/x/0: ") && result.errors.contains(message), "\(result.errors)")
  }

  @Test(
    "the driver of GNUstep performs behaviour and texts",
    .enabled(if: succeeds("command -v gnustep-config && echo | gcc -x objective-c -fsyntax-only -")))
  func gnustep() throws {
    let runner = try Runner()
    let arguments = ["--driver", DriverTests.manifest("gnustep"), "--validate", "--id"]
    let behaviour = try runner.run(arguments + ["classic/set/"])
    #expect(behaviour.status == 0, "\(behaviour.errors)")
    #expect(behaviour.output.hasSuffix("  8 of 8\n"), "\(behaviour.output)")
    let texts = try runner.run(arguments + ["text/quoted/"])
    #expect(texts.output.hasSuffix("  20 of 20\n"), "\(texts.output)")
  }

  @Test("the driver of Foundation gives the answers of the class that is built in")
  func foundation() throws {
    let runner = try Runner()
    let ids = ["--id", "modern/string/"]
    let file = try runner.run(["--driver", DriverTests.manifest("foundation"), "--validate", "--json"] + ids)
    #expect(file.errors.contains("every message is right, at 9 questions"), "\(file.errors)")
    let own = try runner.run(["--class", "foundation", "--json"] + ids)
    #expect(file.output.replacingOccurrences(of: "foundation-file", with: "foundation") == own.output)
  }

  @Test(
    "the driver of the tutorial parses texts",
    .enabled(if: succeeds("env -i PATH=\"$PATH\" python3 -c 'import openstep_plist'")))
  func tutorial() throws {
    let result = try Runner().run(
      ["--driver", DriverTests.manifest("openstep_plist"), "--validate", "--id", "text/quoted/"])
    #expect(result.errors.contains("every message is right, at 20 questions"), "\(result.errors)")
    #expect(result.output.hasSuffix("  20 of 20\n"), "\(result.output)")
  }
}
