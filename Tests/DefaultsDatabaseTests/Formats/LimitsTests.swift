import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

/// What a save acknowledges can be read again, up to every limit of the readers, in every format that a file may have.
@Suite struct LimitsTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  /// A value of so many containers, each in the one before it; dictionaries and arrays by turns.
  private func nested(_ depth: Int) -> PropertyList {
    var value = PropertyList.string("x")
    for level in 0..<depth { value = level % 2 == 0 ? .array([value]) : .dictionary(["k": value]) }
    return value
  }

  @Test(
    "a domain of 1,000 nested containers is saved and read again, one more is refused, and the file stays",
    arguments: [DomainFileFormat.openStep, .gnustep, .xml, .binary],
    [DatabaseDialect.openStep, .gnustep])
  func depth(format: DomainFileFormat, dialect: DatabaseDialect) throws {
    let start = try format.bytes(of: ["a": "1"])
    // The domain is a container itself.
    for depth in [998, 999, 1000, 1001, 2000] {
      try home.write(start, to: "App.plist")
      let database = UserDatabase(directory: home.path, dialect: dialect)
      var changes = DomainChanges()
      changes.set(nested(depth), for: "deep")
      var lines = DomainLines()
      if depth <= 999 {
        _ = try database.commit(changes, to: app, onDamage: .refuse)
        #expect(try database.load(app).values == ["a": "1", "deep": nested(depth)])
        try home.write(start, to: "App.plist")
        try lines.set(nested(depth), for: "deep")
        try lines.finish()
        _ = try database.commit(lines, to: app)
        #expect(try database.load(app).values == ["a": "1", "deep": nested(depth)])
      } else {
        let error = try #require(throws: DatabaseError.self) {
          try database.commit(changes, to: app, onDamage: .refuse)
        }
        #expect(error.kind == .refused)
        #expect(error.description.contains("1000 nested containers"))
        #expect(throws: PropertyListError.self) { try lines.set(nested(depth), for: "deep") }
        #expect(try home.bytes(of: "App.plist") == start)
      }
    }
  }

  @Test(
    "keys of every length and any number of equal values come back from every format",
    arguments: [DomainFileFormat.openStep, .gnustep, .xml, .binary],
    [DatabaseDialect.openStep, .gnustep])
  func keysAndObjects(format: DomainFileFormat, dialect: DatabaseDialect) throws {
    try home.write(try format.bytes(of: ["a": "1"]), to: "App.plist")
    var values: [PropertyListKey: PropertyList] = ["a": "1", "": "empty"]
    // Around the sizes at which the binary format takes another form for a length.
    for count in [14, 15, 255, 256, 65_535, 65_536, 1 << 20] {
      values[PropertyListKey(String(repeating: "k", count: count))] = .integer(
        PropertyListInteger(Int64(count)))
      values[PropertyListKey(String(repeating: "é", count: count))] = .data(
        [UInt8](repeating: 1, count: count))
    }
    // A binary file has one object for all of them.
    values["equal"] = .array(Array(repeating: "the same", count: 70_000))
    var changes = DomainChanges()
    for (key, value) in values { changes.set(value, for: key) }
    let database = UserDatabase(directory: home.path, dialect: dialect)
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(try database.load(app).values == values)
  }
}
