import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// A domain that cannot be saved, beside others of its database that can.
@Suite(.timeLimit(.minutes(20)))
struct UnsavableDomainTests {
  private let home: TemporaryHome
  private let domains: PersistentDomains
  private let (bad, good): (PersistentDomain, PersistentDomain)

  init() throws {
    home = try TemporaryHome()
    domains = PersistentDomains.at(directory: home.path)
    bad = domains.domain(try DomainName("Bad"))
    good = domains.domain(try DomainName("Good"))
  }

  /// Puts a directory in the place of the bad domain's file, and returns when a save of a change has failed.
  private func failOnce() async throws {
    try FileManager.default.createDirectory(
      atPath: home.path("Bad.plist"), withIntermediateDirectories: false)
    await changeInVain()
  }

  /// Makes a change of the bad domain, and returns when a save of it has failed.
  private func changeInVain() async {
    let errors = ErrorReports.shared.stream { [domains] error in
      domains.lastError.map { $0 == error as? DatabaseError } ?? false
    }
    domains.set("1", for: "K", in: bad)
    for await _ in errors { break }
  }

  /// Whether a change of the good domain can be saved without an attempt to save the bad one, which comes every two
  /// seconds of itself.
  ///
  /// - Parameter save: Saves a value in the good domain; false if that is not possible now.
  private func isSavedAlone(_ save: (PropertyList) async -> Bool) async -> Bool {
    for number in 1...20 {
      let attempt = bad.nextAttempt
      if await save(.string("\(number)")), bad.nextAttempt == attempt { return true }
    }
    return false
  }

  /// Returns when a domain is saved after a change.
  private func saved(_ domain: PersistentDomain, _ change: () throws -> Void) async rethrows {
    let saves = SaveReports.shared.stream(of: domain)
    try change()
    for await _ in saves { break }
  }

  // It waited for the next attempt of the bad one, two seconds after the last.
  @Test("the changes of others are saved as soon as without it, and its error remains")
  func others() async throws {
    try await failOnce()
    let isSaved = await isSavedAlone { value in
      await saved(good) { domains.set(value, for: "K", in: good) }
      #expect(bad.hasUnsavedChanges && domains.lastError != nil)
      return true
    }
    #expect(isSaved)
    // It is tried again by itself.
    try await saved(bad) { try FileManager.default.removeItem(atPath: home.path("Bad.plist")) }
    #expect(try home.text(of: "Bad.plist").contains("K = 1"))
  }

  @Test("a synchronize attempts all")
  func synchronize() async throws {
    try await failOnce()
    try FileManager.default.removeItem(atPath: home.path("Bad.plist"))
    #expect(domains.save(andRefresh: true) == nil)
    #expect(!bad.hasUnsavedChanges && domains.lastError == nil)
  }

  @Test("a commit of another domain leaves it out, and does not wait for its lock")
  func commit() async throws {
    // Its file lies in another database, whose lock is held.
    let other = try TemporaryHome()
    try other.write("{ K = 0; }", to: "End.plist")
    try FileManager.default.createSymbolicLink(
      atPath: home.path("Bad.plist"), withDestinationPath: other.path("End.plist"))
    let holder = try await LockHolder(of: UserDatabase(directory: other.path))
    defer { holder.release() }
    await changeInVain()
    let isCommitted = await isSavedAlone { value in
      // Refused where an attempt to save the bad one has the database's lock for two seconds.
      let outcome: Bool? = try? domains.commit(good) { draft, _ in
        draft.set(value, for: "K", in: draft.domain(good.name))
      } changed: {
      }
      return outcome == true
    }
    #expect(isCommitted && bad.hasUnsavedChanges)
  }

  // A lazy map asked the domain twice, and the program stopped where the answers differed.
  @Test("its error may go while another thread's save asks for it")
  func goneMeanwhile() async {
    await #expect(processExitsWith: .success) {
      let home = try TemporaryHome()
      let disk = FaultyFileSystem { _ in .inputOutput }
      let domains = PersistentDomains(database: UserDatabase(directory: home.path, fileSystem: disk))
      let bad = domains.domain(try DomainName("Bad"))
      domains.set("1", for: "K", in: bad)
      let isDone = Lock(false)
      let error = DatabaseError(.refused, path: home.path, message: "cannot be saved")
      let isStarted = SystemThread.start {
        while !isDone.withLock({ $0 }) {
          bad.state.withLock { $0.noteSave(error) }
          bad.state.withLock { $0.noteSave(nil) }
        }
      }
      #expect(isStarted)
      for _ in 0..<20_000 { domains.save(andRefresh: false, only: .due) }
      isDone.withLock { $0 = true }
      #expect(bad.hasUnsavedChanges)
    }
  }
}
