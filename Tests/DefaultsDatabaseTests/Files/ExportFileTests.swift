import Foundation
import TestSupport
import Testing

@testable import DefaultsDatabase

struct ExportFileTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  private func write(
    _ text: String, replacing replaces: Bool = false, on fileSystem: any FileSystem = DiskFileSystem()
  ) throws {
    try ExportFile(of: app, in: home.path("Export"), fileSystem: fileSystem)
      .write(Array(text.utf8), replacing: replaces)
  }

  @Test("a file is whole, its owner's alone, and flushed together with its name")
  func written() throws {
    let recorder = FaultyFileSystem()
    try write("new", on: recorder)
    #expect(try home.text(of: "Export/App.plist") == "new")
    #expect(try home.mode(of: "Export/App.plist") == 0o600 && home.mode(of: "Export") == 0o700)
    #expect(try home.names(in: "Export") == ["App.plist"])
    let names = recorder.operations.map(\.name)
    let link = try #require(names.firstIndex(of: "link"))
    #expect(names[..<link].contains("synchronize") && names[link...].contains("synchronize"))
  }

  @Test("more bytes than are read are not written, and the file keeps its own")
  func tooLarge() throws {
    try write("old")
    // Their pages are never touched.
    let bytes = [UInt8](unsafeUninitializedCapacity: FileSize.maximum + 1) { $1 = FileSize.maximum + 1 }
    let error = try #require(throws: DatabaseError.self) {
      try ExportFile(of: app, in: home.path("Export")).write(bytes, replacing: true)
    }
    #expect(error.kind == .inputOutput(code: SystemError.tooLarge.code))
    #expect(
      error.description.hasPrefix(
        "\(home.path("Export/App.plist")): is not written: 1073741825 bytes are more than the 1073741824 that are read"
      ),
      "\(error)")
    #expect(try home.text(of: "Export/App.plist") == "old" && home.names(in: "Export") == ["App.plist"])
  }

  @Test("a path names the file, and its directory is made where it is missing")
  func path() throws {
    let file = ExportFile(home.path("deep/er/Settings"))
    #expect(file.directory == home.path("deep/er"))
    try file.write(Array("new".utf8), replacing: false)
    #expect(try home.text(of: "deep/er/Settings") == "new")
  }

  @Test("a file that is there stays unless it is to be replaced", arguments: [false, true])
  func existing(hasLinks: Bool) throws {
    let disk = FaultyFileSystem { $0.name == "link" && !hasLinks ? .notAllowed : nil }
    try write("old", on: disk)
    #expect { try write("new", on: disk) } throws: { ($0 as? DatabaseError)?.kind == .refused }
    #expect(try home.text(of: "Export/App.plist") == "old")
    try write("new", replacing: true, on: disk)
    #expect(try home.text(of: "Export/App.plist") == "new")
    #expect(try home.names(in: "Export") == ["App.plist"])
  }

  @Test(
    "what is no regular file and comes while the new file is written stays what it is",
    arguments: [FileKind.pipe, .socket, .symbolicLink], [false, true])
  func arrived(kind: FileKind, isOwn: Bool) throws {
    try write("old")
    try home.write("target", to: "target")
    let path = home.path("Export/App.plist")
    let isMade = Lock(false)
    let disk = FaultyFileSystem { operation in
      if operation.path?.contains("/.save-") == true { isMade.withLock { $0 = true } }
      // The new file is filled and flushed; the lock of the directory and the name come later.
      guard operation.name == "synchronize", isMade.withLock({ $0 }) else { return nil }
      isMade.withLock { $0 = false }
      unlink(path)
      switch kind {
      case .pipe: mkfifo(path, 0o600)
      case .socket: mknod(path, S_IFSOCK | 0o600, 0)
      default: symlink("../target", path)
      }
      return nil
    }
    let error = #expect(throws: DatabaseError.self) {
      if isOwn {
        try ExportFile(atEndOf: path, fileSystem: disk).write(Array("new".utf8), replacing: true)
      } else {
        try write("new", replacing: true, on: disk)
      }
    }
    #expect(error?.kind == .refused, "\(String(describing: error))")
    #expect(try DiskFileSystem().status(at: path, followingLinks: false).kind == kind)
    #expect(try home.text(of: "target") == "target")
    #expect(try home.names(in: "Export") == ["App.plist"])
  }

  @Test(
    "whatever operation fails, the error says so, and the file is old or new but never half",
    arguments: [false, true])
  func faults(replaces: Bool) throws {
    var index = 0
    while true {
      try? FileManager.default.removeItem(atPath: home.path("Export"))
      if replaces { try write("old") }
      let faulty = FaultyFileSystem(bytesPerWrite: 2) { [index] in $0.index == index ? .inputOutput : nil }
      var hasFailed = false
      do {
        try write("the new one", replacing: replaces, on: faulty)
      } catch is DatabaseError {
        hasFailed = true
      }
      guard faulty.operations.count > index else { break }
      let failed = faulty.operations[index].name
      // What cannot be removed after the file has its name is no failure, nor that the administrator does not learn
      // whose directory it is.
      #expect(hasFailed || ["remove", "close", "status"].contains(failed), "\(failed)")
      let text = home.exists("Export/App.plist") ? try home.text(of: "Export/App.plist") : nil
      #expect(text == "the new one" || text == (replaces ? "old" : nil), "\(failed)")
      if !hasFailed { #expect(text == "the new one", "\(failed)") }
      index += 1
    }
    #expect(index > 10)
  }

  /// A file that is copied, with a hole of four megabytes behind its begin, and one at its end.
  private func withOriginal(
    on fileSystem: any FileSystem = DiskFileSystem(), _ body: (LargeFile) throws -> Void
  ) throws {
    let path = home.path("original")
    try home.write((0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }, to: "original")
    let disk = DiskFileSystem()
    let writer = try disk.open(path, for: .writingThrough)
    try disk.write(Array("middle".utf8), to: writer, at: 7 << 20)
    try disk.setSize(9 << 20, of: writer)
    disk.close(writer)
    let file = LargeFile(path: path, descriptor: try disk.open(path, for: .reading), fileSystem: fileSystem)
    defer { file.close() }
    try body(file)
  }

  /// How many bytes of the disk a file takes.
  private func room(of name: String) throws -> Int {
    var status = stat()
    try #require(stat(home.path(name), &status) == 0)
    return Int(status.st_blocks) * 512
  }

  @Test("a copy has a hole where the original has one, and takes no more room")
  func holes() throws {
    try withOriginal { try ExportFile(home.path("copy")).write(copyOf: $0, replacing: false) }
    #expect(try home.bytes(of: "copy") == home.bytes(of: "original"))
    #expect(try room(of: "copy") <= room(of: "original"))
  }

  @Test("where a file system does not know its holes, all bytes are copied")
  func unknownHoles() throws {
    let disk = FaultyFileSystem { $0.name.hasPrefix("seek data") ? .invalidArgument : nil }
    try withOriginal(on: disk) { try ExportFile(home.path("copy")).write(copyOf: $0, replacing: false) }
    #expect(try home.bytes(of: "copy") == home.bytes(of: "original"))
  }

  /// Makes a named pipe, and opens it to read.
  private func openPipe() throws -> (path: String, reader: Int32) {
    let path = home.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    return (path, open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
  }

  @Test("a pipe gets zeros for a hole")
  func holesIntoPipe() throws {
    let (path, reader) = try openPipe()
    defer { close(reader) }
    try withOriginal { file in
      // No more than a pipe holds until it is read.
      try #require(truncate(file.path, 0) == 0 && truncate(file.path, 1000) == 0)
      try ExportFile(path).write(copyOf: file, replacing: true)
    }
    #expect(try DiskFileSystem().read(from: reader, upTo: 2000) == [UInt8](repeating: 0, count: 1000))
  }

  @Test("an original that is cut off while it is copied gives a shorter copy")
  func cutOriginal() throws {
    let disk = FaultyFileSystem { [original = home.path("original")] operation in
      if operation.name == "read", operation.number == 2 { truncate(original, 1 << 20) }
      return nil
    }
    try withOriginal(on: disk) { try ExportFile(home.path("copy")).write(copyOf: $0, replacing: false) }
    #expect(try home.bytes(of: "copy") == home.bytes(of: "original"))
  }

  @Test("nothing is left of a copy that fails", arguments: ["seek", "read"])
  func failingCopy(operation: String) throws {
    let file = ExportFile(home.path("Export/App"))
    try file.write(Array("old".utf8), replacing: false)
    let disk = FaultyFileSystem { $0.name.hasPrefix(operation) && $0.index > 2 ? .inputOutput : nil }
    #expect(throws: DatabaseError.self) {
      try withOriginal(on: disk) { try file.write(copyOf: $0, replacing: true) }
    }
    #expect(try home.text(of: "Export/App") == "old")
    #expect(try home.names(in: "Export") == ["App"])
  }

  /// Whether somebody has locked a file or a directory.
  private func isLocked(_ name: String) -> Bool {
    let descriptor = open(home.path(name), O_RDONLY | O_CLOEXEC)
    // The lock is released with it.
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0
  }

  @Test(
    "a file gets its name under the lock of the old one, or of the database in its directory",
    arguments: [("Export/App.plist", true), ("Export/.lock", false), ("Export/.lock", true)])
  func lock(lock: String, replaces: Bool) throws {
    try write("old")
    if !replaces { try FileManager.default.removeItem(atPath: home.path("Export/App.plist")) }
    if lock == "Export/.lock" { try home.write("", to: lock) }
    let wasLocked = Lock([Bool]())
    let disk = FaultyFileSystem { operation in
      guard operation.name == "rename" || operation.name == "link" else { return nil }
      wasLocked.withLock { $0.append(isLocked(lock)) }
      return nil
    }
    try write("new", replacing: replaces, on: disk)
    #expect(wasLocked.withLock { $0 } == [true])
    #expect(!isLocked(lock))
    #expect(try home.text(of: "Export/App.plist") == "new")
  }

  @Test(
    "while another process holds the lock of a database, nothing is written; that of the file is waited for")
  func heldLock() throws {
    for lock in ["Export/.lock", "Export/App.plist"] {
      try write("old")
      if lock == "Export/.lock" { try home.write("", to: lock) }
      let descriptor = open(home.path(lock), O_RDONLY | O_CLOEXEC)
      defer { close(descriptor) }
      try #require(flock(descriptor, LOCK_EX) == 0)
      if lock == "Export/.lock" {
        #expect {
          try write("new", replacing: true)
        } throws: { error in
          if case .locked? = (error as? DatabaseError)?.kind { true } else { false }
        }
        #expect(try home.text(of: "Export/App.plist") == "old")
      } else {
        try write("new", replacing: true)
        #expect(try home.text(of: "Export/App.plist") == "new")
      }
      #expect(try home.names(in: "Export").filter { $0 != ".lock" } == ["App.plist"])
      try FileManager.default.removeItem(atPath: home.path("Export"))
    }
    try ExportFile("/dev/null").write(Array("new".utf8), replacing: true)
  }

  @Test(
    "a device is written through and stays one, by its own name and through a link", arguments: [false, true])
  func device(hasLink: Bool) throws {
    let path = hasLink ? home.path("link") : "/dev/null"
    if hasLink { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null") }
    let before = try DiskFileSystem().status(at: "/dev/null", followingLinks: false)
    #expect {
      try ExportFile(path).write(Array("new".utf8), replacing: false)
    } throws: { ($0 as? DatabaseError)?.kind == .refused }
    try ExportFile(path).write(Array("new".utf8), replacing: true)
    let after = try DiskFileSystem().status(at: "/dev/null", followingLinks: false)
    #expect(before.kind == .device && after.isSameFile(as: before) && after.mode == before.mode)
    if hasLink { #expect(try DiskFileSystem().destination(ofLink: path) == "/dev/null") }
  }

  @Test("what reads a named pipe gets the bytes, and the pipe stays")
  func pipe() throws {
    let (path, reader) = try openPipe()
    defer { close(reader) }
    try ExportFile(path).write(Array("new".utf8), replacing: true)
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(read(reader, &buffer, buffer.count) == 3 && buffer.prefix(3).elementsEqual("new".utf8))
    #expect(try DiskFileSystem().status(at: path, followingLinks: false).kind == .pipe)
  }

  @Test("more bytes than a pipe holds wait for its reader")
  func slowReader() throws {
    let path = home.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
    // Not inherited by a child of a test beside this one.
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(fcntl(reader, F_SETFL, O_RDONLY) == 0)
    let read = Lock<[UInt8]?>(nil)
    let end = DispatchSemaphore(value: 0)
    // Begun here, since a thread that the tests' tasks share may not be free before the writer has ended.
    Thread.detachNewThread {
      // Before the writer has opened the pipe, a read would find its end.
      var state = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
      while poll(&state, 1, -1) < 0, errno == EINTR {}
      let contents = try? DiskFileSystem().contents(of: reader)
      close(reader)
      read.withLock { $0 = contents }
      end.signal()
    }
    try ExportFile(path).write(bytes, replacing: true)
    end.wait()
    #expect(read.withLock { $0 } == bytes)
  }

  @Test("a named pipe that nobody reads is not waited for for ever", .timeLimit(.minutes(20)))
  func noReader() throws {
    let path = home.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    #expect {
      try ExportFile(path).write(Array("new".utf8), replacing: true)
    } throws: { error in
      (error as? DatabaseError)?.description.contains("it is a pipe from which no process reads") == true
    }
  }

  @Test(
    "a link to a file, to a directory or to nothing is refused, and both stay",
    arguments: ["file", "folder", "nothing"])
  func link(target: String) throws {
    try Data("old".utf8).write(to: URL(fileURLWithPath: home.path("file")))
    try FileManager.default.createDirectory(atPath: home.path("folder"), withIntermediateDirectories: true)
    let link = home.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    for replaces in [false, true] {
      #expect {
        try ExportFile(link).write(Array("new".utf8), replacing: replaces)
      } throws: { error in
        guard let error = error as? DatabaseError else { return false }
        return error.kind == .refused && error.description.hasPrefix("\(link): is a symbolic link; ")
      }
    }
    #expect(try DiskFileSystem().destination(ofLink: link) == target)
    #expect(try home.text(of: "file") == "old")
    #expect(!home.exists("nothing"))
  }

  @Test("a file that takes a device's place between the look and the writing keeps its bytes")
  func exchanged() throws {
    try Data("old".utf8).write(to: URL(fileURLWithPath: home.path("file")))
    let path = home.path("link")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
    let disk = FaultyFileSystem { operation in
      guard operation.name == "open writingThrough" else { return nil }
      try? FileManager.default.removeItem(atPath: path)
      try? FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "file")
      return nil
    }
    #expect(throws: DatabaseError.self) {
      try ExportFile(path, fileSystem: disk).write(Array("new".utf8), replacing: true)
    }
    #expect(try home.text(of: "file") == "old")
  }

  @Test(
    "what another user put into a directory open to all is not written into: a pipe, and a link to a device",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)),
    arguments: [false, true])
  func othersEntry(isLink: Bool) throws {
    let (folder, path) = (home.path("open"), home.path("open/entry"))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    #expect(chmod(folder, 0o1777) == 0)
    if isLink {
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
    } else {
      try #require(mkfifo(path, 0o666) == 0)
    }
    // Where the pipe is opened for writing, this reader keeps the call from waiting for one.
    let reader = isLink ? -1 : open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { if reader >= 0 { close(reader) } }
    #expect(lchown(path, 65534, 65534) == 0)
    #expect {
      try ExportFile(path).write(Array("secret".utf8), replacing: true)
    } throws: { ($0 as? DatabaseError)?.kind == .refused }
    if !isLink {
      var buffer = [UInt8](repeating: 0, count: 16)
      #expect(read(reader, &buffer, buffer.count) == -1)
    }
    // The administrator's own entry is written into, unless another user can exchange it.
    #expect(lchown(path, 0, 0) == 0)
    try ExportFile(path).write(Array("known".utf8), replacing: true)
    #expect(chmod(folder, 0o777) == 0)
    #expect {
      try ExportFile(path).write(Array("secret".utf8), replacing: true)
    } throws: { ($0 as? DatabaseError)?.kind == .refused }
  }
}
