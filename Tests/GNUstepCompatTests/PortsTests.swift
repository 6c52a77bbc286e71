import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// A program of Compat/Porting/Originals, and how the tests call it and its port.
struct PortedPattern: CustomTestStringConvertible, Sendable {
  let name: String
  /// The arguments of each call; `HOME` in them is the path of the test's home, `ORIGINALS` that of the sources.
  let calls: [[String]]

  var testDescription: String { name }

  /// - Parameter always: Arguments at the end of every call.
  private init(_ name: String, always: [String] = [], _ calls: [[String]]) {
    (self.name, self.calls) = (name, calls.map { $0 + always })
  }

  static let all = [
    PortedPattern(
      "mailserver",
      [
        ["check", "-Configuration", "ORIGINALS/mailserver.conf"], ["check"],
        ["set", "Minutes", "30x", "-Configuration", "ORIGINALS/mailserver.conf"],
        ["domain", "example.org", "-Configuration", "ORIGINALS/mailserver.conf", "-Module", "Tasks"],
        ["domain", "other", "-Configuration", "ORIGINALS/mailserver.conf"],
        ["check", "-Minutes", "7.9", "-Trusts", "YES", "-Directories", "({id=x;port=1;})"],
      ]),
    PortedPattern(
      "pane", always: ["-Entries", "ORIGINALS/pane.plist"],
      [
        ["show"], ["set", "Browser", "surf"], ["set", "Animates", "NO"], ["set", "ScrollerWidth", "3"],
        ["set", "ScrollerWidth", "20"], ["set", "ScrollerWidth", "20.25"], ["set", "Paths", "a,b"],
        ["set", "Style", "mac"], ["set", "Style", "win"], ["revert", "Animates"], ["set", "Animates", "yes"],
        ["set", "Browser", "open"], ["show", "-Style", "next"],
      ]),
    PortedPattern(
      "terminal",
      [
        ["show"], ["size", "132", "40", "12.1"], ["cursor", "0.1", ".5", "1", "YES"],
        ["service", "Send mail", "mail %s", "1"], ["service", "Web", "w3m", "2"], ["save", "HOME/session"],
        ["open", "HOME/session"], ["show", "-Columns", "0x50", "-Lines", "30"],
        ["cursor", "1", "1", "1", "no"],
        ["size", "80", "0", "x"], ["show", "-CursorBlinks", "1"], ["open", "HOME/session"],
      ]),
    PortedPattern(
      "command",
      [
        ["show"], ["set", "Host", "family"], ["set", "WebHost", "web", "-Prefix", "Web"],
        ["show", "-Prefix", "Web"], ["override", "Port", "99", "-Prefix", "Web"],
        ["override", "WebPort", "99", "-Prefix", "Web"], ["set", "Verbose", "YES"],
        ["remove", "Host", "-Prefix", "Web"], ["show", "-Prefix", "Web"],
        ["remove", "Host", "-Prefix", "Web"], ["show", "-Host", "there", "-Port", "08", "-Verbose", "no"],
      ]),
    PortedPattern(
      "extractors",
      [
        ["show"], ["set", "Fullscreen", "off"], ["set", "Width", "\"1024px\""], ["set", "Height", "tall"],
        ["real", "Volume", "0.75"], ["set", "View", "60.25"],
        ["set", "Axes", "({name=roll;stick=300;zone=\"0\";},{stick=x;zone=(1);},{name=pitch;})"],
        ["truth", "Fullscreen", "YES"], ["number", "Width", "99999999999"],
        ["show", "-Height", "0", "-Volume", "loud"], ["set", "Volume", "<*R0.25>"],
        ["set", "Axes", "({name=<*I5>;stick=<*R7.9>;zone=<*BY>;})"], ["truth", "Fullscreen", "NO"],
        ["show", "-Fullscreen", "true"],
      ]),
    PortedPattern(
      "dock",
      [
        ["list"], ["add", "Terminal", "xterm -ls", "0", "1"], ["add", "Mail", "mail", "0", "0x2"],
        ["lock", "Mail"], ["share", "IconSize", "0x40"], ["share", "Lowered", "Yes"],
        ["set", "Lowered", "No"],
        ["list"], ["forget", "Lowered"], ["remove", "Terminal"], ["list", "-Lowered", "No"],
      ]),
    PortedPattern(
      "speech",
      [
        ["show"], ["write", "Speech", "Voice", "female"], ["write", "Map Editor", "Grid", "1:0:0.5"],
        ["later", "Speech", "SpeakLogin", "NO"], ["show", "-Rate", "2.5"],
        ["write", "NSGlobalDomain", "Voice", "all"], ["remove", "Speech", "Voice"],
        ["write", "Speech", "SpeakLogin", "NO"],
      ]),
    PortedPattern(
      "preference", always: ["-Registered", "ORIGINALS/preference.plist"],
      [
        ["show"], ["set", "Count", "12x"], ["set", "Name", "some"], ["set", "On", "NO"],
        ["set", "Ratio", ".1"],
        ["set", "Since", "1000"], ["set", "Stamp", "abc"], ["set", "Words", "x y z"], ["restore", "On"],
        ["show", "-On", "NO"], ["set", "On", "YES"], ["show", "-Words", "(a, b)"],
      ]),
    PortedPattern(
      "desktop", always: ["-Folder", "HOME"],
      [
        ["show"], ["file", "Name", "a b"], ["number", "Speed", "7"], ["file", "Hides", "YES"],
        ["global", "Speed", "9"], ["global", "Other", "x"], ["show"],
      ]),
    PortedPattern(
      "palette",
      [
        ["show"], ["colour", "Ink", "1", "2", "3"], ["share", "Frame", "9", "9", "9"],
        ["share", "Ink", "200", "0", "0"], ["opened", "/a", "1000", "-Profile", "Ann"],
        ["opened", "/b", "2000", "-Profile", "Ann"], ["opened", "/c", "2000", "-Profile", "Ann"],
        ["opened", "/d", "2000", "-Profile", "Ann"], ["show"],
        ["colour", "Paper", "255", "255", "254", "-Profile", "Ann"], ["show", "-Profile", "Ann"],
        ["close", "-Profile", "Ann"], ["show", "-Profile", "Ann", "-Opened", "7"],
      ]),
  ]
}

/// Programs with the patterns of known GNUstep and NeXT programs, each in Objective-C with the real GNUstep and as a
/// port in which only the syntax has changed.
@Suite(.enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)))
struct PortsTests {
  private static let originals = "Compat/Porting/Originals"

  /// What a series of calls has printed, and what the database holds then, by type and without empty domains.
  private struct Outcome {
    let outputs: [String]
    let domains: [String: PropertyList]
  }

  /// Makes all calls in a home of their own.
  ///
  /// - Parameter isPort: Whether the call of a number is the port's.
  private func outcome(_ pattern: PortedPattern, _ original: GNUstepProgram, isPort: (Int) -> Bool) throws
    -> Outcome
  {
    let home = try GNUstepHome()
    // The name by which it is started says which program it is, and names its domain.
    let port = home.home.path + "/" + pattern.name
    try FileManager.default.createSymbolicLink(
      atPath: port, withDestinationPath: BuiltProduct.path(of: "ports"))
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let sources = package.appendingPathComponent(PortsTests.originals).path
    let outputs = try pattern.calls.enumerated().map { index, call in
      let arguments = call.map {
        $0.replacingOccurrences(of: "ORIGINALS", with: sources)
          .replacingOccurrences(of: "HOME", with: home.home.path)
      }
      let output = try GNUstepProgram.run(
        isPort(index) ? port : original.url.path, arguments, environment: home.environment)
      return "\(call): \(String(decoding: output, as: UTF8.self))"
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: home.directory)
      .filter { $0.hasSuffix(".plist") }
    let values = try GNUstepReader().read(
      files.map { try [UInt8](Data(contentsOf: URL(fileURLWithPath: home.directory + "/" + $0))) })
    var domains: [String: PropertyList] = [:]
    for (file, value) in zip(files, values) {
      let value = try #require(value, "GNUstep does not read \(file)")
      if value != .dictionary([:]) { domains[file] = value }
    }
    return Outcome(outputs: outputs, domains: domains)
  }

  @Test(
    "a port prints and stores what the original does, each on a database of its own, and both in turn on one",
    arguments: PortedPattern.all)
  func sameOutcome(_ pattern: PortedPattern) throws {
    let original = try GNUstepProgram(pattern.name, named: pattern.name, in: PortsTests.originals)
    let wanted = try outcome(pattern, original) { _ in false }
    #expect(!wanted.domains.isEmpty)
    for isPort in [{ _ in true }, { $0 % 2 == 0 }, { $0 % 2 == 1 }] as [(Int) -> Bool] {
      let outcome = try outcome(pattern, original, isPort: isPort)
      #expect(outcome.outputs == wanted.outputs)
      #expect(outcome.domains == wanted.domains)
    }
  }
}
