import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// How long a process waits for files under leases.
struct LeasePatienceTests {
  @Test("waits for many files are two seconds together, and are forgotten with time")
  func waits() {
    let patience = LeasePatience()
    let start = MonotonicTime.now
    /// The seconds that a wait may take at a time.
    func left(at seconds: Double) -> Double {
      let wait = patience.begin(at: start + seconds)
      return wait.deadline.seconds(since: wait.start)
    }
    func isClose(_ left: Double, to expected: Double) -> Bool { abs(left - expected) < 0.001 }
    #expect(isClose(left(at: 0), to: 2))
    patience.end(patience.begin(at: start), at: start + 2)
    #expect(isClose(left(at: 2), to: 0))
    #expect(isClose(left(at: 3), to: 1))
    #expect(isClose(left(at: 10), to: 2))
    // A file server that answers soon.
    patience.end(patience.begin(at: start + 10), at: start + 10.25)
    #expect(isClose(left(at: 10.25), to: 1.75))
    // Two threads that wait at the same time.
    let waits = [patience.begin(at: start + 20), patience.begin(at: start + 20)]
    for wait in waits { patience.end(wait, at: start + 22) }
    #expect(isClose(left(at: 22), to: 0))
    #expect(isClose(left(at: 24), to: 2))
  }

  #if os(Linux)
    // The lock was held meanwhile: every other domain's save waited two seconds, or was refused.
    @Test("a save that waits for another process's lease holds no lock")
    func lock() async throws {
      await #expect(processExitsWith: .exitCode(0)) {
        let home = try TemporaryHome()
        try home.write("{ a = 1; }", to: "App.plist")
        // The numbers of F_SETLEASE, and of descriptors that the handler, which can capture nothing, knows.
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0, dup2(ends[1], 201) == 201 else { _exit(1) }
        let holder = dup2(open(home.path("App.plist"), O_RDWR), 200)
        signal(SIGIO) { _ in
          var byte: UInt8 = 0
          _ = write(201, &byte, 1)
        }
        // Some file systems have no leases.
        guard fcntl(holder, 1024, F_WRLCK) == 0 else { _exit(0) }
        let path = home.path
        let isStarted = SystemThread.start {
          var changes = DomainChanges()
          changes.set("2", for: "a")
          _ = try? UserDatabase(directory: path).commit(changes, to: DomainName("App"), onDamage: .refuse)
        }
        guard isStarted else { _exit(2) }
        var byte: UInt8 = 0
        // The system tells of the other thread's attempt to open the file.
        while read(ends[0], &byte, 1) < 0, errno == EINTR {}
        var changes = DomainChanges()
        changes.set("1", for: "b")
        _ = try UserDatabase(directory: path).commit(
          changes, to: DomainName("Small"), onDamage: .refuse, deadline: .now + 1)
        _exit(0)
      }
    }
  #endif
}
