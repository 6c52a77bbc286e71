import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// Objects that are kept with values, and let go of with them: their deinitializers may be the program's.
struct ReleasedObjectTests {
  private final class Searched: ObservedDomains {
    let all: [PersistentDomain]
    var registration: PersistentDomain? { nil }

    init(_ domain: PersistentDomain) {
      all = [domain]
    }

    func begin(telling observers: KeyObservers, of key: PropertyListKey) {
      for domain in all { domain.add(observers, for: key) }
    }

    func end(telling observers: ObjectIdentifier, of key: PropertyListKey) {
      for domain in all { domain.remove(observers, for: key) }
    }
  }

  /// Calls a closure at its end.
  private final class Object {
    private let whenEnded: () -> Void

    init(_ whenEnded: @escaping () -> Void) {
      self.whenEnded = whenEnded
    }

    deinit { whenEnded() }
  }

  // In a process of its own, which a thread that waits for itself would keep for ever.
  @Test("the object of a value that is replaced together with an observed one may observe keys when it ends")
  func besideObserved() async {
    await #expect(processExitsWith: .success) {
      alarm(600)
      let domains = PersistentDomains(database: nil)
      let domain = domains.domain(try DomainName("App"))
      let path = SearchPath([SearchPath.Domain.persistent(domain)])
      let searched = Searched(domain)
      let observers = KeyObservers(in: searched) { path.found(for: $0) }
      let observation = observers.observe("observed") { _ in }
      var endedCount = 0
      for (number, new) in [nil, "text", ["b"] as PropertyList?].enumerated() {
        domains.set(["a"], for: "large", in: domain)
        _ = path.object(for: "large", to: .classic) { _ in
          Object {
            precondition(observers.observes("observed"))
            endedCount += 1
          }
        }
        domains.set(
          ["observed": .string("\(number)"), "large": new], in: domain, observers: observers)
        precondition(endedCount == number + 1)
      }
      withExtendedLifetime(observation) {}
    }
  }
}
