import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Saves of large domains, which are worked out before they take the lock.
@Suite struct SavePlanTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  /// Of more bytes than a save works out under the lock.
  private func largeValues() -> [PropertyListKey: PropertyList] {
    var values: [PropertyListKey: PropertyList] = ["count": "0"]
    for index in 0..<4000 { values[PropertyListKey("a key of many, number \(index)")] = "a value of many" }
    return values
  }

  private func write(_ values: [PropertyListKey: PropertyList], as format: DomainFileFormat) throws {
    try home.write(try format.bytes(of: .dictionary(values)), to: "App.plist")
  }

  private func changes(_ entries: [PropertyListKey: PropertyList]) -> DomainChanges {
    var changes = DomainChanges()
    for (key, value) in entries { changes.set(value, for: key) }
    return changes
  }

  /// Whether nobody has the directory's lock.
  private func isUnlocked() -> Bool {
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    // Made by the first who needs it.
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  @Test(
    "a large domain is read, encoded and written without the lock, and renamed with it",
    arguments: [DomainFileFormat.openStep, .xml, .binary])
  func unlocked(format: DomainFileFormat) throws {
    try write(largeValues(), as: format)
    // Old enough for its times to prove that it was not written since.
    let locked = Lock<[String: Set<Bool>]>([:])
    let fileSystem = FaultyFileSystem(secondsAhead: 3) { operation in
      let isLocked = !isUnlocked()
      locked.withLock { _ = $0[operation.name, default: []].insert(isLocked) }
      return nil
    }
    _ = try UserDatabase(directory: home.path, fileSystem: fileSystem).commit(
      changes(["count": "1"]), to: app, onDamage: .refuse)
    let found = locked.withLock { $0 }
    // The file's bytes; one read is of the lock's own notes.
    #expect(found["open reading"] == [false])
    #expect(found["write"] == [false])
    #expect(found["open creating"]?.contains(true) == false)
    #expect(found["rename"] == [true])
    var expected = largeValues()
    expected["count"] = "1"
    #expect(try UserDatabase(directory: home.path).load(app).values == expected)
  }

  @Test("a new large domain is encoded and written without the lock")
  func newDomain() throws {
    let locked = Lock<Set<Bool>>([])
    let fileSystem = FaultyFileSystem { operation in
      if operation.name == "write" { locked.withLock { _ = $0.insert(!isUnlocked()) } }
      return nil
    }
    var changes = DomainChanges()
    changes.replaceAll(with: largeValues())
    _ = try UserDatabase(directory: home.path, fileSystem: fileSystem).commit(
      changes, to: app, onDamage: .refuse)
    #expect(locked.withLock { $0 } == [false])
    #expect(try UserDatabase(directory: home.path).load(app).values == largeValues())
  }

  @Test("small domains are saved while a large one is worked out, and none is refused")
  func beside() throws {
    try write(largeValues(), as: .xml)
    let beside = UserDatabase(directory: home.path)
    let small = try DomainName("Small")
    let failures = Lock<[String]>([])
    let fileSystem = FaultyFileSystem { operation in
      guard operation.name == "write" else { return nil }
      do {
        // Not to be waited for: whoever is in the way would be so for as long as this takes.
        _ = try beside.commit(changes(["k": "v"]), to: small, onDamage: .refuse, deadline: .now)
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
      return nil
    }
    _ = try UserDatabase(directory: home.path, fileSystem: fileSystem).commit(
      changes(["count": "1"]), to: app, onDamage: .refuse)
    #expect(failures.withLock { $0 } == [])
    #expect(try beside.load(small).values == ["k": "v"])
    #expect(try beside.load(app).values["count"] == "1")
  }

  @Test(
    "what others save while a large domain is worked out stays, however often they do, and the save succeeds",
    arguments: [DomainFileFormat.openStep, .xml, .binary], [1, 2, 100])
  func changedMeanwhile(format: DomainFileFormat, times: Int) throws {
    try write(largeValues(), as: format)
    let others = UserDatabase(directory: home.path)
    // The first save of a directory also has the directories above it flushed, with nothing read yet.
    _ = try others.commit(changes(["k": "v"]), to: DomainName("Small"), onDamage: .refuse)
    let saved = Lock(0)
    let failures = Lock<[String]>([])
    let fileSystem = FaultyFileSystem { operation in
      // Before the temporary file is flushed: the file was read by then.
      guard operation.name == "synchronize", isUnlocked() else { return nil }
      let count = saved.withLock { saved in
        if saved < times { saved += 1 }
        return saved
      }
      do {
        // One digit for another, so that the file's size stays what it was and its times almost.
        _ = try others.commit(changes(["count": .string("\(count)")]), to: app, onDamage: .refuse)
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
      return nil
    }
    _ = try UserDatabase(directory: home.path, fileSystem: fileSystem).commit(
      changes(["ours": "1"]), to: app, onDamage: .refuse)
    #expect(failures.withLock { $0 } == [])
    let count = saved.withLock { $0 }
    // Worked out three times without the lock, and then with it.
    #expect(count == min(times, 3))
    var expected = largeValues()
    expected["count"] = .string("\(count)")
    expected["ours"] = "1"
    #expect(try others.load(app).values == expected)
    #expect(try home.names() == [".lock", "App.plist", "Small.plist"])
  }

  @Test("a file that is written in place within one tick of the clock is not taken for the one that was read")
  func writtenInPlace() throws {
    try write(largeValues(), as: .openStep)
    let path = home.path("App.plist")
    var status = stat()
    #expect(stat(path, &status) == 0)
    let times = [status.st_atim, status.st_mtim]
    let isWritten = Lock(false)
    let fileSystem = FaultyFileSystem { operation in
      guard operation.name == "synchronize", !isWritten.withLock({ $0 }) else { return nil }
      isWritten.withLock { $0 = true }
      let file = FileHandle(forUpdatingAtPath: path)
      let text = String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self)
      try? file?.seek(toOffset: 0)
      file?.write(Data(text.replacingOccurrences(of: "count = 0;", with: "count = 9;").utf8))
      try? file?.close()
      utimensat(AT_FDCWD, path, times, 0)
      return nil
    }
    _ = try UserDatabase(directory: home.path, fileSystem: fileSystem).commit(
      changes(["ours": "1"]), to: app, onDamage: .refuse)
    let values = try UserDatabase(directory: home.path).load(app).values
    #expect(values["count"] == "9")
    #expect(values["ours"] == "1")
  }

  @Test("a large domain whose file is another's by the time of the lock is found under its new name")
  func movedMeanwhile() throws {
    try home.write(try DomainFileFormat.openStep.bytes(of: .dictionary(largeValues())), to: "App")
    let path: (bare: String, new: String) = (home.path("App"), home.path("App.plist"))
    let fileSystem = FaultyFileSystem { operation in
      if operation.name == "synchronize" { rename(path.bare, path.new) }
      return nil
    }
    _ = try UserDatabase(directory: home.path, fileSystem: fileSystem).commit(
      changes(["ours": "1"]), to: app, onDamage: .refuse)
    #expect(try home.names() == [".lock", "App.plist"])
    #expect(try UserDatabase(directory: home.path).load(app).values.count == largeValues().count + 1)
  }

  @Test("a large domain is removed without its being read under the lock, and one that others changed too")
  func removal() throws {
    try write(largeValues(), as: .xml)
    let fileSystem = FaultyFileSystem(secondsAhead: 3) { operation in
      if operation.name == "open reading" { #expect(isUnlocked()) }
      return nil
    }
    #expect(try UserDatabase(directory: home.path, fileSystem: fileSystem).remove(app) != nil)
    #expect(try home.names() == [".lock"])
  }

  // MARK: - More than can be read

  /// A file that takes no room on the disk.
  private func makeTooLarge() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    #expect(truncate(home.path("App.plist"), off_t(1 << 30) + 1) == 0)
  }

  @Test(
    "what would be too large to be read again is refused, and the file keeps every byte",
    .timeLimit(.minutes(30)))
  func tooLarge() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    let database = UserDatabase(directory: home.path)
    // One piece of memory in many places: 544 MiB of data, which take twice as many characters.
    let piece = PropertyList.data([UInt8](repeating: 0x5A, count: 32 << 20))
    let error = try #require(throws: DatabaseError.self) {
      try database.commit(
        changes(["big": .array(Array(repeating: piece, count: 17))]), to: app, onDamage: .moveAside)
    }
    #expect(error.kind == .refused)
    #expect(
      error.description.contains("App.plist: cannot be saved: it would take more than 1073741824 bytes"))
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
    #expect(try home.names().filter { $0 != ".lock" } == ["App.plist"])
    // Nothing is left that would stand in the way of the next.
    _ = try database.commit(changes(["b": "2"]), to: app, onDamage: .moveAside)
    #expect(try database.load(app).values == ["a": "1", "b": "2"])
  }

  @Test("a file that is too large already cannot be read or changed, is told of, and can be removed")
  func tooLargeAlready() throws {
    try makeTooLarge()
    let database = UserDatabase(directory: home.path)
    for attempt in [
      { _ = try database.load(app) },
      { _ = try database.commit(changes(["a": "2"]), to: app, onDamage: .moveAside) },
    ] {
      let error = try #require(throws: DatabaseError.self) { try attempt() }
      #expect(error.kind == .inputOutput(code: EFBIG))
      #expect(error.description.contains("it is larger than 1073741824 bytes"))
      #expect(try home.names().filter { $0 != ".lock" } == ["App.plist"])
    }
    #expect(try database.remove(app) != nil)
    #expect(try home.names() == [".lock"])
  }

  @Test("a file that is too large already can be replaced as a whole, and by nothing")
  func tooLargeReplaced() throws {
    let database = UserDatabase(directory: home.path)
    for values: [PropertyListKey: PropertyList] in [["new": "1"], [:]] {
      try makeTooLarge()
      var changes = DomainChanges()
      changes.replaceAll(with: values)
      let commit = try database.commit(changes, to: app, onDamage: .moveAside)
      #expect(commit.movedAside == nil)
      #expect(try database.load(app).values == values)
      #expect(home.exists("App.plist") == !values.isEmpty)
    }
  }
}
