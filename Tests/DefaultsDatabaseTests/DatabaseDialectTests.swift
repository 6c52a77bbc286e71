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

  private func save(
    _ values: [PropertyListKey: PropertyList], to name: DomainName? = nil, patience: Double = 0.05
  ) throws {
    var changes = DomainChanges()
    for (key, value) in values { changes.set(value, for: key) }
    _ = try database.commit(changes, to: name ?? app, onDamage: .refuse, deadline: .now + patience)
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

  // The file hid nothing from GNUstep's programs, which do not look at it.
  @Test("a file without an extension is no domain unless its program is known to open it, and stays as it is")
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

  // A domain of Window Maker's was made as XML under a name that Window Maker does not open.
  @Test(
    "Window Maker's domains are made and made again as text under the name that it opens, without types",
    arguments: ["WindowMaker", "WMState", "WMWindowAttributes", "WMGLOBAL", "WPrefs"])
  func windowMaker(domain: String) throws {
    let name = try DomainName(domain, in: .gnustep)
    for _ in 1...2 {
      try save(
        [
          "IconSize": .integer(64), "Title": "café \\ \"é\"", "On": .boolean(true),
          "List": [.real(0.5), "a"],
        ],
        to: name)
      #expect(
        try home.text(of: domain) == """
          {
              IconSize = 64;
              List = (0.5, a);
              On = YES;
              Title = "caf\\303\\251 \\\\ \\"\\303\\251\\"";
          }

          """)
      #expect(!home.exists(domain + ".plist"))
      #expect(
        try database.load(name).values == [
          "IconSize": "64", "Title": "café \\ \"é\"", "On": "YES", "List": ["0.5", "a"],
        ])
      #expect(try database.domainNames() == [name])
      #expect(database.path(of: name) == home.path(domain))
      #expect(try database.remove(name) != nil)
      #expect(!home.exists(domain))
    }
  }

  @Test("Window Maker's own file is read with its escapes, and a save of one key leaves text that it reads")
  func windowMakersFile() throws {
    try home.write("{\n  Path = \"caf\\303\\251\";\n  Size = 1;\n}\n", to: "WindowMaker")
    let name = try DomainName("WindowMaker", in: .gnustep)
    #expect(try database.load(name).values == ["Path": "café", "Size": "1"])
    try save(["Size": .integer(2)], to: name)
    #expect(try home.text(of: "WindowMaker") == "{\n  Path = \"caf\\303\\251\";\n  Size = 2;\n}\n")
  }

  @Test("the root menu is no domain, and keeps its bytes")
  func rootMenu() throws {
    let menu = "(Applications, (Exit, EXIT))"
    try home.write(menu, to: "WMRootMenu")
    for dialect in [DatabaseDialect.gnustep, .openStep] {
      let database = UserDatabase(directory: home.path, dialect: dialect)
      #expect(try database.domainNames() == [])
      #expect(try database.load(DomainName("WMRootMenu")).identity == nil)
      var changes = DomainChanges()
      changes.set("b", for: "a")
      let commit = try database.commit(changes, to: DomainName("WMRootMenu"), onDamage: .refuse)
      #expect(commit.movedAside == nil)
      #expect(try home.text(of: "WMRootMenu") == menu)
      #expect(try database.remove(DomainName("WMRootMenu")) != nil)
    }
  }

  /// NEXTSPACE's programs keep their files in `.NextSpace`, and GNUstep's class keeps domains of the same names in the
  /// directory above.
  @Test(
    "in NEXTSPACE's directory every domain but the window manager's has a bare name",
    arguments: [false, true])
  func nextspaceDirectory(isGNUsteps: Bool) throws {
    let dialect = isGNUsteps ? DatabaseDialect.gnustep : .openStep
    let database = UserDatabase(directory: home.path + "/.NextSpace", dialect: dialect)
    var changes = DomainChanges()
    changes.set(.integer(1), for: "a")
    for name in ["Workspace", "Login", "NXGlobalDomain", "WM", "WMState", "WMWindowAttributes"] {
      _ = try database.commit(changes, to: DomainName(name), onDamage: .refuse)
    }
    #expect(
      try home.names(in: ".NextSpace").filter { !$0.hasPrefix(".") } == [
        "Login", "NXGlobalDomain", "WM.plist", "WMState.plist", "WMWindowAttributes.plist", "Workspace",
      ])
    let text = try home.text(of: ".NextSpace/Workspace")
    #expect(text == (isGNUsteps ? "{\n    a = <*I1>;\n}\n" : "{\n    a = 1 /*integer*/;\n}\n"))
    #expect(try home.text(of: ".NextSpace/WM.plist").hasPrefix("<?xml") == isGNUsteps)
    for name in ["Workspace", "NXGlobalDomain"] {
      _ = try self.database.commit(changes, to: DomainName(name), onDamage: .refuse)
      #expect(home.exists("\(name).plist") && !home.exists(name))
    }
  }

  @Test("a binary file stays binary")
  func binaryStays() throws {
    try home.write(DomainFileFormat.binary.bytes(of: .dictionary(["a": .integer(1)])), to: "App.plist")
    try save(["b": .integer(2)])
    #expect(try DomainFileFormat(recognising: home.bytes(of: "App.plist")) == .binary)
  }

  // Such a domain became typed text, which GNUstep's next save made XML again, with another text.
  @Test(
    "a text that GNUstep would read from XML as another has an escape for its backslash",
    arguments: [#"C:\U0041"#, #"\U00e9"#, #"\U0001"#, #"\\U005CU0041\U005C"#])
  func escapes(string: String) throws {
    let values: [PropertyListKey: PropertyList] = [
      "path": .string(string), "list": .array([.string(string)]), "n": .integer(5),
      PropertyListKey(string): [PropertyListKey(string): "key"],
    ]
    try save(values)
    #expect(try text.hasPrefix("<?xml"))
    #expect(try text.contains("<string>\(string.replacing("\\U", with: "\\U005CU"))</string>"))
    #expect(try database.load(app).values == values)
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

  @Test("what only looks like such a text is written as it is")
  func noEscapes() throws {
    try save([#"\User"#: #"C:\Users \U12"#])
    #expect(try text.contains(#"<key>\User</key>"#) && text.contains(#"<string>C:\Users \U12</string>"#))
    #expect(try database.load(app).values == [#"\User"#: #"C:\Users \U12"#])
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
    arguments: [0.0, 5, -15, -19.5])
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
    arguments: [21.0, 3600, -300, -3600, -1e9])
  func stale(age: Double) throws {
    try makeLock(secondsAgo: age)
    try save(["a": .integer(1)])
    #expect(try home.names(in: ".lck") == [])
  }

  @Test("so is a file or a link in its place")
  func staleOthers() throws {
    try makeLock(secondsAgo: 0)
    try FileManager.default.removeItem(atPath: lock)
    try Data().write(to: URL(fileURLWithPath: lock))
    try date(secondsAgo: 30)
    try save(["a": .integer(2)])
    #expect(try home.names(in: ".lck") == [])
    #expect(try database.load(app).values["a"] == .integer(2))
  }

  // While its contents were removed by their paths, another user could exchange the directory with a link to any
  // other, whose files the administrator then removed.
  @Test(
    "one with something in it is put aside with its contents, and locks no longer", arguments: [false, true])
  func staleFolder(isFolder: Bool) throws {
    try makeLock(secondsAgo: 0)
    if isFolder {
      try FileManager.default.createDirectory(
        atPath: lock + "/deep/er", withIntermediateDirectories: true)
    } else {
      try Data().write(to: URL(fileURLWithPath: lock + "/left"))
    }
    try date(secondsAgo: 30)
    try save(["a": .integer(1)])
    #expect(try database.load(app).values["a"] == .integer(1))
    let aside = try home.names(in: ".lck")
    #expect(aside.count == 1 && aside.allSatisfy { $0.hasPrefix(".stale-") })
    #expect(try aside.map { try home.names(in: ".lck/" + $0) } == [[isFolder ? "deep" : "left"]])
  }

  @Test(
    "the administrator makes no lock in a folder that another user has made, or can exchange",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)),
    arguments: ["folder", "link", "exchangeable"])
  func othersFolder(kind: String) throws {
    let (folder, elsewhere) = (home.path(".lck"), home.path("elsewhere"))
    try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
    if kind == "link" {
      try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: "elsewhere")
    } else {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }
    #expect(kind == "exchangeable" || lchown(folder, 65534, 65534) == 0)
    #expect(kind != "exchangeable" || chmod(folder, 0o777) == 0)
    #expect(chmod(home.path, 0o1777) == 0)
    let error = #expect(throws: DatabaseError.self) { try save(["a": .integer(1)]) }
    #expect(error?.kind == .refused && error?.path == folder)
    #expect(!home.exists("App.plist"))
    #expect(try home.names(in: "elsewhere") == [])
    // It is the administrator's alone.
    #expect(lchown(folder, 0, 0) == 0)
    #expect(kind == "link" || chmod(folder, 0o755) == 0)
    try save(["a": .integer(1)])
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

  @Test("to take the lock is no waiting if it is free, however long that takes")
  func freeLock() throws {
    try save(["a": .integer(1)])
    let slow = FaultyFileSystem { operation in
      if operation.name == "makeDirectory" { CurrentProcess.pause(microseconds: 200_000) }
      return nil
    }
    let database = UserDatabase(directory: home.path, dialect: .gnustep, fileSystem: slow)
    let wait = database.queue.wait(until: .now + 0.1)
    var changes = DomainChanges()
    changes.set("v", for: "k")
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(slow.operations.contains { $0.name == "makeDirectory" })
    #expect(!wait.isOver)
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
