import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import OpenStepDefaults

/// Processes that are killed, and what a process does at its end.
@Suite(.serialized)
struct CrashTests {
  private let home: TemporaryHome
  private let database: UserDatabase

  init() throws {
    home = try TemporaryHome()
    database = UserDatabase(directory: home.path)
  }

  @Test(
    "200 kills of a busy writer, in four directories, break no file and lose no acknowledged key",
    arguments: 0..<4)
  func kills(part: Int) async throws {
    let app = try DomainName("App")
    var rounds = 0
    var longestDelay = 20_000
    for round in 50 * part..<50 * part + 50 {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = home.path as String, round = round as Int, longest = longestDelay as Int] in
        CrashTests.writeUntilKilled(path: path, round: round, longestDelay: longest)
      }
      let domain = try database.load(app)
      #expect(domain.damage == nil)
      // The file ends with the last key that was acknowledged before the kill.
      let acknowledged = home.exists("acknowledged") ? try home.bytes(of: "acknowledged").count : 0
      for key in 0..<acknowledged {
        #expect(domain.values[PropertyListKey("Key \(key)")] != nil)
      }
      rounds += acknowledged > 0 ? 1 : 0
      // A slow disk takes longer for a first save.
      if acknowledged == 0 { longestDelay = min(2 * longestDelay, 60_000_000) }
    }
    // Kills that all came too early would prove nothing.
    #expect(rounds > 25)
  }

  @Test("a change that an exit handler makes is saved, also by one that was registered before the first use")
  func exitHandler() async throws {
    await #expect(processExitsWith: .exitCode(3)) { [path = home.path as String] in
      setenv(CrashTests.variable, path, 1)
      atexit {
        guard let path = ProcessInfo.processInfo.environment[CrashTests.variable] else { return }
        NSUserDefaults(directory: path, applicationName: "App").setObject("late", forKey: "Handler")
      }
      NSUserDefaults(directory: path, applicationName: "App").setObject("x", forKey: "Before")
      exit(3)
    }
    #expect(try database.load(DomainName("App")).values == ["Before": "x", "Handler": "late"])
  }

  @Test("an exit in the midst of another thread's synchronize loses nothing")
  func exitWhileSaving() async throws {
    for round in 0..<20 {
      await #expect(processExitsWith: .exitCode(3)) { [path = home.path as String, round = round as Int] in
        let defaults = NSUserDefaults(directory: path, applicationName: "App")
        Thread.detachNewThread { while true { _ = defaults.synchronize() } }
        for number in 0..<100 {
          defaults.setInteger(number, forKey: "\(round)-\(number)")
          // Ever longer pauses, so that the changes meet the other thread's saves in all of their steps.
          usleep(useconds_t(number))
        }
        exit(3)
      }
    }
    let values = try database.load(DomainName("App")).values
    for round in 0..<20 {
      for number in 0..<100 {
        #expect(values[PropertyListKey("\(round)-\(number)")] == .string(String(number)))
      }
    }
  }

  @Test("threads that call exit all at once lose nothing", arguments: [2, 4, 16])
  func exits(threadCount: Int) async throws {
    for round in 0..<5 {
      await #expect(processExitsWith: .exitCode(3)) {
        [path = home.path as String, round = round as Int, threadCount = threadCount as Int] in
        let defaults = NSUserDefaults(directory: path, applicationName: "App\(round)")
        for number in 0..<2000 { defaults.setInteger(number, forKey: "Key \(number)") }
        for _ in 1..<threadCount { Thread.detachNewThread { exit(3) } }
        exit(3)
      }
      #expect(try database.load(DomainName("App\(round)")).values.count == 2000)
    }
  }

  // Each thread beyond the 32nd ended the process at once.
  @Test("however many threads call exit, nothing is lost")
  func manyExits() async throws {
    // Not with a code, because some C libraries do not stand so many at the very end.
    await #expect(processExitsWith: .failure) { [path = home.path as String] in
      let defaults = NSUserDefaults(directory: path, applicationName: "App")
      for number in 0..<20_000 { defaults.setInteger(number, forKey: "Key \(number)") }
      for _ in 1..<100 { Thread.detachNewThread { exit(3) } }
      exit(3)
    }
    #expect(try database.load(DomainName("App")).values.count == 20_000)
  }

  @Test("the end of a child that was made by fork writes nothing of its parent's, and waits for nothing")
  func forkedChild() async throws {
    await #expect(processExitsWith: .exitCode(0)) { [path = home.path as String] in
      let defaults = NSUserDefaults(directory: path, applicationName: "App")
      let other = NSUserDefaults(directory: path + "/Other", applicationName: "App")
      // Saves all the time, so that the fork finds locks taken.
      Thread.detachNewThread {
        var number = 0
        while true {
          number += 1
          other.setInteger(number, forKey: "Key")
          _ = other.synchronize()
        }
      }
      for round in 0..<10 {
        defaults.setObject("old \(round)", forKey: "Key")
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        guard let child = ForkedChild.make() else { _exit(3) }
        if child.isThisProcess {
          var byte: UInt8 = 0
          read(ends[0], &byte, 1)
          exit(7)
        }
        defaults.setObject("new \(round)", forKey: "Key")
        let isSaved = defaults.synchronize()
        write(ends[1], "x", 1)
        guard let status = child.status() else { _exit(1) }
        _ = defaults.synchronize()
        guard isSaved, status == 7 << 8, defaults.stringForKey("Key") == "new \(round)" else { _exit(2) }
      }
      _exit(0)
    }
  }

  // The child went through an array, for which Swift's runtime makes a type; another thread held the lock for that.
  @Test("a fork waits for no other thread, whatever Swift's runtime does for that")
  func forkedBesideTypes() async {
    await #expect(processExitsWith: .exitCode(0)) { [path = home.path as String] in
      let defaults = NSUserDefaults(directory: path, applicationName: "App")
      defaults.setObject("x", forKey: "Key")
      guard defaults.synchronize() else { _exit(1) }
      Thread.detachNewThread { while true { CrashTests.makeTypes(Int.self, depth: 60) } }
      for _ in 0..<300 {
        guard let child = ForkedChild.make() else { _exit(2) }
        if child.isThisProcess { _exit(7) }
        guard child.status() == 7 << 8 else { _exit(3) }
      }
      _exit(0)
    }
  }

  /// Has Swift's runtime make generic types that there have never been.
  private static func makeTypes<Element>(_ type: Element.Type, depth: Int) {
    if depth == 0 { return }
    for _ in [Element]() {}
    if Bool.random() {
      makeTypes(Optional<Element>.self, depth: depth - 1)
    } else {
      makeTypes([Element].self, depth: depth - 1)
    }
  }

  @Test("a change that was set before a commit is on the disk if the commit's closure ends the process")
  func exitInCommit() async throws {
    await #expect(processExitsWith: .exitCode(0)) { [path = home.path as String] in
      let defaults = NSUserDefaults(directory: path, applicationName: "App")
      defaults.setObject("kept", forKey: "Before")
      try defaults.setPersistentDomain(["Key": "kept"], forName: "Other")
      try defaults.commit { draft in
        draft.setObject("lost", forKey: "Inside")
        exit(0)
      }
    }
    #expect(try database.load(DomainName("App")).values == ["Before": "kept"])
    #expect(try database.load(DomainName("Other")).values == ["Key": "kept"])
  }

  #if os(Linux)
    @Test("where the system provides no thread, a change is on the disk when its set or its update returns")
    func noThread() async throws {
      await #expect(processExitsWith: .exitCode(0)) { [path = home.path as String] in
        // Root may have as many threads as it likes.
        if geteuid() == 0 {
          guard chown(path, 65534, 65534) == 0, setgid(65534) == 0, setuid(65534) == 0 else { _exit(1) }
        }
        var none = rlimit(rlim_cur: 1, rlim_max: 1)
        guard setrlimit(__rlimit_resource_t(6), &none) == 0 else { _exit(2) }
        let defaults = NSUserDefaults(directory: path, applicationName: "App")
        func isSaved(_ value: String) throws -> Bool {
          try UserDatabase(directory: path).load(DomainName("App")).values == ["Key": .string(value)]
        }
        for value in ["1", "2"] {
          defaults.setObject(value, forKey: "Key")
          guard try isSaved(value) else { _exit(3) }
          defaults.modifyObjectForKey("Key") { object in
            object = "first"
            // Inside another one.
            defaults.modifyObjectForKey("Key") { $0 = "second" }
            object = "third"
          }
          guard try isSaved("third") else { _exit(4) }
        }
        _exit(0)
      }
    }
  #endif

  @Test("what a program prints without standard streams does not get into a file")
  func closedStreams() async throws {
    await #expect(processExitsWith: .exitCode(0)) { [path = home.path as String] in
      for descriptor in 0...2 as ClosedRange<Int32> { close(descriptor) }
      let defaults = NSUserDefaults(directory: path, applicationName: "App")
      Thread.detachNewThread {
        while true {
          for descriptor in 0...2 as ClosedRange<Int32> { write(descriptor, "}}} message\n", 12) }
        }
      }
      for number in 0..<100 {
        defaults.setInteger(number, forKey: "Key \(number)")
        if !defaults.synchronize() { _exit(1) }
      }
      _exit(0)
    }
    let domain = try database.load(DomainName("App"))
    #expect(domain.damage == nil)
    #expect(domain.values.count == 100)
    #expect(try home.names() == [".lock", "App.plist"])
  }

  /// Hands the path of a database to a handler, which can capture nothing.
  private static let variable = "DEFAULTS_CRASH_TEST"

  /// Sets one key after the other, and adds a byte to a file for each that was acknowledged; ends by a kill.
  private static func writeUntilKilled(path: String, round: Int, longestDelay: Int) {
    let log = open("\(path)/acknowledged", O_WRONLY | O_APPEND | O_CREAT, 0o600)
    var key = Int(lseek(log, 0, SEEK_END))
    let defaults = NSUserDefaults(directory: path, applicationName: "App")
    // At random, from the first moments of a save to many saves later.
    let delay = useconds_t(Int.random(in: 200...longestDelay))
    Thread.detachNewThread {
      usleep(delay)
      kill(getpid(), SIGKILL)
    }
    while true {
      defaults.setObject("round \(round)", forKey: "Key \(key)")
      if defaults.synchronize() { write(log, "x", 1) }
      key += 1
    }
  }
}
