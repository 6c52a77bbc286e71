import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import OpenStepDefaults

/// Domains that are added to a search list and removed from it one by one.
struct SearchListTests {
  private let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")

  /// Which domains have values for the observed key.
  enum Holders: CaseIterable {
    case none, global, added
  }

  @Test("n domains are added and removed beside an observer in no square of n", arguments: Holders.allCases)
  func manyDomains(_ holders: Holders) throws {
    let growth = try growth(from: 500, to: 5000, bound: 40) { count in
      let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")
      if holders == .global { try set("global", in: NSGlobalDomain, of: defaults) }
      let names = (0..<count).map { "domain \($0)" }
      for name in names where holders == .added { try set(name, in: name, of: defaults) }
      let told = Lock(0)
      let observation = defaults.observe("key") { told.withLock { $0 += 1 } }
      let start = threadTime()
      for name in names { defaults.search(name, behind: "App") }
      for name in names.reversed() { defaults.stopSearching(name) }
      let time = threadTime() - start
      #expect(told.withLock { $0 } == (holders == .added ? 2 * count : 0))
      observation.invalidate()
      return time
    }
    // In quadratic time it would be 100 times.
    #expect(growth < 40)
  }

  private func set(_ value: String, in name: String, of defaults: NSUserDefaults) throws {
    let domain = try #require(defaults.persistentDomain(name))
    defaults.persistent.set(.string(value), for: "key", in: domain)
  }

  @Test("a key's observer is told of the value of a domain that comes, moves or goes, and of no hidden one")
  func observer() throws {
    let told = Lock<[String?]>([])
    let observation = defaults.observe("key") { [defaults] in
      told.withLock { $0.append(defaults.stringForKey("key")) }
    }
    for name in ["One", "Two"] { try set(name, in: name, of: defaults) }
    defaults.search("One", behind: "App")
    defaults.search("Two", behind: "One")
    // To the front of the other, and behind it again.
    defaults.search("Two", behind: "App")
    defaults.search("Two", behind: "One")
    defaults.stopSearching("Two")
    defaults.search("Two", behind: "App")
    // A volatile domain of the same name hides the persistent one.
    defaults.setVolatileDomain(["key": "volatile"], named: "Two")
    try set("Three", in: "Two", of: defaults)
    defaults.setVolatileDomain(["other": "volatile"], named: "Two")
    defaults.removeVolatileDomainForName("Two")
    defaults.registerDefaults(["key": "registered"])
    defaults.stopSearching("Two")
    try set("Four", in: "Two", of: defaults)
    defaults.setSearchList([NSRegistrationDomain])
    defaults.registerDefaults(["key": "registered again"])
    defaults.removeVolatileDomainForName(NSRegistrationDomain)
    observation.invalidate()
    #expect(
      told.withLock { $0 } == [
        "One", "Two", "One", "Two", "volatile", "One", "Three", "One", "registered", "registered again", nil,
      ])
  }

  @Test(
    "an observer has the last value, whatever several threads did to the domains and their order",
    .timeLimit(.minutes(30)))
  func threads() async throws {
    let defaults = defaults
    let names = (0..<4).map { "domain \($0)" }
    let domains = try names.map { try #require(defaults.persistentDomain($0)) }
    let told = Lock<[PropertyList?]>([])
    // Makes the observers, which know the new values.
    defaults.observe("other") {}.invalidate()
    let observers = try #require(defaults.observing.withLock { $0?.keys })
    let observation = observers.observe("key") { change in told.withLock { $0.append(change.new) } }
    for round in 0..<20 {
      await EightThreads.run { thread in
        var generator = SeededGenerator(seed: UInt64(8 * round + thread))
        for step in 0..<30 {
          let number = Int.random(in: 0..<4, using: &generator)
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: defaults.search(names[number], behind: "App")
          case 1: defaults.stopSearching(names[number])
          case 2: defaults.persistent.set(.string("\(thread) \(step)"), for: "key", in: domains[number])
          default: defaults.persistent.set(nil, for: "key", in: domains[number])
          }
        }
      }
      let last = defaults.lookUp("key")
      // A worker thread may still be telling; what is set now, where it is found first, is told last.
      let end = PropertyList.string("end of round \(round)")
      defaults.setObject("end of round \(round)", forKey: "key")
      awaitTold { told.withLock { $0.last == end } }
      let before: PropertyList? = told.withLock { $0.dropLast().last ?? nil }
      #expect(before == last)
      defaults.removeObjectForKey("key")
    }
    observation.invalidate()
  }
}
