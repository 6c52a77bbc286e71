#if os(Linux)
  import Foundation
  import OpenStepPropertyList
  import TestSupport
  import Testing

  @testable import DefaultsDatabase

  /// The administrator works in a user's directory while that user exchanges everything in it for links.
  ///
  /// Each operation may fail or be done in the user's own files; none may show or change what only the administrator
  /// may read.
  @Suite(.enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  struct ExchangeTests {
    private let home: TemporaryHome
    private static let user: UInt32 = 65534

    init() throws {
      home = try TemporaryHome()
      #expect(chmod(home.path, 0o755) == 0)
      for name in ["secret", "theirs", "theirs/Defaults"] {
        try FileManager.default.createDirectory(atPath: home.path(name), withIntermediateDirectories: false)
      }
      // Open to the administrator's group, in which the process may be and the user is not.
      #expect(chmod(home.path("secret"), 0o770) == 0)
      for name in ["App.plist", "Secret.plist"] {
        try home.write("{ secret = 1; }", to: "secret/\(name)")
        #expect(chmod(home.path("secret/\(name)"), 0o660) == 0)
      }
      try home.write("{ own = 1; }", to: "theirs/Defaults/App.plist")
      #expect(symlink("../secret", home.path("theirs/away")) == 0)
      #expect(symlink("../../secret/App.plist", home.path("theirs/Defaults/Aside.plist")) == 0)
      for name in ["", "/Defaults", "/away", "/Defaults/App.plist", "/Defaults/Aside.plist"] {
        #expect(lchown(home.path("theirs") + name, ExchangeTests.user, ExchangeTests.user) == 0)
      }
    }

    @Test(
      "ten thousand operations of every kind, while directory and file are exchanged for links, stay in the user's files",
      arguments: [[], [0], [0, 4321]] as [[UInt32]])
    func exchange(groups: [UInt32]) async throws {
      await #expect(processExitsWith: .success) { [path = home.path as String, groups = groups as [UInt32]] in
        try #require(setgroups(groups.count, groups) == 0)
        let exchanger = try Exchanger(in: "\(path)/theirs")
        let worker = try Worker(path)
        var number = 0
        // On a busy machine the two may hardly meet in ten thousand; where they never do, nothing was tried.
        while number < 10_000 || exchanger.count < 1000 || worker.successes < 1000 || worker.failures < 100 {
          try worker.work(number)
          number += 1
          try #require(number < 1_000_000)
        }
        exchanger.stop()
        #expect(worker.leaks == [:])
      }
      for name in ["App.plist", "Secret.plist"] {
        #expect(try home.text(of: "secret/\(name)") == "{ secret = 1; }")
        let attributes = try FileManager.default.attributesOfItem(atPath: home.path("secret/\(name)"))
        #expect(attributes[.ownerAccountID] as? Int == 0 && attributes[.posixPermissions] as? Int == 0o660)
      }
      #expect(try home.names(in: "secret") == ["App.plist", "Secret.plist"])
      let places = try FileManager.default.subpathsOfDirectory(atPath: home.path("theirs"))
      #expect(places.count >= 4)
      for place in places {
        let attributes = try FileManager.default.attributesOfItem(atPath: home.path("theirs/\(place)"))
        #expect(attributes[.ownerAccountID] as? Int == Int(ExchangeTests.user), "\(place)")
        guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
        let text = String(decoding: try home.bytes(of: "theirs/\(place)"), as: UTF8.self)
        #expect(!text.contains("secret"), "\(place)")
      }
    }
  }

  /// A user who exchanges its directory, and a file in it, for links without a pause.
  private final class Exchanger: Sendable {
    private let state = Lock(State())
    private let done = DispatchSemaphore(value: 0)

    private struct State {
      var count = 0
      var isStopped = false
    }

    init(in place: String) throws {
      let folder = open("\(place)/Defaults", O_RDONLY | O_DIRECTORY)
      try #require(folder >= 0)
      // A function of GNU's, which Swift does not show.
      typealias Exchange =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
      let exchange = unsafeBitCast(try #require(dlsym(nil, "renameat2")), to: Exchange.self)
      Thread.detachNewThread { [self] in
        let atExchange: UInt32 = 2
        while !state.withLock({ $0.isStopped }) {
          var count = 0
          for _ in 0..<2 {
            let code = exchange(AT_FDCWD, "\(place)/Defaults", AT_FDCWD, "\(place)/away", atExchange)
            if code == 0 { count += 1 }
            sched_yield()
          }
          if exchange(folder, "App.plist", folder, "Aside.plist", atExchange) == 0 { count += 1 }
          state.withLock { $0.count += count }
        }
        done.signal()
      }
    }

    var count: Int { state.withLock { $0.count } }

    func stop() {
      state.withLock { $0.isStopped = true }
      done.wait()
    }
  }

  /// The administrator's operations, one after the other.
  private final class Worker {
    private let path: String
    private let byPath: UserDatabase
    private let byAccount: UserDatabase
    private let watched: UserDatabase
    private let app: DomainName
    private(set) var successes = 0
    private(set) var failures = 0
    /// How often an operation of a kind showed what it must not. Counted, because thousands of reports would fill the
    /// pipe to the process that awaits this one.
    private(set) var leaks: [Int: Int] = [:]

    init(_ path: String) throws {
      self.path = path
      let directory = "\(path)/theirs/Defaults"
      byPath = UserDatabase(directory: directory)
      byAccount = UserDatabase(directory: directory, account: try Account(named: "nobody"))
      watched = UserDatabase(directory: directory)
      app = try DomainName("App")
    }

    func work(_ number: Int) throws {
      let database = number % 2 == 0 ? byPath : byAccount
      do throws(DatabaseError) {
        try operate(number / 2 % 40, number, database)
        successes += 1
      } catch {
        failures += 1
      }
    }

    private func check(_ isGood: Bool, _ kind: Int) {
      if !isGood { leaks[kind, default: 0] += 1 }
    }

    private func operate(_ kind: Int, _ number: Int, _ database: UserDatabase) throws(DatabaseError) {
      var changes = DomainChanges()
      changes.set(.string("\(number)"), for: "k")
      switch kind {
      case 0:
        let commit = try database.commit(changes, to: app, onDamage: .refuse)
        check(commit.after.values["secret"] == nil, kind)
      case 1:
        let commit = try database.commit(changes, to: app, onDamage: .moveAside)
        check(commit.after.values["secret"] == nil, kind)
      case 2:
        _ = try database.remove(DomainName("Other"))
        _ = try database.commit(changes, to: DomainName("Other"), onDamage: .refuse)
      case 3:
        // True while the link is in the directory's place.
        _ = try database.isOutOfReach()
      case 4:
        _ = try ExportFile(of: DomainName("Export"), in: database.directory).write(
          Array("{ exported = 1; }".utf8), replacing: true)
      case 5:
        let watcher = DatabaseWatcher(of: watched, onChange: { _ in })
        withExtendedLifetime(watcher) {}
      case 6:
        _ = database.path(of: app)
        _ = database.lies(in: "\(path)/theirs/away")
      case 7..<20:
        let names = try database.domainNames()
        check(!names.map(\.text).contains("Secret"), kind)
      case 20..<25:
        let operand = "\(path)/theirs/Defaults/App.plist"
        let bytes = try FileRights.reaching(operand) { () throws(DatabaseError) in
          do throws(SystemError) {
            return try DiskFileSystem().contents(ofFileOrPipe: operand, takingPipes: false)
          } catch {
            throw .inputOutput(error, path: operand, "cannot be read")
          }
        }
        check(!String(decoding: bytes, as: UTF8.self).contains("secret"), kind)
      case 25..<32:
        let loaded = try database.load(app, unlessStill: nil)
        check(loaded?.values["secret"] == nil, kind)
      default:
        check(try database.load(app).values["secret"] == nil, kind)
        check(try database.load(DomainName("Secret")).identity == nil, kind)
      }
    }
  }
#endif
