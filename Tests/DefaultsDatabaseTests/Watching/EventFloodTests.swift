import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// What a process does about file events that come without end.
struct EventFloodTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  #if os(Linux)
    // Each round read until the queue was empty, which it never was.
    @Test("a round gives a bounded number of events, each of them once, and the next rounds give the others")
    func rounds() throws {
      let events = try DirectoryEvents(readCount: 4)
      let files = ["a", "b"].map { String(repeating: $0, count: 249) }.map { name in
        open(home.path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      }
      defer { for file in files { close(file) } }
      _ = try events.watch(home.path, for: .entries)
      // The system joins equal events only where no other is between them.
      for _ in 0..<500 {
        for file in files { try #require(fchmod(file, 0o600) == 0) }
      }
      var counts: [Int] = []
      while let round = events.wait(milliseconds: 0), round.eventCount > 0 {
        counts.append(round.eventCount)
        #expect(round.events.count == 2)
      }
      #expect(counts.reduce(0, +) == 1000)
      // Sixty of these events fit into the buffer.
      #expect(counts.allSatisfy { $0 <= 240 }, "\(counts)")
    }

    @Test("events of names that Swift takes for one are told each")
    func equivalentNames() throws {
      let events = try DirectoryEvents()
      _ = try events.watch(home.path, for: .entries)
      let names = ["\u{E9}", "e\u{301}"]
      for name in names { try home.write("", to: name) }
      let round = try #require(events.wait(milliseconds: 0))
      let told = round.events.compactMap { event in
        if case .entry(let name?, _, isNew: true) = event { Array(name.utf8) } else { [UInt8]?.none }
      }
      for name in names { #expect(told.contains(Array(name.utf8)), "\(told)") }
    }
  #endif

  @Test("more than the limit of events within a period are followed by a pause, fewer are not")
  func pace() {
    let start = MonotonicTime.now
    var pace = EventPace(at: start)
    #expect(pace.pause(after: EventPace.limit - 1, at: start) == 0)
    #expect(pace.pause(after: 1, at: start + 0.05) == EventPace.period)
    #expect(pace.pause(after: EventPace.limit - 1, at: start + 0.2) == 0)
    #expect(pace.pause(after: EventPace.limit - 1, at: start + 0.31) == 0)
    #expect(pace.pause(after: EventPace.limit, at: start + 0.5) == EventPace.period)
  }

  // A large file whose time was set twenty times a second kept a processor busy.
  @Test("looks may take a quarter of a second in a row, and a quarter of the time in the long run")
  func paceOfLooks() {
    var now = MonotonicTime.now
    var pace = LookPace(burst: 0.25, longestPause: 1, at: now)
    for _ in 0..<25 {
      #expect(pace.pause(at: now) == 0)
      now = now + 0.01
      pace.add(0.01, at: now)
    }
    // What looks take without end.
    let start = now
    var looks = 0.0
    for seconds in Array(repeating: 0.01, count: 100) + Array(repeating: 0.2, count: 100) {
      now = now + pace.pause(at: now) + seconds
      pace.add(seconds, at: now)
      looks += seconds
    }
    #expect((0.2...0.27).contains(looks / now.seconds(since: start)))
    // A very long one is followed by one pause.
    pace.add(60, at: now)
    #expect((0.99...1.01).contains(pace.pause(at: now)))
    #expect(pace.pause(at: now + 1.01) == 0)
    #expect(pace.pause(at: now + 3600) == 0)
  }

  /// The system's events, or others in their place.
  private final class InventedEvents: EventSource {
    private let events: DirectoryEvents
    private let inventing: @Sendable (_ directory: Int32?) -> DirectoryEvents.Round?
    private let directory = Lock<Int32?>(nil)

    /// - Parameter inventing: Gives a round at once, for the number under which a directory's entries are watched; nil to
    ///   wait for the system's.
    init(_ inventing: @escaping @Sendable (_ directory: Int32?) -> DirectoryEvents.Round?) throws(SystemError)
    {
      (events, self.inventing) = (try DirectoryEvents(), inventing)
    }

    func watch(_ path: String, for interest: DirectoryEvents.Interest) throws(SystemError) -> Int32 {
      let number = try events.watch(path, for: interest)
      if interest == .entries, path.hasSuffix("/watched") {
        directory.withLock { $0 = number }
        events.wake()
      }
      return number
    }

    func unwatch(_ number: Int32) { events.unwatch(number) }

    func wait(milliseconds: Int32?) -> DirectoryEvents.Round? {
      inventing(directory.withLock { $0 }) ?? events.wait(milliseconds: milliseconds)
    }

    func wake() { events.wake() }
  }

  @Test("a service that gets events without end pauses between its rounds")
  func pausesOfService() throws {
    let times = Lock<[MonotonicTime]>([])
    let isOver = DispatchSemaphore(value: 0)
    let service = WatchService { () throws(SystemError) in
      try InventedEvents { _ in
        let count = times.withLock { times in
          times.append(.now)
          return times.count
        }
        if count == 6 { isOver.signal() }
        return count < 6 ? DirectoryEvents.Round(eventCount: EventPace.limit) : nil
      }
    }
    try #require(service.start())
    try #require(isOver.wait(timeout: .now() + 300) == .success)
    let all = times.withLock { $0 }
    for (one, next) in zip(all, all.dropFirst()) {
      #expect(next.seconds(since: one) > 0.9 * EventPace.period)
    }
  }

  /// Events of some files, once, after a directory's watch stands and the first call of a watcher has begun.
  ///
  /// - Returns: The domains of the calls after the first one, in order, when a condition holds for them.
  private func calls(
    after files: [String], in path: String, until isMet: ([Set<DomainName>?]) -> Bool
  ) throws -> [Set<DomainName>?] {
    enum Step { case before, invents, invented, handedOver }
    let step = Lock(Step.before)
    let calls = Lock<[Set<DomainName>?]>([])
    let (called, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isHandedOver = DispatchSemaphore(value: 0)
    let service = WatchService { () throws(SystemError) in
      try InventedEvents { directory in
        let now = step.withLock { step in
          switch step {
          case .invents: step = .invented
          case .invented:
            step = .handedOver
            isHandedOver.signal()
          case .before, .handedOver: break
          }
          return step
        }
        guard let directory, now == .invented else { return nil }
        return DirectoryEvents.Round(
          events: files.map { .entry(name: $0, of: directory, isNew: false) }, eventCount: files.count)
      }
    }
    let made = DatabaseWatcher(of: UserDatabase(directory: path), by: service) { domains in
      let isFirst = calls.withLock { calls in
        calls.append(domains)
        return calls.count == 1
      }
      called.signal()
      // The service hands over the whole round while the first call lasts, which is a long look at everything: the next
      // heavy one has to wait.
      if isFirst {
        _ = mayGoOn.wait(timeout: .now() + 300)
        CurrentProcess.pause(microseconds: 500_000)
      }
    }
    let watcher = try #require(made)
    #expect(called.wait(timeout: .now() + 300) == .success)
    step.withLock { $0 = .invents }
    // Wakes the service, whose next round is the invented one; when it asks for another one, it has handed this one over.
    try Data().write(to: URL(fileURLWithPath: path + "/.x"))
    #expect(isHandedOver.wait(timeout: .now() + 300) == .success)
    mayGoOn.signal()
    while !isMet(calls.withLock { Array($0.dropFirst()) }) {
      try #require(called.wait(timeout: .now() + 300) == .success)
    }
    withExtendedLifetime(watcher) {}
    return calls.withLock { Array($0.dropFirst()) }
  }

  @Test("while more files are changed than are looked at one by one, everything may have changed")
  func manyNames() throws {
    let path = home.path("watched")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let found = try calls(after: (0..<2000).map { "F\($0).plist" }, in: path) { $0.contains(nil) }
    #expect(found.contains(nil))
  }

  // Root's watch took four fifths of a processor where a large file had a new name each time.
  // A small file beside it, of the same domain, made the large one count as small.
  @Test(
    "a large file that was never looked at before waits for small ones, also where its domain has a second file",
    arguments: ["A.plist", "A"])
  func largeNewFile(name: String) throws {
    let path = home.path("watched")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try home.write(
      "{ a = \"\(String(repeating: "x", count: Int(LookSchedule.largestLightFile)))\"; }",
      to: "watched/A.plist")
    for name in ["B", "C"] { try home.write("{ a = 1; }", to: "watched/\(name).plist") }
    if name == "A" { try home.write("{ a = 1; }", to: "watched/A") }
    let large = try DomainName("A")
    let found = try calls(after: [name, "B.plist", "C.plist"], in: path) {
      $0.contains([large]) || $0.contains(nil)
    }
    let before = found.prefix { $0 != [large] }
    let small = [try DomainName("B"), try DomainName("C")]
    // A call for all, which the system may cause at any time, tells of the small ones too.
    #expect(before.contains(nil) || small.allSatisfy { before.contains([$0]) }, "\(found)")
  }

  // Nothing was told of the other file as long as the first one went on to change.
  @Test(
    "a file that changes again while it is being looked at keeps no other back, although looks at it take long"
  )
  func changingFile() throws {
    let path = home.path("watched")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    for name in ["A", "B"] { try home.write("{ a = 1; }", to: "watched/\(name).plist") }
    struct Looks {
      var count = 0
      var isOtherTold = false
    }
    let looks = Lock(Looks())
    let calls = WatcherCalls()
    let home = home
    let (changing, other) = (try DomainName("A"), try DomainName("B"))
    let made = DatabaseWatcher(of: UserDatabase(directory: path)) { domains in
      // A call for all tells of the other file, too.
      if domains?.contains(other) ?? true {
        looks.withLock { if $0.count > 1 { $0.isOtherTold = true } }
      }
      if domains?.contains(changing) ?? true {
        let count = looks.withLock { looks in
          looks.count += 1
          return looks.isOtherTold ? .max : looks.count
        }
        if count == 2 { try? home.write("{ a = 2; }", to: "watched/B.plist") }
        if count < 30 {
          try? home.write("{ a = \(count); }", to: "watched/A.plist")
          // As long as a look at a file of a few megabytes takes, in which the system tells of the change.
          CurrentProcess.pause(microseconds: 150_000)
        }
      }
      calls.add()
    }
    let watcher = try #require(made)
    #expect(calls.wait { looks.withLock { $0.isOtherTold || $0.count >= 30 } })
    #expect(looks.withLock { $0.isOtherTold && $0.count < 30 })
    withExtendedLifetime(watcher) {}
  }

  @Test("looks at everything that follow each other without end leave pauses that are nine times as long")
  func looksAtEverything() throws {
    try FileManager.default.createDirectory(
      atPath: home.path("watched"), withIntermediateDirectories: false)
    let looks = SlowLooks()
    let isOver = Lock(false)
    let service = WatchService { () throws(SystemError) in
      try InventedEvents { directory in
        guard directory != nil, !isOver.withLock({ $0 }) else { return nil }
        CurrentProcess.pause(microseconds: 1000)
        return DirectoryEvents.Round(events: [.overflow], eventCount: 1)
      }
    }
    let calls = WatcherCalls()
    let database = UserDatabase(directory: home.path("watched"), fileSystem: looks.fileSystem)
    let watcher = try #require(DatabaseWatcher(of: database, by: service) { _ in calls.add() })
    #expect(calls.wait { looks.pauses.count >= 3 && calls.total >= 4 })
    isOver.withLock { $0 = true }
    let pauses = looks.pauses
    #expect(pauses.count >= 3 && pauses.allSatisfy { $0 > 0.89 }, "\(pauses)")
    withExtendedLifetime(watcher) {}
  }

  // The pauses of sixty-four watches occupied all threads, and no other database's change was told. In a process of its
  // own, whose other watches it would hold up.
  @Test("a change is told, however many other databases have changes without end")
  func manyDatabases() async {
    await #expect(processExitsWith: .exitCode(0)) { [path = home.path as String] in
      let all = DispatchSemaphore(value: 0)
      let counts = Lock<[Int]>(Array(repeating: 0, count: 70))
      var watchers: [DatabaseWatcher] = []
      for number in 0..<70 {
        let folder = "\(path)/\(number)"
        guard mkdir(folder, 0o700) == 0 else { _exit(1) }
        let made = DatabaseWatcher(of: UserDatabase(directory: folder)) { _ in
          let count = counts.withLock { counts in
            counts[number] += 1
            return counts[number]
          }
          if count == 2 { all.signal() }
          // The system tells of the change while this look lasts, so that the watch always has news.
          try? Data("{ a = \(count); }".utf8).write(to: URL(fileURLWithPath: folder + "/A.plist"))
          CurrentProcess.pause(microseconds: 100_000)
        }
        guard let made else { _exit(2) }
        watchers.append(made)
      }
      for _ in 0..<70 where all.wait(timeout: .now() + 300) != .success { _exit(3) }
      _exit(0)
    }
  }
}
