import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DefaultsDatabase

/// What the administrator may do with another user's rights; what it may not is the kernel's to decide.
@Suite(.enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
struct FileRightsTests {
  private let home: TemporaryHome
  private let nobody = FileRights(ofUser: 65534)

  init() throws {
    home = try TemporaryHome()
    try home.write("secret", to: "secret")
    #expect(chmod(home.path, 0o755) == 0)
  }

  private static func mayRead(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY)
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
  }

  /// The supplementary groups of the calling thread.
  private static func presentGroups() -> [gid_t] {
    var groups = [gid_t](repeating: 0, count: 100)
    let count = Int(getgroups(100, &groups))
    return groups.prefix(count).sorted()
  }

  @Test(
    "a directory in which other users may replace entries is refused, and so is one of theirs",
    arguments: [(0o777, 0, true), (0o1777, 0, false), (0o755, 0, false), (0o755, 65534, true)])
  func othersPaths(mode: mode_t, owner: uid_t, isRefused: Bool) throws {
    #expect(chmod(home.path, mode) == 0 && chown(home.path, owner, 0) == 0)
    defer { #expect(chown(home.path, 0, 0) == 0) }
    var kind: DatabaseError.Kind?
    do throws(DatabaseError) {
      try FileRights.refuseOtherUsersPath(home.path)
    } catch {
      kind = error.kind
    }
    #expect(kind == (isRefused ? .refused : nil))
  }

  @Test("a user's rights are those of the user, its group and its groups, and end with the body")
  func drop() throws {
    for (mode, isReadable) in [(0o600, false), (0o640, false), (0o644, true)] as [(mode_t, Bool)] {
      #expect(chmod(home.path("secret"), mode) == 0)
      let could = try nobody.with(towards: home.path) { () throws(DatabaseError) in
        FileRightsTests.mayRead(home.path("secret"))
      }
      #expect(could == isReadable, "\(String(mode, radix: 8))")
    }
    #expect(chmod(home.path("secret"), 0o000) == 0)
    #expect(FileRightsTests.mayRead(home.path("secret")))
  }

  @Test("inside a user's rights, the program's closures and the package's new threads have the process's own")
  func ownRightsInside() throws {
    let secret = home.path("secret")
    #expect(chmod(secret, 0o600) == 0)
    let groups = FileRightsTests.presentGroups()
    let couldInThread = Lock(false)
    try nobody.with(towards: home.path) { () throws(DatabaseError) in
      #expect(!FileRightsTests.mayRead(secret))
      let isRun = SystemThread.run(stackSize: 1 << 20) {
        couldInThread.withLock { $0 = FileRightsTests.mayRead(secret) }
      }
      #expect(isRun && !FileRightsTests.mayRead(secret) && FileRights.areTaken)
      try FileRights.withOwn(towards: home.path) { () throws(DatabaseError) in
        #expect(FileRightsTests.mayRead(secret) && !FileRights.areTaken)
        #expect(FileRightsTests.presentGroups() == groups)
        // A user's rights inside the process's own, inside a user's.
        try FileRights.nobodys.with(towards: home.path) { () throws(DatabaseError) in
          #expect(!FileRightsTests.mayRead(secret))
        }
        #expect(FileRightsTests.mayRead(secret))
      }
      #expect(!FileRightsTests.mayRead(secret) && FileRights.areTaken && FileRights.presentUser == 65534)
    }
    #expect(couldInThread.withLock { $0 })
    #expect(FileRightsTests.mayRead(secret) && !FileRights.areTaken)
    #expect(FileRightsTests.presentGroups() == groups)
  }

  @Test("supplementary groups of the process do not count, and come back; other threads keep theirs")
  func groups() async throws {
    await #expect(processExitsWith: .success) { [path = home.path("secret") as String] in
      var own: [gid_t] = [0, 4321, 4322]
      try #require(setgroups(own.count, &own) == 0)
      try #require(chmod(path, 0o640) == 0 && chown(path, 0, 4321) == 0)
      let (wake, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let seenByOther = Lock<[gid_t]>([])
      Thread.detachNewThread {
        wake.wait()
        seenByOther.withLock { $0 = FileRightsTests.presentGroups() }
        done.signal()
      }
      let (could, groups) = try FileRights(ofUser: 65534).with(towards: path) { () throws(DatabaseError) in
        wake.signal()
        done.wait()
        return (FileRightsTests.mayRead(path), FileRightsTests.presentGroups())
      }
      #expect(!could)
      #expect(Set(groups).isDisjoint(with: own))
      #expect(seenByOther.withLock { $0 } == own)
      #expect(FileRightsTests.presentGroups() == own)
      #expect(FileRightsTests.mayRead(path))
    }
  }

  @Test("what a user makes with the rights is the user's") func ownership() throws {
    #expect(chown(home.path, 65534, 65534) == 0)
    try nobody.with(towards: home.path) { () throws(DatabaseError) in
      let descriptor = open(home.path("new"), O_CREAT | O_WRONLY, 0o600)
      close(descriptor)
    }
    var status = stat()
    #expect(lstat(home.path("new"), &status) == 0 && status.st_uid == 65534 && status.st_gid == 65534)
  }

  #if os(Linux)
    @Test("capabilities that outlive a change of the user are given up, and come back")
    func capabilities() async throws {
      await #expect(processExitsWith: .success) { [path = home.path as String] in
        // With the secure bit that lets them; Swift does not show functions with a variable number of arguments.
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        let symbol = try #require(dlsym(nil, "prctl"))
        let (setSecureBits, noSetUIDFixup) = (28 as Int32, 4 as UInt)
        try #require(unsafeBitCast(symbol, to: Control.self)(setSecureBits, noSetUIDFixup, 0, 0, 0) == 0)
        try #require(chmod("\(path)/secret", 0o600) == 0)
        let could = try FileRights(ofUser: 65534).with(towards: path) { () throws(DatabaseError) in
          FileRightsTests.mayRead("\(path)/secret")
        }
        #expect(!could)
        #expect(chmod("\(path)/secret", 0) == 0 && FileRightsTests.mayRead("\(path)/secret"))
      }
    }

    /// The values that the system reports of the calling thread under a name, such as `Uid`.
    private static func status(_ name: String) -> [String] {
      let lines = (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8))?.split(
        separator: "\n")
      let line = lines?.first { $0.hasPrefix("\(name):") }
      return line?.split(whereSeparator: \.isWhitespace).dropFirst().map(String.init) ?? []
    }

    /// Whether the C library has asked the calling thread to change its user, and the thread has not done so.
    private static func isAskedToChange() -> Bool {
      let signals = status("SigPnd").first.flatMap { UInt64($0, radix: 16) } ?? 0
      return signals & (1 << 32 | 1 << 33) != 0
    }

    @Test("a call that changes the process's user waits for the threads that have another user's rights")
    func setIDCall() async throws {
      await #expect(processExitsWith: .success) { [path = home.path as String] in
        let (isReady, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let seen = Lock<[[String]]>([])
        Thread.detachNewThread {
          do throws(DatabaseError) {
            try FileRights(ofUser: 65534).with(towards: path) { () throws(DatabaseError) in
              // A write blocks another signal for its time.
              let null = open("/dev/null", O_WRONLY)
              #expect(throws: Never.self) { try DiskFileSystem().write(all: [0], to: null) }
              close(null)
              isReady.signal()
              let limit = MonotonicTime.now + 60
              // No event tells it.
              while !FileRightsTests.isAskedToChange(), .now < limit { sched_yield() }
              seen.withLock { $0.append(FileRightsTests.status("Uid")) }
              // To start a thread takes a lock that the waiting call holds: the thread changes its user here.
              let isRun = SystemThread.run(stackSize: 1 << 20) {}
              let root = try? Account(user: 0)
              #expect(isRun && root?.user == 0)
              #expect(throws: SystemError.notAllowed) {
                try DiskFileSystem().status(at: path, followingLinks: true)
              }
            }
          } catch {
            Issue.record(error)
          }
          seen.withLock { $0 += [FileRightsTests.status("Uid"), FileRightsTests.status("CapEff")] }
          isDone.signal()
        }
        isReady.wait()
        #expect(seteuid(65533) == 0)
        isDone.wait()
        let seenValues = seen.withLock { $0 }
        #expect(seteuid(0) == 0)
        #expect(seenValues.count == 3 && seenValues[0] == ["0", "0", "0", "65534"])
        #expect(seenValues[1] == ["0", "65533", "0", "65533"] && Set(seenValues[2].joined()) == ["0"])
      }
    }

    /// The user whose rights a signal's handler had, last; a handler captures nothing.
    private static let handlersUser = Atomic<UInt32>(.max)

    @Test("a signal's handler runs with the process's own rights; that of the parent's end remains")
    func signals() async throws {
      await #expect(processExitsWith: .success) { [path = home.path as String] in
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        let control = unsafeBitCast(try #require(dlsym(nil, "prctl")), to: Control.self)
        let (setDeathSignal, getDeathSignal) = (1 as Int32, 2 as Int32)
        // Ignored unless a program asks for it.
        try #require(control(setDeathSignal, UInt(SIGURG), 0, 0, 0) == 0)
        signal(SIGUSR1) { _ in
          FileRightsTests.handlersUser.store(FileRights.presentUser, ordering: .relaxed)
        }
        // The threads of tests block signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR1)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        func user() -> UInt32 { FileRightsTests.handlersUser.exchange(.max, ordering: .relaxed) }
        try FileRights(ofUser: 65534).with(towards: path) { () throws(DatabaseError) in
          pthread_kill(pthread_self(), SIGUSR1)
          #expect(user() == .max)
          try FileRights.withOwn(towards: path) { () throws(DatabaseError) in #expect(user() == 0) }
          pthread_kill(pthread_self(), SIGUSR1)
          #expect(user() == .max)
        }
        #expect(user() == 0)
        pthread_kill(pthread_self(), SIGUSR1)
        #expect(user() == 0)
        var number: Int32 = 0
        let code = withUnsafeMutablePointer(to: &number) {
          control(getDeathSignal, UInt(bitPattern: $0), 0, 0, 0)
        }
        #expect(code == 0 && number == SIGURG)
      }
    }

    @Test(
      "a thread whose process has changed its user meanwhile takes no other user's rights again, nor root's")
    func changedUser() async throws {
      await #expect(processExitsWith: .success) { [path = home.path as String] in
        let nobody = FileRights(ofUser: 65534)
        var message: String?
        var codes: [SystemError?] = []
        do throws(DatabaseError) {
          try nobody.with(towards: path) { () throws(DatabaseError) in
            defer {
              do throws(SystemError) {
                codes.append(nil)
                _ = try DiskFileSystem().status(at: path, followingLinks: true)
              } catch {
                codes[0] = error
              }
            }
            try FileRights.withOwn(towards: path) { () throws(DatabaseError) in #expect(seteuid(65533) == 0) }
          }
        } catch {
          message = error.message
        }
        let now = (FileRightsTests.status("Uid"), FileRightsTests.status("CapEff"))
        #expect(seteuid(0) == 0)
        #expect(message?.contains("cannot give back and take again") == true)
        #expect(codes == [.notAllowed])
        #expect(now.0 == ["0", "65533", "0", "65533"] && Set(now.1.joined()) == ["0"])
        let user = try nobody.with(towards: path) { () throws(DatabaseError) in FileRights.presentUser }
        #expect(user == 65534 && FileRights.presentUser == 0)
      }
    }

    @Test("where a thread cannot give up its rights, nothing is done as that user")
    func refusal() async throws {
      await #expect(processExitsWith: .success) { [path = home.path as String] in
        // Without the capability to change groups; the system's structures are not shown to Swift.
        typealias Call = @convention(c) (UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>) -> Int32
        let get = unsafeBitCast(try #require(dlsym(nil, "capget")), to: Call.self)
        let set = unsafeBitCast(try #require(dlsym(nil, "capset")), to: Call.self)
        var header: [UInt32] = [0x2008_0522, 0]
        var sets = [UInt32](repeating: 0, count: 6)
        try #require(get(&header, &sets) == 0)
        for index in 0..<2 { sets[index] &= ~(1 << 6) }
        try #require(set(&header, &sets) == 0)
        var isRun = false
        let error = #expect(throws: DatabaseError.self) {
          try FileRights(ofUser: 65534).with(towards: path) { () throws(DatabaseError) in isRun = true }
        }
        #expect(!isRun)
        #expect(error?.kind == .refused)
        #expect(
          error?.description.hasPrefix("\(path): is reached with the rights of user 65534 only") == true)
        // The process has its own rights still.
        #expect(FileRightsTests.mayRead("\(path)/secret"))
        #expect(throws: DatabaseError.self) {
          try UserDatabase(directory: path, account: Account(named: "nobody")).load(DomainName("App"))
        }
      }
    }

    @Test("rights that are taken inside others count until they are given back")
    func nested() throws {
      #expect(chown(home.path("secret"), 65533, 65533) == 0 && chmod(home.path("secret"), 0o600) == 0)
      let place = home.path("secret")
      let other = FileRights(ofUser: 65533)
      let could = try nobody.with(towards: place) { () throws(DatabaseError) in
        let before = FileRightsTests.mayRead(place)
        let inside = try other.with(towards: place) { () throws(DatabaseError) in
          FileRightsTests.mayRead(place)
        }
        return [before, inside, FileRightsTests.mayRead(place)]
      }
      #expect(could == [false, true, false])
      #expect(!FileRights.areTaken)
      #expect(chown(place, 0, 0) == 0 && chmod(place, 0) == 0 && FileRightsTests.mayRead(place))
    }

    @Test("rights that were taken inside others leave none of their groups behind")
    func nestedGroups() throws {
      let account = try #require(try Account(named: "daemon"))
      let place = home.path("secret")
      #expect(chown(place, 0, gid_t(account.group)) == 0 && chmod(place, 0o640) == 0)
      let other = FileRights(of: account)
      let could = try nobody.with(towards: place) { () throws(DatabaseError) in
        let inside = try other.with(towards: place) { () throws(DatabaseError) in
          FileRightsTests.mayRead(place)
        }
        return [inside, FileRightsTests.mayRead(place)]
      }
      #expect(could == [true, false])
    }

    @Test("no link of /proc leads past the permissions, to where a process stands or what it has open")
    func magicLinks() throws {
      // A directory that everybody may read, below one that the administrator alone may pass through.
      try FileManager.default.createDirectory(
        atPath: home.path("closed/open"), withIntermediateDirectories: true)
      try Data("{ Key = secret; }".utf8).write(to: URL(fileURLWithPath: home.path("closed/open/App.plist")))
      #expect(
        chmod(home.path("closed/open/App.plist"), 0o644) == 0 && chmod(home.path("closed/open"), 0o777) == 0)
      #expect(chmod(home.path("closed"), 0o700) == 0)
      let directory = open(home.path("closed/open"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(directory) }
      let standing = Process()
      standing.executableURL = URL(fileURLWithPath: "/bin/sleep")
      standing.arguments = ["1000"]
      standing.currentDirectoryURL = URL(fileURLWithPath: home.path("closed/open"))
      try standing.run()
      defer {
        kill(standing.processIdentifier, SIGKILL)
        standing.waitUntilExit()
      }
      let disk = DiskFileSystem()
      let number = standing.processIdentifier
      for way in [
        "/proc/self/fd/\(directory)", "/proc/\(number)/cwd", "/proc/\(number)/root\(home.path)/closed/open",
      ] {
        #expect(throws: Never.self) { try disk.names(inDirectory: way) }
        try nobody.with(towards: way) { () throws(DatabaseError) in
          #expect(throws: SystemError.self) { try disk.names(inDirectory: way) }
          #expect(throws: SystemError.self) { try disk.open(way + "/App.plist", for: .reading) }
          #expect(throws: SystemError.self) { try disk.status(at: way + "/App.plist", followingLinks: true) }
          #expect(throws: SystemError.self) { try disk.status(at: way + "/App.plist", followingLinks: false) }
          #expect(throws: SystemError.self) { try disk.rename(way + "/App.plist", to: way + "/New.plist") }
          #expect(throws: SystemError.self) { try disk.link(way + "/App.plist", to: way + "/New.plist") }
          #expect(throws: SystemError.self) { try disk.makeDirectory(way + "/New") }
          #expect(throws: SystemError.self) { try disk.open(way + "/New.plist", for: .creating) }
          #expect(throws: SystemError.self) { try disk.remove(way + "/App.plist") }
          #expect(!disk.mayAccess(way + "/App.plist", for: .reading))
        }
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: home.path("closed/open"))
      #expect(names == ["App.plist"])
    }

    @Test("with a user's rights every call does what it does without")
    func calls() throws {
      #expect(chown(home.path, 65534, 65534) == 0)
      let disk = DiskFileSystem()
      let place = home.path
      try nobody.with(towards: place) { () throws(DatabaseError) in
        #expect(throws: Never.self) {
          try disk.makeDirectory(place + "/d")
          disk.close(try disk.open(place + "/d/a", for: .creating))
          try disk.link(place + "/d/a", to: place + "/d/b")
          try disk.rename(place + "/d/b", to: place + "/c")
          #expect(symlink("c", place + "/l") == 0)
          #expect(try disk.destination(ofLink: place + "/l") == "c")
          #expect(try disk.status(at: place + "/l", followingLinks: false).kind == .symbolicLink)
          #expect(try disk.status(at: place + "/l", followingLinks: true).kind == .regular)
          #expect(
            disk.mayAccess(place + "/l", for: .writing) && !disk.mayAccess(place + "/none", for: .reading))
          #expect(try disk.names(inDirectory: place + "/d/") == ["a"])
          try disk.remove(place + "/d/a")
          try disk.removeDirectory(place + "/d")
        }
        #expect(throws: SystemError.notFound) { try disk.status(at: place + "/d/a", followingLinks: false) }
      }
    }
  #endif
}
