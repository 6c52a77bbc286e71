import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import OpenStepDefaults

/// What goes on at the same time in one database: other threads, other processes, and saves under way.
struct PersistentDomainsTests {
  private let home: TemporaryHome
  private let database: UserDatabase
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    database = UserDatabase(directory: home.path)
    app = try DomainName("App")
  }

  private func open() -> NSUserDefaults {
    NSUserDefaults(directory: home.path, applicationName: "App")
  }

  @Test("two directories whose names are spellings of the same characters are two databases")
  func directoriesBySpelling() throws {
    let (composed, decomposed) = (home.path("caf\u{E9}"), home.path("cafe\u{301}"))
    let first = NSUserDefaults(directory: composed, applicationName: "App")
    let second = NSUserDefaults(directory: decomposed, applicationName: "App")
    first.setObject("first", forKey: "k")
    #expect(second.objectForKey("k") == nil)
    second.setObject("second", forKey: "k")
    #expect(first.synchronize() && second.synchronize())
    for (directory, value) in [(composed, "first"), (decomposed, "second")] {
      #expect(try UserDatabase(directory: directory).load(app).values == ["k": .string(value)])
    }
  }

  /// Changes a domain as another process does.
  private func setFromOutside(
    _ key: PropertyListKey, _ value: PropertyList, in name: String = "App", onDamage: DamagePolicy = .refuse
  ) throws {
    var changes = DomainChanges()
    changes.set(value, for: key)
    _ = try database.commit(changes, to: DomainName(name), onDamage: onDamage)
  }

  @Test("a file that others put back to what it was before a save is read again")
  func putBack() throws {
    let defaults = open()
    defaults.setObject("1", forKey: "a")
    #expect(defaults.synchronize())
    let before = try home.text(of: "App.plist")
    let domains = PersistentDomains.at(directory: home.path)
    defaults.setObject("mine", forKey: "b")
    // The save finds another text than the one it knows, and merges into it.
    try setFromOutside("c", "theirs")
    #expect(domains.save(andRefresh: false) == nil)
    #expect(try database.load(app).values == ["a": "1", "b": "mine", "c": "theirs"])
    try home.write(before, to: "App.plist")
    #expect(defaults.synchronize())
    #expect(defaults.persistentDomainForName("App") as? [String: String] == ["a": "1"])
    #expect(try home.text(of: "App.plist") == before)
  }

  @Test("a file that others made and removed before and after a save is known to be gone")
  func madeAndRemoved() throws {
    let defaults = open()
    let domains = PersistentDomains.at(directory: home.path)
    defaults.setObject("mine", forKey: "a")
    try setFromOutside("b", "theirs")
    // The save finds a file where none was known, and merges into it.
    #expect(domains.save(andRefresh: false) == nil)
    #expect(try database.load(app).values == ["a": "mine", "b": "theirs"])
    #expect(try database.remove(app))
    #expect(defaults.synchronize())
    #expect(defaults.persistentDomainForName("App")?.isEmpty == true)
  }

  @Test("of a large domain only what is asked for is made, and everything is there", arguments: [1, 3000])
  func large(count: Int) throws {
    let values = Dictionary(
      uniqueKeysWithValues: (0..<count).map { (PropertyListKey("key \($0)"), PropertyList.string("v\($0)")) })
    try home.write(PropertyList.dictionary(values).text(), to: "App.plist")
    let defaults = open()
    #expect(defaults.stringForKey("key \(count - 1)") == "v\(count - 1)")
    #expect(defaults.objectForKey("key") == nil)
    defaults.setObject("new", forKey: "key 0")
    defaults.setObject("new", forKey: "another")
    #expect(defaults.synchronize())
    var expected = values
    expected["key 0"] = "new"
    expected["another"] = "new"
    #expect(try database.load(app).values == expected)
    #expect(defaults.persistentDomainForName("App")?.count == count + 1)
    #expect(defaults.persistentDomainForName("App")?["another"] as? String == "new")
  }

  /// Takes the database's lock as another process does, as far as anyone can tell.
  private func holdLock() throws -> Int32 {
    let lock = Foundation.open(home.path(".lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
    return lock
  }

  private func releaseLock(_ lock: Int32) {
    // A child process of another test may have the file open.
    flock(lock, LOCK_UN)
    close(lock)
  }

  /// Runs a body on some threads at once and waits for all.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let group = DispatchGroup()
      for index in 0..<count {
        group.enter()
        Thread.detachNewThread {
          body(index)
          group.leave()
        }
      }
      group.notify(queue: .global()) { continuation.resume() }
    }
  }

  @Test("threads that open a database at the same time all see what is in it")
  func openingAtOnce() async throws {
    // A domain was known to the second thread before the first had read it.
    for round in 0..<200 {
      let directory = home.path("\(round)")
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
      try home.write("{ K = v; }", to: "\(round)/App.plist")
      let found = Lock(0)
      await onThreads(4) { _ in
        let defaults = NSUserDefaults(directory: directory, applicationName: "App")
        if defaults.stringForKey("K") == "v" { found.withLock { $0 += 1 } }
      }
      #expect(found.withLock { $0 } == 4)
    }
  }

  @Test("a domain is made by one of several threads only")
  func makingAtOnce() async throws {
    let defaults = open()
    for round in 0..<100 {
      let made = Lock(0)
      await onThreads(4) { thread in
        do {
          try defaults.setPersistentDomain(["thread": thread], forName: "P\(round)")
          made.withLock { $0 += 1 }
        } catch {
          // The others are refused.
        }
      }
      #expect(made.withLock { $0 } == 1)
    }
  }

  @Test("what another process saved after it put a damaged file aside is kept")
  func damagedFileOfTwo() throws {
    try home.write("{ a = ", to: "App.plist")
    let defaults = open()
    try setFromOutside("Theirs", "1", onDamage: .moveAside)
    defaults.setObject("2", forKey: "Mine")
    #expect(defaults.synchronize())
    #expect(try database.load(app).values == ["Theirs": "1", "Mine": "2"])
    #expect(defaults.stringForKey("Theirs") == "1")
  }

  @Test("a damaged file is named with the place of the damage, and where it lies after a save by itself")
  func damageIsTold() throws {
    try home.write("{ a = 1;\n b = ", to: "App.plist")
    let defaults = open()
    #expect("\(try #require(defaults.lastError))".contains("App.plist:2:"))
    #expect(defaults.synchronize())
    #expect("\(try #require(defaults.lastError))".contains("App.plist:2:"))
    defaults.setObject("1", forKey: "K")
    defaults.persistent.save(andRefresh: false)
    defaults.setObject("2", forKey: "K")
    defaults.persistent.save(andRefresh: false)
    let kept = try #require(try home.names().first { $0.hasPrefix("App.damaged") })
    #expect("\(try #require(defaults.lastError))".contains(kept))
    #expect(defaults.synchronize())
    #expect("\(try #require(defaults.lastError))".contains(kept))
    #expect(defaults.synchronize())
    #expect(defaults.lastError == nil)
  }

  @Test("a held lock is waited for once, however many domains have changes", .timeLimit(.minutes(10)))
  func heldLock() throws {
    let defaults = open()
    for number in 0..<10 { try defaults.setPersistentDomain(["K": "x"], forName: "D\(number)") }
    let lateness = Lateness(in: home.path)
    let start = ContinuousClock.now
    let lock = try holdLock()
    let isSaved = defaults.synchronize()
    releaseLock(lock)
    // Two seconds, twice if the automatic save was waiting already; once for every domain were 20.
    #expect(ContinuousClock.now - start < .seconds(12) + lateness.total)
    #expect(!isSaved)
    #expect(defaults.synchronize())
    #expect(try database.domainNames().count == 10)
  }

  @Test("threads that synchronize at the same time do not wait for a held lock one after the other")
  func heldLockOfManyThreads() async throws {
    let defaults = open()
    defaults.setObject("x", forKey: "K")
    let lateness = Lateness(in: home.path)
    let lock = try holdLock()
    let calls = Lock((waiting: 0, saved: 0, longest: Duration.zero))
    await onThreads(20) { _ in
      calls.withLock { $0.waiting += 1 }
      // A busy machine starts threads seconds apart; all have to call at the same time.
      while calls.withLock({ $0.waiting < 20 }) { Thread.sleep(forTimeInterval: 0.001) }
      let start = ContinuousClock.now
      let isSaved = defaults.synchronize()
      let time = ContinuousClock.now - start
      calls.withLock { calls in
        calls.saved += isSaved ? 1 : 0
        calls.longest = max(calls.longest, time)
      }
    }
    // Two seconds for each save that may be under way: automatic ones, the first thread's, that of the
    // others. One after the other were 40.
    #expect(calls.withLock { $0.longest } < .seconds(20) + lateness.total)
    #expect(calls.withLock { $0.saved } == 0)
    releaseLock(lock)
    #expect(defaults.synchronize())
    #expect(try database.load(app).values == ["K": "x"])
  }

  @Test(
    "a removed domain is gone while its file is being removed, and so are changes not safe while they are written"
  )
  func removalUnderWay() async throws {
    let defaults = open()
    try defaults.setPersistentDomain(["K": "x"], forName: "R")
    #expect(defaults.synchronize())
    let domains = PersistentDomains.at(directory: home.path)
    let lock = try holdLock()
    defaults.removePersistentDomainForName("R")
    // The automatic save takes the removal and waits for the lock, which it shows by its line in the file.
    while try !home.text(of: ".lock").contains(/\n *[0-9]+ +[0-9]+\n/) { await Task.yield() }
    #expect(defaults.persistentDomainNames() == ["App", "NSGlobalDomain"])
    #expect(defaults.persistentDomainForName("R") == nil)
    #expect(domains.hasUnsavedChanges)
    releaseLock(lock)
    #expect(defaults.synchronize())
    #expect(!domains.hasUnsavedChanges)
    #expect(!home.exists("R.plist"))
  }

  @Test("a domain that another process made after the last look can be removed")
  func removingNewDomain() throws {
    let defaults = open()
    #expect(defaults.persistentDomainForName("New") == nil)
    try setFromOutside("K", "x", in: "New")
    defaults.removePersistentDomainForName("New")
    #expect(defaults.synchronize())
    #expect(!home.exists("New.plist"))
    #expect(defaults.persistentDomainForName("New") == nil)
  }

  @Test("a domain that was made here and removed by another process does not exist any more")
  func removedByOthers() throws {
    let defaults = open()
    try defaults.setPersistentDomain(["K": "x"], forName: "P")
    defaults.setObject("x", forKey: "K")
    #expect(defaults.synchronize())
    for name in ["P", "App"] { #expect(try database.remove(DomainName(name))) }
    #expect(defaults.synchronize())
    #expect(defaults.persistentDomainForName("P") == nil)
    #expect(defaults.persistentDomainForName("App")?.isEmpty == true)
    #expect(defaults.persistentDomainNames() == ["App", "NSGlobalDomain"])
  }

  @Test("a directory has one set of domains, however its path is written")
  func spellings() throws {
    let defaults = open()
    defaults.setObject("x", forKey: "K")
    for spelling in ["\(home.path)/", "/\(home.path)//", "\(home.path)/./."] {
      #expect(NSUserDefaults(directory: spelling, applicationName: "App").stringForKey("K") == "x")
    }
  }

  @Test("a program with the name of a language finds its own settings")
  func applicationNamedAsLanguage() throws {
    let defaults = NSUserDefaults(inMemoryWithApplicationName: "English")
    defaults.setObject("x", forKey: "K")
    #expect(defaults.stringForKey("K") == "x")
  }

  @Test("an application name that no domain can have stops the program")
  func refusedApplicationName() async throws {
    await #expect(processExitsWith: .failure) {
      _ = NSUserDefaults(inMemoryWithApplicationName: "a\0b")
    }
  }

  @Test("a deeply nested domain can be removed on a small stack, which its values could not be released on")
  func deepOnSmallStack() async throws {
    let depth = PropertyList.maximumDepth - 2
    let value = String(repeating: "(", count: depth) + "x" + String(repeating: ")", count: depth)
    try home.write("{K=\(value);}", to: "Deep.plist")
    let directory = home.path
    let isSaved = await onThread(stack: 160 << 10) {
      let defaults = NSUserDefaults(directory: directory, applicationName: "Deep")
      // Parses the value, and makes no object of it that this thread would have to release.
      guard defaults.stringForKey("K") == nil else { return false }
      defaults.removePersistentDomainForName("Deep")
      return defaults.synchronize()
    }
    #expect(isSaved)
    #expect(!home.exists("Deep.plist"))
  }
}
