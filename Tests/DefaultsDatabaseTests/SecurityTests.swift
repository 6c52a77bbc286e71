import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Who may read, write and lead astray.
@Suite struct SecurityTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  private static func save(_ directory: String, _ fileSystem: any FileSystem = DiskFileSystem())
    throws(DatabaseError)
  {
    var changes = DomainChanges()
    changes.set("v", for: "k")
    _ = try UserDatabase(directory: directory, fileSystem: fileSystem).commit(
      changes, to: DomainName("App"), onDamage: .moveAside)
  }

  /// The permission bits of everything below a directory.
  private static func modes(below directory: String) throws -> [String: Int] {
    var modes: [String: Int] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
      modes[name] =
        try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")[.posixPermissions] as? Int
    }
    return modes
  }

  // MARK: - Permissions

  @Test(
    "no file is open to others at any moment, and all are open to the owner in the end",
    arguments: [0, 0o022, 0o077, 0o277, 0o777])
  func modes(mask: Int) async throws {
    try home.write("{ damaged", to: "seed")
    // The administrator may do everything, so a child becomes somebody else.
    if geteuid() == 0 { #expect(chown(home.path, 65534, 65534) == 0) }
    await #expect(processExitsWith: .success) { [path = home.path as String, mask = mask as Int] in
      if geteuid() == 0 { try #require(setuid(65534) == 0) }
      umask(mode_t(mask))
      let directory = "\(path)/x/.OpenStep/Defaults"
      let looks = Lock(0)
      let watching = FaultyFileSystem { _ in
        do {
          for (name, mode) in try SecurityTests.modes(below: path) where name != "seed" {
            // A number out of the range of permissions shows in the failure.
            if mode & 0o077 != 0 { Issue.record("\(name) has mode \(String(mode, radix: 8))") }
          }
          looks.withLock { $0 += 1 }
        } catch {
          // A directory that the mask closed until the next operation cannot be looked into.
        }
        return nil
      }
      try SecurityTests.save(directory, watching)
      // Once more, over a damaged file.
      try FileManager.default.removeItem(atPath: "\(directory)/App.plist")
      umask(0)
      try FileManager.default.copyItem(atPath: "\(path)/seed", toPath: "\(directory)/App.plist")
      try #require(chmod("\(directory)/App.plist", 0o600) == 0)
      umask(mode_t(mask))
      try SecurityTests.save(directory, watching)
      #expect(looks.withLock { $0 } >= 60)
    }
    let modes = try SecurityTests.modes(below: home.path("x"))
    #expect(modes.count == 5, "\(modes)")
    for (name, mode) in modes {
      #expect(mode == (name.hasSuffix("s") || name == ".OpenStep" ? 0o700 : 0o600), "\(name)")
    }
    #expect(try home.mode(of: "x") == 0o700)
  }

  // MARK: - Temporary files

  @Test("the names of temporary files cannot be guessed") func temporaryNames() throws {
    let recorder = FaultyFileSystem()
    for number in 0..<100 {
      var changes = DomainChanges()
      changes.set(.string("\(number)"), for: "k")
      _ = try UserDatabase(directory: home.path, fileSystem: recorder).commit(
        changes, to: app, onDamage: .refuse)
    }
    let paths = recorder.operations.filter { $0.name == "open creating" }.compactMap(\.path)
    let names = paths.map { String($0.dropFirst(home.path.count + 1)) }.filter { $0 != ".lock" }
    #expect(names.count == 100 && Set(names).count == 100)
    #expect(names.allSatisfy { $0.wholeMatch(of: #/\.save-[0-9a-f]{16}/#) != nil })
    // Of random digits each place takes nearly all values in a hundred tries.
    for place in 6..<22 {
      #expect(Set(names.map { Array($0)[place] }).count >= 10)
    }
  }

  @Test("a new file is never opened through a link or over another file") func exclusive() throws {
    try home.write("precious", to: "precious")
    for (name, destination) in [("link", "precious"), ("dangling", "nothing")] {
      try FileManager.default.createSymbolicLink(atPath: home.path(name), withDestinationPath: destination)
    }
    for name in ["precious", "link", "dangling"] {
      let error = #expect(throws: SystemError.self) {
        try DiskFileSystem().open(home.path(name), for: .creating)
      }
      #expect(error == .alreadyExists)
    }
    for purpose in [OpenPurpose.reading, .locking] {
      let error = #expect(throws: SystemError.self) {
        try DiskFileSystem().open(home.path("link"), for: purpose)
      }
      #expect(error == .tooManyLinks)
    }
    #expect(try home.text(of: "precious") == "precious")
    #expect(!home.exists("nothing"))
  }

  // MARK: - Other users

  @Test(
    "another user's directory is not written, even if anyone may write it",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func foreignDirectory() async throws {
    #expect(chmod(home.path, 0o777) == 0)
    try home.write("{ a = 1; }", to: "App.plist")
    #expect(chmod(home.path("App.plist"), 0o666) == 0)
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      try #require(setuid(65534) == 0)
      #expect(try UserDatabase(directory: path).load(DomainName("App")).values == ["a": "1"])
      let error = try #require(throws: DatabaseError.self) { try SecurityTests.save(path) }
      #expect(error.kind == .refused)
      #expect(error.description.contains("\(path): belongs to another user"))
    }
    #expect(try home.names() == ["App.plist"])
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
  }

  @Test(
    "where a user's ownership cannot be kept, the administrator saves nothing",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)),
    arguments: ["{ a = 1; }", nil])
  func ownerCannotBeKept(text: String?) throws {
    let directory = "/home/user/.OpenStep/Defaults"
    var tree = FileTree()
    try tree.addDirectory(text == nil ? "/home/user" : directory)
    if let text {
      try tree.addFile("\(directory)/App.plist", text.utf8)
      try tree.addFile("\(directory)/.lock", [])
      for path in ["/App.plist", "/.lock", ""] { try tree.setOwner(65534, of: directory + path) }
    } else {
      try tree.setOwner(65534, of: "/home/user")
    }
    let disk = RecordingFileSystem(tree)
    let withoutOwners = FaultyFileSystem(disk) { $0.name == "setOwner" ? .notAllowed : nil }
    let error = #expect(throws: DatabaseError.self) { try SecurityTests.save(directory, withoutOwners) }
    #expect(error?.kind == .inputOutput(code: SystemError.notAllowed.code))
    #expect(error?.description.contains("check the permissions and the owner") == true)
    #expect(disk.tree.bytes(at: "\(directory)/App.plist") == text.map { Array($0.utf8) })
    if text != nil { #expect(disk.tree.names(in: directory) == [".lock", "App.plist"]) }
  }

  @Test(
    "a link in another user's home does not lead the administrator astray",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func foreignLink() throws {
    #expect(chmod(home.path, 0o755) == 0)
    for name in ["theirs", "precious"] {
      try FileManager.default.createDirectory(atPath: home.path(name), withIntermediateDirectories: false)
    }
    try FileManager.default.createSymbolicLink(
      atPath: home.path("theirs/.OpenStep"), withDestinationPath: "../precious")
    #expect(chown(home.path("theirs"), 65534, 65534) == 0)
    try FileManager.default.createDirectory(
      atPath: home.path("precious/Defaults"), withIntermediateDirectories: false)
    try home.write("{ secret = 1; }", to: "precious/Defaults/App.plist")
    let database = UserDatabase(directory: home.path("theirs/.OpenStep/Defaults"))
    let errors = [
      #expect(throws: DatabaseError.self) { try SecurityTests.save(database.directory) },
      #expect(throws: DatabaseError.self) { try database.load(app) },
      #expect(throws: DatabaseError.self) { try database.domainNames() },
      #expect(throws: DatabaseError.self) { try database.remove(app) },
    ]
    for error in errors {
      #expect(error?.kind == .refused)
      #expect(error?.description.contains("leads through a symbolic link of another user") == true)
    }
    // A combining mark makes one character with the slash before it.
    let marked = "\u{301}Defaults"
    try FileManager.default.createDirectory(
      atPath: home.path("precious/" + marked), withIntermediateDirectories: false)
    #expect(throws: DatabaseError.self) { try SecurityTests.save(home.path("theirs/.OpenStep/" + marked)) }
    #expect(try home.names(in: "precious/" + marked) == [])
    #expect(try home.names(in: "precious/Defaults") == ["App.plist"])
    #expect(try home.text(of: "precious/Defaults/App.plist") == "{ secret = 1; }")
    // Links of one's own are one's own business.
    try FileManager.default.createSymbolicLink(
      atPath: home.path("mine"), withDestinationPath: home.path("precious"))
    try SecurityTests.save(home.path("mine/Defaults"))
    #expect(try home.names(in: "precious/Defaults") == [".lock", "App.plist"])
  }

  @Test(
    "an administrator who is killed at any moment of a save leaves a database that its user can save to, after another",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func killedAdministrator() async throws {
    let rehearsal = try TemporaryHome()
    #expect(chown(rehearsal.path, 65534, 65534) == 0)
    let recorder = FaultyFileSystem()
    try SecurityTests.save(rehearsal.path(".OpenStep/Defaults"), recorder)
    #expect(recorder.operations.contains { $0.name.hasPrefix("rename") })
    for step in recorder.operations.indices {
      let home = try TemporaryHome()
      #expect(chown(home.path, 65534, 65534) == 0)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = home.path(".OpenStep/Defaults") as String, step = step as Int] in
        try SecurityTests.save(
          path,
          FaultyFileSystem {
            if $0.index == step { kill(getpid(), SIGKILL) }
            return nil
          })
      }
      let place = Comment("killed before \(recorder.operations[step])")
      try SecurityTests.save(home.path(".OpenStep/Defaults"))
      for name in try FileManager.default.subpathsOfDirectory(atPath: home.path) {
        let attributes = try FileManager.default.attributesOfItem(atPath: home.path(name))
        #expect(attributes[.ownerAccountID] as? Int == 65534, place)
      }
    }
  }

  @Test(
    "a link that another user made where all may write is not followed, and the administrator's is",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func linkInSharedDirectory() throws {
    #expect(chmod(home.path, 0o755) == 0)
    try FileManager.default.createDirectory(
      atPath: home.path("shared"), withIntermediateDirectories: false)
    #expect(chmod(home.path("shared"), 0o1777) == 0)
    try FileManager.default.createDirectory(
      atPath: home.path("precious"), withIntermediateDirectories: false)
    try home.write("{ secret = 1; }", to: "precious/App.plist")
    for name in ["theirs", "ours"] {
      #expect(symlink("../precious", home.path("shared/\(name)")) == 0)
    }
    #expect(lchown(home.path("shared/theirs"), 65534, 65534) == 0)
    let error = #expect(throws: DatabaseError.self) {
      try UserDatabase(directory: home.path("shared/theirs")).load(app)
    }
    #expect(error?.kind == .refused)
    #expect(throws: DatabaseError.self) { try SecurityTests.save(home.path("shared/theirs")) }
    #expect(try home.text(of: "precious/App.plist") == "{ secret = 1; }")
    #expect(try UserDatabase(directory: home.path("shared/ours")).load(app).values == ["secret": "1"])
  }

  @Test(
    "what lies in a directory of the administrator's is not given away, nor is a link followed to give something",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func nothingGivenAway() throws {
    let theirs = try TemporaryHome()
    try FileManager.default.createDirectory(atPath: home.path("precious"), withIntermediateDirectories: false)
    #expect(chown(theirs.path, 65534, 65534) == 0)
    try FileManager.default.createDirectory(
      atPath: theirs.path(".OpenStep"), withIntermediateDirectories: false)
    try theirs.write("", to: ".OpenStep/kept")
    #expect(throws: DatabaseError.self) { try SecurityTests.save(theirs.path(".OpenStep")) }
    #expect(try theirs.names(in: ".OpenStep") == ["kept"])
    #expect(
      try FileManager.default.attributesOfItem(atPath: theirs.path(".OpenStep"))[.ownerAccountID] as? Int == 0
    )
    // The user puts a link where the administrator has just made a directory.
    let swapping = FaultyFileSystem { [home] operation in
      guard operation.name == "open reading", operation.path == theirs.path("new") else { return nil }
      #expect(rmdir(theirs.path("new")) == 0 && symlink(home.path("precious"), theirs.path("new")) == 0)
      return nil
    }
    let error = #expect(throws: DatabaseError.self) { try SecurityTests.save(theirs.path("new"), swapping) }
    #expect(error?.kind == .inputOutput(code: ELOOP))
    #expect(
      try FileManager.default.attributesOfItem(atPath: home.path("precious"))[.ownerAccountID] as? Int == 0)
  }

  @Test(
    "an administrator who saves while the user exchanges the directory for a link writes nothing where it leads",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func exchangedDirectory() throws {
    let theirs = try TemporaryHome()
    #expect(chmod(home.path, 0o755) == 0)
    try FileManager.default.createDirectory(atPath: home.path("precious"), withIntermediateDirectories: false)
    #expect(chmod(home.path("precious"), 0o755) == 0)
    #expect(chown(theirs.path, 65534, 65534) == 0)
    try SecurityTests.save(theirs.path("Defaults"))
    let file = theirs.path("Defaults/App.plist")
    try FileManager.default.removeItem(atPath: file)
    let rehearsal = FaultyFileSystem()
    try SecurityTests.save(theirs.path("Defaults"), rehearsal)
    // Before each operation of a save, the directory becomes a link, and after it a directory again.
    for step in rehearsal.operations.indices {
      if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
      let swapping = FaultyFileSystem { [home] operation in
        if operation.index == step {
          #expect(rename(theirs.path("Defaults"), theirs.path("away")) == 0)
          #expect(symlink(home.path("precious"), theirs.path("Defaults")) == 0)
        }
        return nil
      }
      // It may fail, as it should, or be done in the directory's other place.
      _ = try? SecurityTests.save(theirs.path("Defaults"), swapping)
      #expect(try home.names(in: "precious") == [], "exchanged before \(rehearsal.operations[step])")
      let attributes = try FileManager.default.attributesOfItem(atPath: home.path("precious"))
      #expect(attributes[.ownerAccountID] as? Int == 0)
      #expect(unlink(theirs.path("Defaults")) == 0)
      #expect(rename(theirs.path("away"), theirs.path("Defaults")) == 0)
    }
  }

  /// What another user may put into the place of a domain's file where that user may write, or could once.
  enum Plant: CaseIterable {
    case link, linkBeforeRepair, hardLink, ownFile
  }

  @Test(
    "others' rights are not taken away from a file that another user has planted in the administrator's directory",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)),
    arguments: Plant.allCases)
  func plantedFile(plant: Plant) throws {
    #expect(chmod(home.path, 0o755) == 0)
    try home.write("{ needed = 1; }", to: "needed")
    #expect(chmod(home.path("needed"), 0o644) == 0)
    let directory = home.path("Defaults")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let isOpen = plant != .linkBeforeRepair
    #expect(chmod(directory, isOpen ? 0o777 : 0o700) == 0)
    let file = directory + "/App.plist"
    switch plant {
    case .link, .linkBeforeRepair:
      #expect(symlink("../needed", file) == 0 && lchown(file, 65534, 65534) == 0)
    case .hardLink: #expect(link(home.path("needed"), file) == 0)
    case .ownFile:
      try home.write("{}", to: "Defaults/App.plist")
      #expect(chown(file, 65534, 65534) == 0 && chmod(file, 0o644) == 0)
    }
    let database = UserDatabase(directory: directory)
    let error = #expect(throws: DatabaseError.self) { try database.makePrivate(app) }
    #expect(error?.kind == .refused, "\(error.map { "\($0)" } ?? "none")")
    #expect(try home.mode(of: "needed") == 0o644)
    if plant == .ownFile { #expect(try home.mode(of: "Defaults/App.plist") == 0o644) }
    // Nor is such a link read.
    if plant == .linkBeforeRepair { #expect(throws: DatabaseError.self) { try database.load(app) } }
  }

  @Test("a link that takes a file's place before its rights are changed is not followed")
  func exchangedFile() throws {
    try home.write("{}", to: "App.plist")
    try home.write("", to: "needed")
    for name in ["App.plist", "needed"] { #expect(chmod(home.path(name), 0o644) == 0) }
    let swapping = FaultyFileSystem { [home] operation in
      guard operation.name.hasPrefix("open "), operation.path == home.path("App.plist") else { return nil }
      #expect(unlink(home.path("App.plist")) == 0 && symlink("needed", home.path("App.plist")) == 0)
      return nil
    }
    let error = #expect(throws: DatabaseError.self) {
      try UserDatabase(directory: home.path, fileSystem: swapping).makePrivate(app)
    }
    #expect(error?.kind == .refused)
    #expect(try home.mode(of: "needed") == 0o644)
  }

  @Test(
    "what a user's configuration names, the administrator writes with that user's rights, wherever it lies",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func chosenDirectory() throws {
    let account = try #require(try Account(named: "nobody"))
    try FileManager.default.createDirectory(atPath: home.path("precious"), withIntermediateDirectories: false)
    var changes = DomainChanges()
    changes.set("v", for: "k")
    for dialect in [DatabaseDialect.openStep, .gnustep] {
      let database = UserDatabase(directory: home.path("precious"), dialect: dialect, account: account)
      let error = #expect(throws: DatabaseError.self) {
        try database.commit(changes, to: app, onDamage: .refuse)
      }
      #expect(error?.kind == .inputOutput(code: EACCES))
    }
    #expect(try home.names(in: "precious") == [])
  }

  @Test(
    "the administrator does nothing below a directory in which others may exchange what lies there",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func exchangeableWay() throws {
    try FileManager.default.createDirectory(
      atPath: home.path("shared/Defaults"), withIntermediateDirectories: true)
    try home.write("{ k = v; }", to: "shared/Defaults/App.plist")
    for (mode, group, isGood) in [
      (0o777, 0, false), (0o775, 65534, false), (0o775, 0, true), (0o1777, 0, true), (0o755, 65534, true),
    ] as [(mode_t, gid_t, Bool)] {
      #expect(chown(home.path("shared"), 0, group) == 0 && chmod(home.path("shared"), mode) == 0)
      let database = UserDatabase(directory: home.path("shared/Defaults"))
      let place = Comment(rawValue: "\(String(mode, radix: 8)) of group \(group)")
      if isGood {
        #expect(try database.load(app).values == ["k": "v"], place)
        try SecurityTests.save(database.directory)
        try home.write("{ k = v; }", to: "shared/Defaults/App.plist")
      } else {
        for body in [
          { _ = try database.load(app) }, { _ = try database.domainNames() },
          { try SecurityTests.save(database.directory) }, { _ = try database.remove(app) },
        ] as [() throws -> Void] {
          let error = #expect(throws: DatabaseError.self, place) { try body() }
          #expect(error?.kind == .refused, place)
        }
      }
    }
  }

  @Test(
    "a link of the administrator's into another user's directory is not followed by a save, and a directory's is",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func ownLinkToForeignFile() throws {
    #expect(chmod(home.path, 0o755) == 0)
    for name in ["own", "theirs", "theirs/Defaults"] {
      try FileManager.default.createDirectory(atPath: home.path(name), withIntermediateDirectories: false)
      if name != "own" { #expect(chown(home.path(name), 65534, 65534) == 0) }
    }
    try home.write("{ k = v; }", to: "theirs/App.plist")
    #expect(symlink("../theirs/App.plist", home.path("own/App.plist")) == 0)
    let error = #expect(throws: DatabaseError.self) {
      try UserDatabase(directory: home.path("own")).load(app)
    }
    #expect(error?.kind == .refused)
    // Through a directory's the user's own rights are used.
    #expect(symlink("theirs/Defaults", home.path("link")) == 0)
    try SecurityTests.save(home.path("link"))
    for name in [".lock", "App.plist"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: home.path("theirs/Defaults/\(name)"))
      #expect(attributes[.ownerAccountID] as? Int == 65534)
    }
  }

  #if os(Linux)
    @Test(
      "a directory of the administrator's group is open to the users that its access control list names",
      .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
    func accessList() throws {
      let shared = home.path("shared")
      try FileManager.default.createDirectory(
        atPath: shared + "/sub/db", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o755])
      #expect(chmod(shared, 0o775) == 0)
      try SecurityTests.save(shared + "/sub/db")
      let list = ExtendedAttribute.accessList(letting: 65534, have: 7, group: 5, others: 5)
      try #require(ExtendedAttribute.set(ExtendedAttribute.accessList, to: list, of: shared))
      let error = #expect(throws: DatabaseError.self) { try SecurityTests.save(shared + "/sub/db") }
      #expect(error?.kind == .refused)
    }
  #endif
}
