import Foundation
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Types that are stored as JSON text, and those that are Codable but stored otherwise.
struct CodableBridgeTests {
  private struct User: Codable, Hashable, Defaults.Serializable {
    var name: String
    var age: Int
    var home: URL?
    var ratio = 0.5
  }

  private enum Mime: String, Codable, Defaults.Serializable { case json = "application/json" }

  private enum RawMime: String, Codable, Defaults.Serializable, Defaults.PreferRawRepresentable {
    case json = "application/json"
  }

  private enum Shape: Codable, Hashable, Defaults.Serializable {
    case circle(radius: Double)
    indirect case group([Shape])
  }

  private let home: TypedHome

  init() throws {
    home = try TypedHome()
  }

  @Test("a Codable value is JSON text, which a person can read in the file")
  func text() throws {
    let key = Defaults.Key<User>("user", default: User(name: "", age: 0), suite: home.defaults)
    Defaults[key] = User(name: "Ünal", age: 24, home: URL(string: "https://a.b/c"))
    Defaults[key].age += 1
    #expect(
      home.defaults.string(forKey: "user")
        == #"{"age":25,"home":"https://a.b/c","name":"Ünal","ratio":0.5}"#)
    let text = try home.text
    #expect(text.contains(#"{\"age\":25,\"home\":\"https://a.b/c\""#))
    #expect(try home.reopened()[key] == User(name: "Ünal", age: 25, home: URL(string: "https://a.b/c")))
  }

  @Test("Codable values nest in every container")
  func containers() throws {
    let user = User(name: "A", age: 1)
    let key = Defaults.Key<[String: [Set<User>]]>("k", default: [:], suite: home.defaults)
    Defaults[key] = ["a": [[user, User(name: "B", age: 2)], []]]
    #expect(try home.reopened()[key] == ["a": [[user, User(name: "B", age: 2)], []]])
    let optional = Defaults.Key<User?>("o", suite: home.defaults)
    #expect(Defaults[optional] == nil)
    Defaults[optional] = user
    #expect(try home.reopened()[optional] == user)
  }

  @Test("numbers that JSON has not come back")
  func notANumber() throws {
    let key = Defaults.Key<User>("k", default: User(name: "", age: 0), suite: home.defaults)
    for ratio in [Double.infinity, -.infinity, .nan] {
      Defaults[key].ratio = ratio
      let read = try home.reopened()[key].ratio
      #expect(read == ratio || read.isNaN && ratio.isNaN)
    }
  }

  @Test("enumerations with values come back")
  func enumerations() throws {
    let key = Defaults.Key<Shape>("k", default: .group([]), suite: home.defaults)
    Defaults[key] = .group([.circle(radius: 1.5), .group([.circle(radius: -2)])])
    #expect(try home.reopened()[key] == .group([.circle(radius: 1.5), .group([.circle(radius: -2)])]))
  }

  @Test("a Codable enumeration is JSON text, and its raw value where it prefers that")
  func rawValues() throws {
    Defaults[Defaults.Key<Mime?>("json", suite: home.defaults)] = .json
    Defaults[Defaults.Key<RawMime?>("raw", suite: home.defaults)] = .json
    #expect(home.defaults.string(forKey: "json") == "\"application/json\"")
    #expect(home.defaults.string(forKey: "raw") == "application/json")
    // The raw value of a time when the type was not Codable is read too.
    home.defaults.set("application/json", forKey: "json")
    #expect(Defaults[Defaults.Key<Mime?>("json", suite: home.defaults)] == .json)
    #expect(Defaults[Defaults.Key<RawMime?>("raw", suite: home.defaults)] == .json)
  }

  @Test("a value that cannot be encoded is told of, and the old one stays")
  func cannotEncode() async throws {
    struct Stubborn: Codable, Defaults.Serializable {
      var fails = false
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        guard !fails else {
          throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "I will not"))
        }
        try container.encode(1)
      }
      init(fails: Bool) { self.fails = fails }
      init(from decoder: any Decoder) throws {}
    }
    let name = UUID().uuidString
    let key = Defaults.Key<Stubborn>(name, default: Stubborn(fails: false), suite: home.defaults)
    Defaults[key] = Stubborn(fails: false)
    var errors = UserDefaults.valueErrors(of: name).makeAsyncIterator()
    Defaults[key] = Stubborn(fails: true)
    let error = try #require(try await errors.next())
    #expect(error.operation == .set)
    #expect(
      error.description
        == "the value for the key “\(name)”, a Stubborn, cannot be stored: it cannot be encoded: I will not; "
        + "the old one was left as it is")
    #expect(home.defaults.string(forKey: name) == "1")
  }

  @Test("the bridges can be used by themselves")
  func bridges() {
    let user = User(name: "A", age: 1)
    #expect(User.bridge.deserialize(User.bridge.serialize(user)) == user)
    #expect(User.bridge.serialize(nil) == nil && User.bridge.deserialize("{") == nil)
    #expect(Mime.bridge.deserialize("application/json") == .json)
    #expect(RawMime.bridge.serialize(.json) == "application/json")
    #expect(
      URL.bridge.deserialize(URL.bridge.serialize(URL(string: "https://a.b"))) == URL(string: "https://a.b"))
    #expect([User].bridge.deserialize([User].bridge.serialize([user])) == [user])
    #expect([String: User].bridge.deserialize([String: User].bridge.serialize(["a": user])) == ["a": user])
    #expect(Set<User>.bridge.deserialize(Set<User>.bridge.serialize([user])) == [user])
    #expect(Range<Int>.bridge.deserialize(Range<Int>.bridge.serialize(1..<2)) == 1..<2)
    #expect(User?.bridge.deserialize(User?.bridge.serialize(user)) == user)
  }
}
