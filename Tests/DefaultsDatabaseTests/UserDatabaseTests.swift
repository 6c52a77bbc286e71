import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@Suite struct UserDatabaseTests {
  private let home: TemporaryHome
  private let database: UserDatabase
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    database = UserDatabase(directory: home.path)
    app = try DomainName("App")
  }

  private func changes(_ values: [PropertyListKey: PropertyList]) -> DomainChanges {
    var changes = DomainChanges()
    for (key, value) in values { changes.set(value, for: key) }
    return changes
  }

  // MARK: Reading

  @Test("an absent directory has no domains") func absentDirectory() throws {
    let database = UserDatabase(directory: home.path("a/b"))
    #expect(try database.domainNames().isEmpty)
    let loaded = try database.load(app)
    #expect(loaded.values.isEmpty && loaded.identity == nil && loaded.damage == nil)
    #expect(try database.remove(app) == nil)
    #expect(!home.exists("a"))
  }

  @Test("regular files with the extension, and those without a dot, are domains") func names() throws {
    for name in ["App.plist", ".hid.plist", "WindowMaker", "Both", "Both.plist", "..plist"] {
      try home.write("{}", to: name)
    }
    for name in [".lock", ".save-0123456789abcdef", ".plist", "notes.txt", "App.damaged-20261120-151600"] {
      try home.write("{}", to: name)
    }
    try FileManager.default.createDirectory(
      atPath: home.path("Dir.plist"), withIntermediateDirectories: false)
    try FileManager.default.createDirectory(atPath: home.path("Dir"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: home.path("Dangling.plist"), withDestinationPath: "x")
    try FileManager.default.createSymbolicLink(atPath: home.path("Link.plist"), withDestinationPath: "Both")
    #expect(try database.domainNames().map(\.text) == [".", ".hid", "App", "Both", "Link", "WindowMaker"])
  }

  @Test("a name on disk that is not UTF-8 is not listed") func invalidName() throws {
    let path = Array(home.path.utf8CString.dropLast()) + "/a".utf8CString.dropLast() + [-1, 0]
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    // Some file systems refuse such a name themselves.
    if descriptor >= 0 { close(descriptor) }
    try home.write("{}", to: "App.plist")
    #expect(try database.domainNames() == [app])
  }

  @Test("Window Maker's files are read and kept under their names") func windowMaker() throws {
    try home.write(#"{ Name = "caf\303\251"; }"#, to: "WindowMaker")
    let name = try DomainName("WindowMaker")
    #expect(try database.load(name).values == ["Name": "café"])
    #expect(database.path(of: name) == home.path("WindowMaker"))
    _ = try database.commit(changes(["New": "1"]), to: name, onDamage: .refuse)
    #expect(try home.text(of: "WindowMaker") == #"{ Name = "caf\303\251"; New = 1; }"#)
    #expect(try home.names() == [".lock", "WindowMaker"])
    #expect(try database.load(name).values == ["Name": "café", "New": "1"])
  }

  @Test("octal escapes in other files are NeXT's characters") func octal() throws {
    try home.write(#"{ Name = "\303\251"; }"#, to: "Other")
    #expect(try database.load(DomainName("Other")).values == ["Name": "\u{2C6}\u{2019}"])
  }

  @Test("where a domain has two files the one with the extension counts") func twoFiles() throws {
    try home.write("{ a = bare; }", to: "App")
    try home.write("{ a = plist; }", to: "App.plist")
    #expect(try database.load(app).values == ["a": "plist"])
    #expect(database.path(of: app) == home.path("App.plist"))
    #expect(try database.domainNames() == [app])
  }

  @Test("a file without the extension but with a dot in its name is no domain") func dotted() throws {
    try home.write("{ a = b; }", to: "com.x")
    #expect(try database.load(DomainName("com.x")).identity == nil)
    #expect(try database.path(of: DomainName("com.x")) == home.path("com.x.plist"))
  }

  // MARK: Change detection

  @Test("a file that was just written proves nothing and is read again") func racy() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    let loaded = try database.load(app)
    #expect(try database.load(app, unlessStill: loaded.identity)?.values == ["a": "1"])
  }

  @Test("an old file that is still the same is not read again") func unchanged() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    let later = UserDatabase(directory: home.path, fileSystem: FaultyFileSystem(secondsAhead: 3))
    let identity = try #require(try later.load(app).identity)
    #expect(identity.isConclusive)
    #expect(try later.load(app, unlessStill: identity) == nil)
    try home.write("{ a = 2; }", to: "App.plist")
    #expect(try later.load(app, unlessStill: identity)?.values == ["a": "2"])
    try FileManager.default.removeItem(atPath: home.path("App.plist"))
    #expect(try later.load(app, unlessStill: identity)?.identity == nil)
  }

  @Test("an absent file is unchanged for who saw none") func stillAbsent() throws {
    #expect(try database.load(app, unlessStill: nil) == nil)
    try home.write("{ a = 1; }", to: "App.plist")
    #expect(try database.load(app, unlessStill: nil)?.values == ["a": "1"])
  }

  // MARK: Committing

  @Test("a commit makes the directory, and both are open to the owner only, whatever the umask")
  func modes() async throws {
    let directory = home.path("x/.OpenStep/Defaults")
    await #expect(processExitsWith: .success) { [directory = directory as String] in
      umask(0)
      var changes = DomainChanges()
      changes.set("1", for: "a")
      _ = try UserDatabase(directory: directory).commit(changes, to: DomainName("App"), onDamage: .refuse)
    }
    #expect(try home.mode(of: "x/.OpenStep/Defaults/App.plist") == 0o600)
    #expect(try home.mode(of: "x/.OpenStep/Defaults/.lock") == 0o600)
    for name in ["x", "x/.OpenStep", "x/.OpenStep/Defaults"] { #expect(try home.mode(of: name) == 0o700) }
    #expect(try home.names(in: "x/.OpenStep/Defaults") == [".lock", "App.plist"])
  }

  @Test("a mask that forbids everything does not lock the owner out") func strictMask() async throws {
    await #expect(processExitsWith: .success) { [directory = home.path as String] in
      umask(0o777)
      var changes = DomainChanges()
      changes.set("1", for: "a")
      _ = try UserDatabase(directory: directory).commit(changes, to: DomainName("App"), onDamage: .refuse)
    }
    #expect(try home.mode(of: "App.plist") == 0o600)
    #expect(try home.mode(of: ".lock") == 0o600)
  }

  @Test("a new file is OPENSTEP's text") func newFile() throws {
    let commit = try database.commit(
      changes(["Count": .integer(5), "A": "b"]), to: app, onDamage: .moveAside)
    #expect(try home.text(of: "App.plist") == "{\n    A = b;\n    Count = 5 /*integer*/;\n}\n")
    #expect(commit.before == nil && commit.movedAside == nil)
    #expect(commit.after.values == ["Count": .integer(5), "A": "b"])
    #expect(try database.load(app).values == commit.after.values)
  }

  @Test("a commit merges over what others wrote meanwhile") func merging() throws {
    _ = try database.commit(changes(["a": "1"]), to: app, onDamage: .refuse)
    try home.write("{ a = 0; b = theirs; }", to: "App.plist")
    var own = changes(["c": "mine"])
    own.remove("a")
    let commit = try database.commit(own, to: app, onDamage: .refuse)
    #expect(commit.after.values == ["b": "theirs", "c": "mine"])
    #expect(try database.load(app).values == ["b": "theirs", "c": "mine"])
    #expect(commit.before != nil && commit.before != commit.after.identity)
  }

  @Test("a text that is known is not read anew, and one that others changed is") func knownText() throws {
    let first = try database.commit(changes(["a": "1", "b": "1"]), to: app, onDamage: .refuse)
    let known = try #require(first.after.text)
    // Written again, so that only its bytes prove anything.
    try home.write(try home.text(of: "App.plist"), to: "App.plist")
    let again = try database.load(app, unlessStill: first.after.identity, knowing: known)
    #expect(try #require(again).text === known)
    try home.write("{\n    a = 2;\n    b = 1;\n}\n", to: "App.plist")
    let changed = try #require(try database.load(app, unlessStill: first.after.identity, knowing: known))
    #expect(changed.text !== known)
    #expect(changed.values == ["a": "2", "b": "1"])
  }

  @Test("a commit that knows the file's text changes lines in it, and says whether others changed it before")
  func changedLines() throws {
    let first = try database.commit(changes(["a": "1", "c": ["x"]]), to: app, onDamage: .refuse)
    let second = try database.commit(
      changes(["b": "two words"]), to: app, onDamage: .refuse, knownText: first.after.text)
    #expect(second.foundKnownText)
    #expect(try home.text(of: "App.plist") == "{\n    a = 1;\n    b = \"two words\";\n    c = (x);\n}\n")
    try home.write("{ theirs = 1; }", to: "App.plist")
    let third = try database.commit(
      changes(["a": "2"]), to: app, onDamage: .refuse, knownText: second.after.text)
    #expect(!third.foundKnownText)
    #expect(try home.text(of: "App.plist") == "{ a = 2; theirs = 1; }")
    #expect(third.after.values == ["a": "2", "theirs": "1"])
  }

  @Test(
    "a commit of few or of all lines of a known text leaves the text of the values",
    arguments: [1, 27, 29, 100])
  func manyLines(count: Int) throws {
    var values: [PropertyListKey: PropertyList] = [:]
    for number in 0..<100 { values[PropertyListKey("key \(number)")] = "old" }
    let first = try database.commit(changes(values), to: app, onDamage: .refuse)
    let new = Dictionary(
      uniqueKeysWithValues: values.keys.sorted().prefix(count).map { ($0, PropertyList.integer(5)) })
    let second = try database.commit(changes(new), to: app, onDamage: .refuse, knownText: first.after.text)
    values.merge(new) { $1 }
    #expect(second.foundKnownText)
    #expect(second.after.values == values)
    #expect(try home.text(of: "App.plist") == PropertyList.dictionary(values).text())
  }

  @Test("a text that is known by another file name is read by that file's rules") func knownByOtherRules()
    throws
  {
    let name = try DomainName("WindowMaker")
    try home.write("{ a = \"\\303\\251\"; }", to: "WindowMaker")
    let bare = try database.load(name)
    #expect(bare.values == ["a": "é"])
    try home.write("{ a = \"\\303\\251\"; }", to: "WindowMaker.plist")
    let other = try #require(try database.load(name, unlessStill: nil, knowing: bare.text))
    #expect(other.values == (try database.load(name).values))
    #expect(other.values != bare.values)
  }

  @Test("a file of mode 644 becomes one of mode 600") func modeOfOldFile() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    chmod(home.path("App.plist"), 0o644)
    _ = try database.commit(changes(["b": "2"]), to: app, onDamage: .refuse)
    #expect(try home.mode(of: "App.plist") == 0o600)
  }

  @Test("nothing is written where nothing differs") func noDifference() throws {
    try home.write("{ a=1; /* by hand */ }", to: "App.plist")
    let commit = try database.commit(changes(["a": "1"]), to: app, onDamage: .refuse)
    #expect(try home.text(of: "App.plist") == "{ a=1; /* by hand */ }")
    #expect(commit.after.values == ["a": "1"])
    _ = try database.commit(DomainChanges(), to: app, onDamage: .refuse)
    #expect(try home.text(of: "App.plist") == "{ a=1; /* by hand */ }")
  }

  @Test("the file of an empty domain is removed") func emptied() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    var removal = DomainChanges()
    removal.remove("a")
    let commit = try database.commit(removal, to: app, onDamage: .refuse)
    #expect(commit.after.identity == nil && commit.before != nil)
    #expect(!home.exists("App.plist"))
  }

  @Test("removing a domain removes its file once") func removing() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    #expect(try database.remove(app) != nil)
    #expect(!home.exists("App.plist"))
    #expect(try database.remove(app) == nil)
  }

  @Test("the longest name can be saved") func longName() throws {
    let name = try DomainName(String(repeating: "é", count: 124) + "x")
    _ = try database.commit(changes(["a": "1"]), to: name, onDamage: .refuse)
    #expect(try database.load(name).values == ["a": "1"])
    #expect(try database.domainNames() == [name])
  }

  @Test("a value too deep to be read back is refused before the file is touched") func tooDeep() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    var value: PropertyList = "x"
    for _ in 0..<PropertyList.maximumDepth + 1 { value = .array([value]) }
    let error = try #require(throws: DatabaseError.self) {
      try database.commit(changes(["deep": value]), to: app, onDamage: .moveAside)
    }
    #expect(error.kind == .refused)
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
    #expect(try home.names() == [".lock", "App.plist"])
  }

  @Test("a check sees what is on disk under the lock, and where it throws nothing is written")
  func check() throws {
    try home.write("{ a = b; }", to: "App.plist")
    var seen: [[PropertyListKey: PropertyList]] = []
    let refusal = DatabaseError(.refused, path: "App", message: "no")
    var request = CommitRequest(changes(["a": "c"]), to: app)
    request.check = { (old) throws(DatabaseError) in
      seen.append(old.values)
      throw refusal
    }
    #expect(throws: refusal) { try database.commit(request) }
    #expect(seen == [["a": "b"]])
    #expect(try home.text(of: "App.plist") == "{ a = b; }")
    request.check = { (old) throws(DatabaseError) in seen.append(old.values) }
    _ = try database.commit(request)
    #expect(seen.count == 2)
    #expect(try database.load(app).values == ["a": "c"])
  }

  @Test("a path leads to the database by whatever way") func liesIn() throws {
    try FileManager.default.createSymbolicLink(atPath: home.path("link"), withDestinationPath: ".")
    #expect(
      database.lies(in: home.path) && database.lies(in: home.path + "/./")
        && database.lies(in: home.path("link")))
    #expect(!database.lies(in: home.path("none")) && !database.lies(in: "/"))
  }

  @Test("only the old remains of killed saves are swept away") func sweeping() throws {
    for name in [".save-0123456789abcdef", ".save-x.plist", ".save-"] { try home.write("", to: name) }
    _ = try database.commit(changes(["a": "1"]), to: app, onDamage: .refuse)
    #expect(home.exists(".save-0123456789abcdef"))
    let later = UserDatabase(directory: home.path, fileSystem: FaultyFileSystem(secondsAhead: 600))
    _ = try later.commit(changes(["a": "2"]), to: app, onDamage: .refuse)
    #expect(try home.names() == [".lock", ".save-", ".save-x.plist", "App.plist"])
  }

  @Test("the remains of killed saves are looked for while no process has to wait for the lock")
  func sweepingWithoutLock() throws {
    _ = try database.commit(changes(["a": "1"]), to: app, onDamage: .refuse)
    let path = home.path(".lock")
    let wasFree = Lock<[Bool]>([])
    let fileSystem = FaultyFileSystem { operation in
      guard operation.name == "names" else { return nil }
      let descriptor = open(path, O_RDWR | O_CLOEXEC)
      defer { close(descriptor) }
      let isFree = flock(descriptor, LOCK_EX | LOCK_NB) == 0
      wasFree.withLock { $0.append(isFree) }
      return nil
    }
    let other = UserDatabase(directory: home.path, fileSystem: fileSystem)
    _ = try other.commit(changes(["a": "2"]), to: app, onDamage: .refuse)
    #expect(wasFree.withLock { $0 } == [true])
  }

  @Test("the old remains of saves through a link are swept away beside its target")
  func sweepingTarget() throws {
    try FileManager.default.createDirectory(atPath: home.path("dotfiles"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: home.path("App.plist"), withDestinationPath: "dotfiles/app")
    for name in ["0123456789abcdef", "x", "0123456789ABCDEF"] {
      try home.write("", to: "dotfiles/.save-\(name)")
    }
    _ = try database.commit(changes(["a": "1"]), to: app, onDamage: .refuse)
    #expect(home.exists("dotfiles/.save-0123456789abcdef"))
    let later = UserDatabase(directory: home.path, fileSystem: FaultyFileSystem(secondsAhead: 600))
    _ = try later.commit(changes(["b": "2"]), to: DomainName("Other"), onDamage: .refuse)
    #expect(home.exists("dotfiles/.save-0123456789abcdef"))
    _ = try later.commit(changes(["a": "2"]), to: app, onDamage: .refuse)
    #expect(try home.names(in: "dotfiles") == [".save-0123456789ABCDEF", ".save-x", "app"])
  }

  @Test(
    "what looks like the remains of another user's save is left",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func sweepingForeign() throws {
    try home.write("", to: ".save-0123456789abcdef")
    #expect(chown(home.path(".save-0123456789abcdef"), 65534, 65534) == 0)
    let later = UserDatabase(directory: home.path, fileSystem: FaultyFileSystem(secondsAhead: 600))
    _ = try later.commit(changes(["a": "2"]), to: app, onDamage: .refuse)
    #expect(home.exists(".save-0123456789abcdef"))
  }

  @Test("a directory with NUL in its name is refused, and none is made of the part before it")
  func nul() throws {
    let database = UserDatabase(directory: home.path("cut\0off"))
    #expect(throws: DatabaseError.self) {
      try database.commit(changes(["a": "1"]), to: app, onDamage: .refuse)
    }
    #expect(throws: DatabaseError.self) { try database.load(app) }
    #expect(throws: DatabaseError.self) { try database.domainNames() }
    #expect(!home.exists("cut"))
  }
}
