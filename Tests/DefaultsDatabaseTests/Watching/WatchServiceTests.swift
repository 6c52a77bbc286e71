import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// What one service does for several databases at the same time.
struct WatchServiceTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  /// What threads pass, unless it is closed.
  private final class Gate: Sendable {
    private let state = Lock(State())
    private let condition = Condition()

    private struct State {
      var isClosed = false
      var waitingCount = 0
      var hasOpenedItself = false
    }

    /// Passes the gate; a closed one opens itself after five minutes, so that a failing test ends.
    func pass() {
      state.withLock { state in
        state.waitingCount += 1
        condition.broadcast()
      }
      let deadline = MonotonicTime.now + 300
      state.withLock(waitingOn: condition) { state in
        if state.isClosed, MonotonicTime.now < deadline { return .wait(until: deadline) }
        if state.isClosed { state.hasOpenedItself = true }
        state.waitingCount -= 1
        return .end
      }
    }

    func close() { state.withLock { $0.isClosed = true } }

    /// Waits until a thread stands before the closed gate; gives whether one does within five minutes.
    func awaitThread() -> Bool {
      let deadline = MonotonicTime.now + 300
      var isThere = false
      state.withLock(waitingOn: condition) { state in
        isThere = state.waitingCount > 0
        return isThere || .now >= deadline ? .end : .wait(until: deadline)
      }
      return isThere
    }

    /// Opens the gate; false if it has opened itself, because what it held up was waited for.
    func open() -> Bool {
      state.withLock { state in
        state.isClosed = false
        condition.broadcast()
        return !state.hasOpenedItself
      }
    }
  }

  /// The system's events, with something to happen before and after a path is looked up.
  private final class SlowEvents: EventSource {
    private let events: DirectoryEvents
    private let before: @Sendable (String) -> Void
    private let after: @Sendable (String) -> Void

    init(
      before: @escaping @Sendable (String) -> Void = { _ in },
      after: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(SystemError) {
      (events, self.before, self.after) = (try DirectoryEvents(), before, after)
    }

    func watch(_ path: String, for interest: DirectoryEvents.Interest) throws(SystemError) -> Int32 {
      before(path)
      let number = try events.watch(path, for: interest)
      after(path)
      return number
    }

    func unwatch(_ number: Int32) { events.unwatch(number) }

    func wait(milliseconds: Int32?) -> DirectoryEvents.Round? { events.wait(milliseconds: milliseconds) }

    func wake() { events.wake() }
  }

  private func watch(
    _ database: UserDatabase, by service: WatchService
  ) throws -> (watcher: DatabaseWatcher, calls: WatcherCalls) {
    let calls = WatcherCalls(reading: "App", in: UserDatabase(directory: database.directory))
    let made = DatabaseWatcher(of: database, by: service) { _ in calls.add() }
    return (try #require(made), calls)
  }

  /// Changes a database three times, and waits each time until the watcher has told of it.
  private func expectChangesToBeTold(_ database: UserDatabase, _ calls: WatcherCalls) throws {
    for number in 1...3 {
      var changes = DomainChanges()
      changes.set(.string("\(number)"), for: "k")
      _ = try UserDatabase(directory: database.directory).commit(changes, to: app, onDamage: .refuse)
      #expect(calls.wait { calls.told("k") == .string("\(number)") })
    }
  }

  // One round of looks at all databases began when the last one had gate.
  @Test("a file system that does not answer delays the changes of no other database that is polled")
  func hangingLook() throws {
    let gate = Gate()
    let disk = FaultyFileSystem { operation in
      if operation.name == "status" { gate.pass() }
      return nil
    }
    let none = WatchService { () throws(SystemError) in throw .tooManyOpenFiles }
    let hanging = try watch(UserDatabase(directory: home.path("hanging"), fileSystem: disk), by: none)
    #expect(hanging.calls.wait { hanging.calls.total > 0 && hanging.watcher.isPolling })
    gate.close()
    #expect(gate.awaitThread())
    let database = UserDatabase(directory: home.path("other"))
    let other = try watch(database, by: none)
    try expectChangesToBeTold(database, other.calls)
    #expect(gate.open())
    let before = hanging.calls.total
    #expect(hanging.calls.wait { hanging.calls.total > before })
    withExtendedLifetime((hanging, other)) {}
  }

  @Test("a look that takes long is followed by a pause that is nine times as long")
  func pauses() throws {
    let looks = SlowLooks()
    try FileManager.default.createDirectory(atPath: home.path("slow"), withIntermediateDirectories: false)
    let none = WatchService { () throws(SystemError) in throw .tooManyOpenFiles }
    let database = UserDatabase(directory: home.path("slow"), fileSystem: looks.fileSystem)
    let slow = try watch(database, by: none)
    #expect(slow.calls.wait { slow.calls.total >= 4 })
    // The first look belongs to the beginning of the watch.
    let pauses = looks.pauses.dropFirst()
    #expect(pauses.count >= 2 && pauses.allSatisfy { $0 > 0.89 }, "\(pauses)")
    withExtendedLifetime(slow) {}
  }

  // The system looked the path up under the lock that all needed.
  @Test("while the system looks up a path that hangs, others begin and end, and their changes are told of")
  func hangingLookUp() throws {
    let gate = Gate()
    let path = home.path("hanging")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let service = WatchService { () throws(SystemError) in
      try SlowEvents(before: { if $0 == path { gate.pass() } })
    }
    let database = UserDatabase(directory: home.path("other"))
    let other = try watch(database, by: service)
    #expect(other.calls.wait { other.calls.total > 0 })
    gate.close()
    let hanging = try watch(UserDatabase(directory: path), by: service)
    #expect(gate.awaitThread())
    try expectChangesToBeTold(database, other.calls)
    for number in 0..<10 {
      let short = try watch(UserDatabase(directory: home.path("short\(number)")), by: service)
      #expect(short.calls.wait { short.calls.total > 0 })
    }
    #expect(gate.open())
    #expect(hanging.calls.wait { hanging.calls.total > 0 && !hanging.watcher.isPolling })
    withExtendedLifetime(other) {}
  }

  @Test("a watch that ends with another watcher's, before its number is known, is made again")
  func lostNumber() throws {
    let (home, path) = (home, home.path("outer"))
    let database = UserDatabase(directory: path + "/a/Defaults")
    try FileManager.default.createDirectory(atPath: database.directory, withIntermediateDirectories: true)
    let first = Lock<DatabaseWatcher?>(nil)
    let firstCalls = WatcherCalls()
    /// Whether the second watcher begins now, which has to pass the gate.
    let isSecond = Lock(false)
    let gate = Gate()
    let service = WatchService { () throws(SystemError) in
      try SlowEvents(after: { if $0 == path, isSecond.withLock({ $0 }) { gate.pass() } })
    }
    first.withLock { $0 = DatabaseWatcher(of: database, by: service) { _ in firstCalls.add() } }
    #expect(firstCalls.wait { firstCalls.total > 0 })
    gate.close()
    isSecond.withLock { $0 = true }
    let other = try watch(database, by: service)
    #expect(gate.awaitThread())
    let before = service.watchCount
    first.withLock { $0 = nil }
    let deadline = MonotonicTime.now + 300
    while service.watchCount == before && .now < deadline { sched_yield() }
    #expect(service.watchCount < before)
    isSecond.withLock { $0 = false }
    #expect(gate.open())
    #expect(other.calls.wait { other.calls.total > 0 && !other.watcher.isPolling })
    try FileManager.default.moveItem(atPath: path, toPath: home.path("old"))
    try FileManager.default.createDirectory(atPath: database.directory, withIntermediateDirectories: true)
    try expectChangesToBeTold(database, other.calls)
    #expect(other.calls.wait { !other.watcher.isPolling })
  }
}
