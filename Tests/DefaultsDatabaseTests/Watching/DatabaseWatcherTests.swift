import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// What the watcher tells of, and how soon; each test awaits the call and never sleeps.
struct DatabaseWatcherTests {
  private let home: TemporaryHome
  private let database: UserDatabase

  init() throws {
    home = try TemporaryHome()
    database = UserDatabase(directory: home.path + "/a/Defaults")
  }

  private final class Names: Sendable {
    let lock = Lock<Set<DomainName>>([])
  }

  /// A watcher whose watch stands. Where what it watches goes while it looks, it polls until all stands again; that
  /// is to be awaited.
  private func watch() throws -> (DatabaseWatcher, WatcherCalls) {
    let calls = WatcherCalls(reading: "App", in: database)
    let watcher = try #require(DatabaseWatcher(of: database) { _ in calls.add() })
    // The first call says that the watch stands.
    #expect(calls.wait { calls.total > 0 })
    return (watcher, calls)
  }

  private func value(_ key: String) throws -> PropertyList? {
    try database.load(DomainName("App")).values[PropertyListKey(key)]
  }

  private func commit(_ key: String, _ value: String, directory: String? = nil) throws {
    var changes = DomainChanges()
    changes.set(.string(value), for: PropertyListKey(key))
    _ = try UserDatabase(directory: directory ?? database.directory)
      .commit(changes, to: DomainName("App"), onDamage: .refuse)
  }

  private func run(_ script: String) throws { try home.run(script) }

  @Test("a change is told of, whether the directory was there before or not")
  func change() throws {
    let (watcher, calls) = try watch()
    #expect(calls.wait { !watcher.isPolling })
    try commit("k", "1")
    #expect(calls.wait { calls.told("k") == "1" })
    try commit("k", "2")
    #expect(calls.wait { calls.told("k") == "2" })
  }

  @Test(
    "files that are edited in place, moved, linked, made by hand, removed or made readable are told of",
    arguments: [
      "echo '{k = new; }' > a/Defaults/App.plist",
      "echo '{k = new; }' > x; mv x a/Defaults/App.plist",
      "echo '{k = new; }' > x; rm a/Defaults/App.plist; ln x a/Defaults/App.plist",
      "echo '{k = new; }' > x; ln -sf ../../x a/Defaults/App.plist",
      "mv a/Defaults/Other.plist a/Defaults/App.plist",
      "rm a/Defaults/App.plist; echo '{k = new; }' > a/Defaults/App",
      "echo '{k = new; }' | dd conv=notrunc of=a/Defaults/App.plist 2>/dev/null; truncate -s 11 a/Defaults/App.plist; touch a/Defaults/App.plist",
    ])
  func byHand(_ script: String) throws {
    try run("mkdir -p a/Defaults; echo '{k = old; }' > a/Defaults/App.plist")
    try run("echo '{k = new; }' > a/Defaults/Other.plist")
    let (watcher, calls) = try watch()
    #expect(try value("k") == "old")
    try run(script)
    #expect(calls.wait { calls.told("k") == "new" })
    withExtendedLifetime(watcher) {}
  }

  @Test("the file that a link leads to is watched where it lies, also through a second link")
  func links() throws {
    try run(
      """
      mkdir -p a/Defaults dotfiles/deep elsewhere
      echo '{k = old; }' > elsewhere/real; ln -s ../../elsewhere/real dotfiles/deep/App.plist
      ln -s ../../dotfiles/deep/App.plist a/Defaults/App.plist
      """)
    let (watcher, calls) = try watch()
    try run("echo '{k = 1; }' > elsewhere/new; mv elsewhere/new elsewhere/real")
    #expect(calls.wait { calls.told("k") == "1" })
    try run("echo '{k = 2; }' > x; ln -sf ../../x dotfiles/deep/App.plist")
    #expect(calls.wait { calls.told("k") == "2" })
    try run("echo '{k = 3; }' > x")
    #expect(calls.wait { calls.told("k") == "3" })
    withExtendedLifetime(watcher) {}
  }

  @Test(
    "the watch survives that the directory, or one above it, is removed, renamed and made again",
    arguments: [
      "rm -r a/Defaults", "rm -r a", "mv a/Defaults a/Old", "mv a b",
      "mv a b; mkdir a", "mv a/Defaults a/Old; ln -s ../b a/Defaults", "rm -r a; touch a",
    ])
  func directoryComesAgain(_ script: String) throws {
    try commit("k", "1")
    let (watcher, calls) = try watch()
    #expect(try value("k") == "1")
    try run(script)
    // Where a file is in the directory's place, looking for the domain is an error.
    #expect(calls.wait { calls.told("k") == nil })
    try run("test ! -f a || rm a; mkdir -p a b; test -d a/Defaults || test -h a/Defaults || mkdir a/Defaults")
    try commit("k", "2")
    #expect(calls.wait { calls.told("k") == "2" })
    try commit("k", "3")
    #expect(calls.wait { calls.told("k") == "3" })
    #expect(calls.wait { !watcher.isPolling })
  }

  @Test("a link on the way to the directory may come to lead elsewhere")
  func linkOnTheWay() throws {
    try run("mkdir -p one/Defaults two/Defaults; ln -s one a; echo '{k = 1; }' > one/Defaults/App.plist")
    try run("echo '{k = 2; }' > two/Defaults/App.plist")
    let (watcher, calls) = try watch()
    #expect(try value("k") == "1")
    try run("ln -s two new; mv -T new a")
    #expect(calls.wait { calls.told("k") == "2" })
    try run("echo '{k = 3; }' > two/Defaults/App.plist")
    #expect(calls.wait { calls.told("k") == "3" })
    withExtendedLifetime(watcher) {}
  }

  @Test(
    "a linked directory may be removed or renamed with all it lies in, and made again",
    arguments: [
      "rm -r real/store/Defaults; mkdir real/store/Defaults", "rm -r real; mkdir -p real/store/Defaults",
      "mv real old; mkdir -p real/store/Defaults", "mv real/store real/old; mkdir -p real/store/Defaults",
      "rm a; ln -s ./none/../real/store a; mkdir none",
      "mv real old; ln -s old real; mv old/store old/new; ln -s new old/store",
    ])
  func linkedDirectory(_ script: String) throws {
    try run("mkdir -p real/store/Defaults; ln -s real/store a; echo '{k = 1; }' > a/Defaults/App.plist")
    let (watcher, calls) = try watch()
    try run(script)
    try commit("k", "2")
    #expect(calls.wait { calls.told("k") == "2" })
    try run("echo '{k = 3; }' > real/store/Defaults/App.plist")
    #expect(calls.wait { calls.told("k") == "3" })
    #expect(calls.wait { !watcher.isPolling })
  }

  @Test(
    "a file's link may lead into nothing, and what it leads to may be removed or renamed and made again",
    arguments: [
      "true", "mkdir dot", "mkdir -p dot/deep", "mkdir -p dot/deep; echo '{k = 1; }' > dot/deep/App",
    ])
  func linkIntoNothing(_ before: String) throws {
    try run("mkdir -p a/Defaults; ln -s ../../dot/deep/App a/Defaults/App.plist; \(before)")
    let (watcher, calls) = try watch()
    for (number, script) in ["true", "rm -rf dot", "mv dot old", "mv dot/deep dot/old"].enumerated() {
      try run("\(script); mkdir -p dot/deep; echo '{k = \(number)new; }' > dot/deep/App")
      #expect(calls.wait { calls.told("k") == .string("\(number)new") })
    }
    #expect(calls.wait { !watcher.isPolling })
  }

  @Test("the directory is missed and found again also while a process stands in it")
  func occupiedDirectory() throws {
    try commit("k", "1")
    let (watcher, calls) = try watch()
    func stand() throws -> Process {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sleep")
      process.currentDirectoryURL = URL(fileURLWithPath: database.directory)
      process.arguments = ["100"]
      try process.run()
      return process
    }
    var inside = [try stand()]
    try run("rm -r a/Defaults; mkdir a/Defaults")
    #expect(calls.wait { calls.told("k") == nil })
    try commit("k", "x")
    #expect(calls.wait { calls.told("k") == "x" })
    inside.append(try stand())
    try run("rm -r a")
    #expect(calls.wait { calls.told("k") == nil })
    try commit("k", "2")
    #expect(calls.wait { calls.told("k") == "2" })
    try commit("k", "3")
    #expect(calls.wait { calls.told("k") == "3" })
    #expect(calls.wait { !watcher.isPolling })
    for process in inside {
      // A child inherits which signals are blocked; this one cannot be.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  @Test("where the system has no events to give, the watcher looks every quarter of a second")
  func polling() throws {
    let calls = WatcherCalls(reading: "App", in: database)
    let none = WatchService { () throws(SystemError) in throw .tooManyOpenFiles }
    let made = DatabaseWatcher(of: database, by: none) { _ in calls.add() }
    let watcher = try #require(made)
    #expect(calls.wait { calls.total > 0 })
    #expect(watcher.isPolling)
    try commit("k", "1")
    #expect(calls.wait { calls.told("k") == "1" })
  }

  @Test("what lies behind more links than are watched is looked at every quarter of a second")
  func manyLinks() throws {
    // Each leads through directories of its own.
    try run(
      """
      mkdir -p a/Defaults
      for n in $(seq 1 200); do
        mkdir -p $n/1/2/3/4/5/6/7
        echo '{}' > $n/1/2/3/4/5/6/7/App$n.plist
        ln -s ../../$n/1/2/3/4/5/6/7/App$n.plist a/Defaults/App$n.plist
      done
      """)
    let calls = WatcherCalls { [database] in
      var values: [PropertyListKey: PropertyList] = [:]
      for name in ["App1", "App200"] {
        values[PropertyListKey(name)] = try database.load(DomainName(name)).values["k"]
      }
      return values
    }
    let service = WatchService { () throws(SystemError) in try DirectoryEvents() }
    let made = DatabaseWatcher(of: database, by: service) { _ in calls.add() }
    let watcher = try #require(made)
    #expect(calls.wait { watcher.isPolling })
    #expect((200...1100).contains(service.watchCount))
    for number in [1, 200] {
      try run("echo '{ k = 1; }' > \(number)/1/2/3/4/5/6/7/App\(number).plist")
      #expect(calls.wait { calls.told("App\(number)") == "1" })
    }
  }

  // Each step was kept with its whole path: one such link took half a gigabyte.
  @Test(
    "of a link whose way has more steps than are watched nothing is kept; it is looked at every quarter of a second"
  )
  func longWay() throws {
    try run(
      """
      mkdir -p a/Defaults d
      echo '{}' > App.plist
      ln -s "../../$(printf 'd/../%.0s' $(seq 1 780))App.plist" a/Defaults/App.plist
      """)
    var stepsLeft = 1500
    for left in [1500 - WatchedPlace.maximumStepCount, 0] {
      #expect(throws: SystemError.tooManyLinks) {
        try WatchedPlace.link(
          "App.plist", in: database.directory, of: database.home, stepsLeft: &stepsLeft)
      }
      #expect(stepsLeft == left)
    }
    let calls = WatcherCalls(reading: "App", in: database)
    let service = WatchService { () throws(SystemError) in try DirectoryEvents() }
    let watcher = try #require(DatabaseWatcher(of: database, by: service) { _ in calls.add() })
    #expect(calls.wait { watcher.isPolling })
    #expect(service.watchCount < 100)
    try run("echo '{ k = 1; }' > App.plist")
    #expect(calls.wait { calls.told("k") == "1" })
  }

  @Test("the link of a domain that was not named at first is followed from when it is")
  func followLater() throws {
    try run("mkdir -p a/Defaults; echo '{k = 1; }' > real; ln -s ../../real a/Defaults/App.plist")
    let calls = WatcherCalls(reading: "App", in: database)
    let made = DatabaseWatcher(of: database) {
      []
    } onChange: { _ in
      calls.add()
    }
    let watcher = try #require(made)
    #expect(calls.wait { calls.total > 0 })
    let before = calls.total
    watcher.follow(try DomainName("App"))
    // The call says that the link is watched.
    #expect(calls.wait { calls.total > before })
    try run("echo '{k = 2; }' > real")
    #expect(calls.wait { calls.told("k") == "2" })
    try run("echo '{k = 3; }' > x; mv x real")
    #expect(calls.wait { calls.told("k") == "3" })
    withExtendedLifetime(watcher) {}
  }

  @Test("the domains that may have changed are told, and no others")
  func names() throws {
    try run(
      "mkdir -p a/Defaults; echo '{k = 1; }' > a/Defaults/App.plist; echo '{k = 1; }' > a/Defaults/Bare")
    let calls = WatcherCalls()
    let told = Names()
    let everything = Lock(0)
    // The service of the process tells of everything when its queue overflows with what other tests do.
    let service = WatchService { () throws(SystemError) in try DirectoryEvents() }
    let made = DatabaseWatcher(of: database, by: service) { names in
      if let names {
        told.lock.withLock { $0.formUnion(names) }
      } else {
        everything.withLock { $0 += 1 }
      }
      calls.add()
    }
    let watcher = try #require(made)
    // The first call says that the watch stands.
    #expect(calls.wait { everything.withLock { $0 } == 1 })
    #expect(!watcher.isPolling)
    var changed: Set<DomainName> = []
    for (file, name) in [("App.plist", "App"), ("Bare", "Bare"), ("New.plist", "New")] {
      let expected = try DomainName(name)
      changed.insert(expected)
      try run("echo '{k = 2; }' > x; mv x a/Defaults/\(file)")
      #expect(calls.wait { told.lock.withLock { $0.contains(expected) } })
      // One change may be told twice, the second time after the next change.
      #expect(told.lock.withLock { $0 }.isSubset(of: changed))
    }
    #expect(everything.withLock { $0 } == 1)
    withExtendedLifetime(watcher) {}
  }

  @Test("temporary files, the lock and what others do beside the database are not told of")
  func notConcerned() throws {
    try commit("k", "1")
    let (watcher, calls) = try watch()
    let before = calls.total
    try run(
      """
      echo x > a/beside; mkdir c; echo x > c/App.plist; rm -r c
      echo x > a/Defaults/.save-0123456789abcdef; rm a/Defaults/.save-0123456789abcdef; echo x > a/Defaults/.lock
      """)
    // The commit comes after all that, so once it is told, so would the rest have been.
    try commit("k", "2")
    #expect(calls.wait { calls.total > before })
    // One call for its rename, and one for its closing the file after that.
    #expect(calls.total <= before + 2)
    withExtendedLifetime(watcher) {}
  }

  @Test("letting go of the watcher ends its thread and what it holds on to")
  func end() throws {
    final class Token: Sendable {}
    weak var held: Token?
    func watchOnce() throws {
      let token = Token()
      held = token
      let calls = WatcherCalls()
      let made = DatabaseWatcher(of: database) { _ in
        withExtendedLifetime(token) {}
        calls.add()
      }
      let watcher = try #require(made)
      #expect(calls.wait { calls.total > 0 })
      withExtendedLifetime(watcher) {}
    }
    try watchOnce()
    let deadline = Date(timeIntervalSinceNow: 300)
    while held != nil && Date() < deadline { sched_yield() }
    #expect(held == nil)
  }

  @Test("half of all changes reach the watcher within 20 milliseconds of the rename")
  func latency() throws {
    try commit("k", "0")
    let (watcher, calls) = try watch()
    var medians: [Duration] = []
    // Others may keep the machine busy for a while; what the code does shows where most of five rounds are quick.
    func isQuick() -> Bool { medians.count >= 5 && medians.suffix(5).sorted()[2] < .milliseconds(20) }
    while medians.count < 50, !isQuick() {
      var times: [Duration] = []
      for _ in 1...51 {
        let number = medians.count * 51 + times.count + 1
        try Data("{k = \(number); }".utf8).write(to: URL(fileURLWithPath: database.directory + "/.next"))
        let start = ContinuousClock.now
        #expect(rename(database.directory + "/.next", database.directory + "/App.plist") == 0)
        #expect(calls.wait { calls.told("k") == .string(String(number)) })
        times.append(ContinuousClock.now - start)
      }
      medians.append(times.sorted()[times.count / 2])
    }
    #expect(isQuick(), "medians \(medians)")
    withExtendedLifetime(watcher) {}
  }

  // A look at any other file ended the polling, and the look that had failed was never repeated.
  @Test("what is to be looked at again is, also beside a file that changes all the time")
  func lookAgain() throws {
    let calls = WatcherCalls(reading: "App", in: database)
    let names = Names()
    let everything = Lock(0)
    let watcher = try #require(
      DatabaseWatcher(of: database) { changed in
        names.lock.withLock { $0.formUnion(changed ?? []) }
        if changed == nil { everything.withLock { $0 += 1 } }
        calls.add()
      })
    #expect(calls.wait { !watcher.isPolling && calls.total > 0 })
    try commit("k", "0")
    #expect(calls.wait { calls.told("k") == "0" })
    // Making the directory has everything looked at, too.
    #expect(calls.wait { !watcher.isPolling })
    let before = everything.withLock { $0 }
    watcher.lookAgainSoon()
    var round = 0
    let deadline = MonotonicTime.now + 300
    while everything.withLock({ $0 }) == before, .now < deadline {
      round += 1
      try commit("k", "\(round)")
      #expect(calls.wait { calls.told("k") == .string("\(round)") })
    }
    #expect(everything.withLock { $0 } > before)
  }

  // A look at another file counted the watches as complete, and ended the polling.
  @Test(
    "a change behind a link whose way cannot be walked for a while is told, also beside other domains' changes"
  )
  func unwalkableLink() throws {
    try run(
      "mkdir -p a/Defaults dot && echo '{ k = 1; }' > dot/L.plist && ln -s ../../dot/L.plist a/Defaults/App.plist"
    )
    let isFailing = Lock(false)
    let disk = FaultyFileSystem { operation in
      isFailing.withLock { $0 } && operation.path?.contains("/dot") ?? false ? .notPermitted : nil
    }
    let watched = UserDatabase(directory: database.directory, fileSystem: disk)
    let calls = WatcherCalls(reading: "App", in: watched)
    let names = Names()
    let watcher = try #require(
      DatabaseWatcher(of: watched) { changed in
        names.lock.withLock { $0.formUnion(changed ?? []) }
        calls.add()
      })
    #expect(calls.wait { calls.told("k") == "1" && !watcher.isPolling })
    isFailing.withLock { $0 = true }
    try run("echo '{ k = 2; }' > dot/new && mv dot/new dot/L.plist")
    #expect(calls.wait { watcher.isPolling })
    var changes = DomainChanges()
    changes.set("1", for: "other")
    let other = try DomainName("Other")
    _ = try UserDatabase(directory: database.directory).commit(changes, to: other, onDamage: .refuse)
    #expect(calls.wait { names.lock.withLock { $0.contains(other) } })
    isFailing.withLock { $0 = false }
    #expect(calls.wait { calls.told("k") == "2" })
    #expect(calls.wait { !watcher.isPolling })
  }

  // It was a look at a file without a name, which told nobody that the files could be read again.
  @Test("a change of the rights to the database's directory has everything looked at")
  func rights() throws {
    try commit("k", "1")
    let calls = WatcherCalls()
    let everything = Lock(0)
    let watcher = try #require(
      DatabaseWatcher(of: database) { changed in
        if changed == nil { everything.withLock { $0 += 1 } }
        calls.add()
      })
    #expect(calls.wait { calls.total > 0 && !watcher.isPolling })
    let before = everything.withLock { $0 }
    try run("chmod 750 a/Defaults")
    #expect(calls.wait { everything.withLock { $0 } > before })
  }
}
