import DefaultsDatabase
import OpenStepPropertyList
import Testing

@testable import DefaultsDomains

/// Who is told of a domain's changes.
struct DomainListenersTests {
  @Test("a change is told only to the listeners of its key and domain, in the order in which they came")
  func concerned() {
    final class Listener: DomainListener {
      let name: Int
      let told: Told
      init(_ name: Int, _ told: Told) { (self.name, self.told) = (name, told) }
      func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys) -> (() -> Void)? {
        { self.told.names.withLock { $0.append(self.name) } }
      }

      func tellRecorded(of keys: ChangedKeys) {}
    }
    final class Told: Sendable {
      let names = Lock<[Int]>([])
    }
    let told = Told()
    let domains = PersistentDomains(database: nil)
    let app = domains.domain(.unnamed)
    let listeners = (0..<6).map { Listener($0, told) }
    for listener in listeners { app.add(listener, for: listener.name % 2 == 0 ? "even" : "odd") }
    app.add(listeners[0], for: "odd")
    domains.publish(.one("even"), in: app)
    domains.publish(.several(["none", "odd", "nor", "this"]), in: app)
    domains.publish(.any, in: domains.domain(.global))
    domains.publish(.one("none"), in: app)
    app.remove(ObjectIdentifier(listeners[2]), for: "even")
    domains.publish(.one("even"), in: app)
    #expect(told.names.withLock { $0 } == [0, 2, 4, 1, 3, 5, 0, 0, 4])
  }

  @Test("a key that somebody listens to is not changed by who asks to change only what nobody listens to")
  func unheard() {
    final class Listener: DomainListener {
      func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys) -> (() -> Void)? { nil }

      func tellRecorded(of keys: ChangedKeys) {}
    }
    let app = PersistentDomains(database: nil).domain(.unnamed)
    let listener = Listener()
    app.add(listener, for: "heard")
    #expect(app.changeIfNoListener("heard", to: "1") == nil)
    #expect(app.value(for: "heard") == nil)
    #expect(app.changeIfNoListener("other", to: "1") == true)
    #expect(app.changeIfNoListener("other", to: "1") == false)
    #expect(app.changeIfNoListener("other", to: nil) == true)
    #expect(app.changeIfNoListener("other", to: nil) == false)
    app.remove(ObjectIdentifier(listener), for: "heard")
    #expect(app.changeIfNoListener("heard", to: "1") == true)
    #expect(app.value(for: "heard") == "1")
  }
}
