#if os(Linux)
  import Foundation
  import OpenStepPropertyList
  import TestSupport
  import Testing

  @testable import DefaultsDatabase

  /// What watchers do with the descriptors of a process: each test has a process of its own.
  struct DescriptorWatcherTests {
    private let home: TemporaryHome
    private let database: UserDatabase

    init() throws {
      home = try TemporaryHome()
      database = UserDatabase(directory: home.path + "/a/Defaults")
    }

    private final class Count: Sendable {
      let lock = Lock(0)
    }

    @Test(
      "a program that closes all descriptors has its watcher look from time to time, and not all the time")
    func closedDescriptors() async throws {
      await #expect(processExitsWith: .exitCode(0)) { [path = database.directory as String] in
        let database = UserDatabase(directory: path)
        func save(_ value: String) throws {
          var changes = DomainChanges()
          changes.set(.string(value), for: "k")
          _ = try database.commit(changes, to: DomainName("App"), onDamage: .refuse)
        }
        try save("0")
        let calls = WatcherCalls(reading: "App", in: database)
        let watcher = try #require(DatabaseWatcher(of: database) { _ in calls.add() })
        guard calls.wait(until: { calls.total > 0 }), !watcher.isPolling else { exit(1) }
        for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
          let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
          if link == "anon_inode:inotify" { close(Int32(number) ?? -1) }
        }
        for value in ["1", "2", "3"] {
          try save(value)
          guard calls.wait(until: { calls.told("k") == .string(value) }) else { exit(2) }
        }
        let isPolling = calls.wait { watcher.isPolling }
        // Half a second is measured in which the process takes next to no processor time.
        let before = clock()
        usleep(500_000)
        exit(isPolling && clock() - before < CLOCKS_PER_SEC / 5 ? 0 : 3)
      }
    }

    // Its own files lost a byte to the watcher, and what was read of them ended the process.
    @Test("the files that a program opens after it has closed all descriptors are its own", arguments: 0..<3)
    func reusedDescriptors(round: Int) async throws {
      await #expect(processExitsWith: .exitCode(0)) {
        [path = database.directory as String, own = home.path as String, round = round as Int] in
        let calls = WatcherCalls()
        let watcher = try #require(DatabaseWatcher(of: UserDatabase(directory: path)) { _ in calls.add() })
        guard calls.wait(until: { calls.total > 0 }), !watcher.isPolling else { exit(1) }
        for number in 0..<16 {
          try Data(repeating: 0xFF, count: 4096).write(to: URL(fileURLWithPath: "\(own)/own\(number)"))
        }
        let highest = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
          Int32($0)
        }
        let numbers = 3...(highest.max() ?? 3)
        // In other orders the watcher's descriptors get other files of the program's.
        for number in round == 1 ? Array(numbers.reversed()) : Array(numbers) { close(number) }
        let files = (round..<16).map { open("\(own)/own\($0)", O_RDWR) }
        guard calls.wait(until: { watcher.isPolling }) else { _exit(2) }
        for file in files {
          var bytes = [UInt8](repeating: 0, count: 4096)
          guard lseek(file, 0, SEEK_CUR) == 0, read(file, &bytes, 4096) == 4096,
            bytes.allSatisfy({ $0 == 0xFF })
          else { _exit(3) }
        }
        _exit(0)
      }
    }

    @Test(
      "more databases than a user may have sources of events share one, and a few threads; each tells of its own"
    )
    func many() async throws {
      await #expect(processExitsWith: .exitCode(0)) { [path = home.path as String] in
        func databases(_ body: (Int, UserDatabase) throws -> Void) rethrows {
          for number in 0..<200 {
            try body(number, UserDatabase(directory: "\(path)/\(number)/Defaults"))
          }
        }
        func save(_ value: String) throws {
          try databases { _, database in
            var changes = DomainChanges()
            changes.set(.string(value), for: "k")
            _ = try database.commit(changes, to: DomainName("App"), onDamage: .refuse)
          }
        }
        // Some are there before they are watched, and some are made then.
        try databases { number, database in
          if number % 2 == 0 {
            try FileManager.default.createDirectory(
              atPath: database.directory, withIntermediateDirectories: true)
          }
        }
        let calls = WatcherCalls()
        var watchers: [DatabaseWatcher] = []
        var told: [Count] = []
        try databases { _, database in
          let count = Count()
          let watcher = try #require(
            DatabaseWatcher(of: database) { _ in
              count.lock.withLock { $0 += 1 }
              calls.add()
            })
          watchers.append(watcher)
          told.append(count)
        }
        guard calls.wait(until: { told.allSatisfy { $0.lock.withLock { $0 } > 0 } }) else { exit(1) }
        guard !watchers.contains(where: \.isPolling) else { exit(2) }
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
          try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }
        guard links.count(where: { $0.contains("inotify") }) == 1 else { exit(3) }
        guard try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count < 30 else {
          exit(4)
        }
        for value in ["1", "2"] {
          let before = told.map { $0.lock.withLock { $0 } }
          try save(value)
          let isTold = calls.wait {
            zip(told, before).allSatisfy { count, before in count.lock.withLock { $0 } > before }
          }
          guard isTold else { exit(5) }
        }
        // Those that are let go take nothing from the others.
        watchers.removeFirst(100)
        let before = told.map { $0.lock.withLock { $0 } }
        try save("3")
        let isTold = calls.wait {
          zip(told, before).suffix(100).allSatisfy { count, before in count.lock.withLock { $0 } > before }
        }
        exit(isTold && !watchers.contains(where: \.isPolling) ? 0 : 6)
      }
    }
  }
#endif
