import Foundation
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Values that earlier versions stored as JSON text.
struct MigrationTests {
  private struct User: Codable, Hashable, Defaults.Serializable { var name: String }

  /// A unit that was stored by way of another type.
  private enum Length: Hashable, Defaults.NativeType {
    case meters(Int)

    struct Form: Defaults.CodableType {
      var meters: Int
      func toNative() -> Length { .meters(meters) }
    }
    typealias CodableForm = Form

    struct LengthBridge: Defaults.Bridge {
      func serialize(_ value: Length?) -> Int? {
        if case .meters(let count)? = value { count } else { nil }
      }

      func deserialize(_ object: Int?) -> Length? { object.map(Length.meters) }
    }
    static let bridge = LengthBridge()
  }

  private let home: TypedHome

  init() throws {
    home = try TypedHome()
  }

  private func key<Value: Defaults.Serializable>(_ initial: Value) -> Defaults.Key<Value> {
    Defaults.Key("k", default: initial, suite: home.defaults)
  }

  private var stored: Any? { home.defaults.persistentDomain(forName: "App")?["k"] }

  @Test("containers that were JSON text become containers")
  func containers() {
    home.defaults.set("[\"a\",\"b\"]", forKey: "k")
    let array = key([String]())
    Defaults.migrate(array, to: .v5)
    #expect(stored as? [String] == ["a", "b"] && Defaults[array] == ["a", "b"])

    home.defaults.set("{\"a\":[1]}", forKey: "k")
    let dictionary = key([String: [Int]]())
    Defaults.migrate([dictionary], to: .v5)
    #expect(stored as? [String: [Int]] == ["a": [1]])

    home.defaults.set("[2,1]", forKey: "k")
    Defaults.migrate(key(Set<Int>()), to: .v5)
    #expect(stored as? [Int] == [1, 2])

    home.defaults.set("[{\"name\":\"A\"}]", forKey: "k")
    let users = key([User]())
    Defaults.migrate(users, to: .v5)
    #expect(stored as? [String] == ["{\"name\":\"A\"}"] && Defaults[users] == [User(name: "A")])
  }

  @Test("a type that was stored as another is stored as itself, inside containers too")
  func otherForm() {
    home.defaults.set("[{\"meters\":5}]", forKey: "k")
    let lengths = key([Length]())
    Defaults.migrate(lengths, to: .v5)
    #expect(stored as? [Int] == [5] && Defaults[lengths] == [.meters(5)])

    home.defaults.set("{\"a\":{\"meters\":6}}", forKey: "k")
    let byName = key([String: Length]())
    Defaults.migrate(byName, to: .v5)
    #expect(stored as? [String: Int] == ["a": 6])

    home.defaults.set("{\"meters\":7}", forKey: "k")
    let one = key(Length?.none)
    Defaults.migrate(one, to: .v5)
    #expect(stored as? Int == 7 && Defaults[one] == .meters(7))
  }

  @Test("what the key reads already is left alone")
  func newForm() {
    for value in [["a"], [String]()] {
      home.defaults.set(value, forKey: "k")
      Defaults.migrate(key([String]()), to: .v5)
      #expect(stored as? [String] == value)
    }
    home.defaults.set("{\"name\":\"A\"}", forKey: "k")
    Defaults.migrate(key(User(name: "")), to: .v5)
    #expect(stored as? String == "{\"name\":\"A\"}")
    home.defaults.removeObject(forKey: "k")
    Defaults.migrate(key([String]()), to: .v5)
    #expect(stored == nil)
  }

  @Test("text that does not parse stays as it is, and is told of")
  func damaged() async throws {
    let name = UUID().uuidString
    let key = Defaults.Key<[Int]>(name, default: [3], suite: home.defaults)
    var errors = UserDefaults.valueErrors(of: name).makeAsyncIterator()
    home.defaults.set("[1,", forKey: name)
    Defaults.migrate(key, to: .v5)
    #expect(home.defaults.string(forKey: name) == "[1," && Defaults[key] == [3])
    #expect(try await errors.next()?.reason.contains("[1,") == true)
    Defaults.migrate(Defaults.Key<[Length]>(name, default: [], suite: home.defaults), to: .v5)
    #expect(home.defaults.string(forKey: name) == "[1,")
  }

  @Test("what another domain holds is not copied into the application's")
  func otherDomain() {
    home.defaults.setPersistentDomain(["k": "[1]"], forName: UserDefaults.globalDomain)
    Defaults.migrate(key([Int]()), to: .v5)
    #expect(stored == nil && home.defaults.string(forKey: "k") == "[1]")
  }
}
