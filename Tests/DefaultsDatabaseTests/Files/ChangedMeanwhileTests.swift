import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// Changes beside programs that know no lock: who replaces a file looks at the last moment whether it is still the same.
struct ChangedMeanwhileTests: ChangesFiles {
  let home: TemporaryHome
  private let app: DomainName
  private let changes: DomainChanges

  init() throws {
    (home, app, changes) = try Self.start(with: "database", "files")
  }

  /// Makes the domain's file a link to a file, which has one key.
  private func link(to file: String) throws {
    try write("{ a = 1; }", to: file)
    try FileManager.default.createSymbolicLink(
      atPath: home.path("database/App.plist"), withDestinationPath: "../\(file)")
  }

  /// A file system on which another program does something at the last moment before a new file takes the old one's
  /// place, a number of times.
  private func interrupted(
    times: Int = 1, by change: @escaping @Sendable (_ number: Int) throws -> Void
  ) -> FaultyFileSystem {
    // Where there is a lock's file, nothing is flushed before the new file.
    #expect(throws: Never.self) { try write("", to: "database/.lock") }
    return FaultyFileSystem { operation in
      guard operation.name == "synchronize" else { return nil }
      if operation.number <= times { #expect(throws: Never.self) { try change(operation.number) } }
      return nil
    }
  }

  @Test(
    "what another program puts in a domain's place while it is saved is kept", arguments: ["", "files/Real"],
    [0, 1 << 16])
  func editor(file: String, largeByteCount: Int) throws {
    if file.isEmpty {
      try write("{ a = 1; }", to: "database/App.plist")
    } else {
      try link(to: file)
    }
    let place = file.isEmpty ? "database/App.plist" : file
    let path = home.path(place)
    let fileSystem = interrupted { _ in
      try "{ a = 2; other = 1; }\n".write(toFile: path, atomically: true, encoding: .utf8)
    }
    let database = UserDatabase(
      directory: home.path("database"), fileSystem: fileSystem, largeByteCount: largeByteCount)
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(try database.load(app).values == ["a": "2", "k": "v", "other": "1"])
    #expect(try home.names(in: "database").filter { $0.hasPrefix(".save-") } == [])
  }

  @Test("a change that keeps a file's size and its time of change, as of rsync, is noticed")
  func keptTime() throws {
    try write("{ a = 1; }", to: "database/App.plist")
    let path = home.path("database/App.plist")
    let fileSystem = interrupted { _ in
      var status = stat()
      try #require(stat(path, &status) == 0)
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.write(contentsOf: Data("{ a = 2; }\n".utf8))
      try #require(futimens(file.fileDescriptor, [status.st_atim, status.st_mtim]) == 0)
      try file.close()
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(try database.load(app).values == ["a": "2", "k": "v"])
  }

  @Test("a file that only gets other permissions or another name while it is saved is saved nevertheless")
  func marked() throws {
    for isLinked in [false, true] {
      for isUpdate in [false, true] {
        try write("{ a = 1; }", to: "database/App.plist")
        let path = home.path("database/App.plist")
        try? FileManager.default.removeItem(atPath: path + ".backup")
        let fileSystem = interrupted { _ in
          if isLinked {
            try FileManager.default.linkItem(atPath: path, toPath: path + ".backup")
          } else {
            try #require(chmod(path, 0o640) == 0)
          }
        }
        let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
        if isUpdate {
          _ = try database.update(UpdateRequest(of: app)) { _ in changes }
        } else {
          _ = try database.commit(changes, to: app, onDamage: .refuse)
        }
        #expect(try database.load(app).values == ["a": "1", "k": "v"])
        #expect(try home.names(in: "database").filter { $0.hasPrefix(".save-") } == [])
      }
    }
  }

  @Test("a file without an extension that appears during the first save is kept")
  func bare() throws {
    let path = home.path("database/App")
    let fileSystem = interrupted { _ in
      try "{ other = 1; }\n".write(toFile: path, atomically: true, encoding: .utf8)
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(try database.load(app).values == ["k": "v", "other": "1"])
  }

  @Test("a pipe that takes the place of a file that is changed by its path is not written into")
  func pipe() throws {
    try write("{ a = 1; }", to: "files/App.plist")
    let path = home.path("files/App.plist")
    var count = 0
    #expect(throws: DatabaseError.self) {
      try PropertyListFile.change(path) { _ in
        count += 1
        try FileManager.default.removeItem(atPath: path)
        try #require(mkfifo(path, 0o600) == 0)
        return bytes("{ a = 2; }")
      }
    }
    #expect(count == 1)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test("a file that another program makes behind a link, or by a path, while it is saved is kept")
  func made() throws {
    try FileManager.default.createSymbolicLink(
      atPath: home.path("database/App.plist"), withDestinationPath: "../files/App.plist")
    let path = home.path("files/App.plist")
    // At the very last moment, after the last look.
    let isMade = Lock(false)
    let fileSystem = FaultyFileSystem { operation in
      let isFirst = isMade.withLock { isMade in
        defer { isMade = isMade || operation.name == "link" }
        return operation.name == "link" && !isMade
      }
      if isFirst {
        #expect(throws: Never.self) {
          try "{ other = 1; }\n".write(toFile: path, atomically: true, encoding: .utf8)
        }
      }
      return nil
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(try database.load(app).values == ["k": "v", "other": "1"])
    isMade.withLock { $0 = false }
    try FileManager.default.removeItem(atPath: path)
    var found: [Bool] = []
    try PropertyListFile.change(path, fileSystem: fileSystem) { present in
      found.append(present != nil)
      return found.count == 1 ? bytes("{ lost = 1; }") : .keep
    }
    #expect(found == [false, true])
    #expect(try home.names(in: "files") == ["App.plist"])
  }

  @Test("without hard links a new file gets its name in one step too, and no empty file reserves it")
  func noLinks() throws {
    try FileManager.default.createSymbolicLink(
      atPath: home.path("database/App.plist"), withDestinationPath: "../files/App.plist")
    let fileSystem = FaultyFileSystem { $0.name == "link" ? .notAllowed : nil }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    try PropertyListFile.change(home.path("files/Other.plist"), fileSystem: fileSystem) { _ in
      bytes("{ b = 1; }")
    }
    #expect(try database.load(app).values == ["k": "v"])
    #expect(try home.names(in: "files") == ["App.plist", "Other.plist"])
    let made = fileSystem.operations.filter { $0.name.hasPrefix("open creating") }.compactMap(\.path)
    #expect(!made.isEmpty && !made.contains { $0.hasSuffix(".plist") }, "\(made)")
  }

  @Test(
    "a domain that has another file, once it is to be saved, is saved there", arguments: ["link", "bare"])
  func elsewhere(kind: String) throws {
    if kind == "link" {
      try link(to: "files/App.plist")
    } else {
      try write("{ a = 1; }", to: "database/App")
    }
    let path = home.path("database/App.plist")
    let fileSystem = interrupted { _ in
      unlink(path)
      try "{ other = 1; }\n".write(toFile: path, atomically: true, encoding: .utf8)
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(try database.load(app).values == ["k": "v", "other": "1"])
    #expect(try home.text(of: kind == "link" ? "files/App.plist" : "database/App") == "{ a = 1; }\n")
  }

  @Test("a path that leads to another file, once the file is to be changed, is followed again")
  func pathElsewhere() throws {
    try link(to: "files/App.plist")
    let path = home.path("database/App.plist")
    var found: [String] = []
    try PropertyListFile.change(path) { present in
      found.append(String(decoding: present ?? [], as: UTF8.self))
      if found.count == 1 {
        unlink(path)
        try "{ other = 1; }\n".write(toFile: path, atomically: true, encoding: .utf8)
      }
      return bytes("{ number = \(found.count); }")
    }
    #expect(found == ["{ a = 1; }\n", "{ other = 1; }\n"])
    #expect(try home.text(of: "files/App.plist") == "{ a = 1; }\n")
    #expect(try home.text(of: "database/App.plist") == "{ number = 2; }\n")
  }

  // Of a file that was repaired where it stands the second name stayed for ever.
  @Test("a damaged file that is repaired while it is moved aside is kept", arguments: [true, false])
  func repaired(isRenamed: Bool) throws {
    try write("{ a = ", to: "database/App.plist")
    let path = home.path("database/App.plist")
    let fileSystem = interrupted(times: 2) { number in
      // The second flush is that of the directory, in which the damaged file has another name now.
      if number == 2 { try "{ a = 1; }\n".write(toFile: path, atomically: isRenamed, encoding: .utf8) }
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    _ = try database.commit(changes, to: app, onDamage: .moveAside)
    #expect(try database.load(app).values == ["a": "1", "k": "v"])
    let names = try home.names(in: "database")
    #expect(names.contains { $0.contains(".damaged-") } == isRenamed, "\(names)")
  }

  @Test("those that are told of changes learn that one was not made")
  func told() throws {
    try write("{ a = 1; }", to: "database/App.plist")
    let path = home.path("database/App.plist")
    let told = Lock<[String]>([])
    let fileSystem = interrupted { _ in
      try "{ a = 2; }\n".write(toFile: path, atomically: true, encoding: .utf8)
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem) { _, change in
      told.withLock { told in
        switch change {
        case .begins(.bytes(let before), _): told.append(String(decoding: before, as: UTF8.self))
        case .begins: Issue.record("unexpected")
        case .isPlanned: break
        case .wasNotMade: told.append("not made")
        }
      }
    }
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(told.withLock { $0 } == ["{ a = 1; }\n", "not made", "{ a = 2; }\n"])
  }

  @Test("the removal of the last key spares what another program has just added")
  func removal() throws {
    try write("{ k = old; }", to: "database/App.plist")
    let path = home.path("database/App.plist")
    let isChanged = Lock(false)
    let fileSystem = FaultyFileSystem { operation in
      // The directory is opened first, to be flushed.
      guard operation.name == "open directory", !isChanged.withLock({ $0 }) else { return nil }
      isChanged.withLock { $0 = true }
      #expect(throws: Never.self) {
        try "{ k = old; other = 1; }\n".write(toFile: path, atomically: true, encoding: .utf8)
      }
      return nil
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    var changes = DomainChanges()
    changes.remove("k")
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(isChanged.withLock { $0 })
    #expect(try database.load(app).values == ["other": "1"])
  }

  @Test("where another program changes the file each time, the save fails, and that program's change stands")
  func eachTime() throws {
    try write("{ a = 1; }", to: "database/App.plist")
    let path = home.path("database/App.plist")
    let last = Lock(0)
    let fileSystem = interrupted(times: .max) { number in
      last.withLock { $0 = number }
      try "{ a = \(number); }\n".write(toFile: path, atomically: true, encoding: .utf8)
    }
    func isOthers() throws -> Bool {
      let value = PropertyList.string(String(last.withLock { $0 }))
      return try UserDatabase(directory: home.path("database")).load(app).values == ["a": value]
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    let error = #expect(throws: DatabaseError.self) {
      try database.commit(changes, to: app, onDamage: .refuse)
    }
    #expect(error?.kind == .refused)
    #expect(
      error?.description
        == "\(path): was changed by another program while it was being saved; that program's change stands, and nothing else was changed: try again"
    )
    #expect(try isOthers())
    var count = 0
    #expect(throws: DatabaseError.self) {
      try PropertyListFile.change(path, fileSystem: fileSystem) { _ in
        count += 1
        return bytes("{ b = \(count); }")
      }
    }
    #expect(count == 3)
    #expect(try isOthers())
    #expect(try home.names(in: "database") == [".lock", "App.plist"])
  }

  @Test(
    "an update whose closure has run is refused where another program has changed what the file holds since")
  func update() throws {
    try write("{ a = 1; }", to: "database/App.plist")
    let path = home.path("database/App.plist")
    let fileSystem = interrupted(times: 2) { number in
      // At first it puts a file with the same bytes there.
      if number == 1 { try "{ a = 1; }\n".write(toFile: path, atomically: true, encoding: .utf8) }
      if number == 2 { try "{ a = 2; }\n".write(toFile: path, atomically: true, encoding: .utf8) }
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    var count = 0
    func update() throws {
      _ = try database.update(UpdateRequest(of: app)) { _ in
        count += 1
        return changes
      }
    }
    let error = #expect(throws: DatabaseError.self) { try update() }
    #expect(error?.kind == .refused && count == 1)
    #expect(try database.load(app).values == ["a": "2"])
    try update()
    #expect(try database.load(app).values == ["a": "2", "k": "v"])
    #expect(try home.names(in: "database") == [".lock", "App.plist"])
  }
}
