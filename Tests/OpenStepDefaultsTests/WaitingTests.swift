import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains
@testable import OpenStepDefaults

/// How long calls wait for a lock that is not given back.
struct WaitingTests {
  /// The promise is two seconds; a busy machine may wake a thread late, again and again, and a busy disk takes its
  /// time for what is written before the wait.
  private var bound: Duration { .seconds(3) + lateness.total }
  private let lateness: Lateness

  /// Hands a path to a handler, which can capture nothing.
  private static let variable = "DEFAULTS_WAITING_TEST"

  private let home: TemporaryHome
  private let defaults: NSUserDefaults

  init() throws {
    home = try TemporaryHome()
    lateness = Lateness(in: home.path)
    defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    defaults.setObject("0", forKey: "K")
    #expect(defaults.synchronize())
  }

  /// Runs a body while somebody else has the database's lock.
  private func whileLocked<Result>(_ body: () async throws -> Result) async throws -> Result {
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX) == 0)
    return try await body()
  }

  private func values(of domain: String) throws -> [PropertyListKey: PropertyList] {
    try UserDatabase(directory: home.path).load(DomainName(domain)).values
  }

  @Test("changes in many domains wait for a lock once, and are all kept")
  func manyDomains() async throws {
    let (isSaved, duration) = try await whileLocked {
      // Here, because the automatic save would write them first.
      defaults.setObject("1", forKey: "K")
      for name in ["A", "B", "C"] { try defaults.setPersistentDomain(["k": name], forName: name) }
      let start = ContinuousClock.now
      return (defaults.synchronize(), ContinuousClock.now - start)
    }
    #expect(!isSaved)
    #expect(duration < bound)
    #expect("\(try #require(defaults.lastError))".contains("has held the lock for two seconds"))
    #expect(defaults.synchronize())
    #expect(try values(of: "App") == ["K": "1"])
    for name in ["A", "B", "C"] { #expect(try values(of: name) == ["k": .string(name)]) }
  }

  @Test("threads that wait for a lock at the same time do not wait for each other's waiting")
  func manyThreads() async throws {
    defaults.setObject("1", forKey: "K")
    let longest = try await whileLocked {
      await withTaskGroup(of: Duration.self) { group in
        for thread in 0..<4 {
          group.addTask { [defaults, path = home.path] in
            await withCheckedContinuation { continuation in
              Thread.detachNewThread {
                let start = ContinuousClock.now
                if thread < 3 {
                  _ = defaults.synchronize()
                } else {
                  // A domain that nobody has read yet is read from the disk.
                  _ = NSUserDefaults(directory: path, applicationName: "Other").objectForKey("K")
                }
                continuation.resume(returning: ContinuousClock.now - start)
              }
            }
          }
        }
        return await group.reduce(.zero, max)
      }
    }
    #expect(longest < bound)
    #expect(defaults.synchronize())
    #expect(try values(of: "App") == ["K": "1"])
  }

  /// Every call of the class that may come to the disk, and how many of them.
  private static let calls: [(name: String, body: @Sendable (NSUserDefaults, String) throws -> Void)] = [
    ("init(directory:)", { _, path in _ = NSUserDefaults(directory: path, applicationName: "New") }),
    (
      "init(directory:) of another database",
      { _, path in
        // Beside the one whose lock is held, by a name of its own.
        _ = NSUserDefaults(directory: "\(path)/Other", applicationName: "New").synchronize()
      }
    ),
    ("synchronize", { defaults, _ in _ = defaults.synchronize() }),
    ("persistentDomainForName", { defaults, _ in _ = defaults.persistentDomainForName("P") }),
    ("persistentDomainNames", { defaults, _ in _ = defaults.persistentDomainNames() }),
    ("setPersistentDomain", { defaults, _ in try defaults.setPersistentDomain(["k": 1], forName: "Q") }),
    ("removePersistentDomainForName", { defaults, _ in defaults.removePersistentDomainForName("R") }),
    ("removal of a domain that is known", { defaults, _ in defaults.removePersistentDomainForName("Known") }),
    ("setSearchList", { defaults, _ in defaults.setSearchList((0..<5).map { "S\($0)" }) }),
    ("setVolatileDomain", { defaults, _ in try defaults.setVolatileDomain(["k": 1], forName: "V") }),
    ("registerDefaults", { defaults, _ in defaults.registerDefaults(["k": 1]) }),
    ("dictionaryRepresentation", { defaults, _ in _ = defaults.dictionaryRepresentation() }),
    ("set and get", { defaults, _ in defaults.setInteger(defaults.integerForKey("K"), forKey: "L") }),
  ]

  @Test(
    "no call waits longer than two seconds, whatever other threads are waiting for", .timeLimit(.minutes(30)))
  func everyCall() async throws {
    let isDone = Lock(false)
    defer { isDone.withLock { $0 = true } }
    let durations = try await whileLocked {
      // Always somebody in line, and never the same.
      for _ in 0..<3 {
        Thread.detachNewThread { [defaults] in
          while !isDone.withLock({ $0 }) {
            defaults.setObject("1", forKey: "K")
            _ = defaults.synchronize()
          }
        }
      }
      return try await withThrowingTaskGroup(of: (String, Duration).self) { group in
        for call in WaitingTests.calls {
          group.addTask { [defaults, path = home.path] in
            try await withCheckedThrowingContinuation { continuation in
              Thread.detachNewThread {
                // The moments are random, so that the calls find others at work in different places.
                Thread.sleep(forTimeInterval: .random(in: 0...1))
                let start = ContinuousClock.now
                do {
                  try call.body(defaults, path)
                  continuation.resume(returning: (call.name, ContinuousClock.now - start))
                } catch {
                  continuation.resume(throwing: error)
                }
              }
            }
          }
        }
        return try await group.reduce(into: [String: Duration]()) { $0[$1.0] = $1.1 }
      }
    }
    #expect(durations.count == WaitingTests.calls.count)
    print("longest waits: \(durations.sorted { $0.value > $1.value }.prefix(3))")
    for (name, duration) in durations { #expect(duration < bound, "\(name)") }
  }

  @Test(
    "a process ends within two seconds while others hold the locks of its databases, and saves what it can",
    .timeLimit(.minutes(30)))
  func end() async throws {
    let (locked, free) = (["a", "b", "c"], "d")
    for name in locked {
      try FileManager.default.createDirectory(atPath: home.path(name), withIntermediateDirectories: false)
      try home.write("", to: "\(name)/.lock")
    }
    let descriptors = locked.map { open(home.path("\($0)/.lock"), O_RDWR | O_CLOEXEC) }
    defer { for descriptor in descriptors { close(descriptor) } }
    for descriptor in descriptors { try #require(flock(descriptor, LOCK_EX) == 0) }
    await #expect(processExitsWith: .exitCode(3)) { [path = home.path as String] in
      setenv(WaitingTests.variable, path, 1)
      // Registered before the first use, it runs after the handler that saves.
      atexit {
        let path = ProcessInfo.processInfo.environment[WaitingTests.variable] ?? ""
        _ = FileManager.default.createFile(atPath: "\(path)/ended", contents: nil)
      }
      for name in ["a", "b", "c", "d"] {
        let defaults = NSUserDefaults(directory: "\(path)/\(name)", applicationName: "App")
        defaults.setObject("x", forKey: "k")
        // Inside its save, and waiting, when the process ends.
        if name == "a" { Thread.detachNewThread { while true { _ = defaults.synchronize() } } }
      }
      // The threads that save are waiting for the locks, too.
      for name in ["a", "b", "c"] {
        let domain = PersistentDomains.at(directory: "\(path)/\(name)").domain(try DomainName("App"))
        while !domain.isBeingSaved { CurrentProcess.pause(microseconds: 1000) }
      }
      try Data().write(to: URL(fileURLWithPath: "\(path)/ending"))
      exit(3)
    }
    let times = try ["ending", "ended"].map { name in
      try #require(FileManager.default.attributesOfItem(atPath: home.path(name))[.modificationDate] as? Date)
    }
    #expect(times[1].timeIntervalSince(times[0]) < bound / .seconds(1))
    for name in locked { #expect(try home.names(in: name) == [".lock"]) }
    let database = UserDatabase(directory: home.path(free))
    #expect(try database.load(DomainName("App")).values == ["k": "x"])
  }

  @Test("setters, getters and new objects do not wait for a lock")
  func otherCalls() async throws {
    let duration = try await whileLocked {
      let start = ContinuousClock.now
      defaults.setObject("1", forKey: "K")
      #expect(defaults.stringForKey("K") == "1")
      let other = NSUserDefaults(directory: home.path, applicationName: "App")
      #expect(other.stringForKey("K") == "1")
      #expect(other.persistentDomainForName("P") == nil)
      #expect(other.persistentDomainNames().contains("App"))
      other.removeObjectForKey("K")
      return ContinuousClock.now - start
    }
    // A call that waited would have taken two.
    #expect(duration < .seconds(2) + lateness.total)
    #expect(defaults.objectForKey("K") == nil)
  }
}
