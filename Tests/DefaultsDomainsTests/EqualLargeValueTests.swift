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
  /// - Returns: How long the body ran, and the longest set meanwhile.
  private func settingAnother(
    during body: @escaping @Sendable () -> Void
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
    begins.signal()
    var longest = Duration.zero
    var number = 0
    while true {
      let start = ContinuousClock.now
      domains.set(.string("\(number)"), for: "another", in: domain)
      longest = max(longest, ContinuousClock.now - start)
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
}
