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

  /// Makes a change of the bad domain, whose file's place a directory has, and returns when a save of it has failed.
  private func failOnce() throws {
    try FileManager.default.createDirectory(
      atPath: home.path("Bad.plist"), withIntermediateDirectories: false)
    domains.set("1", for: "K", in: bad)
    while bad.nextAttempt == nil { CurrentProcess.pause(microseconds: 1000) }
  }

  /// How long a change of the good domain takes to be saved, in seconds.
  private func saveTime(of number: Int) -> Double {
    let start = MonotonicTime.now
    domains.set(.string("\(number)"), for: "K", in: good)
    while good.hasUnsavedChanges { CurrentProcess.pause(microseconds: 1000) }
    return MonotonicTime.now.seconds(since: start)
  }

  // It waited for the next attempt of the bad one, two seconds after the last.
  @Test("the changes of others are saved as soon as without it, and its error remains")
  func others() throws {
    try failOnce()
    // The best of those that came between two attempts, since other tests keep the processors busy.
    var best = Double.infinity
    for number in 1...5 where best > 0.5 {
      let attempt = bad.nextAttempt
      let time = saveTime(of: number)
      if bad.nextAttempt == attempt { best = min(best, time) }
      #expect(bad.hasUnsavedChanges && domains.lastError != nil)
    }
    #expect(best < 1.5)
    // It is tried again by itself.
    try FileManager.default.removeItem(atPath: home.path("Bad.plist"))
    while bad.hasUnsavedChanges { CurrentProcess.pause(microseconds: 1000) }
    #expect(try home.text(of: "Bad.plist").contains("K = 1"))
  }

  @Test("a synchronize attempts all")
  func synchronize() throws {
    try failOnce()
    try FileManager.default.removeItem(atPath: home.path("Bad.plist"))
    #expect(domains.save(andRefresh: true) == nil)
    #expect(!bad.hasUnsavedChanges && domains.lastError == nil)
  }

  @Test("a commit of another domain does not wait for its lock")
  func commit() async throws {
    // Its file lies in another database, whose lock is held.
    let other = try TemporaryHome()
    try other.write("{ K = 0; }", to: "End.plist")
    try FileManager.default.createSymbolicLink(
      atPath: home.path("Bad.plist"), withDestinationPath: other.path("End.plist"))
    let holder = try await LockHolder(of: UserDatabase(directory: other.path))
    defer { holder.release() }
    domains.set("1", for: "K", in: bad)
    while bad.nextAttempt == nil { CurrentProcess.pause(microseconds: 1000) }
    var best = Double.infinity
    for number in 1...5 where best > 0.5 {
      let start = MonotonicTime.now
      _ = try domains.commit(good) { draft, _ in
        draft.set(.string("\(number)"), for: "K", in: draft.domain(good.name))
      } changed: {
      }
      best = min(best, MonotonicTime.now.seconds(since: start))
    }
    #expect(best < 1.5 && bad.hasUnsavedChanges)
  }
}
