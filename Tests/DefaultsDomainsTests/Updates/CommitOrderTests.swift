import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// The order in which a commit takes the lock of updates and the database's lock.
struct CommitOrderTests {
  /// What became of a commit on another thread.
  private struct Outcome {
    var bodyCount = 0
    var error: DatabaseError?
  }

  // In a process of its own, since all updates of a process wait for each other.
  @Test(
    "a commit that has waited for the database's lock gives it back while an update of its process goes on")
  func givesBack() async {
    await #expect(processExitsWith: .success) { try Self.commitDuringUpdate() }
  }

  private static func commitDuringUpdate() throws {
    let home = try TemporaryHome()
    let tries = DispatchSemaphore(value: 0)
    let isReading = DispatchSemaphore(value: 0)
    let disk = FaultyFileSystem { operation in
      if operation.name == "tryLock" { tries.signal() }
      if operation.name.hasPrefix("open"), operation.path?.hasSuffix("/App.plist") == true {
        isReading.signal()
      }
      return nil
    }
    try home.write("{}", to: "App.plist")
    let database = UserDatabase(directory: home.path, fileSystem: disk)
    let app = PersistentDomains(database: database).domain(try DomainName("App"))
    try home.write("", to: ".lock")
    let other = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    try #require(flock(other, LOCK_EX) == 0)
    let outcome = Lock(Outcome())
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do throws(DatabaseError) {
        var calls: [() -> Void] = []
        _ = try app.commit(to: database, database.queue.wait(until: .now + 1200), &calls) { draft in
          outcome.withLock { $0.bodyCount += 1 }
          _ = draft.set("v", for: "k")
          return draft.draftChanges
        }
      } catch {
        outcome.withLock { $0.error = error }
      }
      ended.signal()
    }
    // It has tried in vain with the lock of updates, and waits without it.
    for _ in 0..<3 { #expect(tries.wait(timeout: .now() + 600) == .success) }
    // What was opened before does not count.
    while isReading.wait(timeout: .now()) == .success {}
    try UpdateLock.shared.hold {
      flock(other, LOCK_UN)
      // The commit has the lock, and waits for this update then.
      #expect(isReading.wait(timeout: .now() + 600) == .success)
      // As another process that waits.
      try #require(flock(other, LOCK_EX) == 0)
      #expect(ended.wait(timeout: .now()) == .timedOut)
      #expect(outcome.withLock { $0.bodyCount } == 0)
    }
    flock(other, LOCK_UN)
    #expect(ended.wait(timeout: .now() + 600) == .success)
    #expect(outcome.withLock { $0.error } == nil)
    #expect(outcome.withLock { $0.bodyCount } == 1)
    #expect(try UserDatabase(directory: home.path).load(app.name).values == ["k": "v"])
  }
}
