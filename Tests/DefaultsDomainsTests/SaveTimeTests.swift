import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// The time that saves take, which does not count as waiting for another process.
struct SaveTimeTests {
  /// Longer than a save waits for others, in microseconds.
  private static let longTime = 2_200_000
  /// Hands a path to a handler, which can capture nothing.
  private static let variable = "DEFAULTS_SAVE_TIME_TEST"

  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  /// Another process that has a directory's lock for a moment: when a save first tries to take it, and no longer when
  /// the save tries again.
  private final class OtherProcess: Sendable {
    private let path: String
    private let descriptor = Lock<Int32?>(nil)
    private let tries = Lock(0)

    /// How often a save has tried.
    var tryCount: Int { tries.withLock { $0 } }

    init(in directory: String) {
      path = directory + "/.lock"
    }

    /// Called before each attempt of a save.
    func saveTries() {
      let isFirst = tries.withLock { tries in
        tries += 1
        return tries == 1
      }
      descriptor.withLock { descriptor in
        if let held = descriptor { close(held) }
        descriptor = isFirst ? open(path, O_RDWR | O_CLOEXEC) : nil
        if let descriptor { #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0) }
      }
    }
  }

  /// The moments of ``checkChangeAtTheEnd()`` that two threads wait for.
  private final class Moments: Sendable {
    private let reached = Lock<Set<String>>([])
    private let actions = Lock<[String: @Sendable () -> Void]>([:])

    func has(_ moment: String) -> Bool { reached.withLock { $0.contains(moment) } }

    /// What is done when a moment is reached for the first time.
    func when(_ moment: String, _ action: @escaping @Sendable () -> Void) {
      actions.withLock { $0[moment] = action }
    }

    func reach(_ moment: String) {
      guard reached.withLock({ $0.insert(moment).inserted }) else { return }
      actions.withLock { $0[moment] }?()
    }

    func wait(for moment: String) {
      while !has(moment) { sched_yield() }
    }
  }

  @Test(
    "a change is saved without a call although it comes when a synchronize has saved all, and is not done",
    .timeLimit(.minutes(20)))
  func changeAtTheEnd() async {
    // In a process of its own, since the limit of a domain's size is one for the process.
    await #expect(processExitsWith: .success) { try SaveTimeTests().checkChangeAtTheEnd() }
  }

  private func checkChangeAtTheEnd() throws {
    let moments = Moments()
    let disk = FaultyFileSystem { operation in
      if operation.name == "rename" { moments.reach("automatic save") }
      if operation.name == "status", operation.path?.hasSuffix("/Other.plist") == true,
        moments.has("synchronize")
      {
        moments.reach("synchronize has saved all")
      }
      return nil
    }
    let database = UserDatabase(directory: home.path, fileSystem: disk)
    let domains = PersistentDomains(database: database)
    let (app, other) = (domains.domain(try DomainName("App")), domains.domain(try DomainName("Other")))
    moments.when("automatic save") { domains.set("1", for: "k", in: app) }
    // Called when the automatic save has found the domain changed again, and before it looks whether all is saved.
    let object = NSObject()
    let number = app.sizeMonitor.add(object) { _ in
      Thread.detachNewThread {
        moments.reach("synchronize")
        _ = domains.save(andRefresh: true, of: [app, other])
        moments.reach("end")
      }
      moments.wait(for: "synchronize has saved all")
    }
    defer { app.sizeMonitor.remove(number) }
    moments.when("synchronize has saved all") {
      // A slow disk: meanwhile the automatic save ends.
      CurrentProcess.pause(microseconds: 300_000)
      domains.set("2", for: "k", in: app)
    }
    domains.set(.data([UInt8](repeating: 7, count: 5 << 20)), for: "large", in: app)
    moments.wait(for: "end")
    let deadline = MonotonicTime.now + 300
    while domains.hasUnsavedChanges, MonotonicTime.now < deadline { sched_yield() }
    #expect(try database.load(app.name).values["k"] == "2")
  }

  @Test("a save of several domains waits for another process although the first ones took their time")
  func severalDomains() throws {
    let other = OtherProcess(in: home.path)
    let isSlow = Lock(false)
    let disk = FaultyFileSystem { operation in
      switch operation.name {
      case "synchronize":
        let isFirst = isSlow.withLock { isSlow in
          defer { isSlow = true }
          return !isSlow
        }
        if isFirst { CurrentProcess.pause(microseconds: Self.longTime) }
      case "tryLock" where isSlow.withLock({ $0 }): other.saveTries()
      default: break
      }
      return nil
    }
    try home.write("", to: ".lock")
    let domains = PersistentDomains(database: UserDatabase(directory: home.path, fileSystem: disk))
    for name in ["A", "B"] {
      let domain = domains.domain(try DomainName(name))
      _ = domain.set("v", for: "k")
      // Without the save that a change is followed by, which would make this one's work.
      #expect(domain.markUnsaved())
      domains.state.withLock { $0.unsaved.append(domain) }
    }
    let error = domains.save(andRefresh: false)
    #expect(error == nil, "\(error.map { "\($0)" } ?? "")")
    #expect(other.tryCount == 2)
    for name in ["A", "B"] {
      #expect(try UserDatabase(directory: home.path).load(DomainName(name)).values == ["k": "v"])
    }
  }

  @Test("a save that may wait for others no longer still waits for a thread of its process that writes")
  func writingThread() throws {
    let (isWriting, mayWrite) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let disk = FaultyFileSystem { operation in
      guard operation.name == "rename" else { return nil }
      if operation.number == 1 {
        isWriting.signal()
        mayWrite.wait()
      }
      return nil
    }
    let database = UserDatabase(directory: home.path, fileSystem: disk)
    let app = PersistentDomain(name: try DomainName("App"))
    _ = app.set("v", for: "k")
    Thread.detachNewThread { _ = try? app.save(to: database, deadline: .now + 60) }
    #expect(isWriting.wait(timeout: .now() + 600) == .success)
    _ = app.set("w", for: "l")
    let error = Lock<DatabaseError?>(nil)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do throws(DatabaseError) {
        _ = try app.save(to: database, deadline: .now)
      } catch let failure {
        error.withLock { $0 = failure }
      }
      ended.signal()
    }
    // Long enough for one that gives up at once.
    #expect(ended.wait(timeout: .now() + 0.3) == .timedOut)
    mayWrite.signal()
    #expect(ended.wait(timeout: .now() + 600) == .success)
    #expect(error.withLock { $0 } == nil)
    #expect(try UserDatabase(directory: home.path).load(app.name).values == ["k": "v", "l": "w"])
  }

  @Test("a change at the end of a process is saved although its handlers took their time")
  func end() async throws {
    try home.write("", to: ".lock")
    await #expect(processExitsWith: .exitCode(3)) { [path = home.path as String] in
      setenv(SaveTimeTests.variable, path, 1)
      // Registered before the first use, it runs after the handler that saves.
      atexit {
        let path = ProcessInfo.processInfo.environment[SaveTimeTests.variable] ?? ""
        let other = OtherProcess(in: path)
        let disk = FaultyFileSystem { operation in
          if operation.name == "tryLock" { other.saveTries() }
          return nil
        }
        CurrentProcess.pause(microseconds: SaveTimeTests.longTime)
        let domains = PersistentDomains(database: UserDatabase(directory: path, fileSystem: disk))
        guard let app = try? DomainName("App") else { return }
        _ = domains.set("v", for: "k", in: domains.domain(app))
      }
      let domains = PersistentDomains.at(directory: path + "/First")
      _ = domains.set("v", for: "k", in: domains.domain(try DomainName("App")))
      exit(3)
    }
    for directory in [home.path, home.path("First")] {
      #expect(try UserDatabase(directory: directory).load(DomainName("App")).values == ["k": "v"])
    }
  }
}
