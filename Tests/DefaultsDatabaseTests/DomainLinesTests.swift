import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Lines that are set do what the same values would do.
@Suite struct DomainLinesTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  @Test("lines give the file that the same values give, byte for byte, whatever was there", arguments: 0..<20)
  func sameAsValues(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    guard case .dictionary(let old) = random.dictionary(), case .dictionary(let new) = random.dictionary()
    else {
      Issue.record("no dictionary")
      return
    }
    let format = [DomainFileFormat.openStep, .xml, .binary, .gnustep][Int(seed % 4)]
    let start = try? format.bytes(of: .dictionary(old))
    var files: [[UInt8]?] = []
    var values: [[PropertyListKey: PropertyList]] = []
    for usesLines in [false, true] {
      try? FileManager.default.removeItem(atPath: home.path("App.plist"))
      if let start, seed % 5 > 0 { try home.write(start, to: "App.plist") }
      let database = UserDatabase(directory: home.path)
      if usesLines {
        var lines = DomainLines()
        if seed % 3 == 0 { try lines.replaceAll(with: old) }
        // Of lines with one key the last counts.
        for key in new.keys { try lines.set("earlier", for: key) }
        for (key, value) in new { try lines.set(value, for: key) }
        try lines.finish()
        _ = try database.commit(lines, to: app)
      } else {
        var changes = DomainChanges()
        if seed % 3 == 0 { changes.replaceAll(with: old) }
        for (key, value) in new { changes.set(value, for: key) }
        _ = try database.commit(changes, to: app, onDamage: .refuse)
      }
      files.append(home.exists("App.plist") ? try home.bytes(of: "App.plist") : nil)
      values.append(try database.load(app).values)
    }
    #expect(values[0] == values[1])
    // Foundation writes the keys of a binary file in another order each time.
    if files[0].map(DomainFileFormat.init(recognising:)) != .binary { #expect(files[0] == files[1]) }
    #expect(files.allSatisfy { $0?.prefix(8) == files[0]?.prefix(8) })
  }

  @Test("lines that change nothing leave a file of another layout as it is")
  func nothingNew() throws {
    let text = "// mine\n{ b = 2; a = (1, 2); }"
    try home.write(text, to: "App.plist")
    var lines = DomainLines()
    try lines.set(["1", "2"], for: "a")
    try lines.finish()
    let database = UserDatabase(directory: home.path)
    _ = try database.commit(lines, to: app)
    #expect(try home.text(of: "App.plist") == text)
    try home.write("{ a = ", to: "App.plist")
    #expect(throws: DatabaseError.self) { try database.commit(lines, to: app) }
    #expect(try home.text(of: "App.plist") == "{ a = ")
  }
}
