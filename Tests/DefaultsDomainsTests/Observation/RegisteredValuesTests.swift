import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// What is registered is not told of, and hides no change of a stored value that is still to be told of.
///
/// The domains are changed here without a report, as they are for a moment in each change.
struct RegisteredValuesTests {
  private final class Searched: ObservedDomains {
    let application: PersistentDomain
    let registered: PersistentDomain
    var registration: PersistentDomain? { registered }
    var all: [PersistentDomain] { [application, registered] }

    init(_ application: PersistentDomain, _ registered: PersistentDomain) {
      (self.application, self.registered) = (application, registered)
    }

    func found(for key: PropertyListKey) -> FoundValue? {
      for domain in [application, registered] {
        if let value = domain.value(for: key) { return FoundValue(value, in: domain.identity) }
      }
      return nil
    }

    func begin(telling observers: KeyObservers, of key: PropertyListKey) {
      for domain in [application, registered] { domain.add(observers, for: key) }
    }

    func end(telling observers: ObjectIdentifier, of key: PropertyListKey) {
      for domain in [application, registered] { domain.remove(observers, for: key) }
    }
  }

  private let home: TemporaryHome
  private let memory = PersistentDomains(database: nil)
  private let application: PersistentDomain
  private let registered: PersistentDomain
  private let observers: KeyObservers
  private let told = Told()

  private final class Told: Sendable {
    let changes = Lock<[String]>([])
  }

  init() throws {
    home = try TemporaryHome()
    let domains = PersistentDomains(database: UserDatabase(directory: home.path))
    application = domains.domain(try DomainName("App"))
    registered = memory.domain(.registration)
    let searched = Searched(application, registered)
    observers = KeyObservers(in: searched) { searched.found(for: $0) }
  }

  private func observe() -> KeyObservation {
    observers.observe("k") { [told] change in
      func text(_ value: PropertyList?) -> String { value?.scalarText ?? "-" }
      told.changes.withLock { $0.append("\(text(change.old)) \(text(change.new))") }
    }
  }

  @Test("a value that is registered is not told of, and is the old value of the next change")
  func silent() {
    let observation = observe()
    memory.set("4", for: "k", in: registered)
    memory.set("5", for: "k", in: registered)
    _ = application.set("1", for: "k")
    application.tell(of: .one("k"))
    memory.set("6", for: "k", in: registered)
    _ = application.remove("k")
    application.tell(of: .one("k"))
    memory.set(nil, for: "k", in: registered)
    _ = application.set("2", for: "k")
    application.tell(of: .one("k"))
    #expect(told.changes.withLock { $0 } == ["5 1", "1 6", "- 2"])
    withExtendedLifetime(observation) {}
  }

  @Test(
    "a stored value that changes, comes or goes is told of, also if one is registered before the report",
    arguments: [("1", "2"), (nil, "2"), ("1", nil)] as [(String?, String?)], [false, true])
  func changes(_ values: (old: String?, new: String?), replacesAll: Bool) {
    _ = values.old.map { application.set(.string($0), for: "k") }
    let observation = observe()
    _ = values.new.map { application.set(.string($0), for: "k") } ?? application.remove("k")
    if replacesAll {
      memory.replace(registered, with: ["k": "9"])
    } else {
      memory.set("9", for: "k", in: registered)
    }
    application.tell(of: .one("k"))
    #expect(told.changes.withLock { $0 } == ["\(values.old ?? "-") \(values.new ?? "9")"])
    withExtendedLifetime(observation) {}
  }

  @Test("another process's change is told of, also if a value is registered before the report")
  func externalChange() throws {
    let database = UserDatabase(directory: home.path)
    let observation = observe()
    for number in 1...3 {
      var changes = DomainChanges()
      changes.set(.string("\(number)"), for: "k")
      _ = try database.commit(changes, to: application.name, onDamage: .refuse)
      let keys = try application.refresh(from: database)
      memory.set(.string("registered \(number)"), for: "k", in: registered)
      application.tell(of: .several(keys))
    }
    #expect(told.changes.withLock { $0 } == ["- 1", "1 2", "2 3"])
    withExtendedLifetime(observation) {}
  }
}
