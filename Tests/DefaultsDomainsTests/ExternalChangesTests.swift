import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// Others' changes of a large domain, which are read while this process changes it too.
@Suite struct ExternalChangesTests {
  private let home: TemporaryHome
  private let app: DomainName
  private let theirs: UserDatabase
  private static let count = Thoroughness.isComplete ? 5000 : 1500

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
    theirs = UserDatabase(directory: home.path)
  }

  private func values(_ tag: String) -> [PropertyListKey: PropertyList] {
    var values: [PropertyListKey: PropertyList] = [PropertyListKey("gone \(tag)"): "x"]
    for index in 0..<ExternalChangesTests.count {
      values[PropertyListKey("theirs \(index)")] = .string("\(index % 3 == 0 ? "constant" : tag)")
    }
    return values
  }

  private func commit(_ values: [PropertyListKey: PropertyList]) throws {
    var changes = DomainChanges()
    changes.replaceAll(with: values)
    _ = try theirs.commit(changes, to: app, onDamage: .refuse, deadline: .now + 60)
  }

  private static func isParsed(_ key: PropertyListKey, in domain: PersistentDomain) -> Bool {
    domain.state.withLock { if case .parsed = $0.table.place(of: key) { true } else { false } }
  }

  /// Notes whether a value is parsed when it is told that it has changed.
  private final class Listener: DomainListener {
    let found = Lock<[Bool]>([])
    let isTold = DispatchSemaphore(value: 0)

    func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys) -> (() -> Void)? {
      found.withLock { $0.append(ExternalChangesTests.isParsed("Observed", in: domain)) }
      isTold.signal()
      return nil
    }

    func tellRecorded(of keys: ChangedKeys) {}
  }

  // Listeners look values up under a lock for which sets of other keys wait: seconds for a value of twelve megabytes.
  @Test("a value that others have changed is parsed before a listener is told; one without a listener is not")
  func parsedBefore() throws {
    let database = UserDatabase(directory: home.path)
    let domains = PersistentDomains(database: database)
    let domain = domains.domain(app)
    let listener = Listener()
    domain.add(listener, for: "Observed")
    func change(to text: String) throws {
      try commit(["Observed": [.string(text)], "Other": [.string(text)]])
    }
    try change(to: "by a synchronize")
    #expect(domains.save(andRefresh: true, of: [domain]) == nil)
    try change(to: "by themselves")
    let keys = try domain.refresh(from: database)
    #expect(!ExternalChangesTests.isParsed("Observed", in: domain))
    domain.tellAsynchronously(of: keys)
    for _ in 0..<2 { #expect(listener.isTold.wait(timeout: .now() + 300) == .success) }
    #expect(listener.found.withLock { $0 } == [true, true])
    #expect(!ExternalChangesTests.isParsed("Other", in: domain))
  }

  @Test(
    "what is changed here while others' changes are read wins, and all else becomes what the others wrote",
    arguments: [DomainFileFormat.openStep, .xml])
  func ownChangesWin(format: DomainFileFormat) throws {
    try home.write(try format.bytes(of: .dictionary(values("0"))), to: "App.plist")
    let domains = PersistentDomains(database: UserDatabase(directory: home.path))
    let domain = domains.domain(app)
    // Keys that the others change too, keys of this process alone, and one that comes and goes.
    @Sendable func set(_ number: Int) {
      _ = domain.set(.string("mine \(number)"), for: PropertyListKey("theirs \(number * 7 % 500)"))
      _ = domain.set(.string("mine \(number)"), for: PropertyListKey("mine \(number % 400)"))
      if number % 2 == 0 { _ = domain.set("x", for: "fleeting") } else { _ = domain.remove("fleeting") }
      _ = domain.remove(PropertyListKey("theirs \(600 + number % 50)"))
    }
    for round in 1...5 {
      let new = values("\(round)")
      try commit(new)
      let before = domain.values
      let state = Lock((isDone: false, number: 0, awaited: 500))
      let (isReached, thread) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        while !state.withLock({ $0.isDone }) {
          let (number, awaited) = state.withLock { state in
            state.number += 1
            return (state.number, state.awaited)
          }
          set(number)
          if number == awaited { isReached.signal() }
        }
        thread.signal()
      }
      isReached.wait()
      let database = try #require(domains.database)
      let keys = try domain.refresh(from: database)
      // Of a key that is absent a removal is no change. So each of those that the others have made again is removed again.
      state.withLock { $0.awaited = $0.number + 50 }
      isReached.wait()
      state.withLock { $0.isDone = true }
      thread.wait()
      domains.publish(.any, in: domain)
      let number = state.withLock { $0.number }
      // The same changes over what the others wrote.
      let after = domain.values
      var expected = new
      for key in 600..<650 { expected[PropertyListKey("theirs \(key)")] = nil }
      for key in 0..<500 {
        expected[PropertyListKey("theirs \(key)")] = after[PropertyListKey("theirs \(key)")]
      }
      for key in 0..<400 { expected[PropertyListKey("mine \(key)")] = after[PropertyListKey("mine \(key)")] }
      expected["fleeting"] = number % 2 == 0 ? "x" : nil
      #expect(after == expected)
      for last in max(1, number - 399)...number {
        #expect(after[PropertyListKey("mine \(last % 400)")] == .string("mine \(last)"))
      }
      for (key, value) in after where key.text.hasPrefix("theirs ") {
        guard let index = Int(key.text.dropFirst(7)), index < 500 else { continue }
        #expect("\(value)".contains("mine"), "\(key)")
      }
      // Who observes is told of each key that others changed and this process did not.
      for index in 650..<ExternalChangesTests.count {
        let key = PropertyListKey("theirs \(index)")
        let isTold = keys.contains(key)
        #expect(isTold == (before[key] != new[key]), "\(key)")
      }
      let names = keys.map(\.text)
      #expect(names.contains("gone \(round)") && names.contains("gone \(round - 1)"))
      #expect(!names.contains("mine 1") && !names.contains("fleeting"))
      // And the save that follows writes all of it.
      #expect(domains.save(andRefresh: true) == nil)
      #expect(domain.values == after)
      #expect(try theirs.load(app).values == after)
      #expect(!domain.hasUnsavedChanges)
    }
  }

  @Test(
    "threads that set keys and save without a pause do not keep others' changes out",
    .timeLimit(.minutes(30)))
  func tirelessThreads() throws {
    try commit(values("0"))
    let domains = PersistentDomains(database: UserDatabase(directory: home.path))
    let domain = domains.domain(app)
    let isDone = Lock(false)
    let ended = DispatchGroup()
    for thread in 0..<4 {
      ended.enter()
      Thread.detachNewThread {
        var number = 0
        while !isDone.withLock({ $0 }) {
          number += 1
          if thread == 3 {
            domains.publish(.any, in: domain)
            domains.save(andRefresh: false)
            continue
          }
          // One key; some that come and go, so that the table is made anew now and then; and two thousand.
          let key = ["own", "fleeting \(number / 2 % 5000)", "many \(number % 2000)"][thread]
          if thread == 1, number % 2 == 1 {
            _ = domain.remove(PropertyListKey(key))
          } else {
            _ = domain.set(.string("\(number)"), for: PropertyListKey(key))
          }
        }
        ended.leave()
      }
    }
    for round in 1...3 {
      try commit(values("\(round)"))
      let database = try #require(domains.database)
      _ = try domain.refresh(from: database)
      #expect(domain.value(for: "theirs 1") == .string("\(round)"))
    }
    isDone.withLock { $0 = true }
    ended.wait()
  }

  @Test(
    "saves, looks at the file and changes on several threads lose nothing, here or of others",
    .timeLimit(.minutes(30)))
  func everythingAtOnce() async throws {
    try commit(values("0"))
    let domains = PersistentDomains(database: UserDatabase(directory: home.path))
    let domain = domains.domain(app)
    let (theirs, app) = (theirs, app)
    let failures = Lock<[String]>([])
    await EightThreads.run { thread in
      for round in 0..<12 {
        switch thread {
        case 0:
          var changes = DomainChanges()
          changes.set(.string("\(round)"), for: PropertyListKey("theirs \(round)"))
          changes.set(.string("\(round)"), for: PropertyListKey("beside \(round)"))
          do {
            _ = try theirs.commit(changes, to: app, onDamage: .refuse, deadline: .now + 600)
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
        case 1, 2:
          var error = domains.save(andRefresh: thread == 1, of: [domain])
          // On a busy machine the others may have the lock for longer than a save waits.
          while case .locked? = error?.kind { error = domains.save(andRefresh: thread == 1, of: [domain]) }
          if let error { failures.withLock { $0.append("\(error)") } }
        case 3:
          _ = try? domains.refreshedDomain(app)
        default:
          for index in 0..<200 {
            _ = domain.set(.string("\(round)"), for: PropertyListKey("thread \(thread) key \(index)"))
          }
          domains.publish(.any, in: domain)
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(domains.save(andRefresh: true, of: [domain]) == nil)
    var expected = values("0")
    for round in 0..<12 {
      for name in ["theirs", "beside"] {
        expected[PropertyListKey("\(name) \(round)")] = .string("\(round)")
      }
    }
    for thread in 4..<8 {
      for index in 0..<200 { expected[PropertyListKey("thread \(thread) key \(index)")] = "11" }
    }
    #expect(try theirs.load(app).values == expected)
    #expect(domain.values == expected)
  }

  @Test("several values set at one moment are saved together, however many there are")
  func together() async throws {
    let domains = PersistentDomains(database: UserDatabase(directory: home.path))
    let domain = domains.domain(app)
    let isDone = Lock(false)
    let (theirs, app) = (theirs, app)
    await EightThreads.run { thread in
      if thread == 0 {
        for round in 0..<60 {
          var changes: [PropertyListKey: PropertyList?] = [:]
          for index in 0..<600 { changes[PropertyListKey("k\(index)")] = .some(.string("\(round)")) }
          _ = domain.apply(changes)
          domains.publish(.any, in: domain)
        }
        isDone.withLock { $0 = true }
      } else if thread == 1 {
        while !isDone.withLock({ $0 }) { domains.save(andRefresh: false) }
      } else if thread == 2 {
        while !isDone.withLock({ $0 }) {
          #expect(Set(domain.values.values).count <= 1)
        }
      } else if thread == 3 {
        while !isDone.withLock({ $0 }) {
          guard let values = try? theirs.load(app).values else { continue }
          #expect(Set(values.values).count <= 1 && [0, 600].contains(values.count))
        }
      }
    }
  }

  @Test("a domain that is too large to be read can be removed by its name")
  func tooLarge() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    #expect(truncate(home.path("App.plist"), off_t(1 << 30) + 1) == 0)
    let domains = PersistentDomains(database: UserDatabase(directory: home.path))
    #expect(domains.remove(app))
    #expect(domains.save(andRefresh: true) == nil)
    #expect(!home.exists("App.plist"))
  }

  // A look that failed once was not repeated, and the change was told with the next one only.
  @Test("a change is told although the first looks at it fail, because descriptors are used up")
  func failedLooks() throws {
    let isFailing = Lock(false)
    let hasFailed = DispatchSemaphore(value: 0)
    let disk = FaultyFileSystem { operation in
      guard operation.name == "open reading", operation.path?.hasSuffix("App.plist") ?? false,
        isFailing.withLock({ $0 })
      else { return nil }
      hasFailed.signal()
      return .tooManyOpenFiles
    }
    let domains = PersistentDomains(database: UserDatabase(directory: home.path, fileSystem: disk))
    try commit(["Observed": "old"])
    let domain = domains.domain(app)
    domains.followExternalChanges()
    #expect(domain.value(for: "Observed") == "old")
    let listener = Listener()
    domain.add(listener, for: "Observed")
    isFailing.withLock { $0 = true }
    try commit(["Observed": "new"])
    // The first look, and a repeated one.
    for _ in 0..<2 { #expect(hasFailed.wait(timeout: .now() + 300) == .success) }
    #expect(domain.value(for: "Observed") == "old")
    isFailing.withLock { $0 = false }
    #expect(listener.isTold.wait(timeout: .now() + 300) == .success)
    #expect(domain.value(for: "Observed") == "new")
    domains.leaveDisk()
  }

  @Test("a domain that is made here keeps what others have put into it before it is saved")
  func madeByTwo() throws {
    let domains = PersistentDomains(database: theirs)
    let domain = try domains.refreshedDomain(app)
    #expect(domains.fill(domain, with: ["own": "1", "both": "own"]))
    try commit(["theirs": "2", "both": "theirs"])
    #expect(domains.save(andRefresh: true, of: [domain]) == nil)
    #expect(domain.values == ["own": "1", "both": "own", "theirs": "2"])
    #expect(!domains.fill(domain, with: [:]))
    // What is removed before is gone all the same.
    domains.remove(app)
    #expect(domains.fill(domain, with: ["new": "3"]))
    #expect(domains.save(andRefresh: true, of: [domain]) == nil)
    #expect(try theirs.load(app).values == ["new": "3"])
  }

  @Test(
    "a domain whose file cannot be read for a moment, as it is opened beside others, is read a moment later")
  func failedOpening() throws {
    let isFailing = Lock(true)
    let disk = FaultyFileSystem { operation in
      operation.name == "open reading" && operation.path?.hasSuffix("App.plist") ?? false
        && isFailing.withLock({ $0 }) ? .tooManyOpenFiles : nil
    }
    try commit(["Observed": "value"])
    let domains = PersistentDomains(database: UserDatabase(directory: home.path, fileSystem: disk))
    domains.followExternalChanges()
    let domain = domains.domain(app)
    let listener = Listener()
    domain.add(listener, for: "Observed")
    #expect(domain.value(for: "Observed") == nil)
    isFailing.withLock { $0 = false }
    #expect(listener.isTold.wait(timeout: .now() + 300) == .success)
    #expect(domain.value(for: "Observed") == "value")
    domains.leaveDisk()
  }

  // A job was added for each change, and they filled the memory.
  @Test("a key whose listeners wait for a thread waits once, however often others change it")
  func waitingOnce() async {
    await #expect(processExitsWith: .success) {
      /// Lets one call wait for a signal, and counts the others.
      final class Slow: DomainListener {
        let (isCalled, mayReturn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isHeld: Bool
        let count = Lock(0)

        init(isHeld: Bool) { self.isHeld = isHeld }

        func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys) -> (() -> Void)? {
          count.withLock { $0 += 1 }
          isCalled.signal()
          if isHeld { mayReturn.wait() }
          return nil
        }

        func tellRecorded(of keys: ChangedKeys) {}
      }
      let domain = PersistentDomain(name: try DomainName("App"))
      let slow = Slow(isHeld: true)
      let counter = Slow(isHeld: false)
      let keys = (0..<64).map { PropertyListKey("held \($0)") }
      for key in keys { domain.add(slow, for: key) }
      domain.add(counter, for: "waiting")
      domain.tellAsynchronously(of: Set(keys))
      // All threads for observers are in a call now.
      for _ in keys { slow.isCalled.wait() }
      for _ in 0..<10_000 { domain.tellAsynchronously(of: ["waiting"]) }
      for _ in keys { slow.mayReturn.signal() }
      counter.isCalled.wait()
      // What changes after the call is told of again.
      domain.tellAsynchronously(of: ["waiting"])
      counter.isCalled.wait()
      let count = counter.count.withLock { $0 }
      #expect(count == 2)
    }
  }
}
