import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains
@testable import OpenStepDefaults
@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// Suites that are added and removed in any order, and what is observed beside that.
struct SuiteListTests {
  private let home: TemporaryHome
  private let defaults: UserDefaults

  init() throws {
    home = try TemporaryHome()
    defaults = UserDefaults(directory: home.path, applicationName: "App")
  }

  @Test("what another thread does to a suite while it is removed goes by no observer")
  func removedMeanwhile() throws {
    let domains = PersistentDomains.inDirectory(named: home.path)
    let (suite, global) = (domains.domain(try DomainName("Suite")), domains.domain(.global))
    let searched = SearchedDomains(
      front: [], global: global, registration: domains.domain(.registration))
    let observers = KeyObservers(in: searched) { searched.path.value(for: $0) }
    #expect(suite.set("value", for: "key"))
    searched.begin(telling: observers, of: "key")
    #expect(searched.add(suite, for: observers) == ["key"])
    // As if the other thread came right after the suite stopped telling.
    #expect(suite.remove("key"))
    #expect(searched.remove(suite.name, for: observers) == ["key"])
    searched.end(telling: ObjectIdentifier(observers), of: "key")
  }

  @Test("the suite that was added first is found first, whatever was removed in between")
  func order() {
    var generator = SeededGenerator(seed: 1)
    let names = (0..<50).map { "suite \($0)" }
    for name in names { defaults.setPersistentDomain(["key": name], forName: name) }
    var model: [String] = []
    for _ in 0..<1000 {
      let name = names[Int.random(in: 0..<50, using: &generator)]
      if Bool.random(using: &generator) {
        defaults.addSuite(named: name)
        if !model.contains(name) { model.append(name) }
      } else {
        defaults.removeSuite(named: name)
        model.removeAll { $0 == name }
      }
      #expect(defaults.string(forKey: "key") == model.first)
    }
    for name in model.reversed().dropLast() {
      #expect(defaults.string(forKey: "key") == model.first)
      defaults.removeSuite(named: name)
    }
  }

  @Test("an observer is told of a suite's values as it comes and goes, and of changes only in between")
  func observer() {
    let told = Told()
    for (name, value) in [("One", "1"), ("Two", "2")] {
      defaults.setPersistentDomain(["key": value, name: true], forName: name)
    }
    defaults.addSuite(named: "One")
    let observation = defaults.observe("key", options: [.new]) { _, change in
      told.values.withLock { $0.append(change.newValue as? String) }
    }
    defaults.addSuite(named: "Two")
    defaults.removeSuite(named: "One")
    defaults.setPersistentDomain(["key": "3"], forName: "Two")
    // Hidden, or of a suite that is searched no more.
    defaults.setPersistentDomain(["key": "4"], forName: "One")
    defaults.removeSuite(named: "Two")
    defaults.setPersistentDomain(["key": "5"], forName: "Two")
    defaults.addSuite(named: "One")
    observation.invalidate()
    defaults.removeSuite(named: "One")
    #expect(told.values.withLock { $0 } == ["2", "3", nil, "4"])
  }

  private final class Told: Sendable {
    let values = Lock<[String?]>([])
  }

  @Test("suites are let go with the last object that searches them, also where an object is observed")
  func lettingGo() throws {
    weak var domain: PersistentDomain?
    func use() throws {
      let suite = UserDefaults(directory: home.path, applicationName: "Suite")
      domain = suite.store.application
      defaults.addSuite(named: "Suite")
      let observation = suite.observe("key") { _, _ in }
      suite.set(1, forKey: "key")
      #expect(suite.synchronize())
      observation.invalidate()
      _ = suite.observe("other") { _, _ in }
    }
    try use()
    #expect(domain != nil)
    #expect(defaults.integer(forKey: "key") == 1)
    defaults.removeSuite(named: "Suite")
    #expect(defaults.object(forKey: "key") == nil)
    // A thread of the package may be looking at its file; and a list that readers may still be searching is let go when the
    // next one is replaced.
    let deadline = Date(timeIntervalSinceNow: 30)
    while domain != nil, Date() < deadline {
      defaults.addSuite(named: "Another")
      #expect(defaults.object(forKey: "key") == nil)
      defaults.removeSuite(named: "Another")
    }
    #expect(domain == nil)
    #expect(UserDefaults(directory: home.path, applicationName: "Suite").integer(forKey: "key") == 1)
  }
}
