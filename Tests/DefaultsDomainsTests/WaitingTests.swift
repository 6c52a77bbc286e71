import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// What waits for a lock or for another domain's save, and what does not.
struct WaitingTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  @Test(
    "who reads a domain, for the first time or again, waits for no thread that waits to write",
    .timeLimit(.minutes(30)))
  func readers() throws {
    let domains = PersistentDomains.at(directory: home.path)
    let app = domains.domain(try DomainName("App"))
    #expect(domains.set("0", for: "K", in: app))
    #expect(domains.save(andRefresh: true, of: [app]) == nil)
    for name in ["P", "Q", "S"] { try home.write("{ k = there; }", to: "\(name).plist") }
    let known = domains.domain(try DomainName("S"))
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX) == 0)
    #expect(domains.set("1", for: "K", in: app))
    let isDone = Lock(false)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !isDone.withLock({ $0 }) { domains.save(andRefresh: true, of: [app]) }
      ended.signal()
    }
    // Its last save ends before the directory is removed.
    defer {
      isDone.withLock { $0 = true }
      ended.wait()
    }
    let reads: [() throws -> Void] = [
      {
        let domain = domains.domain(try DomainName("P"))
        #expect(domain.values == ["k": "there"])
      },
      {
        let (domain, other) = (try DomainName("Q"), try DomainName("Absent"))
        #expect(domains.domains([domain, other]).map(\.values) == [["k": "there"], [:]])
      },
      {
        let domain = try domains.refreshedDomain(known.name)
        #expect(domain === known)
      },
      {
        let domain = try domains.refreshedDomain(app.name)
        #expect(domain === app)
      },
      {
        let name = try DomainName("P")
        #expect(domains.names().contains(name) && domains.exists(name))
      },
    ]
    for read in reads {
      var wasWaiting = false
      // A writer gives up after two seconds and comes again: that it was there all the time may take another try.
      for _ in 0..<20 where !wasWaiting {
        while !app.isBeingSaved { CurrentProcess.pause(microseconds: 1000) }
        try read()
        wasWaiting = app.isBeingSaved
      }
      #expect(wasWaiting)
    }
  }

  @Test(
    "who gives up, while another thread waits for the lock to save the same domain, names the lock's holder",
    .timeLimit(.minutes(30)))
  func holderNamed() throws {
    let database = UserDatabase(directory: home.path)
    let domains = PersistentDomains(database: database)
    let app = domains.domain(try DomainName("App"))
    #expect(domains.set("0", for: "K", in: app))
    #expect(domains.save(andRefresh: true, of: [app]) == nil)
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX) == 0)
    // The number that another holder would have left there; this process's own would say nothing here.
    let holder = getpid() == 1 ? 2 : Int32(1)
    let line = String(repeating: " ", count: 9) + "\(holder)"
    try #require(pwrite(descriptor, line, 10, 0) == 10)
    #expect(domains.set("1", for: "K", in: app))
    let isDone = Lock(false)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !isDone.withLock({ $0 }) { domains.save(andRefresh: false, of: [app]) }
      ended.signal()
    }
    // Its last save ends before the directory is removed.
    defer {
      isDone.withLock { $0 = true }
      ended.wait()
    }
    while !app.isBeingSaved { CurrentProcess.pause(microseconds: 1000) }
    let error = try #require(throws: DatabaseError.self) { try app.save(to: database, deadline: .now) }
    #expect(error.kind == .locked(holder: holder))
    #expect(error.description.contains("process \(holder) has held the lock for two seconds"))
  }

  // Two hundred threads with a domain each asked for the lock forty thousand times when their time was over.
  @Test("when the time is over, the lock that another process holds is not asked for again for each domain")
  func manyDomainsOfHeldLock() throws {
    let disk = FaultyFileSystem()
    let domains = PersistentDomains(database: UserDatabase(directory: home.path, fileSystem: disk))
    let all = try (0..<100).map { domains.domain(try DomainName("D\($0)")) }
    try home.write("", to: ".lock")
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX) == 0)
    for domain in all { #expect(domains.set("v", for: "k", in: domain)) }
    let before = disk.operations.count
    let error = try #require(domains.save(andRefresh: true, of: all))
    guard case .locked = error.kind else {
      Issue.record("\(error)")
      return
    }
    // The package's own threads try again meanwhile, and give up after the first domain, too.
    let names = Set(disk.operations.dropFirst(before).compactMap(\.path).filter { $0.hasSuffix(".plist") })
    #expect(!names.isEmpty && names.count < 20, "\(names.count)")
    #expect(all.allSatisfy { $0.hasUnsavedChanges && $0.saveError?.kind == error.kind })
    try #require(flock(descriptor, LOCK_UN) == 0)
    // An attempt of the package's threads may have begun before.
    for _ in 0..<20 where domains.hasUnsavedChanges { domains.save(andRefresh: true, of: all) }
    #expect(!domains.hasUnsavedChanges)
    let database = UserDatabase(directory: home.path)
    for domain in all { #expect(try database.load(domain.name).values == ["k": "v"]) }
  }

  @Test("a small domain is saved while a large one is written by another thread", .timeLimit(.minutes(30)))
  func smallBesideLarge() throws {
    let small = try DomainName("Small")
    let path = home.path("Small.plist")
    let object = WeakDomains()
    let isWritten = Lock(false)
    let fileSystem = FaultyFileSystem { operation in
      guard operation.name == "write", let domains = object.domains,
        !isWritten.withLock({ $0 })
      else { return nil }
      isWritten.withLock { $0 = true }
      // The large one's bytes are being written now.
      Thread.detachNewThread {
        let domain = domains.domain(small)
        _ = domain.set("v", for: "k")
        domains.publish(.one("k"), in: domain)
        domains.save(andRefresh: false)
      }
      // Its call goes on to wait for the large one, and tells nobody of the small one before.
      for _ in 0..<300_000 where !FileManager.default.fileExists(atPath: path) {
        CurrentProcess.pause(microseconds: 1000)
      }
      #expect(FileManager.default.fileExists(atPath: path))
      return nil
    }
    let domains = PersistentDomains(database: UserDatabase(directory: home.path, fileSystem: fileSystem))
    object.set(domains)
    let large = domains.domain(try DomainName("Large"))
    for index in 0..<4000 {
      _ = large.set("a value of many", for: PropertyListKey("a key of many, number \(index)"))
    }
    domains.publish(.any, in: large)
    #expect(domains.save(andRefresh: false) == nil)
    #expect(isWritten.withLock { $0 })
    let database = UserDatabase(directory: home.path)
    #expect(try database.load(large.name).values.count == 4000)
    #expect(try database.load(small).values == ["k": "v"])
  }

  // In a process of its own, since the saves of a process share their threads.
  @Test("a change is saved while other processes hold the locks of sixty databases with unsaved changes")
  func manyHeld() async {
    await #expect(processExitsWith: .success) {
      let home = try TemporaryHome()
      let name = try DomainName("App")
      let descriptors = try (0..<60).map { number in
        try FileManager.default.createDirectory(
          atPath: home.path("\(number)"), withIntermediateDirectories: false)
        try home.write("", to: "\(number)/.lock")
        let descriptor = open(home.path("\(number)/.lock"), O_RDWR | O_CLOEXEC)
        try #require(flock(descriptor, LOCK_EX) == 0)
        return descriptor
      }
      let all = (0...60).map { number in
        let domains = PersistentDomains(database: UserDatabase(directory: home.path("\(number)")))
        return (domains, domains.domain(name))
      }
      let saves = SaveReports.shared.stream(of: all[60].1)
      let lateness = Lateness(in: home.path)
      let start = MonotonicTime.now
      for (domains, app) in all { domains.set("v", for: "K", in: app) }
      for await _ in saves { break }
      // On eight threads, each of which waits for two seconds, it would be its turn after fourteen.
      let seconds = MonotonicTime.now.seconds(since: start)
      #expect(Duration.seconds(seconds) < .seconds(7) + lateness.total, "\(seconds)")
      #expect(all[..<60].allSatisfy { $0.1.hasUnsavedChanges })
      for descriptor in descriptors { close(descriptor) }
    }
  }
}

/// Domains that a file system's fault is to find, which is made before them.
private final class WeakDomains: Sendable {
  private let reference = Lock<PersistentDomains?>(nil)
  var domains: PersistentDomains? { reference.withLock { $0 } }
  func set(_ domains: PersistentDomains) { reference.withLock { $0 = domains } }
}
