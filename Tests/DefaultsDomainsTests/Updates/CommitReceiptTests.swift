import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// What a commit makes known in its process: other programs' values, and that changes are on the disk.
struct CommitReceiptTests {
  private let home: TemporaryHome
  private let name: DomainName

  init() throws {
    home = try TemporaryHome()
    name = try DomainName("App")
  }

  private static func set(
    _ key: PropertyListKey, in domains: PersistentDomains, _ domain: PersistentDomain
  ) throws {
    try domains.commit(domain) { (draft, commit) in
      _ = draft.set("committed", for: key, in: commit.draft)
    } changed: {
    }
  }

  @Test(
    "after a commit the values in memory are those of the file, with what another program has written before")
  func externalValues() throws {
    let domains = PersistentDomains(database: UserDatabase(directory: home.path))
    let app = domains.domain(name)
    domains.set("first", for: "Mine", in: app)
    #expect(domains.save(andRefresh: true) == nil)
    var theirs = DomainChanges()
    theirs.set("theirs", for: "Theirs")
    _ = try UserDatabase(directory: home.path).commit(CommitRequest(theirs, to: name))
    try Self.set("Mine", in: domains, app)
    #expect(app.values == ["Mine": "committed", "Theirs": "theirs"])
  }

  // In processes of their own, since a thread holds the lock of updates until a task has run.

  @Test("who waits for a change that was made during a save is told of the next save, also when that fails")
  func changeDuringSave() async {
    await #expect(processExitsWith: .success) {
      try await Self.changeDuringSave { domains, app in
        domains.set("first", for: "Mine", in: app)
        _ = domains.save(andRefresh: false)
      }
    }
  }

  @Test("the same for a change that was made during a commit")
  func changeDuringCommit() async {
    await #expect(processExitsWith: .success) {
      try await Self.changeDuringSave { domains, app in try? Self.set("Mine", in: domains, app) }
    }
  }

  private static func changeDuringSave(
    _ save: @escaping @Sendable (PersistentDomains, PersistentDomain) -> Void
  ) async throws {
    let home = try TemporaryHome()
    let duringSave = Lock<(@Sendable () -> Void)?>(nil)
    let disk = FaultyFileSystem { operation in
      guard operation.name == "rename" else { return nil }
      if operation.number == 1 { duringSave.withLock { $0 }?() }
      return operation.number == 2 ? .noSpace : nil
    }
    let domains = PersistentDomains(database: UserDatabase(directory: home.path, fileSystem: disk))
    let app = domains.domain(try DomainName("App"))
    let waiting = Lock<Task<Void, any Error>?>(nil)
    duringSave.withLock { body in
      body = {
        domains.set("later", for: "Later", in: app)
        waiting.withLock { $0 = Task { try await domains.saved() } }
        // The task waits before the save ends.
        while !app.state.withLock({ $0.receipts.hasWaitingTasks }) {
          CurrentProcess.pause(microseconds: 1000)
        }
      }
    }
    // Not on this thread, which the task may need.
    await withCheckedContinuation { isDone in
      Thread.detachNewThread {
        save(domains, app)
        isDone.resume()
      }
    }
    let task = try #require(waiting.withLock { $0 })
    // Whatever thread makes it, the next save fails.
    await #expect(throws: DatabaseError.self) { try await task.value }
    try await domains.saved()
    #expect(try UserDatabase(directory: home.path).load(app.name).values["Later"] == "later")
  }
}
