import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// Searching several domains without a lock.
struct SearchPathTests {
  private let (first, second): (PersistentDomain, PersistentDomain)
  private let path: SearchPath
  private let list = List()

  private final class List: SearchOrder {
    let domains = Lock<[SearchPath.Domain]>([])

    var count: Int { domains.withLock { $0.count } }

    func visit(_ body: (SearchPath.Domain) -> Bool) { domains.withLock { $0.visit(body) } }
  }

  init() throws {
    let domains = PersistentDomains(database: nil)
    first = domains.domain(try DomainName("First"))
    second = domains.domain(try DomainName("Second"))
    path = SearchPath(list)
    search([first, second])
  }

  private func search(_ domains: [PersistentDomain]) {
    list.domains.withLock { $0 = domains.map { .persistent($0) } }
    path.invalidate()
  }

  @Test("the first domain's value is found; where it has none, the second's")
  func order() {
    #expect(path.value(for: "k") == nil)
    _ = second.set("2", for: "k")
    #expect(path.value(for: "k") == "2" && path.integer(for: "k") == 2)
    _ = first.set("1", for: "k")
    #expect(path.value(for: "k") == "1" && path.integer(for: "k") == 1)
    search([second, first])
    #expect(path.value(for: "k") == "2")
    search([])
    #expect(path.value(for: "k") == nil && path.integer(for: "k") == 0)
  }

  // What was replaced meanwhile stayed in memory: a gigabyte, while an array of a million elements was converted.
  @Test("while a container is converted to an object, what other threads replace is freed")
  func conversion() {
    _ = first.set(["a", "b"], for: "array")
    _ = first.set(.array([.string("0")]), for: "other")
    var (conversionCount, isFreed) = (0, false)
    let convert = { (value: PropertyList) -> Any in
      conversionCount += 1
      isFreed = false
      // Not at once where the tests beside this one search at the same moment.
      for round in 1...100_000 where !isFreed {
        _ = first.set(.array([.string("\(round)")]), for: "other")
        isFreed = round > 100 && first.state.withLock { $0.table.retiredCount } < 16
      }
      return value == ["a", "b"] ? [1, 2] : [0]
    }
    #expect(path.array(for: "array", to: .classic, convert) as? [Int] == [1, 2] && isFreed)
    // It is kept, and not converted again, until the key has another value.
    #expect(path.object(for: "array", to: .classic, convert) as? [Int] == [1, 2] && conversionCount == 1)
    #expect(path.dictionary(for: "array", to: .classic, convert) == nil && conversionCount == 1)
    _ = first.set(["c"], for: "array")
    #expect(path.object(for: "array", to: .classic, convert) as? [Int] == [0] && conversionCount == 2)
    #expect(isFreed)
  }

  // What was replaced meanwhile stayed in memory: half a gigabyte, while a value of 27 MB was parsed for the first read.
  @Test("while a key is looked up with the domains' locks, what other threads replace is freed")
  func slowSearch() {
    _ = first.set(.array([.string("0")]), for: "other")
    let freedCount = Lock(0)
    let computed = Computed(["NSText": "text"]) { [first] in
      // Not at once where the tests beside this one search at the same moment.
      for round in 1...100_000 {
        _ = first.set(.array([.string("\(round)")]), for: "other")
        if round > 100, first.state.withLock({ $0.table.retiredCount }) < 16 {
          freedCount.withLock { $0 += 1 }
          return
        }
      }
    }
    list.domains.withLock { $0 = [.volatile(.computed(computed)), .persistent(first)] }
    path.invalidate()
    #expect(path.value(for: "NSText") == "text" && freedCount.withLock { $0 } == 1)
    #expect(path.found(for: "NSText")?.value == "text" && freedCount.withLock { $0 } == 2)
    #expect(path.object(for: "NSText", to: .classic) { $0 } as? String == "text")
    #expect(freedCount.withLock { $0 } == 3)
  }

  // A text was converted too, and a key was looked up three times where the domains' locks are needed for that.
  @Test("a getter of objects looks a key up once, and converts no text")
  func oneLookup() throws {
    let computed = Computed(["NSList": ["a"], "NSText": "b"])
    list.domains.withLock { $0 = [.volatile(.computed(computed)), .persistent(first)] }
    path.invalidate()
    var conversionCount = 0
    let convert = { (value: PropertyList) -> Any in
      conversionCount += 1
      return [1]
    }
    #expect(path.object(for: "NSAbsent", to: .classic, convert) == nil && computed.lookupCount == 1)
    #expect(path.array(for: "NSAbsent", to: .classic, convert) == nil && computed.lookupCount == 2)
    #expect(path.object(for: "NSText", to: .classic, convert) as? String == "b" && computed.lookupCount == 3)
    #expect(path.array(for: "NSText", to: .classic, convert) == nil && computed.lookupCount == 4)
    #expect(conversionCount == 0)
    #expect(path.array(for: "NSList", to: .classic, convert) as? [Int] == [1] && computed.lookupCount == 5)
    #expect(path.object(for: "NSList", to: .classic, convert) as? [Int] == [1] && computed.lookupCount == 6)
    #expect(conversionCount == 2)
    // Parsed when they are looked up.
    let text = try #require(
      DictionaryText(checking: Array("{ text = a; list = (b); }".utf8), options: .domainFile))
    first.withState { $0.table.replaceAll(with: text) }
    search([first])
    #expect(path.object(for: "text", to: .classic, convert) as? String == "a" && conversionCount == 2)
    #expect(path.array(for: "list", to: .classic, convert) as? [Int] == [1] && conversionCount == 3)
    #expect(path.array(for: "list", to: .classic, convert) as? [Int] == [1] && conversionCount == 3)
  }

  @Test("an object that was made for a value that another thread has replaced meanwhile is not kept")
  func replacedWhileConverted() {
    _ = first.set(["old"], for: "array")
    let replacing = { (value: PropertyList) -> Any in
      _ = first.set(["new"], for: "array")
      return value == ["old"] ? "of the old" : "of the new"
    }
    #expect(path.object(for: "array", to: .classic, replacing) as? String == "of the old")
    #expect(path.object(for: "array", to: .classic) { _ in "of the new" } as? String == "of the new")
  }

  @Test("a long list is searched in its order, also before lookups have made it worth a list")
  func longList() throws {
    let domains = PersistentDomains(database: nil)
    let many = try (0..<300).map { domains.domain(try DomainName("domain \($0)")) }
    _ = many[200].set("200", for: "k")
    _ = many[250].set("250", for: "k")
    _ = many[250].set("250", for: "NSKey")
    let computed = Computed(["NSComputed": "computed"])
    let all = many.map { SearchPath.Domain.persistent($0) }
    list.domains.withLock { $0 = all[..<100] + [.volatile(.computed(computed))] + all[100...] }
    for lookups in 1...10 {
      path.invalidate()
      for _ in 0..<lookups {
        #expect(path.value(for: "k") == "200" && path.integer(for: "k") == 200)
        #expect(path.found(for: "k")?.domain == many[200].identity)
        #expect(path.value(for: "NSKey") == "250" && path.found(for: "NSKey")?.domain == many[250].identity)
        #expect(path.value(for: "NSComputed") == "computed" && path.found(for: "NSComputed")?.domain == nil)
        #expect(path.value(for: "absent") == nil && !path.hasValue(for: "NSAbsent"))
      }
    }
    #expect(path.domains.count == 301)
  }

  @Test(
    "n changes of the order, and a lookup after each, take no square of n where a front domain has the key")
  func changingOrder() throws {
    let domains = PersistentDomains(database: nil)
    _ = first.set("1", for: "k")
    let growth = try growth(from: 1000, to: 10_000, bound: 40) { count in
      let many = try (0..<count).map { domains.domain(try DomainName("domain \($0)")) }
      search([first] + many)
      let start = threadTime()
      for _ in 0..<count {
        path.invalidate()
        #expect(path.integer(for: "k") == 1)
      }
      return threadTime() - start
    }
    // In quadratic time it would be 100 times.
    #expect(growth < 40)
  }

  @Test("what several changes at one moment make is never seen in part")
  func whole() async {
    let (first, path) = (first, path)
    let keys = (0..<20).map { PropertyListKey("key \($0)") }
    let isDone = Lock(false)
    await EightThreads.run { thread in
      if thread == 0 {
        for round in 1...500 {
          let value = PropertyList.string("\(round)")
          _ = first.apply(Dictionary(uniqueKeysWithValues: keys.map { ($0, value) }))
        }
        isDone.withLock { $0 = true }
      } else {
        while !isDone.withLock({ $0 }) {
          // A key that is read later has a value that is no older.
          var last = 0
          for key in keys {
            let value = path.integer(for: key.text)
            #expect(value >= last)
            last = value
          }
        }
      }
    }
    #expect(path.integer(for: "key 0") == 500)
  }

  @Test("a list of domains may be replaced while others search it, and what it led to is let go of")
  func replacement() async throws {
    let path = path
    _ = first.set("1", for: "k")
    let domains = [first, second]
    let isDone = Lock(false)
    weak var gone: PersistentDomain?
    do {
      let temporary = PersistentDomains(database: nil).domain(try DomainName("Temporary"))
      _ = temporary.set("1", for: "k")
      gone = temporary
      search([temporary])
      #expect(path.value(for: "k") == "1")
    }
    #expect(gone != nil)
    await EightThreads.run { thread in
      if thread == 0 {
        for round in 0..<2000 { search(Array(domains[..<(1 + round % 2)])) }
        isDone.withLock { $0 = true }
      } else {
        while !isDone.withLock({ $0 }) { #expect(path.value(for: "k") == "1") }
      }
    }
    // Other tests' readers count as well.
    var attempts = 0
    while gone != nil, attempts < 1_000_000 {
      search([attempts % 2 == 0 ? first : second])
      #expect(path.value(for: "k") == (attempts % 2 == 0 ? "1" : nil))
      attempts += 1
    }
    #expect(gone == nil)
  }

  @Test("an array or a dictionary is converted once, also when many threads ask for it first")
  func objects() async throws {
    _ = first.set(.dictionary(["a": .array(["b"])]), for: "k")
    let path = path
    // Makes the list; the lookup that makes it has no entry to keep an object in.
    #expect(path.value(for: "k") != nil)
    let conversions = Lock(0)
    await EightThreads.run { _ in
      for _ in 0..<100 {
        let object = path.dictionary(for: "k", to: .foundation) { value in
          conversions.withLock { $0 += 1 }
          return SearchPathTests.object(value)
        }
        #expect(object as? [String: [String]] == ["a": ["b"]])
      }
    }
    #expect((1...8).contains(conversions.withLock { $0 }))
    #expect(path.array(for: "k", to: .foundation, SearchPathTests.object) == nil)
    #expect(path.dictionary(for: "other", to: .foundation, SearchPathTests.object) == nil)
    _ = first.set("text", for: "k")
    #expect(path.object(for: "k", to: .foundation, SearchPathTests.object) as? String == "text")
    #expect(path.dictionary(for: "k", to: .foundation, SearchPathTests.object) == nil)
  }

  private final class Computed: ComputedDomain {
    let values: [PropertyListKey: PropertyList]
    private let whenAsked: @Sendable () -> Void

    init(_ values: [PropertyListKey: PropertyList], whenAsked: @escaping @Sendable () -> Void = {}) {
      (self.values, self.whenAsked) = (values, whenAsked)
    }

    private let count = Lock(0)

    /// How many keys were asked for.
    var lookupCount: Int { count.withLock { $0 } }

    func value(for key: PropertyListKey) -> PropertyList? {
      count.withLock { $0 += 1 }
      whenAsked()
      return values[key]
    }
  }

  /// A value of texts, arrays and dictionaries as Swift's.
  @Sendable private static func object(_ value: PropertyList) -> Any {
    switch value {
    case .array(let elements): elements.map(object)
    case .dictionary(let entries):
      [String: Any](uniqueKeysWithValues: entries.map { ($0.key.text, object($0.value)) })
    default: value.scalarText ?? ""
    }
  }
}
