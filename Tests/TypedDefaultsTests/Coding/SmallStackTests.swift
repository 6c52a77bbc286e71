import DefaultsFoundation
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Deep typed values on a thread with a small stack: a larger one is taken where it is needed, and what is too
/// deep gives an error.
struct SmallStackTests {
  /// A list that encodes itself by recursion, a level for each element.
  private final class List: Codable, Defaults.Serializable, @unchecked Sendable {
    // Unchecked, because it does not change after it is made.
    var next: List?
    var number = 0

    /// Lets go of the list without recursion.
    deinit {
      var next = next.take()
      while isKnownUniquelyReferenced(&next) { next = next?.next.take() }
    }

    init() {}

    static func of(_ count: Int) -> List {
      (0..<count).reduce(List()) { rest, number in
        let list = List()
        (list.next, list.number) = (rest, number)
        return list
      }
    }

    var count: Int {
      var (count, list) = (0, self)
      while let next = list.next { (count, list) = (count + 1, next) }
      return count
    }
  }

  // Unchecked: only its deinit changes it, when no thread has it any more.
  /// One that is stored as an array of its own kind.
  private final class Chain: Defaults.Serializable, @unchecked Sendable {
    struct Bridge: Defaults.Bridge {
      func serialize(_ value: Chain?) -> [Chain]? { value.map { $0.next.map { [$0] } ?? [] } }
      func deserialize(_ object: [Chain]?) -> Chain? { object.map { Chain($0.first) } }
    }

    static var bridge: Bridge { Bridge() }
    var next: Chain?

    init(_ next: Chain?) { self.next = next }

    deinit {
      var next = next.take()
      while isKnownUniquelyReferenced(&next) { next = next?.next.take() }
    }

    static func of(_ count: Int) -> Chain { (0..<count).reduce(Chain(nil)) { rest, _ in Chain(rest) } }
  }

  /// What a set, a default value and a read of the value of so many parts end with, on a thread.
  private func outcome<Value: Defaults.Serializable>(
    of make: @escaping @Sendable () -> Value, stack: Int
  ) async -> (isSet: Bool, isRead: Bool, isKept: Bool) {
    let defaults = UserDefaults.inMemory()
    defaults.set("old", forKey: "other")
    return await onThread(stack: stack) {
      let value = make()
      let key = Defaults.Key<Value?>("k", suite: defaults)
      // A default value is encoded and looked through as well.
      let other = Defaults.Key<Value>("other", default: value, suite: defaults)
      _ = Defaults[other]
      do {
        try Defaults.set(value, for: key)
      } catch {
        return (false, false, defaults.object(forKey: "k") == nil && "\(error)".contains("cannot be stored"))
      }
      let isRead = (try? Defaults.value(for: key)) != nil
      return (true, isRead, defaults.object(forKey: "k") != nil)
    }
  }

  @Test("a recursive value of any depth is set and read, or gives an error", arguments: [64, 128, 256, 1024])
  func anyDepth(kilobytes: Int) async throws {
    for count in [1, 5, 20, 60, 120, 300, 600, 5_000, 100_000] {
      let list = await outcome(of: { List.of(count) }, stack: kilobytes << 10)
      let chain = await outcome(of: { Chain.of(count) }, stack: kilobytes << 10)
      #expect(list.isKept && chain.isKept, "\(count)")
      // The small stack of a thread is no reason to refuse a value.
      // It is one only where the value could not be released.
      if count <= min(kilobytes / 2, 300) { #expect(list.isRead && chain.isRead, "\(count)") }
      if count >= 600 { #expect(!list.isSet && !chain.isSet, "\(count)") }
    }
  }

  // It read the default value there, and the next set moved the stored one away as unreadable.
  @Test("what a thread with a small stack reads and changes is what the others do")
  func smallStackReads() async throws {
    let defaults = UserDefaults.inMemory()
    Defaults[Defaults.Key<List?>("k", suite: defaults)] = List.of(300)
    let text = defaults.string(forKey: "k")
    let isRight = await onThread(stack: 320 << 10) {
      let key = Defaults.Key<List?>("k", suite: defaults)
      guard Defaults[key]?.count == 300 else { return false }
      Defaults[key] = List.of(2)
      return true
    }
    #expect(isRight && text != nil)
    #expect(defaults.object(forKey: Defaults.ValueError.keptAs("k")) == nil)
    #expect(Defaults[Defaults.Key<List?>("k", suite: defaults)]?.count == 2)
  }

  @Test("on a large stack the limits of the formats are the only ones")
  func largeStack() async throws {
    let defaults = UserDefaults.inMemory()
    let isRight = await onThread(stack: 64 << 20) {
      let list = Defaults.Key<List?>("list", suite: defaults)
      let chain = Defaults.Key<Chain?>("chain", suite: defaults)
      Defaults[list] = List.of(500)
      Defaults[chain] = Chain.of(499)
      return Defaults[list]?.count == 500 && Defaults[chain] != nil
    }
    #expect(isRight)
  }

  @Test("a value of any type with 500 nested containers is set, and read", arguments: [false, true])
  func anyValue(inDictionaries: Bool) async throws {
    let defaults = UserDefaults.inMemory()
    let isRight = await onThread {
      let object = FoundationValues.object(nested(500, inDictionaries: inDictionaries))
      defaults.set(object, forKey: "untyped")
      let untyped = Defaults.Key<Defaults.AnySerializable?>("untyped", suite: defaults)
      let typed = Defaults.Key<Defaults.AnySerializable?>("typed", suite: defaults)
      Defaults[typed] = Defaults[untyped]
      return Defaults[typed] == Defaults[untyped]
    }
    #expect(isRight)
    #expect(defaults.storedValue(for: "typed") == nested(500, inDictionaries: inDictionaries))
  }

  @Test("JSON text is the same as without the guard, whatever the type has inside")
  func sameText() throws {
    struct Everything: Codable, Defaults.Serializable {
      class Base: Codable { var base = 1 }
      final class Derived: Base {
        var own = [Date(timeIntervalSinceReferenceDate: 1.5)]
        override init() { super.init() }
        required init(from decoder: any Decoder) throws { try super.init(from: decoder) }
        override func encode(to encoder: any Encoder) throws {
          var container = encoder.container(keyedBy: Key.self)
          try container.encode(own, forKey: .own)
          try super.encode(to: container.superEncoder())
          var nested = container.nestedContainer(keyedBy: Key.self, forKey: .nested)
          try nested.encodeNil(forKey: .own)
          var list = container.nestedUnkeyedContainer(forKey: .list)
          try list.encode(contentsOf: [1, 2])
          try list.encodeNil()
          var inner = list.nestedUnkeyedContainer()
          try inner.encode("in")
          var keyed = list.nestedContainer(keyedBy: Key.self)
          try keyed.encode(1.5, forKey: .own)
        }
        enum Key: String, CodingKey { case own, nested, list }
      }
      enum Choice: Codable {
        case none
        case some(Int, name: String)
      }
      var date = Date(timeIntervalSinceReferenceDate: 0.25)
      var data = Data([0, 255])
      var url = URL(string: "https://a.b/c?d=1")!
      var decimal = Decimal(string: "12345678901234567890.5")!
      var numbers: [Double] = [0.1, 1e300, -0.0, 5]
      var float: Float = 0.1
      var large = UInt64.max
      var none: Int?
      var texts: [String: [Int?]] = ["b/\"": [1, nil], "a": []]
      var counts = [2: "two", 1: "one"]
      var pairs = [Choice.none, .some(1, name: "x")]
      var uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
      var range = 1...3
      var locale = Locale(identifier: "de_DE")
      var object = Derived()
      var empty: [String: String] = [:]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let expected = String(decoding: try encoder.encode(Everything()), as: UTF8.self)
    let defaults = UserDefaults.inMemory()
    let key = Defaults.Key<Everything?>("k", suite: defaults)
    try Defaults.set(Everything(), for: key)
    #expect(defaults.string(forKey: "k") == expected)
  }

  /// One that is stored as an object of Foundation's.
  private struct Wrapped: Defaults.Serializable, Sendable {
    struct Bridge: Defaults.Bridge {
      func serialize(_ value: Wrapped?) -> NSNumber? { value.map { NSNumber(value: $0.number) } }
      func deserialize(_ object: NSNumber?) -> Wrapped? { object.map { Wrapped(number: $0.intValue) } }
    }

    static var bridge: Bridge { Bridge() }
    let number: Int
  }

  // A cast to a class of Foundation's converts the whole value by recursion.
  @Test("a deep value is none of a bridge's objects of Foundation's, where the stack is small too")
  func foundationsObjects() async throws {
    let home = try TypedHome()
    try home.writeOutside("k", nested(900, inDictionaries: false))
    let key = Defaults.Key<Wrapped>("k", default: Wrapped(number: 1), suite: home.defaults)
    #expect(await onThread(stack: 512 << 10) { Defaults[key].number } == 1)
  }
}
