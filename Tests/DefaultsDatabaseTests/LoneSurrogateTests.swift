import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Saves of files with half a surrogate pair, which no value holds: nothing of a user's data changes in silence.
struct LoneSurrogateTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
    try home.write(LoneSurrogate.binary, to: "App.plist")
  }

  private func save(
    _ values: [PropertyListKey: PropertyList?], dialect: DatabaseDialect = .openStep,
    onDamage: DamagePolicy = .refuse
  ) throws -> Commit {
    var changes = DomainChanges()
    changes.merge(values)
    return try UserDatabase(directory: home.path, dialect: dialect).commit(
      changes, to: app, onDamage: onDamage)
  }

  private func refusal(
    of values: [PropertyListKey: PropertyList?], dialect: DatabaseDialect = .openStep
  ) throws -> DatabaseError {
    let before = try home.bytes(of: "App.plist")
    let names = try home.names()
    let error = try #require(throws: DatabaseError.self) { try save(values, dialect: dialect) }
    #expect(try home.bytes(of: "App.plist") == before)
    #expect(try home.names().filter { !$0.hasPrefix(".") } == names.filter { !$0.hasPrefix(".") })
    return error
  }

  @Test(
    "a save of another key of a binary file is refused, with the place",
    arguments: [DatabaseDialect.openStep, .gnustep])
  func refused(dialect: DatabaseDialect) throws {
    let error = try refusal(of: ["b": "w"], dialect: dialect)
    #expect(error.kind == .refused)
    #expect(
      error.description
        == "\(home.path)/App.plist: object 3, byte 18: half a surrogate pair stands for no character, and only U+FFFD "
        + "can be written for it; the file is unchanged: give the value another text first, or delete it")
  }

  @Test("also where the value with it gets another key, or another element beside it")
  func copied() throws {
    #expect(try refusal(of: ["a": nil, "c": "\u{FFFD}x"]).kind == .refused)
    #expect(try refusal(of: ["a": ["\u{FFFD}x", "y"]]).kind == .refused)
  }

  @Test("a program's save keeps the old file beside the new one, and tells it")
  func movedAside() throws {
    let commit = try save(["b": "w"], onDamage: .moveAside)
    let kept = try #require(commit.movedAside)
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: kept))) == LoneSurrogate.binary)
    #expect(commit.notice == "could not be changed as it was; the old file was kept as \(kept)")
    #expect(commit.reason?.kind == .refused)
    #expect(try UserDatabase(directory: home.path).load(app).values == ["a": "\u{FFFD}x", "b": "w"])
    #expect(try save(["b": "v"], onDamage: .moveAside).movedAside == nil)
  }

  @Test("who replaces or deletes the value wants it away")
  func replaced() throws {
    #expect(try save(["a": "fixed"], onDamage: .moveAside).movedAside == nil)
    #expect(try UserDatabase(directory: home.path).load(app).values == ["a": "fixed", "b": "v"])
    try home.write(LoneSurrogate.binary, to: "App.plist")
    _ = try save(["a": nil])
    #expect(try UserDatabase(directory: home.path).load(app).values == ["b": "v"])
  }

  @Test("U+FFFD itself is a character like others")
  func genuine() throws {
    try home.write(DomainFileFormat.binary.bytes(of: ["a": "\u{FFFD}", "b": "v"]), to: "App.plist")
    _ = try save(["b": "w"])
    #expect(try UserDatabase(directory: home.path).load(app).values == ["a": "\u{FFFD}", "b": "w"])
  }

  @Test(
    "a text keeps its escapes, also in a value of which another part is changed; what would lose one is refused"
  )
  func text() throws {
    func text(_ b: String, _ q: String) -> String {
      "{ a = (\"x\\UD800\", z); b = \(b); c = { p = \"\\UDC00\"; q = \(q); }; }\n"
    }
    try home.write(text("v", "1"), to: "App.plist")
    _ = try save(["b": "w"])
    #expect(try home.text(of: "App.plist") == text("w", "1"))
    _ = try save(["c": ["p": "\u{FFFD}", "q": "2"]])
    #expect(try home.text(of: "App.plist") == text("w", "2"))
    let error = try refusal(of: ["d": "x\u{FFFD}", "a": nil])
    #expect(error.description.hasPrefix("\(home.path)/App.plist:1:10: half a surrogate pair "), "\(error)")
    let commit = try save(["d": "x\u{FFFD}", "a": nil], onDamage: .moveAside)
    let kept = try #require(commit.movedAside)
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: kept))) == Array(text("w", "2").utf8))
  }
}
