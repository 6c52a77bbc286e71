import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@Suite struct FileLockTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  private func set(_ key: PropertyListKey) throws(DatabaseError) {
    var changes = DomainChanges()
    changes.set("v", for: key)
    _ = try UserDatabase(directory: home.path).commit(changes, to: app, onDamage: .refuse)
  }

  @Test("a lock that is held makes a save fail within bounded time, and the error names the holder")
  func held() throws {
    try set("a")
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    let lateness = Lateness(in: home.path)
    let start = ContinuousClock.now
    let error = try #require(throws: DatabaseError.self) { try set("b") }
    #expect(ContinuousClock.now - start < .seconds(4) + lateness.total)
    #expect(error.kind == .locked(holder: getpid()))
    #expect(error.path == home.path(".lock"))
    #expect(error.description.contains("another thread of this process has held the lock for two seconds"))
    // Who came later waits for nobody who has given up.
    #expect(try !home.text(of: ".lock").contains(/\n *[0-9]/))
    #expect(try UserDatabase(directory: home.path).load(app).values == ["a": "v"])
  }

  @Test(
    "a lock's file with a second name is not written to, and is made anew where only its owner could link it there",
    arguments: [0o755, 0o775])
  func secondName(mode: Int) throws {
    #expect(chmod(home.path, mode_t(mode)) == 0)
    let text = "another file, of which the lock's name is the second one\n"
    try home.write(Array(text.utf8), to: "other")
    #expect(link(home.path("other"), home.path(".lock")) == 0)
    try set("a")
    #expect(try home.text(of: "other") == text)
    #expect(try (home.text(of: ".lock") == text) == (mode == 0o775))
    #expect(try UserDatabase(directory: home.path).load(app).values == ["a": "v"])
  }

  // A command made it anew until its stack was full.
  @Test(
    "a lock's file that has a second name whenever it is looked at is made anew once, and then locked as it is"
  )
  func secondNameAgain() throws {
    let path = home.path
    let disk = FaultyFileSystem { operation in
      // Not before there is a file.
      _ = link(path + "/.lock", path + "/name\(operation.index)")
      return nil
    }
    var changes = DomainChanges()
    changes.set("v", for: "a")
    _ = try UserDatabase(directory: path, fileSystem: disk).commit(changes, to: app, onDamage: .refuse)
    #expect(disk.operations.count { $0.name == "remove" && $0.path == path + "/.lock" } == 1)
    #expect(try UserDatabase(directory: path).load(app).values == ["a": "v"])
  }

  // A person was told to end a process by a number that had become another program's.
  @Test("a lock's holder that makes no record is not taken for the process that had it before, and has ended")
  func unrecordedHolder() throws {
    try set("a")
    let ended = Process()
    ended.executableURL = URL(fileURLWithPath: "/bin/sh")
    ended.arguments = ["-c", "exit 0"]
    try ended.run()
    ended.waitUntilExit()
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    let number = "\(ended.processIdentifier)"
    let line = String(repeating: " ", count: 10 - number.utf8.count) + number
    try #require(pwrite(descriptor, line, 10, 0) == 10)
    let error = try #require(throws: DatabaseError.self) { try set("b") }
    #expect(error.kind == .locked(holder: nil))
    #expect(error.description.contains("another process has held the lock for two seconds"))
  }

  // Each closing of a file that was open for writing wakes all programs that watch the directory.
  @Test("who waits opens the lock's file once, and a new one if a person removes it")
  func openings() throws {
    try set("a")
    let path = home.path(".lock")
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    let disk = FaultyFileSystem { operation in
      if operation.name == "tryLock", operation.number == 20 { #expect(unlink(path) == 0) }
      return nil
    }
    var changes = DomainChanges()
    changes.set("v", for: "b")
    _ = try UserDatabase(directory: home.path, fileSystem: disk).commit(changes, to: app, onDamage: .refuse)
    #expect(disk.operations.count { $0.name == "tryLock" } > 20)
    // The file; that there is none; the new one as it is made, and to be locked.
    #expect(
      disk.operations.filter { $0.path == path && $0.name.hasPrefix("open ") }.map(\.name)
        == ["open locking", "open locking", "open creating", "open locking"])
    #expect(try UserDatabase(directory: home.path).load(app).values == ["a": "v", "b": "v"])
  }

  @Test("the time in which the directory is made is not counted", arguments: [false, true])
  func newDirectory(isUpdate: Bool) throws {
    let path = home.path("new")
    let tries = Lock(0)
    let holder = Lock<Int32>(-1)
    let slow = FaultyFileSystem { operation in
      // Longer than the save waits for others.
      if operation.name == "makeDirectory" { CurrentProcess.pause(microseconds: 2_200_000) }
      // The directory itself is locked while the lock's file is made.
      guard operation.name == "tryLock", access(path + "/.lock", F_OK) == 0 else { return nil }
      let isFirst = tries.withLock { tries in
        tries += 1
        return tries == 1
      }
      // Another process has it when the save tries first, and no longer when it tries again.
      if isFirst {
        holder.withLock { $0 = open(path + "/.lock", O_RDWR | O_CLOEXEC) }
        #expect(flock(holder.withLock { $0 }, LOCK_EX | LOCK_NB) == 0)
      } else {
        flock(holder.withLock { $0 }, LOCK_UN)
      }
      return nil
    }
    defer { close(holder.withLock { $0 }) }
    let database = UserDatabase(directory: path, fileSystem: slow)
    var changes = DomainChanges()
    changes.set("v", for: "k")
    if isUpdate {
      _ = try database.update(UpdateRequest(of: app)) { _ in changes }
    } else {
      _ = try database.commit(changes, to: app, onDamage: .refuse)
    }
    #expect(tries.withLock { $0 } == 2)
    #expect(try database.load(app).values == ["k": "v"])
  }

  @Test(
    "an update that does not wait changes nothing if another has the lock, or came first and waits for it")
  func withoutWaiting() throws {
    try set("a")
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    let (database, app) = (UserDatabase(directory: home.path), app)
    var request = UpdateRequest(of: app)
    request.waits = false
    var calls = 0
    func update() throws(DatabaseError) {
      _ = try database.update(request) { _ in
        calls += 1
        return nil
      }
    }
    #expect(flock(descriptor, LOCK_EX) == 0)
    let error = #expect(throws: DatabaseError.self) { try update() }
    #expect(error?.kind == .locked(holder: getpid()))
    #expect(flock(descriptor, LOCK_UN) == 0)
    var isRefused = false
    // On a busy machine the tenth of a second may be over before the update looks, in which the waiter is present.
    for _ in 0..<1000 where !isRefused {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      let line = String(format: "%19ld %19ld\n", 1, now.tv_sec * 1_000_000_000 + now.tv_nsec)
      #expect(pwrite(descriptor, line, line.utf8.count, 11) == line.utf8.count)
      do throws(DatabaseError) {
        try update()
      } catch {
        isRefused = true
      }
    }
    #expect(isRefused)
    let callsBefore = calls
    #expect(pwrite(descriptor, String(repeating: " ", count: 39), 39, 11) == 39)
    try update()
    #expect(calls == callsBefore + 1)
  }

  @Test("who came first has the lock next, and who comes when it is free waits for those who were there")
  func order() throws {
    // A waiter that the system does not let run for a tenth of a second counts as gone, and another may come first.
    // Twice in a row is no chance.
    var orders: [[Int]] = []
    func isKept() -> Bool { orders.count >= 2 && orders.suffix(2).allSatisfy { $0 == [1, 2, 3, 4] } }
    while orders.count < 20, !isKept() { orders.append(try FileLockTests().orderOfSaves()) }
    #expect(isKept(), "\(orders)")
  }

  /// Has four threads come one after the other while the lock is held; gives the order in which they had it.
  private func orderOfSaves() throws -> [Int] {
    try set("0")
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    let saved = Lock<[Int]>([])
    let threads = DispatchGroup()
    let looks = (1...4).map { _ in DispatchSemaphore(value: 0) }
    // Until each of those waiting has looked again, as they do while a save is written to a real disk.
    @Sendable func waitForLooks(of waiting: ArraySlice<DispatchSemaphore>) {
      for _ in 0..<2 {
        for look in waiting {
          while look.wait(timeout: .now()) == .success {}
          for _ in 0..<2 { _ = look.wait(timeout: .now() + 0.5) }
        }
      }
    }
    for number in 1...4 {
      let observed = FaultyFileSystem { operation in
        if operation.name == "open locking" { looks[number - 1].signal() }
        guard operation.name == "rename" else { return nil }
        saved.withLock { $0.append(number) }
        waitForLooks(of: looks[number...])
        return nil
      }
      DispatchQueue(label: "\(number)").async(group: threads) { [path = home.path, app] in
        var changes = DomainChanges()
        changes.set("v", for: PropertyListKey("\(number)"))
        #expect(throws: Never.self) {
          try UserDatabase(directory: path, fileSystem: observed).commit(
            changes, to: app, onDamage: .refuse, deadline: .now + 600)
        }
      }
      looks[number - 1].wait()
    }
    waitForLooks(of: looks[...])
    flock(descriptor, LOCK_UN)
    threads.wait()
    return saved.withLock { $0 }
  }

  @Test(
    "who was killed while he waited holds nobody up for long",
    arguments: ["killed", "garbage", "wrong clock"])
  func waiterIsGone(kind: String) throws {
    try set("a")
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let seen = now.tv_sec * 1_000_000_000 + now.tv_nsec
    let line =
      switch kind {
      case "killed": String(format: "%19ld %19ld\n", 1, seen)
      case "garbage": String(repeating: "9", count: 64)
      default: String(format: "%19ld %19ld\n", 1, Int.max)
      }
    #expect(pwrite(descriptor, line, line.utf8.count, 11) == line.utf8.count)
    let lateness = Lateness(in: home.path)
    let start = ContinuousClock.now
    try set("b")
    #expect(ContinuousClock.now - start < .seconds(1) + lateness.total)
    #expect(try UserDatabase(directory: home.path).load(app).values == ["a": "v", "b": "v"])
  }

  @Test("reading needs no lock") func reading() throws {
    try set("a")
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect(try UserDatabase(directory: home.path).load(app).values == ["a": "v"])
  }

  @Test("the lock of a process that was killed stands in nobody's way") func killed() async throws {
    try set("a")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = home.path(".lock") as String] in
      let descriptor = open(path, O_RDWR | O_CLOEXEC)
      try #require(flock(descriptor, LOCK_EX) == 0)
      kill(getpid(), SIGKILL)
    }
    try set("b")
    #expect(try UserDatabase(directory: home.path).load(app).values == ["a": "v", "b": "v"])
  }

  @Test("a lock that was given back is free, though a child process has its file open") func forked() throws {
    // A copy of the descriptor stands for the one that a forked child has.
    let copies = Lock<[Int32]>([])
    defer { for copy in copies.withLock({ $0 }) { close(copy) } }
    let forking = FaultyFileSystem { [path = home.path(".lock")] operation in
      guard operation.name == "rename" else { return nil }
      var (file, candidate) = (stat(), stat())
      stat(path, &file)
      let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
      let opened = descriptors.compactMap { Int32($0) }.first { descriptor in
        fstat(descriptor, &candidate) == 0 && candidate.st_dev == file.st_dev
          && candidate.st_ino == file.st_ino
      }
      if let opened { copies.withLock { $0.append(dup(opened)) } }
      return nil
    }
    var changes = DomainChanges()
    changes.set("v", for: "a")
    _ = try UserDatabase(directory: home.path, fileSystem: forking).commit(
      changes, to: app, onDamage: .refuse)
    #expect(copies.withLock { $0.count } == 1)
    try set("b")
    #expect(try UserDatabase(directory: home.path).load(app).values == ["a": "v", "b": "v"])
  }

  @Test(
    "a child that was forked while its parent held the lock does not hold it when the parent has ended",
    arguments: [(".lock", "lock"), ("", "directory"), ("App.plist", "file")])
  func forkedWhileHeld(name: String, kind: String) async throws {
    try set("a")
    await #expect(processExitsWith: .exitCode(0)) {
      [path = home.path(name) as String, kind = kind as String] in
      let purposes: [String: OpenPurpose] = [
        "lock": .locking, "directory": .lockingDirectory, "file": .lockingFile,
      ]
      let purpose = try #require(purposes[kind])
      let disk = DiskFileSystem()
      // The numbers of descriptors that were closed otherwise are the program's again, in the child as well.
      let directory = try disk.open((path as NSString).deletingLastPathComponent, for: .directory)
      close(directory)
      let held = try disk.open(path, for: purpose)
      guard try disk.tryLock(held) else { _exit(1) }
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      guard let child = ForkedChild.make() else { _exit(3) }
      if child.isThisProcess {
        write(ends[1], "x", 1)
        while true { pause() }
      }
      var byte: UInt8 = 0
      read(ends[0], &byte, 1)
      // As the system does it for a process that ends.
      close(held)
      let isFree = try disk.tryLock(disk.open(path, for: purpose))
      kill(child.identifier, SIGKILL)
      _exit(isFree ? 0 : 2)
    }
  }

  @Test("what stands in the lock's place is never written through", arguments: ["link", "directory", "pipe"])
  func noLockFile(kind: String) throws {
    try home.write("precious", to: "precious")
    switch kind {
    case "link":
      try FileManager.default.createSymbolicLink(atPath: home.path(".lock"), withDestinationPath: "precious")
    case "directory":
      try FileManager.default.createDirectory(atPath: home.path(".lock"), withIntermediateDirectories: false)
    default:
      #expect(mkfifo(home.path(".lock"), 0o600) == 0)
    }
    let error = #expect(throws: DatabaseError.self) { try set("a") }
    #expect(
      error?.description
        == "\(home.path(".lock")): is no regular file, as the lock must be; nothing was changed: move it away"
    )
    #expect(try home.text(of: "precious") == "precious")
    #expect(!home.exists("App.plist"))
  }

  @Test("two processes with 500 keys each leave 1,000 keys") func processes() async throws {
    await withTaskGroup(of: Void.self) { group in
      for process in ["p", "q"] {
        group.addTask { [path = home.path] in
          await #expect(processExitsWith: .success) { [path = path as String, process = process as String] in
            let database = UserDatabase(directory: path)
            for number in 0..<500 {
              var changes = DomainChanges()
              changes.set(.string(process), for: PropertyListKey("\(process)\(number)"))
              _ = try database.commit(
                changes, to: DomainName("App"), onDamage: .refuse, deadline: .now + 600)
            }
          }
        }
      }
    }
    let loaded = try UserDatabase(directory: home.path).load(app)
    #expect(loaded.damage == nil)
    #expect(loaded.values.count == 1000)
  }

  @Test("threads exclude one another, through one object and through several") func threads() async throws {
    let shared = UserDatabase(directory: home.path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask { [path = home.path, app] in
          let database = thread % 2 == 0 ? shared : UserDatabase(directory: path)
          for number in 0..<50 {
            var changes = DomainChanges()
            changes.set("v", for: PropertyListKey("\(thread)-\(number)"))
            _ = try database.commit(changes, to: app, onDamage: .refuse, deadline: .now + 600)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try shared.load(app).values.count == 200)
  }

  @Test("a writer killed at any step of a save leaves a file that parses and every acknowledged key")
  func sudden() async throws {
    // Each child notes what was acknowledged, and dies a step later than the one before it.
    for round in 0..<20 {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = home.path as String, round = round as Int] in
        // Counted from the first acknowledged key on.
        let remaining = Lock<Int?>(nil)
        let deadly = FaultyFileSystem { _ in
          remaining.withLock { remaining in
            remaining = remaining.map { $0 - 1 }
            if remaining == -1 { kill(getpid(), SIGKILL) }
          }
          return nil
        }
        let database = UserDatabase(directory: path, fileSystem: deadly)
        for number in 0... {
          var changes = DomainChanges()
          let key = "\(round)-\(number)"
          changes.set("v", for: PropertyListKey(key))
          _ = try database.commit(changes, to: DomainName("App"), onDamage: .refuse)
          try Data(key.utf8).write(to: URL(fileURLWithPath: "\(path)/acknowledged.\(round)"))
          if number == 0 { remaining.withLock { $0 = 3 * round } }
        }
      }
      let loaded = try UserDatabase(directory: home.path).load(app)
      #expect(loaded.damage == nil)
      let last = try home.text(of: "acknowledged.\(round)")
      #expect(loaded.values[PropertyListKey(last)] == "v")
    }
  }
}
