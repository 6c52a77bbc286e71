import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import OpenStepDefaults

/// Files and places in a bad state: what a program reads, what its save does, and what it is told.
///
/// The administrator is refused nothing, so everything happens in a child that becomes somebody else.
struct BadFileTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  /// What a program is expected to meet.
  private struct Expectation: Codable, Sendable {
    /// What it reads under the key `a`.
    var value: String?
    /// What it is told when its save fails; nil where the save succeeds.
    var sentence: String?
    /// The file or directory that the sentence names.
    var place = "App.plist"
  }

  /// Has a program of an ordinary user read, change and save the defaults in a directory.
  private func run(_ expectation: Expectation, in directory: String = "") async {
    await #expect(processExitsWith: .success) {
      [
        path = (directory.isEmpty ? home.path : home.path(directory)) as String,
        expectation = expectation as Expectation
      ] in
      if geteuid() == 0 { try #require(setgid(65534) == 0 && setuid(65534) == 0) }
      let defaults = NSUserDefaults(directory: path, applicationName: "App")
      #expect(defaults.stringForKey("a") == expectation.value)
      defaults.setObject("v", forKey: "k")
      #expect(defaults.synchronize() == (expectation.sentence == nil))
      #expect(defaults.stringForKey("k") == "v")
      #expect(defaults.stringForKey("a") == expectation.value)
      if let sentence = expectation.sentence {
        let text = "\(try #require(defaults.lastError))"
        let place = expectation.place.isEmpty ? path : "\(path)/\(expectation.place)"
        #expect(text.hasPrefix("\(place): "), "\(text)")
        #expect(text.contains(sentence), "\(text)")
        // Nor does it go away by itself.
        #expect(!defaults.synchronize())
      } else {
        let values = try UserDatabase(directory: path).load(DomainName("App")).values
        #expect(values["k"] == "v" && values["a"] == expectation.value.map { .string($0) })
      }
    }
  }

  /// Gives everything in the directory to the user that the child becomes.
  private func handOver() {
    guard geteuid() == 0 else { return }
    for name in [""] + (FileManager.default.subpaths(atPath: home.path) ?? []) {
      #expect(lchown(home.path(name), 65534, 65534) == 0)
    }
  }

  @Test("an unreadable file is left as it is") func unreadable() async throws {
    try home.write("{ a = 1; }", to: "App.plist")
    handOver()
    #expect(chmod(home.path("App.plist"), 0) == 0)
    await run(
      Expectation(
        sentence:
          "cannot be read: Permission denied; nothing was changed; check the permissions and the owner"))
    #expect(chmod(home.path("App.plist"), 0o600) == 0)
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
  }

  @Test("a file that may not be written is replaced") func readOnlyFile() async throws {
    try home.write("{ a = 1; }", to: "App.plist")
    handOver()
    #expect(chmod(home.path("App.plist"), 0o400) == 0)
    await run(Expectation(value: "1"))
    #expect(try home.mode(of: "App.plist") == 0o600)
  }

  @Test(
    "another user's file in one's own directory is replaced if it can be read",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func foreignFile() async throws {
    try home.write("{ a = 1; }", to: "App.plist")
    handOver()
    #expect(chown(home.path("App.plist"), 1, 1) == 0 && chmod(home.path("App.plist"), 0o644) == 0)
    await run(Expectation(value: "1"))
    let attributes = try FileManager.default.attributesOfItem(atPath: home.path("App.plist"))
    #expect(attributes[.ownerAccountID] as? Int == 65534)
  }

  @Test(
    "another user's file that cannot be read is left as it is",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func foreignUnreadable() async throws {
    try home.write("{ a = 1; }", to: "App.plist")
    handOver()
    #expect(chown(home.path("App.plist"), 1, 1) == 0 && chmod(home.path("App.plist"), 0o600) == 0)
    await run(Expectation(sentence: "cannot be read: Permission denied"))
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
  }

  @Test(
    "another user's directory is not written",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func foreignDirectory() async throws {
    try home.write("{ a = 1; }", to: "App.plist")
    #expect(chmod(home.path, 0o777) == 0 && chmod(home.path("App.plist"), 0o666) == 0)
    await run(Expectation(value: "1", sentence: "belongs to another user", place: ""))
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
  }

  @Test("a directory that may not be written is told") func readOnlyDirectory() async throws {
    try home.write("{ a = 1; }", to: "App.plist")
    handOver()
    #expect(chmod(home.path, 0o500) == 0)
    await run(
      Expectation(value: "1", sentence: "the lock cannot be taken: Permission denied", place: ".lock"))
    #expect(chmod(home.path, 0o700) == 0)
    #expect(try home.names() == ["App.plist"])
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
  }

  @Test("a missing home that cannot be made is told") func missingHome() async throws {
    handOver()
    #expect(chmod(home.path, 0o500) == 0)
    await run(
      Expectation(
        sentence: "the directory cannot be made: Permission denied; the changes were not saved", place: ""),
      in: "missing/.OpenStep/Defaults")
    #expect(chmod(home.path, 0o700) == 0)
    #expect(try home.names().isEmpty)
  }

  @Test("a missing home that can be made is made") func madeHome() async throws {
    handOver()
    await run(Expectation(), in: "missing/.OpenStep/Defaults")
    #expect(try home.names(in: "missing/.OpenStep/Defaults") == [".lock", "App.plist"])
  }

  @Test("a directory in the file's place is told") func directory() async throws {
    try FileManager.default.createDirectory(
      atPath: home.path("App.plist"), withIntermediateDirectories: false)
    handOver()
    await run(
      Expectation(
        sentence: "is a directory where the domain's file should be; nothing was changed: move it away"))
    #expect(try home.names(in: "App.plist").isEmpty)
  }

  @Test("a pipe in the file's place is told, and nobody waits for it", .timeLimit(.minutes(30)))
  func pipe() async throws {
    #expect(mkfifo(home.path("App.plist"), 0o600) == 0)
    handOver()
    await run(Expectation(sentence: "is a pipe where the domain's file should be"))
  }

  @Test("a socket in the file's place is told")
  func socketInPlace() async throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: home.path("App.plist").utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    handOver()
    await run(
      Expectation(sentence: "is a socket where the domain's file should be; nothing was changed"))
  }

  @Test("links in a circle are told")
  func circle() async throws {
    for (name, destination) in [("App.plist", "other"), ("other", "App.plist")] {
      try FileManager.default.createSymbolicLink(atPath: home.path(name), withDestinationPath: destination)
    }
    handOver()
    await run(
      Expectation(
        sentence:
          "cannot be found: Too many levels of symbolic links; nothing was changed; the symbolic links form a cycle"
      ))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.path("App.plist")) == "other")
  }

  @Test(
    "what is no file in the lock's place is told, and nobody waits for it", .timeLimit(.minutes(30)),
    arguments: [true, false])
  func lockInPlace(isPipe: Bool) async throws {
    try home.write("{ a = 1; }", to: "App.plist")
    #expect((isPipe ? mkfifo(home.path(".lock"), 0o600) : mkdir(home.path(".lock"), 0o700)) == 0)
    handOver()
    await run(Expectation(value: "1", sentence: "is no regular file, as the lock must be", place: ".lock"))
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
  }

  @Test(
    "a pipe or a file in the directory's place is told, and nobody waits for it", .timeLimit(.minutes(30)),
    arguments: [true, false])
  func directoryInPlace(isPipe: Bool) async throws {
    if isPipe {
      #expect(mkfifo(home.path("database"), 0o600) == 0)
    } else {
      try home.write("x", to: "database")
    }
    handOver()
    await run(
      Expectation(sentence: "the directory cannot be made: Not a directory; ", place: ""), in: "database")
  }

  @Test(
    "a damaged file is kept, also another user's, and the program is told where",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)),
    arguments: ["", "/* by hand", "{ a = 1; b = "], [true, false])
  func damaged(text: String, isForeign: Bool) async throws {
    try home.write(text, to: "App.plist")
    handOver()
    // Another user's file may get no second name, where the system protects such files.
    if isForeign {
      #expect(chown(home.path("App.plist"), 1, 1) == 0 && chmod(home.path("App.plist"), 0o644) == 0)
    }
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      try #require(setgid(65534) == 0 && setuid(65534) == 0)
      let defaults = NSUserDefaults(directory: path, applicationName: "App")
      #expect(defaults.objectForKey("a") == nil)
      let damage = "\(try #require(defaults.lastError))"
      #expect(damage.hasPrefix("\(path)/App.plist:1:"), "\(damage)")
      #expect(damage.hasSuffix("; its bytes are unchanged: repair the file, or move it away"), "\(damage)")
      defaults.setObject("v", forKey: "k")
      #expect(defaults.synchronize())
      let told = "\(try #require(defaults.lastError))"
      #expect(told.contains("; the damaged file was kept as \(path)/App.damaged-"), "\(told)")
      #expect(try UserDatabase(directory: path).load(DomainName("App")).values == ["k": "v"])
    }
    let kept = try home.names().filter { $0.hasPrefix("App.damaged-") }
    #expect(kept.count == 1)
    #expect(try home.text(of: #require(kept.first)) == text)
  }

  @Test(
    "without a home, or with an empty one, the account's counts; that it cannot be made is told",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)), arguments: [nil, ""])
  func noHome(text: String?) async {
    await #expect(processExitsWith: .success) { [text = text as String?] in
      unsetenv(DatabaseLocation.environmentVariable)
      if let text { setenv("HOME", text, 1) } else { unsetenv("HOME") }
      // “nobody”, who has a home only in name.
      try #require(setgid(65534) == 0 && setuid(65534) == 0)
      let account = String(cString: try #require(getpwuid(65534)).pointee.pw_dir)
      let defaults = NSUserDefaults()
      defaults.setObject("v", forKey: "k")
      #expect(!defaults.synchronize())
      let told = "\(try #require(defaults.lastError))"
      #expect(told.hasPrefix("\(account)/.OpenStep/Defaults: the directory cannot be made: "), "\(told)")
      #expect(told.contains("; the changes were not saved"), "\(told)")
    }
  }

  @Test("a relative home is one in the working directory, wherever that is later")
  func relativeHome() async throws {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      unsetenv(DatabaseLocation.environmentVariable)
      setenv("HOME", "relative", 1)
      try #require(chdir(path) == 0)
      let defaults = NSUserDefaults(directory: try DatabaseLocation.resolve(), applicationName: "App")
      try #require(chdir("/") == 0)
      defaults.setObject("v", forKey: "k")
      #expect(defaults.synchronize())
    }
    #expect(try home.names(in: "relative/.OpenStep/Defaults") == [".lock", "App.plist"])
  }

  @Test("a link is written through and stays", arguments: ["{ a = 1; }", nil])
  func link(text: String?) async throws {
    try FileManager.default.createSymbolicLink(
      atPath: home.path("App.plist"), withDestinationPath: "dotfile")
    if let text { try home.write(text, to: "dotfile") }
    handOver()
    await run(Expectation(value: text.map { _ in "1" }))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.path("App.plist")) == "dotfile")
    #expect(try home.names() == [".lock", "App.plist", "dotfile"])
  }

  @Test("a damaged file is named with the place of the damage, and where it lies after a save by itself")
  func damageIsTold() throws {
    try home.write("{ a = 1;\n b = ", to: "App.plist")
    let defaults = OwnThreadDefaults(directory: home.path, applicationName: "App")
    #expect("\(try #require(defaults.lastError))".contains("App.plist:2:"))
    #expect(defaults.synchronize())
    #expect("\(try #require(defaults.lastError))".contains("App.plist:2:"))
    defaults.setObject("1", forKey: "K")
    defaults.persistent.save(andRefresh: false)
    defaults.setObject("2", forKey: "K")
    defaults.persistent.save(andRefresh: false)
    let kept = try #require(try home.names().first { $0.hasPrefix("App.damaged") })
    #expect("\(try #require(defaults.lastError))".contains(kept))
    #expect(defaults.synchronize())
    #expect("\(try #require(defaults.lastError))".contains(kept))
    #expect(defaults.synchronize())
    #expect(defaults.lastError == nil)
  }

  #if os(Linux)
    @Test(
      "a full disk keeps the old file, is told, and takes the changes when there is room",
      .enabled(if: FullDisk.isExpected, Comment(rawValue: FullDisk.absence)))
    func fullDisk() throws {
      let disk = try FullDisk(in: home)
      let app = try DomainName("App")
      let defaults = NSUserDefaults(directory: disk.path, applicationName: "App")
      defaults.setObject("1", forKey: "a")
      #expect(defaults.synchronize())
      let names = try home.names(in: "disk")
      let old = try home.bytes(of: "disk/App.plist")
      disk.fill()
      defaults.setObject(String(repeating: "x", count: 20_000), forKey: "k")
      #expect(!defaults.synchronize())
      let text = "\(try #require(defaults.lastError))"
      #expect(text.hasPrefix("\(disk.path)/App.plist: cannot be saved: No space left on device; "), "\(text)")
      #expect(text.hasSuffix("the file is unchanged; free some space and save again"), "\(text)")
      #expect(try home.bytes(of: "disk/App.plist") == old)
      #expect(try home.names(in: "disk") == (names + ["filler"]).sorted())
      #expect(defaults.stringForKey("k")?.count == 20_000)
      disk.empty()
      #expect(defaults.synchronize())
      #expect(defaults.lastError == nil)
      #expect(try UserDatabase(directory: disk.path).load(app).values.count == 2)
      // Removing takes no room.
      disk.fill()
      defaults.removePersistentDomainForName("App")
      #expect(defaults.synchronize())
      #expect(try home.names(in: "disk") == [".lock", "filler"])
    }
  #endif
}
