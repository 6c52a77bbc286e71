import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Property lists in files outside of a database.
struct PropertyListFileTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func value(of bytes: some Sequence<UInt8>, named name: String = "list") throws -> PropertyList {
    try home.write(bytes, to: name)
    return try PropertyListFile.value(at: home.path(name))
  }

  private func write(_ text: String, to name: String, on disk: any FileSystem = DiskFileSystem()) throws {
    try PropertyListFile.write(Array(text.utf8), to: home.path(name), fileSystem: disk)
  }

  // MARK: - Changing

  @Test("where every user may make files, a lock that somebody has left behind keeps nobody from a change")
  func sharedDirectory() throws {
    try home.write("{ k = 1; }", to: "list")
    let folder = home.path(".lck")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try #require(chmod(home.path, 0o1777) == 0)
    // As another user has made it, if the test may do that.
    _ = chown(folder, 65534, 65534)
    try PropertyListFile.change(home.path("list")) { _ in .bytes(Array("{ k = 2; }".utf8)) }
    #expect(try String(contentsOfFile: home.path("list"), encoding: .utf8) == "{ k = 2; }")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).sorted() == [".lck", "list"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }

  // MARK: - Reading

  @Test("every format and encoding is recognised by the contents")
  func formats() throws {
    let text = "{ Name = \"Ren\u{E9}e\"; Sizes = (1, 2); }"
    let classic: PropertyList = ["Name": "Ren\u{E9}e", "Sizes": ["1", "2"]]
    #expect(try value(of: text.utf8) == classic)
    let wide = try #require(text.data(using: .utf16LittleEndian))
    #expect(try value(of: Data([0xFF, 0xFE]) + wide) == classic)
    // 0xDD is é in NeXT's character set.
    #expect(try value(of: "Name = \"Ren".utf8 + [0xDD] + "e\"; Sizes = (1, 2);".utf8) == classic)
    let typed: [String: Any] = ["Name": "Ren\u{E9}e", "Sizes": [1, 2.5] as [Any], "On": true]
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let data = try PropertyListSerialization.data(fromPropertyList: typed, format: format, options: 0)
      #expect(
        try value(of: data)
          == ["Name": "Ren\u{E9}e", "Sizes": [.integer(1), .real(2.5)], "On": .boolean(true)])
    }
    #expect(
      try value(of: "{ a = 5 /*integer*/; b = <*BY>; }".utf8) == ["a": .integer(5), "b": .boolean(true)])
  }

  @Test("a file of Window Maker's own has UTF-8 in its escapes")
  func windowMaker() throws {
    #expect(try value(of: "(\"caf\\303\\251\")".utf8, named: "WMState") == ["caf\u{E9}"])
  }

  @Test("an empty file is damaged, as it is for GNUstep; comments alone are an empty dictionary")
  func empty() throws {
    #expect(throws: DatabaseError.self) { try value(of: []) }
    #expect(try value(of: "/* nothing */\n".utf8) == [:])
    #expect(try value(of: " \n".utf8) == [:])
  }

  @Test("what is damaged is named with its place")
  func damage() throws {
    let path = home.path("list")
    let error = try #require(throws: DatabaseError.self) { try value(of: "{\n  a = 1;\n  b = );\n}\n".utf8) }
    #expect(error.kind == .damaged)
    #expect(error.propertyListError?.line == 3 && error.propertyListError?.column == 7)
    #expect(error.description.hasPrefix("\(path):3:7: "))
    #expect(error.description.hasSuffix("; its bytes are unchanged: repair the file"))
  }

  @Test("bounds hold for every format")
  func bounds() throws {
    var options = PropertyList.ParsingOptions()
    options.bounds.depth = 2
    let deep: [String: Any] = ["a": ["b": ["c"]]]
    let files = [
      Data("{ a = { b = (c); }; }".utf8),
      try PropertyListSerialization.data(fromPropertyList: deep, format: .xml, options: 0),
      try PropertyListSerialization.data(fromPropertyList: deep, format: .binary, options: 0),
    ]
    for file in files {
      try home.write(file, to: "deep")
      let path = home.path("deep")
      options.bounds.byteCount = file.count
      #expect(throws: DatabaseError.self) { try PropertyListFile.value(at: path, options: options) }
      var deeper = options
      deeper.bounds.depth = 3
      #expect(throws: Never.self) { try PropertyListFile.value(at: path, options: deeper) }
      deeper.bounds.byteCount -= 1
      let error = #expect(throws: DatabaseError.self) {
        try PropertyListFile.value(at: path, options: deeper)
      }
      #expect(error?.isTooLarge == true)
    }
  }

  @Test(
    "a path that names no file is refused, and nothing is read or written", arguments: ["", "a\0b", "a/"])
  func noFile(name: String) throws {
    let path = name.isEmpty ? "" : home.path(name)
    for call in [
      { _ = try PropertyListFile.value(at: path) }, { try PropertyListFile.write([], to: path) },
    ] {
      let error = #expect(throws: DatabaseError.self) { try call() }
      #expect(error?.kind == .refused)
    }
    #expect(try home.names().isEmpty)
  }

  @Test("a missing file and a directory are told apart")
  func missing() throws {
    let missing = #expect(throws: DatabaseError.self) { try PropertyListFile.value(at: home.path("none")) }
    #expect(missing?.kind == .inputOutput(code: SystemError.notFound.code))
    let directory = #expect(throws: DatabaseError.self) { try PropertyListFile.value(at: home.path) }
    #expect(directory?.kind == .inputOutput(code: SystemError.isDirectory.code))
  }

  // MARK: - Writing

  @Test("a file that is replaced passes its permissions on", arguments: [0o600, 0o644, 0o640, 0o444])
  func mode(mode: Int) throws {
    try home.write("old", to: "list")
    try #require(chmod(home.path("list"), mode_t(mode)) == 0)
    try write("new", to: "list")
    #expect(try home.text(of: "list") == "new")
    #expect(try home.mode(of: "list") == mode)
    #expect(try home.names() == ["list"])
  }

  @Test("a new file has the permissions of one that any program makes, and a missing directory is made")
  func newMode() throws {
    let descriptor = open(home.path("any"), O_CREAT | O_WRONLY, 0o666)
    try #require(descriptor >= 0)
    close(descriptor)
    try write("new", to: "deep/er/list")
    #expect(try home.mode(of: "deep/er/list") == home.mode(of: "any"))
    #expect(try home.names(in: "deep/er") == ["list"])
  }

  @Test("of two programs that write a new file at once the last one wins, and none fails")
  func atOnce() throws {
    let path = home.path("list")
    let disk = FaultyFileSystem { operation in
      if operation.name == "open creatingShared" {
        try? Data("other".utf8).write(to: URL(fileURLWithPath: path))
      }
      return nil
    }
    try write("new", to: "list", on: disk)
    #expect(disk.operations.contains { $0.name == "open creatingShared" })
    #expect(try home.text(of: "list") == "new")
    #expect(try home.names() == ["list"])
  }

  @Test("while a file is written nobody reads it who may not read the one that it replaces")
  func secrecy() throws {
    try home.write("old", to: "list")
    try #require(chmod(home.path("list"), 0o600) == 0)
    let disk = FaultyFileSystem()
    try write("new", to: "list", on: disk)
    #expect(disk.operations.contains { $0.name == "open creating" })
    #expect(!disk.operations.contains { $0.name == "open creatingShared" })
  }

  @Test(
    "the administrator keeps a file's owner and group",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func owner() throws {
    try home.write("old", to: "list")
    try #require(chown(home.path("list"), 65534, 65533) == 0 && chmod(home.path("list"), 0o640) == 0)
    try write("new", to: "list")
    let status = try DiskFileSystem().status(at: home.path("list"), followingLinks: false)
    #expect(status.owner == 65534 && status.group == 65533 && status.mode == 0o640)
  }

  @Test(
    "another user's file is replaced where that is allowed, without the permissions that were its group's",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func othersFile() async throws {
    try home.write("old", to: "list")
    try #require(chmod(home.path, 0o777) == 0 && chmod(home.path("list"), 0o664) == 0)
    await #expect(processExitsWith: .success) { [path = home.path("list") as String] in
      try #require(setgid(65534) == 0 && setuid(65534) == 0)
      try PropertyListFile.write(Array("new".utf8), to: path)
    }
    let status = try DiskFileSystem().status(at: home.path("list"), followingLinks: false)
    #expect(status.owner == 65534 && status.mode == 0o600)
    #expect(try home.text(of: "list") == "new")
  }

  #if os(Linux)
    @Test("a file that is replaced passes its access control list on, so that its group gains nothing")
    func accessList() throws {
      try home.write("old", to: "list")
      let list = ExtendedAttribute.accessList(letting: 65534, have: 4, group: 0, others: 0)
      try #require(ExtendedAttribute.set(ExtendedAttribute.accessList, to: list, of: home.path("list")))
      try write("new", to: "list")
      #expect(try home.text(of: "list") == "new")
      #expect(ExtendedAttribute.value(ExtendedAttribute.accessList, of: home.path("list")) == list)
    }

    @Test("a file without an access control list gets none from its directory when it is replaced")
    func listOfNewFiles() throws {
      try home.write("old", to: "list")
      try #require(chmod(home.path("list"), 0o644) == 0)
      let list = ExtendedAttribute.accessList(letting: 65534, have: 7, group: 7, others: 7)
      try #require(ExtendedAttribute.set(ExtendedAttribute.listOfNewFiles, to: list, of: home.path))
      try write("new", to: "list")
      #expect(try home.mode(of: "list") == 0o644)
      #expect(ExtendedAttribute.value(ExtendedAttribute.accessList, of: home.path("list")) == nil)
    }

    @Test("the permissions that are not the owner's are kept only with the list that they belong to")
    func listNotKept() throws {
      try home.write("old", to: "list")
      try #require(chmod(home.path("list"), 0o664) == 0)
      let unreadable = FaultyFileSystem { $0.name == "open reading" ? .notPermitted : nil }
      try write("new", to: "list", on: unreadable)
      #expect(try home.mode(of: "list") == 0o600)
      try #require(chmod(home.path("list"), 0o664) == 0)
      let failing = FaultyFileSystem { $0.name == "copyAccessList" ? .inputOutput : nil }
      #expect(throws: DatabaseError.self) { try write("newer", to: "list", on: failing) }
      #expect(try home.names() == ["list"])
      #expect(try home.text(of: "list") == "new")
    }
  #endif

  @Test(
    "any user writes a file of its own into a directory that is open to all, as /tmp is",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func openDirectory() async throws {
    try #require(chmod(home.path, 0o1777) == 0)
    await #expect(processExitsWith: .success) { [path = home.path("list") as String] in
      try #require(setgid(65534) == 0 && setuid(65534) == 0)
      try PropertyListFile.write(Array("new".utf8), to: path)
    }
    #expect(try home.text(of: "list") == "new")
  }

  @Test("a link in a directory of the user's own is followed, and stays a link", arguments: [false, true])
  func link(isDangling: Bool) throws {
    if !isDangling { try home.write("old", to: "file") }
    let link = home.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
    try write("new", to: "link")
    #expect(try DiskFileSystem().destination(ofLink: link) == "file")
    #expect(try home.text(of: "file") == "new")
  }

  @Test(
    "a link of another user, who could choose what is overwritten, is refused",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func othersLink() throws {
    try home.write("old", to: "file")
    let folder = home.path("open")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try #require(chmod(folder, 0o1777) == 0)
    try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "../file")
    try #require(lchown(folder + "/link", 65534, 65534) == 0)
    #expect(throws: DatabaseError.self) { try write("new", to: "open/link") }
    #expect(try home.text(of: "file") == "old")
  }

  @Test("whatever operation fails, the error says so, and the file is old or new but never half")
  func faults() throws {
    var index = 0
    while true {
      try home.write("old", to: "list")
      let faulty = FaultyFileSystem(bytesPerWrite: 2) { [index] in $0.index == index ? .inputOutput : nil }
      var hasFailed = false
      do {
        try write("the new one", to: "list", on: faulty)
      } catch is DatabaseError {
        hasFailed = true
      }
      guard faulty.operations.count > index else { break }
      let failed = faulty.operations[index].name
      let text = try home.text(of: "list")
      #expect(text == "the new one" || text == "old", "\(failed)")
      if !hasFailed { #expect(text == "the new one", "\(failed)") }
      #expect(hasFailed || ["remove", "close", "status"].contains(failed), "\(failed)")
      index += 1
    }
    #expect(index > 10)
  }

  @Test("a device is written into and stays one")
  func device() throws {
    try PropertyListFile.write(Array("new".utf8), to: "/dev/null")
    #expect(try DiskFileSystem().status(at: "/dev/null", followingLinks: false).kind == .device)
  }
}
