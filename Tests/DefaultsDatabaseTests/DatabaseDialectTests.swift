import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What is different in a directory of GNUstep's: formats, and the lock.
struct DatabaseDialectTests {
  private let home: TemporaryHome
  private let database: UserDatabase
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    database = UserDatabase(directory: home.path, dialect: .gnustep)
    app = try DomainName("App")
  }

  private func save(_ values: [PropertyListKey: PropertyList], patience: Double = 0.05) throws {
    var changes = DomainChanges()
    for (key, value) in values { changes.set(value, for: key) }
    _ = try database.commit(changes, to: app, onDamage: .refuse, deadline: .now + patience)
  }

  private var text: String {
    get throws { String(decoding: try home.bytes(of: "App.plist"), as: UTF8.self) }
  }

  // MARK: - Formats

  @Test("a name is its file's name as it stands, and one with “/” is refused")
  func names() throws {
    try home.write("{ a = b; }", to: "a%2Fb.plist")
    #expect(try database.domainNames().map(\.text) == ["a%2Fb"])
    #expect(try database.load(DomainName("a%2Fb", in: .gnustep)).values == ["a": "b"])
    #expect(throws: DatabaseError.self) { try DomainName("a/b", in: .gnustep) }
    // Also where it was checked for another kind of directory.
    var changes = DomainChanges()
    changes.set("v", for: "k")
    for name in [try DomainName("a/b"), try DomainName("../evil")] {
      let error = try #require(throws: DatabaseError.self) { try database.load(name) }
      #expect(error.kind == .refusedName)
      #expect(throws: DatabaseError.self) { try database.load(name, unlessStill: nil) }
      #expect(throws: DatabaseError.self) { try database.commit(changes, to: name, onDamage: .refuse) }
    }
  }

  @Test("a new file is XML")
  func newFile() throws {
    try save(["n": .integer(5), "s": "text"])
    #expect(try text.hasPrefix("<?xml") && text.contains("<integer>5</integer>"))
  }

  @Test("text stays text, with types in GNUstep's form and not in notes, which it would pass over")
  func textStays() throws {
    try home.write("{ old = <*I7>; \"s\" = plain; }", to: "App.plist")
    try save([
      "n": .integer(5), "b": .boolean(true), "r": .real(0.5),
      "t": .date(PropertyListDate(secondsSinceReferenceDate: 1)),
    ])
    let text = try text
    #expect(text.contains("old = <*I7>;") && text.contains("n = <*I5>;") && text.contains("b = <*BY>;"))
    #expect(text.contains("<*D2001-01-01 00:00:01 +0000>") && !text.contains("/*"))
    #expect(try database.load(app).values["r"] == .real(0.5))
  }

  // A typed value made Window Maker's file unreadable to Window Maker, and the file hid nothing from GNUstep's programs,
  // which do not look at it.
  @Test("a file without an extension is Window Maker's and no domain, and stays as it is")
  func bareFiles() throws {
    let bytes = "{ IconSize = 64; Name = \"caf\\303\\251\"; }"
    try home.write(bytes, to: "App")
    try home.write("(Exit, EXIT)", to: "WMRootMenu")
    #expect(try database.domainNames() == [])
    #expect(try database.load(app).identity == nil)
    try save(["IconSize": .integer(48)])
    #expect(try text.hasPrefix("<?xml") && home.text(of: "App") == bytes)
    #expect(try database.domainNames() == [app])
    var changes = DomainChanges()
    changes.remove("IconSize")
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(!home.exists("App.plist"))
    #expect(try home.text(of: "App") == bytes)
  }

  @Test("a binary file stays binary")
  func binaryStays() throws {
    try home.write(DomainFileFormat.binary.bytes(of: .dictionary(["a": .integer(1)])), to: "App.plist")
    try save(["b": .integer(2)])
    #expect(try DomainFileFormat(recognising: home.bytes(of: "App.plist")) == .binary)
  }

  @Test(
    "a text that GNUstep would read from XML as another makes the file typed text",
    arguments: [#"C:\U0041"#, #"\U00e9"#, #"\U0001"#])
  func escapes(string: String) throws {
    try save(["path": .string(string), "list": .array([.string(string)]), "n": .integer(5)])
    #expect(try !text.hasPrefix("<?xml"))
    #expect(try text.contains("n = <*I5>;"))
    #expect(try database.load(app).values["path"] == .string(string))
  }

  @Test("a control character is written into XML by GNUstep's escape of it")
  func controlCharacter() throws {
    try save(["path": "a\u{1}b"])
    #expect(try text.hasPrefix("<?xml"))
    #expect(try text.contains(#"<string>a\U0001b</string>"#))
    #expect(try database.load(app).values["path"] == "a\u{1}b")
  }

  @Test("a Float is written into XML as the equal Double, as GNUstep does")
  func float() throws {
    try save(["f": .float(1.1), "n": .integer(5)])
    #expect(try text.hasPrefix("<?xml"))
    #expect(try database.load(app).values == ["f": .real(Double(Float(1.1))), "n": .integer(5)])
  }

  @Test("a key of that kind does, too, and what only looks like it does not")
  func escapedKeys() throws {
    try save([#"\U0041"#: .integer(1)])
    #expect(try !text.hasPrefix("<?xml"))
    try FileManager.default.removeItem(atPath: home.path + "/App.plist")
    try save([#"\User"#: #"C:\Users \U12"#])
    #expect(try text.hasPrefix("<?xml"))
  }

  @Test(
    "a date with a fraction is kept as text with a note: typed, it would break the whole file for GNUstep")
  func fractions() throws {
    let date = PropertyList.date(PropertyListDate(secondsSinceReferenceDate: 0.25))
    try save(["t": date, "n": .integer(5)])
    #expect(try text.contains("t = \"2001-01-01 00:00:00.25 +0000\" /*date*/;"))
    #expect(try database.load(app).values["t"] == date)
  }

  // MARK: - The lock

  private var lock: String { home.path + "/.lck/.GNUstepDefaults.lck" }

  private func makeLock(secondsAgo age: Double) throws {
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: true)
    try date(secondsAgo: age)
  }

  private func date(secondsAgo age: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: lock)
  }

  @Test("the lock is taken for a save and given back")
  func taken() throws {
    try save(["a": .integer(1)])
    #expect(try home.names(in: ".lck") == [])
    #expect(!FileManager.default.fileExists(atPath: lock))
  }

  @Test(
    "a lock of another is waited for, and then told of; nothing is changed",
    arguments: [0.0, 15, -15, -19.5])
  func held(age: Double) throws {
    try makeLock(secondsAgo: age)
    let error = #expect(throws: DatabaseError.self) { try save(["a": .integer(1)]) }
    #expect(error?.kind == .locked(holder: nil))
    #expect(error?.path == lock)
    #expect(try home.names(in: "").contains("App.plist") == false)
    #expect(FileManager.default.fileExists(atPath: lock))
    // As soon as it is given back.
    try FileManager.default.removeItem(atPath: lock)
    try save(["a": .integer(1)])
  }

  @Test(
    "a lock whose time is more than twenty seconds in the past or the future was left behind, and is removed",
    arguments: [21.0, 3600, -22, -3600, -1e9])
  func stale(age: Double) throws {
    try makeLock(secondsAgo: age)
    try save(["a": .integer(1)])
    #expect(try home.names(in: ".lck") == [])
  }

  @Test("so is one with something in it, and a file or a link in its place")
  func staleOthers() throws {
    try makeLock(secondsAgo: 0)
    try Data().write(to: URL(fileURLWithPath: lock + "/left"))
    try date(secondsAgo: 30)
    try save(["a": .integer(1)])
    try Data().write(to: URL(fileURLWithPath: lock))
    try date(secondsAgo: 30)
    try save(["a": .integer(2)])
    #expect(try home.names(in: ".lck") == [])
    #expect(try database.load(app).values["a"] == .integer(2))
  }

  @Test("one with folders in it is put aside, and locks no longer")
  func staleFolder() throws {
    try makeLock(secondsAgo: 0)
    try FileManager.default.createDirectory(
      atPath: lock + "/deep/er", withIntermediateDirectories: true)
    try date(secondsAgo: 30)
    try save(["a": .integer(1)])
    #expect(try database.load(app).values["a"] == .integer(1))
    #expect(!FileManager.default.fileExists(atPath: lock))
  }

  // It made the process call itself until its stack was full.
  @Test("where the lock's folder can be neither made nor used, that is told", arguments: ["link", "file"])
  func noFolder(kind: String) throws {
    let folder: String = home.path + "/.lck"
    if kind == "link" {
      try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: "nowhere")
    } else {
      try home.write("", to: ".lck")
    }
    let error = #expect(throws: DatabaseError.self) { try save(["a": .integer(1)]) }
    #expect(error?.message.hasPrefix("GNUstep's lock cannot be taken: ") == true)
    #expect(!home.exists("App.plist"))
  }

  // Else what the other saved meanwhile was lost, and its lock removed after it.
  @Test(
    "a save that finds its lock taken for one that was left behind changes nothing, and leaves the other's alone",
    arguments: [true, false])
  func brokenLock(removes: Bool) throws {
    try home.write("{ a = b; }", to: "App.plist")
    let (path, lock): (String, String) = (home.path, lock)
    // As if this process had been stopped before the last step, and a GNUstep program were at work now.
    let fileSystem = FaultyFileSystem { operation in
      guard operation.name == "synchronize" || (removes && operation.name == "open directory"),
        FileManager.default.fileExists(atPath: lock)
      else { return nil }
      try? FileManager.default.removeItem(atPath: lock)
      // Of another time, since it may have the old one's number.
      try? FileManager.default.createDirectory(
        atPath: lock, withIntermediateDirectories: false)
      try? FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -5)], ofItemAtPath: lock)
      try? Data("{ theirs = 1; }".utf8).write(to: URL(fileURLWithPath: path + "/App.plist"))
      return nil
    }
    let database = UserDatabase(directory: home.path, dialect: .gnustep, fileSystem: fileSystem)
    var changes = DomainChanges()
    if removes { changes.replaceAll(with: [:]) } else { changes.set("1", for: "ours") }
    let error = #expect(throws: DatabaseError.self) {
      try database.commit(changes, to: app, onDamage: .refuse)
    }
    #expect(error?.kind == .locked(holder: nil))
    #expect(error?.message.hasPrefix("a GNUstep program removed the lock of this save") == true)
    #expect(try home.text(of: "App.plist") == "{ theirs = 1; }")
    #expect(FileManager.default.fileExists(atPath: lock))
    #expect(try home.names().filter { $0.hasPrefix(".save") } == [])
  }

  @Test("threads that save at the same time take turns at both locks")
  func threads() async throws {
    let (database, app) = (database, app)
    let failures = Lock<[String]>([])
    await EightThreads.run { thread in
      for index in 0..<20 {
        var changes = DomainChanges()
        changes.set(.integer(1), for: PropertyListKey("\(thread)-\(index)"))
        do {
          _ = try database.commit(changes, to: app, onDamage: .refuse, deadline: .now + 30)
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try database.load(app).values.count == 160)
  }
}
