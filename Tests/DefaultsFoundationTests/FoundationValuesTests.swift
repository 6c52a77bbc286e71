import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsFoundation

/// Which objects are property lists, and what they become.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct FoundationValuesTests {
  private func value(_ object: Any) throws -> PropertyList {
    try FoundationValues.propertyList(object, path: "the value for the key \"x\"")
  }

  /// Why an object is refused.
  private func refusal(of object: Any) -> String? {
    do {
      _ = try value(object)
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: - Taken

  @Test("every integer type keeps its value, up to 64 bits")
  func integers() throws {
    let five: [Any] = [
      5, Int8(5), Int16(5), Int32(5), Int64(5), Int128(5), UInt(5), UInt8(5), UInt16(5), UInt32(5), UInt64(5),
      UInt128(5), NSNumber(value: Int8(5)), NSNumber(value: 5), NSNumber(value: UInt64(5)), Decimal(5),
      NSDecimalNumber(value: 5), AnyHashable(5), AnyHashable(NSNumber(value: 5)), Optional(5) as Any,
    ]
    for object in five { #expect(try value(object) == .integer(5), "\(type(of: object))") }
    #expect(try value(Int.min) == .integer(PropertyListInteger(.min)))
    #expect(try value(NSNumber(value: Int64.min)) == .integer(PropertyListInteger(.min)))
    let largest = try #require(PropertyListInteger(exactly: UInt64.max))
    #expect(try value(UInt.max) == .integer(largest))
    #expect(try value(NSNumber(value: UInt64.max)) == .integer(largest))
    #expect(try value(Decimal(string: "18446744073709551615") as Any) == .integer(largest))
  }

  @Test("truth is truth and 1 is 1, whatever they come in")
  func truth() throws {
    let truths: [Any] = [
      true, NSNumber(value: true), AnyHashable(true), AnyHashable(NSNumber(value: true)),
      Optional(true) as Any,
      Optional<Any>.some(NSNumber(value: true)) as Any,
    ]
    for object in truths { #expect(try value(object) == .boolean(true), "\(type(of: object))") }
    // On Linux most numbers of one byte bear the type code of a truth value.
    for number in Int8.min...Int8.max {
      #expect(try value(NSNumber(value: number)) == .integer(PropertyListInteger(Int64(number))))
    }
    #expect(try value(NSNumber(value: 1)) == .integer(1))
    #expect(try value([true, 1, 1.0] as [Any]) == [.boolean(true), .integer(1), .real(1)])
    let numbers = NSArray(array: [NSNumber(value: false), NSNumber(value: 0), NSNumber(value: 0.0)])
    #expect(try value(numbers) == [.boolean(false), .integer(0), .real(0)])
  }

  @Test("real numbers keep every bit and their precision")
  func reals() throws {
    let odd: [Double] = [
      0.1, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0x1p53,
    ]
    for real in odd {
      #expect(try value(real) == .real(real))
      #expect(try value(CGFloat(real)) == .real(real))
      #expect(try value(NSNumber(value: real)) == .real(real))
      #expect(try value(Float(real)) == .float(Float(real)))
      // Of those that are not finite, Foundation on Linux forgets the precision, but not the value.
      let single = try value(NSNumber(value: Float(real)))
      #expect(
        single == .float(Float(real)) || (!Float(real).isFinite && single == .real(Double(Float(real)))))
      #expect(try value(AnyHashable(real)) == .real(real))
      #expect(try value([Optional<Any>.some(NSNumber(value: real))]) == [.real(real)])
    }
    #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
      #expect(try value(Float16(0.5)) == .real(0.5))
    #endif
    #if arch(x86_64) && !os(Windows) && !os(Android)
      #expect(try value(Float80(0.1)) == .real(0.1))
    #endif
  }

  // Apple's writers of property lists take the value as a Double.
  @Test("a decimal number becomes the nearest number of double precision")
  func decimals() throws {
    #expect(try value(Decimal(1) / 3) == .real(1.0 / 3))
    #expect(
      try value([Decimal(string: "71.5").unsafelyUnwrapped / (Decimal(182) * 182)]) == [
        .real(71.5 / (182 * 182))
      ])
    #expect(try value(NSDecimalNumber(string: "123456789.123456789")) == .real(123_456_789.123456789))
    #expect(try value(Decimal(string: "18446744073709551617") as Any) == .real(0x1p64))
    #expect(try value(Decimal.greatestFiniteMagnitude) == .real(3.4028236692093845e165))
    #expect(try value(Decimal(string: "1.1") as Any) == .real(1.1))
    #expect(try value(NSDecimalNumber(string: "-0.25")) == .real(-0.25))
    #expect(try value(Decimal(string: "1e100") as Any) == .real(1e100))
    #expect(try value(Decimal.leastNonzeroMagnitude) == .real(1e-127))
    #expect(try value(Decimal.nan) == .real(.nan))
  }

  @Test("strings, data and dates of every kind are taken as they are")
  func otherScalars() throws {
    let e = "e\u{301}\0"
    let strings: [Any] = [
      e, e[...], NSString(string: e), NSMutableString(string: e), AnyHashable(e), Optional(e) as Any,
    ]
    for object in strings { #expect(try value(object) == .string(e), "\(type(of: object))") }
    let bytes = Data([9, 0, 255])
    let data: [Any] = [bytes, Data([1, 9, 0, 255])[1...], bytes as NSData, NSMutableData(data: bytes)]
    for object in data { #expect(try value(object) == .data([9, 0, 255]), "\(type(of: object))") }
    for seconds in [0, 0.25, -63_113_904_000.5, 1e300, .infinity, .nan] as [Double] {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      let expected = PropertyList.date(PropertyListDate(secondsSinceReferenceDate: seconds))
      #expect(try value(date) == expected)
    }
    let date = NSDate(timeIntervalSinceReferenceDate: 0.125)
    #expect(try value(date) == .date(PropertyListDate(secondsSinceReferenceDate: 0.125)))
  }

  @Test("containers of every kind are taken, with what is in them")
  func containers() throws {
    let inner = NSMutableDictionary()
    inner["n"] = NSNumber(value: 1)
    let arrays: [Any] = [
      [["n": 1]], [["n": 1] as [AnyHashable: Any]], NSArray(array: [inner]), NSMutableArray(array: [inner]),
      [inner], [["n": PropertyList.integer(1)]], [PropertyList.dictionary(["n": .integer(1)])],
      [Optional(["n": 1])], [Optional<Any>.some(inner)], [["n": Optional(1)]], [AnyHashable(["n": 1])],
    ]
    for object in arrays { #expect(try value(object) == [["n": .integer(1)]], "\(type(of: object))") }
    let dictionaries: [Any] = [
      ["k": ["a"]], ["k": ["a"]] as [AnyHashable: Any],
      NSDictionary(dictionary: ["k": NSArray(array: ["a"])]),
      [NSString("k"): ["a"]], ["k": NSMutableArray(array: ["a"])] as NSDictionary,
    ]
    for object in dictionaries { #expect(try value(object) == ["k": ["a"]], "\(type(of: object))") }
    #expect(try value([Any]()) == [])
    #expect(try value([String: Any]()) == [:])
    #expect(try value(NSArray()) == [])
    #expect(try value(NSDictionary()) == [:])
  }

  @Test("keys that differ only in how their characters are made up stay apart if they were")
  func equivalentKeys() throws {
    // Whether Foundation tells them apart depends on where in its table they happen to lie.
    let dictionaries = (0..<100).map { _ in
      NSMutableDictionary(objects: ["1", "2"], forKeys: ["é" as NSString, "e\u{301}" as NSString])
    }
    for dictionary in dictionaries where dictionary.count == 2 {
      #expect(try value(dictionary) == ["\u{E9}": "1", "e\u{301}": "2"])
    }
    for dictionary in dictionaries where dictionary.count == 1 {
      guard case .dictionary(let entries) = try value(dictionary) else { continue }
      #expect(entries.count == 1)
    }
  }

  // MARK: - Refused

  private struct Stranger {}

  @Test("what is no property list is refused by its type")
  func refusedTypes() {
    let strangers: [(Any, String)] = [
      (Stranger(), "Stranger"), (NSObject(), "NSObject"), (NSNull(), "NSNull"), (Set(["a"]), "Set<String>"),
      ((1, 2), "(Int, Int)"), ("a" as Character, "Character"), (UUID(), "UUID"), (1..<2, "Range<Int>"),
      (UserDefaults.self, "UserDefaults.Type"), ({ 1 }, "() -> Int"), (AnyHashable(UUID()), "UUID"),
    ]
    for (stranger, name) in strangers {
      let sentence = """
        the value for the key "x" is of type \(name), which is no property list: a property list is a string, \
        data, a date, a number, a truth value, or an array or dictionary (with string keys) of property lists
        """
      #expect(refusal(of: stranger) == sentence)
    }
  }

  @Test("what is refused inside a value is named by its path")
  func refusedInside() {
    let url = URL(string: "http://a.b/") as Any
    let refused: [(Any, String)] = [
      (["a": [1, 2, 3, Stranger()] as [Any]], #"["a"][3] is of type Stranger, "#),
      ([["a": NSNull()]], #"[0]["a"] is of type NSNull, "#),
      (["a": ["b": [url]]], #"["a"]["b"][0] is of type URL, "#),
      ([1, nil] as [Int?], "[1] is nil, "),
      (["a": nil] as [String: Int?], #"["a"] is nil, "#),
      ([[1: "a"]], "[0] has a key of type Int, "),
      (NSDictionary(dictionary: [NSNumber(value: 1): "a"]), " has a key of type "),
      (["a"[...]: 1], " has a key of type Substring, "),
      (["a": UInt128.max], #"["a"] is 340282366920938463463374607431768211455, "#),
      ([Int128.min], "[0] is -170141183460469231731687303715884105728, "),
    ]
    for (object, part) in refused {
      let sentence = refusal(of: object) ?? "no refusal of \(object)"
      #expect(sentence.hasPrefix("the value for the key \"x\"" + part), "\(sentence)")
    }
  }

  // MARK: - Depth

  /// An object inside so many arrays, in turn Swift's and Foundation's if asked for.
  private func nested(_ count: Int, in container: (Any) -> Any) -> Any {
    (0..<count).reduce("leaf" as Any) { inner, _ in container(inner) }
  }

  @Test(
    "500 containers may be nested, and no more",
    arguments: [
      { @Sendable in [$0] }, { @Sendable in ["k": $0] }, { @Sendable in NSArray(array: [$0]) },
      { @Sendable in NSDictionary(dictionary: ["k": $0]) }, { @Sendable in Optional([$0]) as Any },
      { @Sendable in PropertyList.array([$0 as? PropertyList ?? "leaf"]) },
    ] as [@Sendable (Any) -> Any])
  func depth(container: @Sendable (Any) -> Any) throws {
    #expect(try value(nested(500, in: container)).extent.depth == 500)
    let sentence = refusal(of: nested(501, in: container)) ?? "no refusal"
    #expect(sentence.hasSuffix("… nests more than 500 arrays and dictionaries"), "\(sentence)")
    #expect(sentence.utf8.count < 200)
  }

  @Test("no more values are converted than a file can hold, though few arrays can contain more")
  func objectBound() throws {
    func depth(levels: Int, _ makeContainer: (Any) -> Any = { [$0, $0] }) throws -> Int? {
      var object: Any = "leaf"
      for _ in 0..<levels { object = makeContainer(object) }
      return try ObjectConversion.propertyList(of: object, objectBound: 1023) {
        (object, depth, path) throws(InvalidArgumentError) in
        try FoundationValues.parts(of: object, depth: depth, path: path)
      } refusal: {
        InvalidArgumentError($0)
      }?.extent.depth
    }
    #expect(try depth(levels: 9) == 9)
    // Keys count, too.
    #expect(try depth(levels: 255) { ["a": $0, "b": ""] } == 255)
    #expect(throws: InvalidArgumentError.self) { try depth(levels: 256) { ["a": $0, "b": ""] } }
    for levels in [10, 100] {
      let error = #expect(throws: InvalidArgumentError.self) { try depth(levels: levels) }
      #expect(error?.reason == "contains more than 1023 values and keys, too many to be read back")
    }
  }

  @Test(
    "a property list of more values than a file can hold is refused, though few arrays contain them",
    .timeLimit(.minutes(30)), arguments: Thoroughness.cases([25, 100], unoptimized: 1))
  func sharedPropertyList(levels: Int) {
    var shared: PropertyList = "leaf"
    for _ in 0..<levels { shared = .array([shared, shared]) }
    let sentence = refusal(of: shared) ?? "no refusal"
    #expect(sentence.contains("contains more than 33554432 values and keys"), "\(sentence)")
  }

  private func expectTooDeep(_ object: Any) {
    let sentence = refusal(of: object) ?? "no refusal"
    #expect(sentence.hasSuffix("… nests more than 500 arrays and dictionaries"))
  }

  @Test("collections of Foundation's that contain themselves are refused")
  func endless() {
    let array = NSMutableArray(array: ["a"])
    array.add(array)
    let dictionary = NSMutableDictionary()
    dictionary["k"] = NSArray(object: dictionary)
    let set = NSMutableSet()
    set.add(NSArray(object: set))
    expectTooDeep(array)
    expectTooDeep([array])
    expectTooDeep(Optional(array) as Any)
    expectTooDeep(AnyHashable(array))
    expectTooDeep(dictionary)
    expectTooDeep(["k": dictionary])
    expectTooDeep(NSArray(object: set))
    // Each holds itself, and would never be freed.
    array.removeAllObjects()
    dictionary.removeAllObjects()
    set.removeAllObjects()
  }

  @Test("an array of Swift's that nests a hundred thousand deep is refused")
  func deepSwiftArray() {
    var array: Any = nested(100_000) { [$0] }
    expectTooDeep(array)
    // From the outside, one by one: freed at once it would take the stack that the nesting has.
    while let inner = (array as? [Any])?.first { array = inner }
  }

  @Test("collections of Foundation's that nest a hundred thousand deep are refused")
  func bottomless() {
    var links = [NSArray()]
    for index in 0..<100_000 { links.append(NSArray(object: links[index])) }
    if let outermost = links.last { expectTooDeep(outermost) }
    // From the outside, one by one: freed at once it would take the stack that the nesting has.
    while links.popLast() != nil {}
  }

  @Test("a collection that is shared by many is looked at once for each depth")
  func shared() throws {
    var shared = NSArray(object: "leaf")
    for _ in 0..<499 { shared = NSArray(array: [shared, shared]) }
    // Written out it would have 2^500 leaves; only that its depth fits can be told.
    #expect(ObjectNesting.fits(shared, within: 500))
    #expect(!ObjectNesting.fits(shared, within: 499))
  }
}
