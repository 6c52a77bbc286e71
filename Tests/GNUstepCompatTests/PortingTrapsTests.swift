import Foundation
import TestSupport
import Testing

/// The porting guide's traps, each in Objective-C with the real GNUstep and in Swift.
@Suite(.enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)))
struct PortingTrapsTests {
  private let original: GNUstepProgram

  init() throws {
    original = try GNUstepProgram("traps", named: "traps", in: "Compat/Porting/Originals")
  }

  /// What the original or the port prints for a verb, in a home of its own.
  private func lines(_ verb: String, isPort: Bool) throws -> [String] {
    let home = try GNUstepHome()
    // The name by which it is started says which program it is, and names its domain.
    let port = home.home.path + "/traps"
    try FileManager.default.createSymbolicLink(
      atPath: port, withDestinationPath: BuiltProduct.path(of: "ports"))
    let output = try GNUstepProgram.run(
      isPort ? port : original.url.path, [verb, "-Columns", "132"], environment: home.environment)
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(
    "the right translation prints what the original does, and the careless one another line for each trap")
  func traps() throws {
    let wanted = try lines("right", isPort: false)
    #expect(wanted.count == 9)
    #expect(try lines("right", isPort: true) == wanted)
    let careless = try lines("careless", isPort: true)
    #expect(careless.count == wanted.count)
    for (careless, wanted) in zip(careless, wanted) {
      #expect(careless != wanted)
      #expect(careless.prefix { $0 != ":" } == wanted.prefix { $0 != ":" })
    }
  }

  @Test("GNUstep 1.28 does otherwise where the guide says so")
  func otherwise() throws {
    #expect(
      try lines("otherwise", isPort: false) == [
        "a float as a double: 0.100000001", "an object of init: does not find", "URLs: no",
      ])
    #expect(
      try lines("otherwise", isPort: true) == [
        "a float as a double: 0.1", "an object of init: finds", "URLs: yes",
      ])
  }
}
