import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

/// Every prefix of a file and every changed byte: a value or damage, and damaged bytes are kept.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct DamageTests {
  struct Fixture: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
      testDescription = name
      self.bytes = bytes
    }
  }

  private static let formats: [DomainFileFormat] = [.openStep, .xml, .binary]

  /// One of each kind of mark, and no more: each byte becomes every other, or every seventh other where nothing is optimized.
  private static func small() throws -> [Fixture] {
    let value: PropertyList = ["a": ["x", "\u{E9}"], "b": .data([1, 0xFF]), "n": .integer(5)]
    let xml = "<?xml?><plist><dict><key>a</key><string>\u{E9}&lt;</string><key>b</key><true/></dict></plist>"
    return [
      Fixture("openStep", try DomainFileFormat.openStep.bytes(of: value)), Fixture("xml", Array(xml.utf8)),
      Fixture("binary", try DomainFileFormat.binary.bytes(of: value)),
    ]
  }

  private static func large() throws -> [Fixture] {
    let value: PropertyList = [
      "Array": ["one", "two words", ["nested", .dictionary(["k": "v"])]], "Data": .data(Array(0...15)),
      "Date": .date(PropertyListDate(secondsSinceReferenceDate: 817_000_000)), "Flag": .boolean(true),
      "Long": "0123456789 é🦄", "Real": .real(0.1), "quoted \"key\"": "a\\b\nc",
    ]
    return try formats.map { Fixture("\($0)", try $0.bytes(of: value)) }
  }

  private struct Count {
    var good = 0
    var damaged = 0
  }

  private static let file = "\(SaveScenario.imaginaryDatabase)/App.plist"

  private static let emptyDatabase = Result {
    var tree = FileTree()
    try tree.addDirectory(SaveScenario.imaginaryDatabase)
    try tree.addFile("\(SaveScenario.imaginaryDatabase)/.lock", [])
    return tree
  }

  /// Reads a file's bytes and saves over them as a program does.
  private func feed(_ bytes: [UInt8], _ count: inout Count) throws {
    let app = try DomainName("App")
    var tree = try DamageTests.emptyDatabase.get()
    try tree.addFile(DamageTests.file, bytes)
    let disk = RecordingFileSystem(tree)
    let database = UserDatabase(directory: SaveScenario.imaginaryDatabase, fileSystem: disk)
    let loaded = try database.load(app)
    var changes = DomainChanges()
    changes.set("new", for: "k")
    if let damage = loaded.damage {
      count.damaged += 1
      #expect(loaded.values.isEmpty)
      #expect(damage.kind == .damaged && damage.path == DamageTests.file && !damage.message.isEmpty)
      do throws(DatabaseError) {
        _ = try database.commit(changes, to: app, onDamage: .refuse)
        Issue.record("a damaged file was written over: \(bytes)")
      } catch {
        #expect(error == damage)
      }
      #expect(disk.tree.bytes(at: DamageTests.file) == bytes)
    } else {
      count.good += 1
    }
    let commit = try database.commit(changes, to: app, onDamage: .moveAside)
    // Half a surrogate pair cannot be written back, and the old file is kept for it.
    let isLost =
      loaded.damage != nil || PropertyList.losesCharacters(bytes) && commit.reason?.kind == .refused
    #expect((commit.movedAside != nil) == isLost)
    if let movedAside = commit.movedAside { #expect(disk.tree.bytes(at: movedAside) == bytes) }
    var expected = loaded.values
    expected["k"] = "new"
    let saved = try database.load(app)
    // Compared by what is read, since NaN equals nothing.
    if saved.damage != nil || saved.values != expected && saved.values.description != expected.description {
      Issue.record("saved \(expected), found \(saved.values) over \(bytes)")
    }
  }

  @Test(
    "every prefix of a file is a value or damage, and damaged bytes are kept",
    arguments: try large())
  func prefixes(fixture: Fixture) throws {
    var count = Count()
    for length in 0..<fixture.bytes.count { try feed(Array(fixture.bytes[..<length]), &count) }
    // A text is whole without its last line end, and so is an XML file.
    #expect(count.good <= 2)
    #expect(count.damaged >= 200)
    print("damage, prefixes of \(fixture.testDescription): \(count.good) values, \(count.damaged) damaged")
  }

  @Test("every byte of a small file changed to every other", arguments: try small())
  func bytes(fixture: Fixture) throws {
    var count = Count()
    let step = Thoroughness.isComplete ? 1 : 13
    for index in fixture.bytes.indices {
      for byte in stride(from: index % step, through: 255, by: step) where byte != fixture.bytes[index] {
        var bytes = fixture.bytes
        bytes[index] = UInt8(byte)
        try feed(bytes, &count)
      }
    }
    if Thoroughness.isComplete { #expect(count.good + count.damaged == fixture.bytes.count * 255) }
    #expect(count.good > 500 / step && count.damaged > 5000 / step)
    print("damage, bytes of \(fixture.testDescription): \(count.good) values, \(count.damaged) damaged")
  }

  @Test("every bit of a larger file flipped", arguments: try large())
  func bits(fixture: Fixture) throws {
    var count = Count()
    for index in fixture.bytes.indices {
      for bit in 0..<8 {
        var bytes = fixture.bytes
        bytes[index] ^= 1 << bit
        try feed(bytes, &count)
      }
    }
    #expect(count.good + count.damaged == fixture.bytes.count * 8)
    #expect(count.good > 500 && count.damaged > 500)
    print("damage, bits of \(fixture.testDescription): \(count.good) values, \(count.damaged) damaged")
  }

  @Test(
    "a file cut inside its leading comment is damaged, wherever it is cut",
    arguments: ["/* by hand */\n", "// by hand\n"])
  func leadingComment(comment: String) throws {
    let text = Array("\(comment){ a = 1; }\n".utf8)
    var count = Count()
    for length in 0...comment.utf8.count { try feed(Array(text[..<length]), &count) }
    #expect(count.good == 0)
    #expect(count.damaged == comment.utf8.count + 1)
  }
}
