import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@testable import OpenStepDefaults

/// What is registered, time after time.
struct RegisteringTests {
  private let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")

  @Test("n keys are registered one by one beside an observer, and looked up, in no square of n")
  func oneByOne() {
    let growth = growth(from: 1000, to: 10_000, bound: 40) { count in
      let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")
      let names = (0..<count).map { "key \($0)" }
      let told = Lock(0)
      let observation = defaults.observe("key 7") { told.withLock { $0 += 1 } }
      let start = threadTime()
      for name in names {
        defaults.registerDefaults([name: "value"])
        _ = defaults.objectForKey(name)
      }
      let time = threadTime() - start
      #expect(defaults.volatileDomainForName(NSRegistrationDomain)?.count == count)
      #expect(told.withLock { $0 } == 1)
      observation.invalidate()
      return time
    }
    // In quadratic time it would be 100 times.
    #expect(growth < 40)
  }

  @Test("n observed keys cost a registration of another key nothing")
  func observers() {
    let growth = growth(from: 1000, to: 10_000, bound: 4) { count in
      let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")
      let observations = (0..<count).map { defaults.observe("observed \($0)") {} }
      let start = threadTime()
      for number in 0..<1000 { defaults.registerDefaults(["key": "\(number)"]) }
      let time = threadTime() - start
      for observation in observations { observation.invalidate() }
      return time
    }
    // In proportion to the observed keys it would be 10 times.
    #expect(growth < 4)
  }

  // They were called at once, inside the update: one that waited for another thread's update never returned.
  @Test("observers of what an update registers, or changes in the search list, are called when it has ended")
  func inUpdate() throws {
    let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")
    try defaults.setVolatileDomain([:], forName: "Volatile")
    defaults.setSearchList(["App", "Volatile", NSRegistrationDomain])
    let found = Lock<[String]>([])
    let observation = defaults.observe("k") {
      let value = defaults.stringForKey("k") ?? "-"
      found.withLock { $0.append(value) }
    }
    func update(_ body: () throws -> Void) rethrows -> [String] {
      try defaults.modifyObjectForKey("other") { value in
        try body()
        value = "\(found.withLock { $0.count })"
        #expect(found.withLock { $0 } == [])
      }
      return found.withLock { found in
        defer { found = [] }
        return found
      }
    }
    let registered = update { defaults.registerDefaults(["k": "registered"]) }
    #expect(registered == ["registered"])
    let volatile = try update {
      defaults.removeVolatileDomainForName("Volatile")
      try defaults.setVolatileDomain(["k": "volatile"], forName: "Volatile")
    }
    #expect(volatile == ["volatile"])
    let changed = update { defaults.setSearchList(["App", NSRegistrationDomain]) }
    #expect(changed == ["registered"])
    withExtendedLifetime(observation) {}
  }

  @Test("a lookup finds either all values of one registration or none, whatever other threads look up")
  func atOneMoment() async {
    let defaults = defaults
    let isTorn = Lock(false)
    await EightThreads.run { thread in
      for number in 0..<500 {
        if thread == 0 {
          defaults.registerDefaults(["a": "\(number)", "b": "\(number)"])
        } else {
          // Both orders: the later look finds the same or a later number.
          let (a, b) = (defaults.integerForKey("a"), defaults.integerForKey("b"))
          let again = defaults.integerForKey("a")
          if a > b || b > again { isTorn.withLock { $0 = true } }
        }
      }
    }
    #expect(!isTorn.withLock { $0 })
    #expect(defaults.integerForKey("a") == 499)
  }

  @Test("what a commit's closure registers is found in the closure only")
  func draft() throws {
    defaults.registerDefaults(["a": "1"])
    try defaults.commit { draft in
      draft.registerDefaults(["a": "2", "b": "2"])
      draft.registerDefaults(["c": "2"])
      #expect(["a", "b", "c"].map(draft.stringForKey) == ["2", "2", "2"])
    }
    #expect(["a", "b", "c"].map(defaults.stringForKey) == ["1", nil, nil])
    #expect(defaults.volatileDomainForName(NSRegistrationDomain) as? [String: String] == ["a": "1"])
  }

  @Test("an observer is told of a registered value that it finds, and of no hidden one")
  func observed() {
    let told = Lock<[String?]>([])
    let observation = defaults.observe("key") { [defaults] in
      told.withLock { $0.append(defaults.stringForKey("key")) }
    }
    defaults.registerDefaults(["key": "1", "other": "1"])
    defaults.registerDefaults(["key": "1"])
    defaults.registerDefaults(["other": "2"])
    defaults.setObject("own", forKey: "key")
    defaults.registerDefaults(["key": "2"])
    defaults.removeObjectForKey("key")
    defaults.setSearchList(["App"])
    defaults.registerDefaults(["key": "3"])
    observation.invalidate()
    #expect(told.withLock { $0 } == ["1", "own", "2", nil])
  }
}
