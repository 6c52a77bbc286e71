import Foundation
import Testing
import UserDefaultsCompat

/// What a program does with numbers inside containers: comparisons by `AnyHashable`, and casts.
///
/// Each idiom is run against Foundation's own class in the same process, too: what is true there is true here. On
/// Linux its values are Swift's own, so that all comparisons hold and only the casts to the very type; on Apple's
/// systems both do.
@Suite
struct NumberEqualityTests {
  private typealias Idiom = (name: String, holds: @Sendable (any Getting) -> Bool)

  private let ours: any Getting
  private let foundation: any Getting

  init() {
    let ours = UserDefaultsCompat.UserDefaults.inMemory()
    // Nothing of a suite reaches the disk unless it is synchronized.
    let foundation = Foundation.UserDefaults(suiteName: "NumberEqualityTests-\(UUID().uuidString)")
    for (key, value) in NumberEqualityTests.values {
      ours.set(value, forKey: key)
      foundation?.set(value, forKey: key)
    }
    self.ours = ours
    self.foundation = foundation ?? .standard
  }

  private static var values: [String: Any] {
    [
      "k": ["e": 1], "many": ["i": 7, "d": 2.5, "b": true, "s": "text"], "flags": ["on": true, "off": false],
      "numbers": [1, 2, 3], "mixed": [1, 2.5, true, "text"], "reals": [0.5, 1, 2],
      "nested": ["a": ["b": [1, 2]]],
      "large": ["u": UInt64.max, "m": Int.min, "x": Int.max], "float": ["f": Float(0.1), "h": Float(2.5)],
      "int": 5, "one": 1, "true": true, "real": 2.5, "whole": 4.0, "zero": 0, "false": false,
      "dates": [Date.distantPast],
      "data": ["d": Data([1, 2])],
    ]
  }

  // MARK: - Equality

  private static let comparisons: [Idiom] = [
    ("a dictionary and a literal", { hashes($0, "k") == ["e": 1] }),
    ("a dictionary of several types", { hashes($0, "many") == ["i": 7, "d": 2.5, "b": true, "s": "text"] }),
    ("another number", { hashes($0, "k") != ["e": 2] }),
    ("truth values", { hashes($0, "flags") == ["on": true, "off": false] }),
    ("the largest numbers", { hashes($0, "large") == ["u": UInt64.max, "m": Int.min, "x": Int.max] }),
    ("single precision", { hashes($0, "float")?["h"] == AnyHashable(Float(2.5)) }),
    ("single and double precision", { hashes($0, "float")?["h"] == AnyHashable(2.5) }),
    ("an entry", { hashes($0, "k")?["e"] == AnyHashable(1) }),
    ("an entry as a real number", { hashes($0, "k")?["e"] == AnyHashable(1.0) }),
    ("an entry as a small number", { hashes($0, "k")?["e"] == AnyHashable(Int8(1)) }),
    ("an array and a literal", { list($0, "numbers") == [1, 2, 3] }),
    ("an array of several types", { list($0, "mixed") == [1, 2.5, true, "text"] }),
    ("an array of real numbers", { list($0, "reals") == [0.5, 1, 2] }),
    ("a set", { Set(list($0, "numbers") ?? []) == [1, 2, 3] }),
    ("a set contains a number", { Set(list($0, "mixed") ?? []).contains(1) }),
    ("a set contains a truth value", { Set(list($0, "mixed") ?? []).contains(true) }),
    ("an array contains a number", { list($0, "mixed")?.contains(2.5) == true }),
    ("the place of a number", { list($0, "numbers")?.firstIndex(of: 3) == 2 }),
    ("a scalar", { scalar($0, "int") == AnyHashable(5) }),
    ("a real scalar", { scalar($0, "real") == AnyHashable(2.5) }),
    ("a truth value", { scalar($0, "true") == AnyHashable(true) }),
    ("a truth value is no number", { scalar($0, "true") != AnyHashable(1) }),
    ("a number is no truth value", { scalar($0, "one") != AnyHashable(true) }),
    ("false is not zero", { scalar($0, "false") != AnyHashable(0) }),
    ("zero is not false", { scalar($0, "zero") != AnyHashable(false) }),
    ("data in a dictionary", { hashes($0, "data") == ["d": Data([1, 2])] }),
    ("dates", { list($0, "dates") == [Date.distantPast] }),
    (
      "a dictionary's key",
      { defaults in
        let names: [AnyHashable: String] = [1: "one", 2: "two"]
        return (list(defaults, "numbers") ?? []).compactMap { names[$0] } == ["one", "two"]
      }
    ),
    (
      "a number that was read is a key",
      { defaults in
        guard let key = scalar(defaults, "int") else { return false }
        return [key: "five"][5] == "five"
      }
    ),
    (
      "counting",
      { defaults in
        var counts: [AnyHashable: Int] = [:]
        for element in (list(defaults, "mixed") ?? []) + ([1, true, 2.5] as [AnyHashable]) {
          counts[element, default: 0] += 1
        }
        return counts == [1: 2, true: 2, 2.5: 2, "text": 1]
      }
    ),
    ("an intersection", { Set(list($0, "numbers") ?? []).intersection([2, 3, 4]) == [2, 3] }),
    ("the base of a number", { (hashes($0, "many")?["i"])?.base as? Int == 7 }),
    ("the base of a truth value", { (hashes($0, "flags")?["on"])?.base as? Bool == true }),
    ("the base of a real number", { (hashes($0, "many")?["d"])?.base as? Double == 2.5 }),
  ]

  @Test("numbers inside containers equal Swift's, as with Foundation")
  func equality() {
    for idiom in NumberEqualityTests.comparisons {
      #expect(idiom.holds(foundation), "\(idiom.name), with Foundation")
      #expect(idiom.holds(ours), "\(idiom.name)")
    }
  }

  // MARK: - Casts

  private static let casts: [Idiom] = [
    ("Int as Int", { $0.object(forKey: "int") as? Int == 5 }),
    ("Int as Double", { $0.object(forKey: "int") as? Double == 5 }),
    ("Int as Float", { $0.object(forKey: "int") as? Float == 5 }),
    ("Int as Int8", { $0.object(forKey: "int") as? Int8 == 5 }),
    ("Int as UInt64", { $0.object(forKey: "int") as? UInt64 == 5 }),
    ("Int as NSNumber", { $0.object(forKey: "int") as? NSNumber == 5 }),
    ("1 as Bool", { $0.object(forKey: "one") as? Bool == true }),
    ("true as Bool", { $0.object(forKey: "true") as? Bool == true }),
    ("true as Int", { $0.object(forKey: "true") as? Int == 1 }),
    ("a whole Double as Int", { $0.object(forKey: "whole") as? Int == 4 }),
    ("Double as Double", { $0.object(forKey: "real") as? Double == 2.5 }),
    ("Double as Float", { $0.object(forKey: "real") as? Float == 2.5 }),
    ("Double as Int", { $0.object(forKey: "real") as? Int == nil }),
    ("a dictionary of Int", { $0.dictionary(forKey: "k") as? [String: Int] == ["e": 1] }),
    ("a dictionary of Double", { $0.dictionary(forKey: "k") as? [String: Double] == ["e": 1] }),
    ("a dictionary of NSNumber", { $0.dictionary(forKey: "k") as? [String: NSNumber] == ["e": 1] }),
    (
      "a dictionary of Bool",
      { $0.dictionary(forKey: "flags") as? [String: Bool] == ["on": true, "off": false] }
    ),
    ("an array of Int", { $0.array(forKey: "numbers") as? [Int] == [1, 2, 3] }),
    ("an array of Double", { $0.array(forKey: "numbers") as? [Double] == [1, 2, 3] }),
    ("an array of mixed numbers as Double", { $0.array(forKey: "reals") as? [Double] == [0.5, 1, 2] }),
    ("an array of UInt8", { $0.array(forKey: "numbers") as? [UInt8] == [1, 2, 3] }),
    ("an element", { $0.array(forKey: "mixed")?[1] as? Double == 2.5 }),
    ("an entry", { $0.dictionary(forKey: "many")?["b"] as? Bool == true }),
    (
      "a nested dictionary",
      { $0.dictionary(forKey: "nested") as? [String: [String: [Int]]] == ["a": ["b": [1, 2]]] }
    ),
    ("the largest UInt64", { $0.dictionary(forKey: "large")?["u"] as? UInt64 == .max }),
    ("the limits of Int", { $0.dictionary(forKey: "large")?["m"] as? Int == .min }),
    ("single precision", { $0.dictionary(forKey: "float")?["f"] as? Float == 0.1 }),
    ("keys as AnyHashable", { $0.object(forKey: "k") as? [AnyHashable: Int] == ["e": 1] }),
    ("by way of AnyHashable", { hashes($0, "k")?["e"] as? Int == 1 }),
    ("by way of AnyHashable to NSNumber", { (hashes($0, "k")?["e"] as? NSNumber)?.doubleValue == 1 }),
  ]

  @Test("numbers cast to every type that holds them, and to those to which Foundation's cast")
  func casts() {
    for idiom in NumberEqualityTests.casts { #expect(idiom.holds(ours), "\(idiom.name)") }
  }

  // MARK: - The whole program

  @Test("a number of Foundation's and the same of Swift's are one element of a set")
  func collisions() {
    let numbers: [AnyHashable] = [
      1, NSNumber(value: 1), NSNumber(value: 1.0), NSNumber(value: Float(1)), NSNumber(value: Int8(1)),
      NSDecimalNumber(string: "1"), 1.0, UInt8(1),
    ]
    #expect(Set(numbers).count == 1)
    #expect(Set([true, NSNumber(value: true), 1, NSNumber(value: 1)] as [AnyHashable]).count == 2)
    #expect(
      Set([UInt64.max, NSNumber(value: UInt64.max), -1, NSNumber(value: -1)] as [AnyHashable]).count == 2)
    #expect(Set([0.5, NSNumber(value: 0.5), NSDecimalNumber(string: "0.5")] as [AnyHashable]).count == 1)
    #expect(Set([0.0, -0.0, 0, NSNumber(value: -0.0), NSNumber(value: 0)] as [AnyHashable]).count == 1)
  }

  @Test("numbers that are not the same are not made so")
  func distinct() {
    // A Double holds neither 2^53 + 1 nor the largest numbers of 64 bits.
    let nearby: [AnyHashable] = [
      NSNumber(value: 9_007_199_254_740_993), NSNumber(value: 9_007_199_254_740_992.0),
      NSNumber(value: Int.max),
      NSNumber(value: UInt64.max), NSNumber(value: 0.1), NSNumber(value: Float(0.1)),
      NSDecimalNumber(string: "1.00000000000000000000000000000000001"), NSNumber(value: Double.infinity),
    ]
    #expect(Set(nearby).count == nearby.count)
    for (index, number) in nearby.enumerated() {
      #expect(nearby.firstIndex(of: number) == index)
      #expect(Set(nearby).contains(number))
    }
  }

  @Test("what is not a number equals itself")
  func notANumber() {
    let number = NSNumber(value: Double.nan) as AnyHashable
    #expect(number == number)
    #expect(Set([number]).contains(number))
  }

  @Test("equal numbers have equal hashes, whatever they are made of")
  func hashing() {
    for value in [-128, -1, 0, 1, 127] {
      let forms: [AnyHashable] = [
        AnyHashable(value), AnyHashable(Int8(value)), AnyHashable(Double(value)),
        AnyHashable(NSNumber(value: value)),
        AnyHashable(NSNumber(value: Double(value))), AnyHashable(NSDecimalNumber(value: value)),
      ]
      for left in forms {
        for right in forms {
          #expect(left == right)
          #expect(left.hashValue == right.hashValue)
        }
      }
    }
  }

  @Test("a dictionary of Foundation's finds its numbers by Swift's")
  func foundationDictionaries() {
    let dictionary = NSDictionary(
      objects: ["three", "yes"], forKeys: [NSNumber(value: 3), NSNumber(value: true)])
    let bridged = dictionary as? [AnyHashable: Any]
    #expect(bridged?[3] as? String == "three")
    #expect(bridged?[NSNumber(value: 3)] as? String == "three")
    #expect(bridged?[true] as? String == "yes")
    #expect(dictionary.object(forKey: NSNumber(value: 3)) as? String == "three")
  }

  @Test("a number that was read as AnyHashable is set again as it was")
  func settingAgain() {
    let defaults = UserDefaultsCompat.UserDefaults.inMemory()
    let values: [Any] = [1, -5, UInt64.max, 2.5, Float(0.1), true, false, Int.min, 4.0]
    for value in values {
      defaults.set(value, forKey: "direct")
      defaults.set(defaults.object(forKey: "direct") as? AnyHashable, forKey: "again")
      let (direct, again) = (defaults.object(forKey: "direct"), defaults.object(forKey: "again"))
      #expect((direct as? NSNumber)?.objCType.pointee == (again as? NSNumber)?.objCType.pointee)
      let (directNumber, againNumber) = (direct as? AnyHashable, again as? AnyHashable)
      #expect(directNumber == againNumber)
      #expect(defaults.string(forKey: "direct") == defaults.string(forKey: "again"))
    }
  }
}

/// The getters that both classes have.
private protocol Getting {
  func object(forKey key: String) -> Any?
  func array(forKey key: String) -> [Any]?
  func dictionary(forKey key: String) -> [String: Any]?
}

extension UserDefaultsCompat.UserDefaults: Getting {}
extension Foundation.UserDefaults: Getting {}

private func hashes(_ defaults: any Getting, _ key: String) -> [String: AnyHashable]? {
  defaults.dictionary(forKey: key) as? [String: AnyHashable]
}

private func scalar(_ defaults: any Getting, _ key: String) -> AnyHashable? {
  defaults.object(forKey: key) as? AnyHashable
}

private func list(_ defaults: any Getting, _ key: String) -> [AnyHashable]? {
  defaults.array(forKey: key) as? [AnyHashable]
}
