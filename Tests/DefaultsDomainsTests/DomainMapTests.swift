import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// Domains by name, beside a dictionary that was told the same.
struct DomainMapTests {
  @Test(
    "a few and many names are found, sorted and removed, compared by their bytes",
    arguments: [5, 32, 33, 500])
  func model(_ count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    var map = DomainMap<Int>()
    var model: [PropertyListKey: Int] = [:]
    for step in 0..<(20 * count) {
      // Some names differ in their bytes only.
      let number = Int.random(in: 0..<count, using: &generator)
      let name = PropertyListKey(
        number % 3 == 0 ? "e\u{301}\(number / 3)" : number % 3 == 1 ? "\u{E9}\(number / 3)" : "n\(number)")
      let value = Bool.random(using: &generator) ? step : nil
      map[name] = value
      model[name] = value
      #expect(map[name] == value)
    }
    #expect(map.count == model.count)
    #expect(map.names == model.keys.sorted())
    #expect(map.domains.sorted() == model.values.sorted())
    map.removeAll { $0 % 2 == 0 }
    model = model.filter { $0.value % 2 != 0 }
    #expect(map.names == model.keys.sorted())
    for (name, value) in model { #expect(map[name] == value) }
  }
}
