import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// Sets of a large value beside sets of other keys; one test at a time, so that they do not hold each other up.
@Suite(.serialized)
struct EqualLargeValueTests {
  private let home: TemporaryHome
  private let domains: PersistentDomains
  private let domain: PersistentDomain

  init() throws {
    home = try TemporaryHome()
    domains = PersistentDomains.at(directory: home.path)
    domain = domains.domain(try DomainName("App"))
  }

  /// An array whose elements are in no other array's memory.
  private func large() -> PropertyList {
    .array((0..<200_000).map { .string("a string of the element \($0)") })
  }

  /// Runs a body on another thread, while this one sets another key again and again.
  ///
  /// - Returns: How long the body ran, and the longest time between the ends of two sets, so that a time in which the system
  ///   does not run this thread counts as well.
  private func settingAnother(
    observedBy observers: KeyObservers? = nil, during body: @escaping @Sendable () -> Void
  ) -> (body: Duration, set: Duration) {
    let (isReady, begins) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let time = Lock<Duration?>(nil)
    Thread.detachNewThread {
      isReady.signal()
      begins.wait()
      let start = ContinuousClock.now
      body()
      time.withLock { $0 = ContinuousClock.now - start }
    }
    isReady.wait()
    var longest = Duration.zero
    var number = 0
    var previous = ContinuousClock.now
    begins.signal()
    while true {
      domains.set(.string("\(number)"), for: "another", in: domain, observers: observers)
      let now = ContinuousClock.now
      (longest, previous) = (max(longest, now - previous), now)
      number += 1
      if let time = time.withLock({ $0 }) { return (time, longest) }
    }
  }

  @Test(
    "a large value that is equal to the present one is compared without the lock", .timeLimit(.minutes(30)))
  func equalValue() {
    domains.set(large(), for: "large", in: domain)
    let other = large()
    #expect(domain.presentIfEqual(to: other, for: "large") == other)
    // Under the lock, a set would wait for the whole comparison in every round; the system makes it wait in some.
    let isFree = (0..<50).contains { _ in
      let (body, set) = settingAnother { [domains, domain] in
        domains.set(other, for: "large", in: domain)
      }
      return set < body / 3
    }
    #expect(isFree)
  }

  @Test(
    "an update whose large result is equal to the present value compares it without the lock",
    .timeLimit(.minutes(30)))
  func equalResult() {
    domains.set(large(), for: "large", in: domain)
    let other = large()
    let isFree = (0..<50).contains { _ in
      let (body, set) = settingAnother { [domains, domain] in
        domains.modify("large", in: domain) {
          let value = domain.value(for: "large")
          return ValueToUpdate(found: value, own: value)
        } _: { _ in
          ValueUpdate(other)
        }
      }
      return set < body / 3
    }
    #expect(isFree)
  }

  @Test("several equal large values are compared without the lock", .timeLimit(.minutes(30)))
  func equalValues() {
    domains.set(["large": large(), "larger": large()], in: domain)
    let other = large()
    let isFree = (0..<50).contains { _ in
      let (body, set) = settingAnother { [domains, domain] in
        domains.set(["large": other, "larger": other], in: domain)
      }
      return set < body / 3
    }
    #expect(isFree)
  }

  /// What sets a key whose present value is not parsed yet.
  enum Setting: CaseIterable, Sendable {
    case plain, several, update, commit
  }

  // Sets and first reads of other keys waited for a second where the value had 27 MB.
  @Test(
    "a large value of the file, which nobody has read, is parsed without the lock when it is set",
    .timeLimit(.minutes(30)), arguments: Setting.allCases)
  func unparsedValue(setting: Setting) throws {
    let elements = (0..<100_000).map { "{ key = \($0); }" }.joined(separator: ", ")
    let isFree = try (0..<50).contains { round in
      // No save comes while the file is written.
      #expect(domains.save(andRefresh: false) == nil)
      try home.write("{ large = (\(elements)); round = \(round); rest = 1; }", to: "App.plist")
      #expect(domains.save(andRefresh: true, of: [domain]) == nil)
      try #require(domain.table.mayHaveLargeUnparsedValues)
      let (body, set) = settingAnother { [domains, domain] in
        switch setting {
        case .plain: domains.set("small", for: "large", in: domain)
        case .several: domains.set(["large": "small", "other": "small"], in: domain)
        case .update:
          domains.modify("other", in: domain) {
            ValueToUpdate(found: nil, own: domain.value(for: "other"))
          } _: { _ in
            ValueUpdate(.string("\(round)"), besides: ["large": "small"])
          }
        case .commit:
          do {
            try domains.commit(domain) { draft, commit in
              _ = draft.set("small", for: "large", in: commit.draft)
            } changed: {
            }
          } catch {
            Issue.record(error)
          }
        }
      }
      #expect(domain.value(for: "large") == "small")
      return set < body / 3
    }
    #expect(isFree)
  }

  /// The domains of an object that searches two.
  private final class Searched: ObservedDomains {
    let all: [PersistentDomain]
    var registration: PersistentDomain? { nil }

    init(_ all: [PersistentDomain]) {
      self.all = all
    }

    func found(for key: PropertyListKey) -> FoundValue? {
      for domain in all {
        if let value = domain.value(for: key) { return FoundValue(value, in: domain.identity) }
      }
      return nil
    }

    func begin(telling observers: KeyObservers, of key: PropertyListKey) {
      for domain in all { domain.add(observers, for: key) }
    }

    func end(telling observers: ObjectIdentifier, of key: PropertyListKey) {
      for domain in all { domain.remove(observers, for: key) }
    }
  }

  // Sets of other observed keys waited for as long.
  @Test(
    "when an observed key is removed, another domain's large value, which nobody has read, is parsed without a lock",
    .timeLimit(.minutes(30)))
  func removedKey() throws {
    let global = domains.domain(.global)
    let searched = Searched([domain, global])
    let observers = KeyObservers(in: searched) { searched.found(for: $0) }
    domains.set("small", for: "large", in: domain)
    let observations = ["large", "another"].map { observers.observe($0) { _ in } }
    let elements = (0..<100_000).map { "{ key = \($0); }" }.joined(separator: ", ")
    let isFree = try (0..<50).contains { round in
      domains.set("small", for: "large", in: domain, observers: observers)
      #expect(domains.save(andRefresh: false) == nil)
      try home.write("{ large = (\(elements)); round = \(round); rest = 1; }", to: "NSGlobalDomain.plist")
      #expect(domains.save(andRefresh: true, of: [global]) == nil)
      try #require(global.table.mayHaveLargeUnparsedValues)
      let (body, set) = settingAnother(observedBy: observers) { [domains, domain] in
        domains.set(nil, for: "large", in: domain, observers: observers)
      }
      return set < body / 3
    }
    #expect(isFree)
    withExtendedLifetime(observations) {}
  }

  // They waited for a second, too.
  @Test(
    "when another domain is searched, its large value for an observed key is parsed without a lock",
    .timeLimit(.minutes(30)))
  func addedDomain() throws {
    let suite = domains.domain(.global)
    let isSearched = Lock(false)
    let searched = Searched([domain])
    let observers = KeyObservers(in: searched) { key in
      if let found = searched.found(for: key) { return found }
      guard isSearched.withLock({ $0 }) else { return nil }
      return suite.value(for: key).map { FoundValue($0, in: suite.identity) }
    }
    let observations = ["large", "another"].map { observers.observe($0) { _ in } }
    let elements = (0..<100_000).map { "{ key = \($0); }" }.joined(separator: ", ")
    let isFree = try (0..<50).contains { round in
      isSearched.withLock { $0 = false }
      observers.check(.one("large"))
      #expect(domains.save(andRefresh: false) == nil)
      try home.write("{ large = (\(elements)); round = \(round); rest = 1; }", to: "NSGlobalDomain.plist")
      #expect(domains.save(andRefresh: true, of: [suite]) == nil)
      #expect(suite.hasValue(for: "large") && !suite.hasValue(for: "another"))
      try #require(suite.table.mayHaveLargeUnparsedValues)
      let (body, set) = settingAnother(observedBy: observers) {
        isSearched.withLock { $0 = true }
        observers.check { key, source in source == nil && suite.hasValue(for: key) }
      }
      return set < body / 3
    }
    #expect(isFree)
    withExtendedLifetime(observations) {}
  }
}
