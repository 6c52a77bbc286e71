#if os(Linux)
  import DefaultsDatabase
  import Foundation
  import OpenStepPropertyList
  import TestSupport
  import Testing

  @testable import DefaultsDomains

  /// Saves at a time at which the system provides no thread.
  struct ThreadlessSaveTests {
    private let home: TemporaryHome

    init() throws {
      home = try TemporaryHome()
    }

    /// Bounds the threads of the process's user by the hard limit, or by none more.
    private static func setThreads(areAllowed: Bool) -> Bool {
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(6), &limit) == 0 else { return false }
      limit.rlim_cur = areAllowed ? limit.rlim_max : 1
      return setrlimit(__rlimit_resource_t(6), &limit) == 0
    }

    // The domain stayed listed as unsaved, and no later change of it had a save scheduled.
    @Test(
      "what is unsaved when a save ends, and there is no thread then, is saved when there is one, without a call"
    )
    func laterThread() async throws {
      await #expect(processExitsWith: .exitCode(0)) { [path = home.path as String] in
        // Root may have as many threads as it likes.
        if geteuid() == 0 {
          guard chown(path, 65534, 65534) == 0, setgid(65534) == 0, setuid(65534) == 0 else { _exit(1) }
        }
        let (isSaving, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Lock(true)
        let disk = FaultyFileSystem { operation in
          guard operation.name == "rename",
            isFirst.withLock({ isFirst in
              defer { isFirst = false }
              return isFirst
            })
          else { return nil }
          isSaving.signal()
          mayGoOn.wait()
          return nil
        }
        let name = DomainName.global
        let domains = PersistentDomains(database: UserDatabase(directory: path, fileSystem: disk))
        let domain = domains.domain(name)
        let other = UserDatabase(directory: path)
        func waitUntil(_ key: PropertyListKey) -> Bool {
          let end = MonotonicTime.now + 600
          while (try? other.load(name).values[key]) != "x" {
            if .now > end { return false }
            CurrentProcess.pause(microseconds: 10_000)
          }
          return true
        }
        domains.set("x", for: "first", in: domain)
        isSaving.wait()
        // Not in the save that is under way, whose end plans the next one.
        domains.set("x", for: "second", in: domain)
        guard ThreadlessSaveTests.setThreads(areAllowed: false) else { _exit(2) }
        mayGoOn.signal()
        guard waitUntil("first") else { _exit(3) }
        // Until the next save was planned in vain; the thread that began the first one may still have been there for it.
        let end = MonotonicTime.now + 600
        while !Synchronizer.shared.hasToKnowAll, domains.hasUnsavedChanges {
          if .now > end { _exit(4) }
          CurrentProcess.pause(microseconds: 1000)
        }
        guard ThreadlessSaveTests.setThreads(areAllowed: true) else { _exit(5) }
        guard waitUntil("second") else { _exit(6) }
        _exit(0)
      }
    }
  }
#endif
