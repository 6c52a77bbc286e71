import Foundation
import Testing
import TypedDefaults
import UserDefaultsCompat

private struct User: Hashable, Defaults.Serializable {
  let name: String
  let age: String

  struct UserBridge: Defaults.Bridge {
    func serialize(_ value: User?) -> [String: String]? {
      value.map { ["name": $0.name, "age": $0.age] }
    }

    func deserialize(_ object: [String: String]?) -> User? {
      guard let name = object?["name"], let age = object?["age"] else { return nil }
      return User(name: name, age: age)
    }
  }
  static let bridge = UserBridge()
}

/// A type that holds others of itself.
private struct Folder: Hashable, Defaults.Serializable {
  var children: [Folder] = []

  struct FolderBridge: Defaults.Bridge {
    func serialize(_ value: Folder?) -> [Folder]? { value?.children }
    func deserialize(_ object: [Folder]?) -> Folder? { object.map { Folder(children: $0) } }
  }
  static let bridge = FolderBridge()

  /// A folder in a folder in a folder, and so on.
  static func deep(_ depth: Int) -> Folder {
    (0..<depth).reduce(Folder()) { folder, _ in Folder(children: [folder]) }
  }
}

private struct Bag<Element: Defaults.Serializable>: Collection, Defaults.CollectionSerializable {
  var items: [Element]

  init(_ elements: [Element]) { items = elements }
  var startIndex: Int { items.startIndex }
  var endIndex: Int { items.endIndex }
  func index(after index: Int) -> Int { items.index(after: index) }
  subscript(position: Int) -> Element { items[position] }
}

private struct SetBag<Element: Defaults.Serializable & Hashable>: SetAlgebra, Defaults.SetAlgebraSerializable
{
  var store = Set<Element>()

  init() {}
  func toArray() -> [Element] { Array(store) }
  func contains(_ member: Element) -> Bool { store.contains(member) }
  func union(_ other: Self) -> Self { Self(store.union(other.store)) }
  func intersection(_ other: Self) -> Self { Self(store.intersection(other.store)) }
  func symmetricDifference(_ other: Self) -> Self { Self(store.symmetricDifference(other.store)) }
  @discardableResult
  mutating func insert(_ new: Element) -> (inserted: Bool, memberAfterInsert: Element) { store.insert(new) }
  mutating func remove(_ member: Element) -> Element? { store.remove(member) }
  mutating func update(with new: Element) -> Element? { store.update(with: new) }
  mutating func formUnion(_ other: Self) { store.formUnion(other.store) }
  mutating func formIntersection(_ other: Self) { store.formIntersection(other.store) }
  mutating func formSymmetricDifference(_ other: Self) { store.formSymmetricDifference(other.store) }
}

/// Types that programs teach to be stored.
struct BridgeTests {
  private let home: TypedHome

  init() throws {
    home = try TypedHome()
  }

  private func roundTrip<Value: Defaults.Serializable & Equatable>(_ value: Value) throws -> Bool {
    let key = Defaults.Key<Value?>("k", suite: home.defaults)
    Defaults[key] = value
    return try Defaults[key] == value && home.reopened().value(for: key) == value
  }

  @Test("a type with a bridge of its own is stored as the bridge says, in every container")
  func custom() throws {
    let user = User(name: "Hello", age: "24")
    #expect(try roundTrip(user))
    #expect(home.defaults.object(forKey: "k") as? [String: String] == ["name": "Hello", "age": "24"])
    #expect(try roundTrip([user, User(name: "", age: "")]))
    #expect(try roundTrip([user] as Set))
    #expect(try roundTrip(["user": [[user]]]))
    home.defaults.set(["name": "Hello"], forKey: "k")
    #expect(throws: Defaults.ValueError.self) {
      try Defaults.value(for: Defaults.Key<User?>("k", suite: home.defaults))
    }
  }

  @Test("a type that is stored as others of itself comes back, as deep as a property list can be")
  func recursive() async throws {
    #expect(try roundTrip(Folder(children: [Folder(), Folder(children: [Folder()])])))
    #expect(try roundTrip(Folder.deep(499)))
    let name = UUID().uuidString
    var errors = UserDefaults.valueErrors(of: name).makeAsyncIterator()
    let key = Defaults.Key<Folder?>(name, suite: home.defaults)
    Defaults[key] = .deep(500)
    #expect(try await errors.next()?.reason == "it nests more than 500 arrays and dictionaries")
    #expect(Defaults[key] == nil)
  }

  @Test("a bridge may itself use defaults")
  func reentrant() throws {
    struct Counted: Equatable, Defaults.Serializable {
      var text: String

      struct CountingBridge: Defaults.Bridge {
        static let defaults = UserDefaults.inMemory()
        static let calls = Defaults.Key<Int>("calls", default: 0, suite: defaults)
        static let own = Defaults.Key<Counted?>("k", suite: defaults)

        func serialize(_ value: Counted?) -> String? {
          Defaults[Self.calls] += 1
          return value?.text
        }

        func deserialize(_ object: String?) -> Counted? {
          Defaults[Self.calls] += 1
          if Defaults[Self.calls] < 5 { _ = Defaults[Self.own] }
          return object.map { Counted(text: $0) }
        }
      }
      static var bridge: CountingBridge { CountingBridge() }
    }
    let key = Counted.CountingBridge.own
    Defaults[key] = Counted(text: "a")
    #expect(Defaults[key] == Counted(text: "a"))
    Defaults.transaction {
      Defaults[key] = Counted(text: "b")
      #expect(Defaults[key] == Counted(text: "b"))
    }
    #expect(Defaults[Counted.CountingBridge.calls] > 5)
  }

  @Test("a bridge may give what is a property list and no type of ours")
  func foundationTypes() throws {
    struct Point: Equatable, Defaults.Serializable {
      var x: Double

      struct PointBridge: Defaults.Bridge {
        func serialize(_ value: Point?) -> [String: Any]? { value.map { ["x": $0.x, "more": [1, "a"]] } }
        func deserialize(_ object: [String: Any]?) -> Point? {
          (object?["x"] as? Double).map { Point(x: $0) }
        }
      }
      static var bridge: PointBridge { PointBridge() }
    }
    #expect(try roundTrip(Point(x: 1.5)))
    #expect(try roundTrip(["a": [Point(x: -1)]]))
  }

  @Test("a collection of a program's own is stored as an array")
  func collections() throws {
    let key = Defaults.Key<Bag<String>>("k", default: Bag(["Hello", "World!"]), suite: home.defaults)
    #expect(Defaults[key][0] == "Hello" && Defaults[key][1] == "World!")
    Defaults[key] = Bag(["a", "b", "a"])
    #expect(home.defaults.stringArray(forKey: "k") == ["a", "b", "a"])
    #expect(try home.reopened()[key].items == ["a", "b", "a"])
    let users = Defaults.Key<[String: Bag<User>]>("users", default: [:], suite: home.defaults)
    Defaults[users] = ["a": Bag([User(name: "A", age: "1")])]
    #expect(try home.reopened()[users]["a"]?.items == [User(name: "A", age: "1")])
  }

  @Test("a set of a program's own is stored as an array in one order")
  func setAlgebras() throws {
    let key = Defaults.Key<SetBag<String>>("k", default: ["Hello"], suite: home.defaults)
    #expect(Defaults[key].contains("Hello"))
    Defaults[key].insert("World!")
    Defaults[key].insert("A")
    #expect(home.defaults.stringArray(forKey: "k") == ["A", "Hello", "World!"])
    #expect(try home.reopened()[key].store == ["A", "Hello", "World!"])
    let sets = Defaults.Key<[SetBag<User>]>("sets", default: [], suite: home.defaults)
    Defaults[sets] = [[User(name: "A", age: "1")], []]
    #expect(try home.reopened()[sets].map(\.store) == [[User(name: "A", age: "1")], []])
  }

  @Test("a type that says that it is a property list is stored as it is")
  func native() throws {
    struct Wrapped: Defaults.Serializable {
      struct NoBridge: Defaults.Bridge {
        func serialize(_ value: Wrapped?) -> String? { nil }
        func deserialize(_ object: String?) -> Wrapped? { nil }
      }
      static var bridge: NoBridge { NoBridge() }
      static var isNativelySupportedType: Bool { true }
    }
    // It is none: told of, not a crash.
    let key = Defaults.Key<Wrapped?>("k", suite: home.defaults)
    Defaults[key] = Wrapped()
    #expect(home.defaults.object(forKey: "k") == nil)
  }
}
