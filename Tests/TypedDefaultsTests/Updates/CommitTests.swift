import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing
import TypedDefaults

@testable import UserDefaultsCompat

/// Changes that are made of what is on the disk, under the database's lock.
struct CommitTests {
  private struct Failure: Error {}

  private let home: TypedHome
  private let defaults: UserDefaults

  init() throws {
    home = try TypedHome()
    defaults = home.defaults
  }

  /// What is in the file, by another object of the database.
  private var file: [PropertyListKey: PropertyList] {
    get throws { try UserDatabase(directory: home.directory).load(DomainName("App")).values }
  }

  /// An object that shares nothing with others in memory, as one of another process.
  private func stranger() throws -> UserDefaults {
    UserDefaults(
      store: DefaultsStore(
        user: PersistentDomains(database: UserDatabase(directory: home.directory)),
        applicationName: try DomainName("App"), process: ProcessDomains(arguments: []), managed: nil))
  }

  /// A commit that does not suspend its caller, as it would in an asynchronous function.
  private static func commit(to defaults: UserDefaults) throws {
    try defaults.commit { $0.set(1, forKey: "Count") }
  }

  /// Waits for another thread, which is about to signal.
  @Test("the body begins with what is on the disk by then, and the result is in the file and in memory")
  func fromDisk() throws {
    defaults.set(1, forKey: "Count")
    #expect(defaults.synchronize())
    try home.writeOutside("Count", 41.asInteger)
    let number = try defaults.commit { draft in
      draft.set(draft.integer(forKey: "Count") + 1, forKey: "Count")
      return draft.integer(forKey: "Count")
    }
    #expect(number == 42 && defaults.integer(forKey: "Count") == 42)
    #expect(try file["Count"] == 42.asInteger)
    // With no change in between, and from another object in memory.
    try defaults.commit { $0.set($0.integer(forKey: "Count") + 1, forKey: "Count") }
    try stranger().commit { $0.set($0.integer(forKey: "Count") + 1, forKey: "Count") }
    try defaults.commit { $0.set($0.integer(forKey: "Count") + 1, forKey: "Count") }
    #expect(defaults.integer(forKey: "Count") == 45)
    #expect(try file["Count"] == 45.asInteger)
  }

  @Test("unsaved changes are over what is on the disk, and are saved with the commit")
  func unsaved() throws {
    try home.writeOutside("Count", 5.asInteger)
    try home.writeOutside("Theirs", "x")
    defaults.set(10, forKey: "Count")
    defaults.set("y", forKey: "Ours")
    try defaults.commit { draft in
      #expect(draft.integer(forKey: "Count") == 10 && draft.string(forKey: "Theirs") == "x")
      #expect(draft.string(forKey: "Ours") == "y")
      draft.set(draft.integer(forKey: "Count") + 1, forKey: "Count")
    }
    #expect(try file == ["Count": 11.asInteger, "Theirs": "x", "Ours": "y"])
    #expect(defaults.string(forKey: "Theirs") == "x" && defaults.integer(forKey: "Count") == 11)
    #expect(!defaults.store.user.hasUnsavedChanges)
  }

  @Test("an error in the body changes nothing, and keeps what was unsaved")
  func failure() throws {
    defaults.set(1, forKey: "Count")
    #expect(throws: Failure.self) {
      try defaults.commit { draft in
        draft.set(2, forKey: "Count")
        draft.set("x", forKey: "New")
        throw Failure()
      }
    }
    #expect(defaults.integer(forKey: "Count") == 1 && defaults.object(forKey: "New") == nil)
    #expect(defaults.synchronize())
    #expect(try file == ["Count": 1.asInteger])
  }

  @Test("typed keys of the object mean the draft, transactions and modify too")
  func typedKeys() throws {
    let count = Defaults.Key<Int>("Count", default: 0, suite: defaults)
    let names = Defaults.Key<[String]>("Names", default: [], suite: defaults)
    try home.writeOutside("Count", 7.asInteger)
    try defaults.commit { draft in
      Defaults[count] += 1
      Defaults.modify(count) { $0 += 1 }
      Defaults.transaction {
        Defaults[names].append("a")
        draft[names].append("b")
      }
      #expect(draft[count] == 9 && Defaults[names] == ["a", "b"])
      #expect((try? Defaults.value(for: count)) == 9)
      // Nobody else sees it yet.
      #expect(defaults.persistentDomain(forName: "App")?["Names"] == nil)
    }
    #expect(Defaults[count] == 9 && Defaults[names] == ["a", "b"])
    try defaults.commit { _ in Defaults.removeAll(suite: defaults) }
    #expect(Defaults[count] == 0 && defaults.persistentDomain(forName: "App") == nil)
    #expect(try file.isEmpty)
  }

  @Test("a whole domain can be replaced and removed")
  func wholeDomain() throws {
    try home.writeOutside("Theirs", "x")
    try defaults.commit { $0.setPersistentDomain(["a": 1], forName: "App") }
    #expect(try file == ["a": 1.asInteger])
    #expect(defaults.persistentDomain(forName: "App") as? [String: Int] == ["a": 1])
    try defaults.commit { $0.removePersistentDomain(forName: "App") }
    #expect(try file.isEmpty)
    #expect(defaults.object(forKey: "a") == nil)
  }

  /// A call that a body must not make.
  struct Forbidden: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let call: @Sendable (_ defaults: UserDefaults, _ draft: UserDefaults, _ other: UserDefaults) -> Void

    static let all = [
      Forbidden(testDescription: "a set of the object itself") { defaults, _, _ in
        defaults.set(1, forKey: "a")
      },
      Forbidden(testDescription: "a modify of the object itself") { defaults, _, _ in
        defaults.modify(forKey: "a") { $0 = 1 }
      },
      Forbidden(testDescription: "a set of another object") { _, _, other in other.set(1, forKey: "a") },
      Forbidden(testDescription: "a transaction of another object") { _, _, other in
        Defaults.transaction { other[Defaults.Key<Int>("a", default: 0, suite: other)] = 1 }
      },
      Forbidden(testDescription: "another domain of the draft") { _, draft, _ in
        draft.setPersistentDomain(["a": 1], forName: "Other")
      },
      Forbidden(testDescription: "the removal of another domain") { _, draft, _ in
        draft.removePersistentDomain(forName: "Other")
      },
      Forbidden(testDescription: "another commit") { _, _, other in _ = try? other.commit { _ in } },
      Forbidden(testDescription: "a commit of the draft") { _, draft, _ in _ = try? draft.commit { _ in } },
      Forbidden(testDescription: "synchronize") { defaults, _, _ in defaults.synchronize() },
      Forbidden(testDescription: "synchronize of another object") { _, _, other in other.synchronize() },
    ]
  }

  @Test(
    "what a body must not do makes the commit fail with a sentence, and changes nothing",
    arguments: Forbidden.all)
  func refusals(forbidden: Forbidden) throws {
    let other = UserDefaults(directory: home.directory, applicationName: "Other")
    other.set("kept", forKey: "k")
    #expect(other.synchronize())
    let error = #expect(throws: DatabaseError.self) {
      try defaults.commit { draft in
        draft.set(2, forKey: "Count")
        forbidden.call(defaults, draft, other)
      }
    }
    #expect(error?.kind == .refused && error?.description.contains("inside") ?? false)
    #expect(
      try file.isEmpty && defaults.object(forKey: "Count") == nil && defaults.object(forKey: "a") == nil)
    #expect(other.persistentDomain(forName: "Other") as? [String: String] == ["k": "kept"])
    // And the next one works.
    try defaults.commit { $0.set(3, forKey: "Count") }
    #expect(try file == ["Count": 3.asInteger])
  }

  @Test("inside a transaction or a modify a commit is refused")
  func insideUpdates() throws {
    let count = Defaults.Key<Int>("Count", default: 0, suite: defaults)
    #expect(throws: DatabaseError.self) {
      try Defaults.transaction { try defaults.commit { _ in } }
    }
    #expect(throws: DatabaseError.self) {
      try Defaults.modify(count) { _ in try defaults.commit { _ in } }
    }
  }

  @Test("a key that the administrator has set makes a commit fail")
  func managedKeys() throws {
    let folder = try TemporaryHome()
    try folder.write("{ Locked = 1; }", to: "App.plist")
    let managed = PersistentDomains(database: UserDatabase(directory: folder.path))
    let user = PersistentDomains(database: UserDatabase(directory: home.directory))
    let defaults = UserDefaults(
      store: DefaultsStore(
        user: user, applicationName: try DomainName("App"), process: ProcessDomains(arguments: []),
        managed: managed))
    let error = #expect(throws: DatabaseError.self) {
      try defaults.commit { draft in
        draft.set(1, forKey: "Free")
        draft.set(2, forKey: "Locked")
      }
    }
    #expect(error?.kind == .refused && error?.description.contains("administrator") ?? false)
    #expect(try file.isEmpty && defaults.object(forKey: "Free") == nil)
    #expect(throws: DatabaseError.self) {
      try defaults.commit { $0.modify(forKey: "Locked") { $0 = 2 } }
    }
    defaults.modify(forKey: "Locked") { $0 = 3 }
    #expect(defaults.string(forKey: "Locked") == "1" && defaults.lastError != nil)
    try defaults.commit { $0.set(1, forKey: "Free") }
    #expect(try file == ["Free": 1.asInteger])
  }

  /// Has another thread set two keys.
  private func setElsewhere(_ defaults: UserDefaults) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      defaults.set(100, forKey: "Count")
      defaults.set("z", forKey: "Other")
      done.signal()
    }
    #expect(done.wait(timeout: .now() + 600) == .success)
  }

  // These run in processes of their own, since all updates of a process wait for each other.

  @Test("what another thread sets while the body runs stays, as if set afterwards")
  func plainSets() async {
    await #expect(processExitsWith: .success) { try CommitTests().checkPlainSets() }
  }

  private func checkPlainSets() throws {
    defaults.set(1, forKey: "Count")
    #expect(defaults.synchronize())
    try defaults.commit { [defaults] draft in
      setElsewhere(defaults)
      #expect(draft.integer(forKey: "Count") == 1)
      draft.set(2, forKey: "Count")
    }
    #expect(defaults.integer(forKey: "Count") == 100 && defaults.string(forKey: "Other") == "z")
    #expect(defaults.synchronize())
    #expect(try file == ["Count": 100.asInteger, "Other": "z"])
  }

  @Test(
    "and so it does in a domain in memory, whether the body sets keys or replaces the domain",
    arguments: [false, true])
  func plainSetsInMemory(replacesAll: Bool) async {
    await #expect(processExitsWith: .success) { [replacesAll = replacesAll as Bool] in
      try CommitTests().checkPlainSetsInMemory(replacesAll: replacesAll)
    }
  }

  private func checkPlainSetsInMemory(replacesAll: Bool) throws {
    let defaults = UserDefaults.inMemory(applicationName: "App")
    for key in ["Count", "Removed", "Same"] { defaults.set(1, forKey: key) }
    try defaults.commit { draft in
      setElsewhere(defaults)
      if replacesAll {
        draft.setPersistentDomain(["Count": 2, "Same": 2], forName: "App")
      } else {
        draft.set(2, forKey: "Count")
        draft.set(2, forKey: "Same")
        draft.removeObject(forKey: "Removed")
      }
    }
    #expect(defaults.integer(forKey: "Count") == 100 && defaults.string(forKey: "Other") == "z")
    #expect(defaults.integer(forKey: "Same") == 2 && defaults.object(forKey: "Removed") == nil)
  }

  @Test("observers see all changes at once, other processes' included, after the locks are released")
  func observers() throws {
    try home.writeOutside("Theirs", "x")
    defaults.synchronize()
    try home.writeOutside("Theirs", "y")
    let seen = Log<[String]>()
    let second = UserDefaults(directory: home.directory, applicationName: "App")
    let observations = [defaults, second].map { object in
      object.observe("Count", options: []) { [defaults] _, _ in
        seen.add([defaults.string(forKey: "Theirs") ?? "", defaults.string(forKey: "Count") ?? ""])
        // Each of these needs a lock that the commit had.
        #expect(defaults.synchronize())
        defaults.modify(forKey: "Seen") { $0 = ($0 as? Int ?? 0) + 1 }
      }
    }
    let posted = Lock(0)
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
    ) { _ in posted.withLock { $0 += 1 } }
    defer { NotificationCenter.default.removeObserver(token) }
    try defaults.commit { draft in
      draft.set(1, forKey: "Count")
      draft.set(2, forKey: "Count")
      #expect(seen.all.isEmpty)
    }
    #expect(seen.all == [["y", "2"], ["y", "2"]])
    #expect(defaults.integer(forKey: "Seen") == 2)
    #expect(posted.withLock { $0 } == 3)
    withExtendedLifetime(observations) {}
  }

  @Test(
    "a commit waits two seconds for the lock, names its holder, and changes nothing; a modify does not wait")
  func lockHeld() async {
    // In a process of its own: before it waits for the lock, a commit waits for the updates of its process.
    await #expect(processExitsWith: .success) {
      let test = try CommitTests()
      let defaults = test.defaults
      let holder = try await LockHolder(of: UserDatabase(directory: test.home.directory))
      let start = MonotonicTime.now
      let error = #expect(throws: DatabaseError.self) { try Self.commit(to: defaults) }
      #expect(error?.kind == .locked(holder: CurrentProcess.identifier))
      // Two seconds, and room for a busy machine.
      #expect((1.9..<20).contains(MonotonicTime.now.seconds(since: start)))
      #expect(defaults.object(forKey: "Count") == nil)
      defaults.modify(forKey: "Other") { $0 = 1 }
      holder.release()
      try Self.commit(to: defaults)
      #expect(try test.file["Count"] == 1.asInteger)
    }
  }

  @Test("tasks that commit at the same time lose none, in two objects that share nothing in memory")
  func tasks() async throws {
    let strangers = [defaults, try stranger()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<8 {
        group.addTask {
          for _ in 0..<10 {
            try await strangers[index % 2].commitPatiently {
              $0.set($0.integer(forKey: "Count") + 1, forKey: "Count")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try file["Count"] == 80.asInteger)
  }

  @Test("inside the body of an asynchronous commit the standard object is the task's")
  func standardObject() async throws {
    let defaults = defaults
    try await UserDefaults.withStandard(defaults) {
      try await UserDefaults.standard.commit { _ in #expect(UserDefaults.standard === defaults) }
    }
  }

  @Test("a domain in memory is changed at one moment")
  func inMemory() throws {
    let defaults = UserDefaults.inMemory(applicationName: "App")
    defaults.set(1, forKey: "Count")
    try defaults.commit { $0.set($0.integer(forKey: "Count") + 1, forKey: "Count") }
    #expect(throws: Failure.self) {
      try defaults.commit {
        $0.set(9, forKey: "Count")
        throw Failure()
      }
    }
    #expect(defaults.integer(forKey: "Count") == 2)
  }

  @Test("the classic class commits its texts, with its search list")
  func classic() throws {
    // Without a modern object, which would read the change from outside by itself at any time, and tell of it.
    let place = try TemporaryHome()
    let database = UserDatabase(directory: place.path)
    let classic = NSUserDefaults(
      directory: place.path, applicationName: "App", arguments: ["", "-Shown", "9"])
    classic.registerDefaults(["Registered": "7"])
    var outside = DomainChanges()
    outside.set("41", for: "Count")
    _ = try database.commit(outside, to: DomainName("App"), onDamage: .refuse)
    let posted = Lock(0)
    let token = NotificationCenter.default.addObserver(
      forName: NSUserDefaultsDidChangeNotification, object: classic, queue: nil
    ) { _ in posted.withLock { $0 += 1 } }
    defer { NotificationCenter.default.removeObserver(token) }
    try classic.commit { draft in
      draft.setInteger(draft.integerForKey("Count") + 1, forKey: "Count")
      #expect(draft.searchList() == classic.searchList())
      #expect(draft.integerForKey("Registered") == 7 && draft.integerForKey("Shown") == 9)
      #expect(posted.withLock { $0 } == 0)
    }
    #expect(classic.integerForKey("Count") == 42 && posted.withLock { $0 } == 1)
    #expect(try database.load(DomainName("App")).values == ["Count": "42"])
    #expect(throws: DatabaseError.self) { try classic.commit { _ in classic.setInteger(1, forKey: "Count") } }
    #expect(throws: DatabaseError.self) {
      try classic.commit { try $0.setPersistentDomain(["a": "1"], forName: "Another") }
    }
    #expect(!classic.persistentDomainNames().contains("Another"))
  }

  // The process's values may be older than what others have committed: a counter gave a number again.
  @Test("a damaged file makes a commit fail, also where the process has read it while it was whole")
  func damage() throws {
    defaults.set(1, forKey: "Count")
    #expect(defaults.synchronize())
    let broken = Array("{ Count = 1; broken".utf8)
    try Data(broken).write(to: URL(fileURLWithPath: home.directory + "/App.plist"))
    let error = #expect(throws: DatabaseError.self) { try CommitTests.commit(to: defaults) }
    #expect(error?.kind == .damaged)
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: home.directory + "/App.plist"))) == broken)
    // A commit right behind a set leaves it where it is, too.
    defaults.set("set", forKey: "Other")
    #expect(throws: DatabaseError.self) { try CommitTests.commit(to: defaults) }
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: home.directory + "/App.plist"))) == broken)
    // The save of the set moves it aside, and goes on with what the process knows.
    #expect(defaults.synchronize())
    try defaults.commit { $0.set($0.integer(forKey: "Count") + 1, forKey: "Count") }
    #expect(try file == ["Count": 2.asInteger, "Other": "set"])
    let names = try FileManager.default.contentsOfDirectory(atPath: home.directory)
    let kept = try #require(names.first { $0.contains(".damaged-") })
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: home.directory + "/" + kept))) == broken)
  }

  @Test("a damaged file that this process has never read whole makes a commit fail: no counter begins anew")
  func unknownDamage() throws {
    let broken = "{ Invoice = 41 /*integer*/; broken ( }"
    let path = home.directory + "/App.plist"
    try FileManager.default.createDirectory(atPath: home.directory, withIntermediateDirectories: true)
    try Data(broken.utf8).write(to: URL(fileURLWithPath: path))
    let modern = UserDefaults(directory: home.directory, applicationName: "App")
    let classic = NSUserDefaults(directory: home.directory, applicationName: "App")
    var isRun = false
    for _ in 0..<2 {
      let error = #expect(throws: DatabaseError.self) {
        try modern.commit { draft in
          isRun = true
          draft.set(draft.integer(forKey: "Invoice") + 1, forKey: "Invoice")
        }
      }
      #expect(error?.kind == .damaged && error?.path == path)
    }
    #expect(throws: DatabaseError.self) {
      try classic.commit { draft in
        isRun = true
        draft.setInteger(draft.integerForKey("Invoice") + 1, forKey: "Invoice")
      }
    }
    // Nor where there was no file when this process looked first.
    let later = UserDefaults(directory: home.directory, applicationName: "Later")
    #expect(later.object(forKey: "Invoice") == nil)
    try Data(broken.utf8).write(to: URL(fileURLWithPath: home.directory + "/Later.plist"))
    #expect(throws: DatabaseError.self) { try later.commit { _ in isRun = true } }
    #expect(!isRun)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == broken)
    let names = try FileManager.default.contentsOfDirectory(atPath: home.directory)
    #expect(!names.contains { $0.contains(".damaged-") })
    // Nor where the process has set another key, and the save that moves the file aside has not been made.
    let disk = FaultyFileSystem { $0.name == "rename" ? .notPermitted : nil }
    let setting = UserDefaults(
      store: DefaultsStore(
        user: PersistentDomains(database: UserDatabase(directory: home.directory, fileSystem: disk)),
        applicationName: try DomainName("App"), process: ProcessDomains(arguments: []), managed: nil))
    setting.set("now", forKey: "LastLaunch")
    let error = #expect(throws: DatabaseError.self) { try setting.commit { _ in isRun = true } }
    #expect(error?.kind == .damaged && !isRun)
    // A set is a wish to go on without what the file contains.
    modern.set(7, forKey: "Invoice")
    #expect(modern.synchronize())
    try modern.commit { $0.set($0.integer(forKey: "Invoice") + 1, forKey: "Invoice") }
    #expect(modern.integer(forKey: "Invoice") == 8)
  }
}

extension UserDefaults {
  /// Commits, and again for a minute if the lock was held for two seconds, as a program does on a busy machine.
  func commitPatiently<Result>(_ body: (UserDefaults) throws -> Result) throws -> Result {
    let end = MonotonicTime.now + 60
    while true {
      do {
        return try commit(body)
      } catch let error as DatabaseError {
        guard case .locked = error.kind, .now < end else { throw error }
      }
    }
  }

  /// The same for a task.
  func commitPatiently<Result: Sendable>(
    _ body: @escaping @Sendable (UserDefaults) throws -> Result
  ) async throws -> Result {
    let end = MonotonicTime.now + 60
    while true {
      do {
        return try await commit(body)
      } catch let error as DatabaseError {
        guard case .locked = error.kind, .now < end else { throw error }
      }
    }
  }
}

extension Int {
  /// The number as a stored value.
  fileprivate var asInteger: PropertyList { .integer(PropertyListInteger(Int64(self))) }
}
