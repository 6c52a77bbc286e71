import Foundation
import TestSupport
import Testing

/// The porting guide's program in Objective-C, with GNUstep, and its port.
@Suite(.enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)))
struct PortedProgramTests {
  private static let commands = [
    ["list"], ["add", "one"], ["add", "zwei – two"], ["show"], ["add", "three"], ["add", "four"], ["list"],
    ["list", "-Newest first", "YES", "-Font size", "9"], ["frame", "10", "20.5"], ["show"],
    ["-Title", "Mine", "list"],
    ["forget"], ["show"], ["list"], ["add", "again", "-Limit", "1"], ["add", "and again", "-Limit", "1"],
    ["show"], ["list"],
  ]

  private let original: GNUstepProgram

  init() throws {
    original = try GNUstepProgram("notes", named: "notes", in: "Compat/Porting")
  }

  /// What a program prints for every command in turn.
  private func outputs(_ home: GNUstepHome, program: (Int) -> String) throws -> [String] {
    try PortedProgramTests.commands.enumerated().map { index, arguments in
      let output = try GNUstepProgram.run(program(index), arguments, environment: home.environment)
      return "\(arguments): \(String(decoding: output, as: UTF8.self))"
    }
  }

  @Test("the port prints what the original does, each on a database of its own, and both in turn on one")
  func sameOutput() throws {
    let port = BuiltProduct.path(of: "notes")
    let wanted = try outputs(try GNUstepHome()) { _ in original.url.path }
    #expect(wanted[6].contains("- zwei – two\n- three\n- four\n"))
    #expect(try outputs(try GNUstepHome()) { _ in port } == wanted)
    #expect(try outputs(try GNUstepHome()) { $0 % 2 == 0 ? original.url.path : port } == wanted)
    #expect(try outputs(try GNUstepHome()) { $0 % 2 == 1 ? original.url.path : port } == wanted)
  }
}
