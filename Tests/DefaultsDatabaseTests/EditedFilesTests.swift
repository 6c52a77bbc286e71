import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Saves of texts that a person has written, in which everything else stays as it is.
struct EditedFilesTests {
  private let home: TemporaryHome
  private let database: UserDatabase
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    database = UserDatabase(directory: home.path)
    app = try DomainName("App")
  }

  private func save(
    _ values: [PropertyListKey: PropertyList?], onDamage: DamagePolicy = .refuse
  ) throws -> Commit {
    var changes = DomainChanges()
    changes.merge(values)
    var request = CommitRequest(changes, to: app)
    request.onDamage = onDamage
    return try database.commit(request)
  }

  private static let text = """
    /* Mine. */
    {
      // menus
      Font = "Helvetica";  // small

      Window = {x = 10; /* left */ y = 20;};
      Size = 12;
    }

    """

  @Test("a changed value, a changed part of a value, a new key and a removed one")
  func keys() throws {
    try home.write(EditedFilesTests.text, to: "App.plist")
    let commit = try save(["Size": .integer(13), "Window": ["x": "12", "y": "20"], "New": ["a", "b"]])
    #expect(
      try home.text(of: "App.plist")
        == EditedFilesTests.text.replacing("x = 10", with: "x = 12")
        .replacing("Size = 12;", with: "Size = 13 /*integer*/;\n  New = (a, b);"))
    #expect(try commit.after.values == database.load(app).values)
    _ = try save(["Size": "12", "Window": ["x": "10", "y": "20"], "New": nil])
    #expect(try home.text(of: "App.plist") == EditedFilesTests.text)
    _ = try save(["Font": nil])
    #expect(
      try home.text(of: "App.plist")
        == EditedFilesTests.text.replacing("  // menus\n  Font = \"Helvetica\";  // small\n\n", with: ""))
  }

  @Test(
    "a text in GNUstep's database keeps its comments, and types in GNUstep's spelling; what that does not hold is written all the same"
  )
  func gnustep() throws {
    let database = UserDatabase(directory: home.path, dialect: .gnustep)
    func save(_ values: [PropertyListKey: PropertyList?]) throws {
      var changes = DomainChanges()
      changes.merge(values)
      _ = try database.commit(CommitRequest(changes, to: app))
    }
    let text = "{\n  // columns\n  Cols = <*I80>;\n  b = x; /* last */\n  a = (1, <*BY>);\n}\n"
    try home.write(text, to: "App.plist")
    try save(["Cols": .integer(100), "New": .boolean(false)])
    #expect(
      try home.text(of: "App.plist")
        == text.replacing("<*I80>", with: "<*I100>").replacing(
          "<*BY>);\n", with: "<*BY>);\n  New = <*BN>;\n"))
    try save(["Cols": .integer(80), "New": nil])
    #expect(try home.text(of: "App.plist") == text)
    try save(["b": nil])
    #expect(try home.text(of: "App.plist") == text.replacing("  b = x; /* last */\n", with: ""))
    // GNUstep's text has no fractions of a second.
    let date = PropertyList.date(PropertyListDate(secondsSinceReferenceDate: 0.5))
    try save(["When": date])
    #expect(try database.load(app).values["When"] == date)
    #expect(try database.load(app).values["Cols"] == .integer(80))
  }

  @Test("a domain that is replaced as a whole keeps what it has in common with the old one")
  func replacement() throws {
    try home.write(EditedFilesTests.text, to: "App.plist")
    var changes = DomainChanges()
    changes.replaceAll(with: ["Font": "Helvetica", "Window": ["x": "10", "z": "1"]])
    _ = try database.commit(CommitRequest(changes, to: app))
    #expect(
      try home.text(of: "App.plist") == """
        /* Mine. */
        {
          // menus
          Font = "Helvetica";  // small

          Window = {x = 10; z = 1;};
        }

        """)
  }

  @Test("changes that another program makes meanwhile stay, with its comments")
  func merge() throws {
    try home.write("{\n  a = 1;\n}\n", to: "App.plist")
    let known = try database.load(app)
    try home.write("{\n  a = 1; // mine\n  b = 2;\n}\n", to: "App.plist")
    var changes = DomainChanges()
    changes.set("3", for: "c")
    var request = CommitRequest(changes, to: app)
    request.knownText = known.text
    _ = try database.commit(request)
    #expect(try home.text(of: "App.plist") == "{\n  a = 1; // mine\n  b = 2;\n  c = 3;\n}\n")
  }

  @Test("the last key goes, and the comments of the file stay; without comments the file goes")
  func lastKey() throws {
    try home.write("/* Mine. */\n{\n  a = 1;\n}\n", to: "App.plist")
    _ = try save(["a": nil])
    #expect(try home.text(of: "App.plist") == "/* Mine. */\n{\n}\n")
    _ = try save(["b": "2"])
    #expect(try database.load(app).values == ["b": "2"])
    try home.write("\"a\" = \"1\"; // one\n", to: "App.plist")
    _ = try save(["a": nil])
    #expect(!home.exists("App.plist"))
    // A file of comments alone would be damaged.
    try home.write("// Mine.\n\na = 1;", to: "App.plist")
    _ = try save(["a": nil])
    #expect(try home.text(of: "App.plist") == "// Mine.\n{}\n")
    #expect(try database.load(app).damage == nil)
  }

  @Test("encodings and line ends stay")
  func encodings() throws {
    let utf16: [UInt8] = [0xFE, 0xFF] + Array("{\r\n\ta = b;\r\n}\r\n".utf8).flatMap { [0, $0] }
    try home.write(utf16, to: "App.plist")
    _ = try save(["c": "é"])
    let added: [UInt8] = Array("\r\n\tc = \"".utf8).flatMap { [0, $0] } + [0, 0xE9, 0, 0x22, 0, 0x3B]
    var expected = utf16
    expected.insert(contentsOf: added, at: 2 + 2 * "{\r\n\ta = b;".utf8.count)
    #expect(try home.bytes(of: "App.plist") == expected)
    #expect(try database.load(app).values == ["a": "b", "c": "é"])
  }

  @Test("an edit that would change nothing writes nothing")
  func unchanged() throws {
    try home.write(EditedFilesTests.text, to: "App.plist")
    let before = try database.load(app).identity
    let commit = try save(["Size": "12", "Absent": nil])
    #expect(commit.after.identity == before)
    #expect(try home.text(of: "App.plist") == EditedFilesTests.text)
  }

  @Test("bytes that stand for no character stay as well")
  func undecodable() throws {
    // Half a surrogate pair, and half a unit at the end.
    let front: [UInt8] = [0xFF, 0xFE] + Array("{c=\"".utf8).flatMap { [$0, 0] } + [0, 0xD8, 0x22, 0]
    func utf16(_ rest: String) -> [UInt8] { front + Array(rest.utf8).flatMap { [$0, 0] } + [0x20] }
    try home.write(utf16(";a=b;}"), to: "App.plist")
    _ = try save(["a": "1"])
    #expect(try home.bytes(of: "App.plist") == utf16(";a=1;}"))
    #expect(try database.load(app).values == ["a": "1", "c": "\u{FFFD}"])
    // NeXT's character set has nothing for these two bytes.
    let eightBit = Array("{ c = \"".utf8) + [0xFE, 0xFF, 0xE9] + Array("\"; a = ".utf8)
    try home.write(eightBit + Array("b; }".utf8), to: "App.plist")
    _ = try save(["a": "é"])
    #expect(try home.bytes(of: "App.plist") == eightBit + Array("\"\\U00E9\"; }".utf8))
  }

  @Test("a change after which the rest would mean something else is refused, or written beside the old file")
  func impossible() throws {
    // In an eight-bit character set the first value has two letters; without the second, it would be UTF-8 for one.
    let bytes =
      Array("{ a = \"".utf8) + [0xC3, 0xA9] + Array("\"; b = \"".utf8) + [0xE9] + Array("\"; }".utf8)
    try home.write(bytes, to: "App.plist")
    let values = try database.load(app).values
    let error = try #require(throws: DatabaseError.self) { try save(["b": nil]) }
    #expect(error.kind == .refused)
    #expect(try home.bytes(of: "App.plist") == bytes)
    let commit = try save(["b": nil], onDamage: .moveAside)
    let kept = try #require(commit.movedAside)
    #expect(commit.reason?.kind == .refused)
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: kept))) == bytes)
    #expect(try database.load(app).values == values.filter { $0.key == "a" })
  }

  @Test("lines of a batch get into a text that a person has written")
  func lines() throws {
    try home.write(EditedFilesTests.text, to: "App.plist")
    var lines = DomainLines()
    try lines.set("13", for: "Size")
    try lines.finish()
    _ = try database.commit(CommitRequest(lines, to: app))
    #expect(
      try home.text(of: "App.plist") == EditedFilesTests.text.replacing("Size = 12", with: "Size = 13"))
  }

  @Test("Window Maker's files get no note, no \\U escape, no raw UTF-8 and no last comma")
  func windowMaker() throws {
    let name = try DomainName("WindowMaker")
    try home.write("{\n  Path = (\n    a,\n    b\n  );\n}\n", to: "WindowMaker")
    var changes = DomainChanges()
    changes.set(.integer(5), for: "EdgeResistance")
    changes.set(["a", "b", "\u{E9}"], for: "Path")
    _ = try database.commit(CommitRequest(changes, to: name))
    #expect(
      try home.text(of: "WindowMaker")
        == "{\n  EdgeResistance = 5;\n  Path = (\n    a,\n    b,\n    \"\\303\\251\"\n  );\n}\n")
    #expect(try PropertyList.windowMakerWarnings(home.bytes(of: "WindowMaker")).isEmpty)
  }
}
