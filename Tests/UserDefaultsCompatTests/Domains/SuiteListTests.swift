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

  /// The domains of an object, and the observers of its keys.
  private struct Observed {
    let domains = PersistentDomains(database: nil)
    let (front, global): (PersistentDomain, PersistentDomain)
    let searched: SearchedDomains
    let observers: KeyObservers

    init() throws {
      front = domains.domain(try DomainName("App"))
      global = domains.domain(.global)
      let searched = SearchedDomains(
        front: [front], global: global, registration: domains.domain(.registration))
      self.searched = searched
      observers = KeyObservers(in: searched) { searched.path.found(for: $0) }
    }

    func suite(_ number: Int) throws -> PersistentDomain { domains.domain(try DomainName("suite \(number)")) }
  }

  @Test("what another thread does to a suite while it is removed goes by no observer")
  func removedMeanwhile() throws {
    let observed = try Observed()
    let suite = try observed.suite(0)
    let told = Lock<[PropertyList?]>([])
    let observation = observed.observers.observe("key") { change in told.withLock { $0.append(change.new) } }
    #expect(suite.set("value", for: "key"))
    observed.searched.add(suite, for: observed.observers)
    #expect(told.withLock { $0 } == ["value"])
    // As if the other thread came right after the suite stopped telling.
    #expect(suite.remove("key"))
    observed.searched.remove(suite.name, for: observed.observers)
    #expect(told.withLock { $0 } == ["value", nil])
    observation.invalidate()
  }

  @Test(
    "an observer has the last value, whatever several threads did to the suites", .timeLimit(.minutes(30)))
  func threads() async throws {
    let observed = try Observed()
    let suites = try (0..<4).map(observed.suite)
    let told = Lock<[PropertyList?]>([])
    let observation = observed.observers.observe("key") { change in told.withLock { $0.append(change.new) } }
    for round in 0..<20 {
      await EightThreads.run { thread in
        var generator = SeededGenerator(seed: UInt64(8 * round + thread))
        for step in 0..<30 {
          let domain = Int.random(in: 0..<8, using: &generator) == 0 ? observed.front : suites[step % 4]
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: observed.searched.add(domain, for: observed.observers)
          case 1: observed.searched.remove(domain.name, for: observed.observers)
          case 2: observed.domains.set(.string("\(thread) \(step)"), for: "key", in: domain)
          default: observed.domains.set(nil, for: "key", in: domain)
          }
        }
      }
      let last = observed.searched.path.value(for: "key")
      // A worker thread may still be telling; what is set now, where it is found first, is told last.
      let end = PropertyList.string("end of round \(round)")
      observed.domains.set(end, for: "key", in: observed.front)
      awaitTold { told.withLock { $0.last == end } }
      let before: PropertyList? = told.withLock { $0.dropLast().last ?? nil }
      #expect(before == last)
      observed.domains.set(nil, for: "key", in: observed.front)
    }
    observation.invalidate()
  }

  /// Which domains have values for the observed key.
  enum Holders: CaseIterable {
    case none, front, global, suites, lastSuites
  }

  @Test("n suites are added and removed beside an observer in no square of n", arguments: Holders.allCases)
  func manySuites(_ holders: Holders) throws {
    let growth = try growth(from: 500, to: 5000, bound: 40) { count in
      let observed = try Observed()
      if holders == .front { _ = observed.front.set("value", for: "key") }
      if holders == .global { _ = observed.global.set("value", for: "key") }
      let suites = try (0..<count).map(observed.suite)
      let holding = holders == .suites ? suites[...] : holders == .lastSuites ? suites[(count / 2)...] : []
      for (number, suite) in holding.enumerated() { _ = suite.set(.string("\(number)"), for: "key") }
      let told = Lock(0)
      let observation = observed.observers.observe("key") { _ in told.withLock { $0 += 1 } }
      let start = threadTime()
      for suite in suites { observed.searched.add(suite, for: observed.observers) }
      for suite in suites { observed.searched.remove(suite.name, for: observed.observers) }
      let time = threadTime() - start
      #expect(told.withLock { $0 } == (holding.isEmpty ? 0 : holding.count + 1))
      observation.invalidate()
      return time
    }
    // In quadratic time it would be 100 times.
    #expect(growth < 40)
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
    // A thread of the package may be looking at its file; and a list that readers may still be searching is let go
    // when the next one is replaced.
    let deadline = Date(timeIntervalSinceNow: 600)
    while domain != nil, Date() < deadline {
      defaults.addSuite(named: "Another")
      #expect(defaults.object(forKey: "key") == nil)
      defaults.removeSuite(named: "Another")
    }
    #expect(domain == nil)
    #expect(UserDefaults(directory: home.path, applicationName: "Suite").integer(forKey: "key") == 1)
  }
}
