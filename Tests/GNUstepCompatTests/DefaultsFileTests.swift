import Foundation
import GNUstepCompat
import TestSupport
import Testing

/// Defaults that GNUstep's class registers from a file.
struct DefaultsFileTests {
  private let home: TemporaryHome
  private let defaults: GNUstepUserDefaults

  init() throws {
    home = try TemporaryHome()
    defaults = GNUstepUserDefaults(directory: home.path("Defaults"), applicationName: "App")
  }

  @Test(
    "values keep their types, and a key such as GNUstep writes for a menu is itself",
    arguments: [PropertyList.FileFormat.xml(.gnustep), .text(.gnustep)])
  func types(format: PropertyList.FileFormat) throws {
    let list: PropertyList = ["Columns": .integer(80), "Wrap": .boolean(true), "\u{1B}": "menu"]
    try list.write(toFile: home.path("list"), format: format)
    try defaults.registerDefaults(contentsOfFile: home.path("list"))
    #expect(defaults.propertyListForKey("Columns") == .integer(80))
    #expect(defaults.propertyListForKey("Wrap") == .boolean(true))
    #expect(defaults.stringForKey("\u{1B}") == "menu" && defaults.stringForKey("Columns") == nil)
  }

  @Test("a file that nests more than can be set is an error, and does not end the program")
  func deep() throws {
    let deep = String(repeating: "(", count: 500) + String(repeating: ")", count: 500)
    try home.write("{ Columns = 80; deep = \(deep); }", to: "list")
    let error = #expect(throws: DatabaseError.self) {
      try defaults.registerDefaults(contentsOfFile: home.path("list"))
    }
    #expect(error?.kind == .refused && defaults.objectForKey("Columns") == nil)
  }
}
