import Foundation
import OpenStepDefaults
import Testing

/// Values inside `AnyHashable` and optionals: what the value itself would be, or refused.
@Suite
struct WrappedValuesTests {
  private let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")

  private static var values: [Any] {
    [
      "text", Substring("part"), true, false, 5, -5, UInt64.max, Int8(1), 2.5, Float(0.1), Decimal(12),
      NSNumber(value: 7), NSNumber(value: true), NSNumber(value: 0.5), Data([1, 2]),
      Date(timeIntervalSinceReferenceDate: 0), ["a", "b"], ["k": "v"], ["k": ["x": 1]], [1, 2], ["t": true],
    ]
  }

  private func stored(_ value: Any) -> NSObject? {
    defaults.setObject(value, forKey: "k")
    // Compared as Foundation's objects, which all that the getter gives can be.
    let object = defaults.objectForKey("k")
    return object as? NSObject ?? (object as? [Any]).map { NSArray(array: $0) }
      ?? (object as? [String: Any]).map { NSDictionary(dictionary: $0) } ?? (object as? String).map {
        NSString(string: $0)
      }
      ?? (object as? Data).map { NSData(data: $0) }
  }

  @Test("a value of any kind inside AnyHashable is stored as the value itself")
  func hashables() throws {
    for value in WrappedValuesTests.values {
      let hashable = try #require(value as? AnyHashable)
      let expected = try #require(stored(value))
      #expect(stored(hashable) == expected, "\(value)")
      #expect(stored(Optional(hashable) as Any) == expected, "\(value)")
      #expect(stored(AnyHashable(hashable)) == expected, "\(value)")
    }
  }

  @Test("so it is inside arrays and dictionaries, and as their keys")
  func containers() throws {
    for value in WrappedValuesTests.values {
      let hashable = try #require(value as? AnyHashable)
      #expect(stored([hashable]) == stored([value]), "\(value)")
      #expect(stored(["k": hashable]) == stored(["k": value]), "\(value)")
      #expect(stored(["k": hashable] as [AnyHashable: AnyHashable]) == stored(["k": value]), "\(value)")
    }
  }

  @Test("truth and numbers in AnyHashable are the strings of OPENSTEP")
  func strings() {
    for (value, text) in [
      (AnyHashable(true), "YES"), (AnyHashable(false), "NO"), (AnyHashable(5), "5"),
      (AnyHashable(2.5), "2.5"),
      (AnyHashable(NSNumber(value: true)), "YES"), (AnyHashable(NSNumber(value: 1)), "1"),
      (AnyHashable("x"), "x"),
    ] {
      defaults.setObject(value, forKey: "k")
      #expect(defaults.stringForKey("k") == text)
    }
  }

  @Test("what is no property list is none inside AnyHashable either, and is named by its own type")
  func refusals() {
    struct Value: Hashable {}
    for (value, words) in [
      (AnyHashable(Value()) as Any, "of type Value"), ([AnyHashable(Value())], "[0] is of type Value"),
      (AnyHashable(Int?.none), "is nil"), ([1, nil] as [Int?], "[1] is nil"),
      ([AnyHashable(1): "v"], "has a key of type Int"),
    ] {
      #expect {
        try NSUserDefaults.checkObject(value, forKey: "k")
      } throws: { error in
        (error as? InvalidArgumentError)?.reason.contains(words) == true
      }
    }
  }

  @Test("Foundation's collections that contain themselves, or nest a hundred thousand deep, are refused")
  func bottomless() {
    let (array, dictionary) = (NSMutableArray(), NSMutableDictionary())
    array.add(array)
    dictionary["k"] = dictionary
    var links = [NSArray()]
    for index in 0..<100_000 { links.append(NSArray(object: links[index])) }
    for value in [array, dictionary, [array], ["a": dictionary], links[100_000]] as [Any] {
      #expect {
        try NSUserDefaults.checkObject(value, forKey: "k")
      } throws: { error in
        (error as? InvalidArgumentError)?.reason.contains("nests more than 500") == true
      }
    }
    // From the outside, one by one: freed at once it would take the stack that the nesting has.
    while links.popLast() != nil {}
    array.removeAllObjects()
    dictionary.removeAllObjects()
  }
}
