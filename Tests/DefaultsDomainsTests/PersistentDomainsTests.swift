import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// What goes on at the same time in one database: other threads, other processes, and saves under way.
struct PersistentDomainsTests {
  private let home: TemporaryHome
  private let database: UserDatabase
  private let domains: PersistentDomains
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    database = UserDatabase(directory: home.path)
    domains = PersistentDomains.at(directory: home.path)
    app = try DomainName("App")
  }

  /// The application's domain; its file is read now.
  private func open() -> PersistentDomain {
    domains.domain(app)
  }

  /// Saves all changes and reads the external ones of a domain; false after an error.
  private func synchronize(_ domain: PersistentDomain) -> Bool {
    domains.save(andRefresh: true, of: [domain]) == nil
  }

  @Test("two directories whose names are spellings of the same characters are two databases")
  func directoriesBySpelling() throws {
    let (composed, decomposed) = (home.path("caf\u{E9}"), home.path("cafe\u{301}"))
    let first = PersistentDomains.inDirectory(named: composed)
    let second = PersistentDomains.inDirectory(named: decomposed)
    let (ours, theirs) = (first.domain(app), second.domain(app))
    #expect(first.set("first", for: "k", in: ours))
    #expect(theirs.value(for: "k") == nil)
    #expect(second.set("second", for: "k", in: theirs))
    #expect(first.save(andRefresh: true) == nil && second.save(andRefresh: true) == nil)
    for (directory, value) in [(composed, "first"), (decomposed, "second")] {
      #expect(try UserDatabase(directory: directory).load(app).values == ["k": .string(value)])
    }
  }

  @Test("a directory has one set of domains, however its path is written")
  func spellings() {
    for spelling in [home.path, "\(home.path)/", "/\(home.path)//", "\(home.path)/./."] {
      #expect(PersistentDomains.inDirectory(named: spelling) === domains)
    }
  }

  // MARK: - Other processes

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
    let domain = open()
    #expect(domains.set("1", for: "a", in: domain))
    #expect(synchronize(domain))
    let before = try home.text(of: "App.plist")
    #expect(domains.set("mine", for: "b", in: domain))
    // The save finds another text than the one it knows, and merges into it.
    try setFromOutside("c", "theirs")
    #expect(domains.save(andRefresh: false) == nil)
    #expect(try database.load(app).values == ["a": "1", "b": "mine", "c": "theirs"])
    try home.write(before, to: "App.plist")
    #expect(synchronize(domain))
    #expect(domain.values == ["a": "1"])
    #expect(try home.text(of: "App.plist") == before)
  }

  @Test("a file that others made and removed before and after a save is known to be gone")
  func madeAndRemoved() throws {
    let domain = open()
    #expect(domains.set("mine", for: "a", in: domain))
    try setFromOutside("b", "theirs")
    // The save finds a file where none was known, and merges into it.
    #expect(domains.save(andRefresh: false) == nil)
    #expect(try database.load(app).values == ["a": "mine", "b": "theirs"])
    #expect(try database.remove(app) != nil)
    #expect(synchronize(domain))
    #expect(domain.values.isEmpty)
  }

  @Test("what another process saved after it put a damaged file aside is kept")
  func damagedFileOfTwo() throws {
    try home.write("{ a = ", to: "App.plist")
    let domain = open()
    try setFromOutside("Theirs", "1", onDamage: .moveAside)
    #expect(domains.set("2", for: "Mine", in: domain))
    #expect(synchronize(domain))
    #expect(try database.load(app).values == ["Theirs": "1", "Mine": "2"])
    #expect(domain.value(for: "Theirs") == "1")
  }

  @Test("a domain that another process made after the last look can be removed")
  func removingNewDomain() throws {
    let new = domains.domain(try DomainName("New"))
    #expect(!new.exists)
    try setFromOutside("K", "x", in: "New")
    #expect(domains.remove(new.name))
    #expect(synchronize(new))
    #expect(!home.exists("New.plist"))
    #expect(!new.exists)
  }

  @Test("a domain that was made here and removed by another process does not exist any more")
  func removedByOthers() throws {
    let (domain, permanent) = (domains.domain(try DomainName("P")), open())
    permanent.makePermanent()
    for domain in [domain, permanent] { #expect(domains.set("x", for: "K", in: domain)) }
    #expect(domains.save(andRefresh: true) == nil)
    for name in [domain.name, app] { #expect(try database.remove(name) != nil) }
    #expect(domains.save(andRefresh: true, of: [domain, permanent]) == nil)
    #expect(!domain.exists)
    #expect(permanent.exists && permanent.values.isEmpty)
    #expect(domains.names() == [app])
  }

  @Test("of a large domain only what is asked for is parsed, and everything is there", arguments: [1, 3000])
  func large(count: Int) throws {
    let values = Dictionary(
      uniqueKeysWithValues: (0..<count).map { (PropertyListKey("key \($0)"), PropertyList.string("v\($0)")) })
    try home.write(PropertyList.dictionary(values).text(), to: "App.plist")
    let domain = open()
    // The lookup without a lock has no answer for a value that is not parsed yet.
    let last = PropertyListKey("key \(count - 1)")
    #expect(domain.table.answer(for: last) == nil)
    #expect(domain.value(for: last) == .string("v\(count - 1)"))
    #expect(domain.table.answer(for: last) == .some(.string("v\(count - 1)")))
    #expect(domain.value(for: "key") == nil)
    for key in ["key 0", "another"] as [PropertyListKey] { #expect(domains.set("new", for: key, in: domain)) }
    #expect(synchronize(domain))
    var expected = values
    expected["key 0"] = "new"
    expected["another"] = "new"
    #expect(try database.load(app).values == expected)
    #expect(domain.values == expected)
  }

  // MARK: - Other threads

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
  private func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let group = DispatchGroup()
      for _ in 0..<count {
        group.enter()
        Thread.detachNewThread {
          body()
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
      await onThreads(4) { [app] in
        let domain = PersistentDomains.at(directory: directory).domain(app)
        if domain.value(for: "K") == "v" { found.withLock { $0 += 1 } }
      }
      #expect(found.withLock { $0 } == 4)
    }
  }

  @Test("a held lock is waited for once, however many domains have changes", .timeLimit(.minutes(30)))
  func heldLock() throws {
    let names = try (0..<10).map { try DomainName("D\($0)") }
    let lateness = Lateness(in: home.path)
    // Before the changes, which the automatic save would else write first.
    let lock = try holdLock()
    for name in names { #expect(domains.set("x", for: "K", in: domains.domain(name))) }
    let start = ContinuousClock.now
    let error = domains.save(andRefresh: true)
    releaseLock(lock)
    // Two seconds, twice if the automatic save was waiting already; once for every domain were 20.
    #expect(ContinuousClock.now - start < .seconds(12) + lateness.total)
    #expect(error != nil)
    #expect(domains.save(andRefresh: true) == nil)
    #expect(try database.domainNames().count == 10)
  }

  @Test("threads that save at the same time do not wait for a held lock one after the other")
  func heldLockOfManyThreads() async throws {
    let domain = open()
    let lateness = Lateness(in: home.path)
    // Before the change, which the automatic save would else write first.
    let lock = try holdLock()
    #expect(domains.set("x", for: "K", in: domain))
    let calls = Lock((saved: 0, longest: Duration.zero))
    // A busy machine starts threads seconds apart; all have to call at the same time.
    let start = DispatchGroup()
    for _ in 0..<20 { start.enter() }
    await onThreads(20) { [domains] in
      start.leave()
      start.wait()
      let start = ContinuousClock.now
      let error = domains.save(andRefresh: true, of: [domain])
      let time = ContinuousClock.now - start
      calls.withLock { calls in
        calls.saved += error == nil ? 1 : 0
        calls.longest = max(calls.longest, time)
      }
    }
    // Two seconds for each save that may be under way: automatic ones, the first thread's, that of the
    // others. One after the other were 40.
    #expect(calls.withLock { $0.longest } < .seconds(20) + lateness.total)
    #expect(calls.withLock { $0.saved } == 0)
    releaseLock(lock)
    #expect(synchronize(domain))
    #expect(try database.load(app).values == ["K": "x"])
  }

  @Test(
    "a removed domain is gone while its file is being removed, and so are changes not safe while they are written"
  )
  func removalUnderWay() async throws {
    let domain = domains.domain(try DomainName("R"))
    #expect(domains.set("x", for: "K", in: domain))
    #expect(synchronize(domain))
    let lock = try holdLock()
    #expect(domains.remove(domain.name))
    // The automatic save takes the removal and waits for the lock, which it shows by its line in the file.
    while try !home.text(of: ".lock").contains(/\n *[0-9]+ +[0-9]+\n/) { await Task.yield() }
    #expect(domains.names().isEmpty)
    #expect(!domain.exists)
    #expect(domains.hasUnsavedChanges)
    releaseLock(lock)
    #expect(synchronize(domain))
    #expect(!domains.hasUnsavedChanges)
    #expect(!home.exists("R.plist"))
  }
}
