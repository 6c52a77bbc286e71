import Foundation
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Values of any type.
struct AnySerializableTests {
  private enum Mime: String, Defaults.Serializable {
    case json = "application/json"
    case stream
  }
  private struct User: Codable, Hashable, Defaults.Serializable { var name: String }

  private let home: TypedHome
  private let any: Defaults.Key<Defaults.AnySerializable>

  init() throws {
    home = try TypedHome()
    any = Defaults.Key("any", default: 1, suite: home.defaults)
  }

  @Test("literals of every kind are values")
  func literals() throws {
    #expect(Defaults[any].get(Int.self) == 1)
    Defaults[any] = "🦄"
    #expect(Defaults[any].get() == "🦄" && home.defaults.string(forKey: "any") == "🦄")
    Defaults[any] = true
    #expect(Defaults[any].get() == true)
    Defaults[any] = 0.5
    #expect(Defaults[any].get(Double.self) == 0.5)
    Defaults[any] = [1, 2]
    #expect(Defaults[any].get() == [1, 2])
    Defaults[any] = ["a": ["b": [true, false]]]
    #expect(Defaults[any].get([String: [String: [Bool]]].self) == ["a": ["b": [true, false]]])
    #expect(try home.reopened()[any].get([String: [String: [Bool]]].self) == ["a": ["b": [true, false]]])
    Defaults[any] = nil
    #expect(Defaults[any].get(Int.self) == 1)
  }

  @Test("a value of any type is wrapped, got by its type, and replaced")
  func getAndSet() throws {
    Defaults[any] = Defaults.AnySerializable(Mime.json)
    if let mime: Mime = Defaults[any].get() { #expect(mime == .json) } else { Issue.record("no value") }
    Defaults[any].set(Mime.stream)
    #expect(Defaults[any].get(Mime.self) == .stream && Defaults[any].get() == "stream")
    Defaults[any].set(User(name: "A"), type: User.self)
    #expect(try home.reopened()[any].get(User.self) == User(name: "A"))
    Defaults[any].set(["a": [1...2]])
    #expect(Defaults[any].get([String: [ClosedRange<Int>]].self) == ["a": [1...2]])
    #expect(Defaults[any].get(Int.self) == nil && Defaults[any].get(Mime.self) == nil)
  }

  @Test("a dictionary of mixed values is read by the type of each")
  func dictionary() throws {
    let magic = Defaults.Key<[String: Defaults.AnySerializable]>("magic", default: [:], suite: home.defaults)
    Defaults[magic]["unicorn"] = "🦄"
    Defaults[magic]["number"] = 3
    Defaults[magic]["boolean"] = true
    Defaults[magic]["enum"] = Defaults.AnySerializable(Mime.json)
    let read = try home.reopened()[magic]
    #expect(read["unicorn"]?.get() == "🦄" && read["number"]?.get(Int.self) == 3)
    #expect(read["boolean"]?.get(Bool.self) == true && read["enum"]?.get(Mime.self) == .json)
    #expect(home.defaults.dictionary(forKey: "magic")?["number"] as? Int == 3)
    Defaults[magic]["number"] = nil
    #expect(Defaults[magic].count == 3)
    let set = Defaults.Key<Set<Defaults.AnySerializable>>("set", default: [], suite: home.defaults)
    Defaults[set] = ["a", 1, 2.5]
    #expect(try home.reopened()[set] == ["a", 1, 2.5])
  }

  @Test("what an untyped setter stored is got by its type")
  func untyped() {
    home.defaults.set(["a": Date(timeIntervalSince1970: 0)], forKey: "any")
    #expect(Defaults[any].get([String: Date].self) == ["a": Date(timeIntervalSince1970: 0)])
    #expect(Defaults[any] == Defaults.AnySerializable(["a": Date(timeIntervalSince1970: 0)]))
    #expect(Defaults[any] != 1)
  }

  @Test("what is nil inside a literal is left out")
  func nilInside() throws {
    let number: Int? = nil
    let nothing: Any? = nil
    Defaults[any] = [1, number as Any, ["a": nothing as Any, "b": [nothing as Any, 2]], 3]
    let stored = try #require(try home.reopened().array(forKey: "any"))
    #expect(stored.count == 3 && stored[0] as? Int == 1 && stored[2] as? Int == 3)
    #expect(stored[1] as? [String: [Int]] == ["b": [2]])
    let map = Defaults.Key<[String: Defaults.AnySerializable]>("map", default: [:], suite: home.defaults)
    Defaults[map] = ["a": nil, "b": 1]
    #expect(home.defaults.dictionary(forKey: "map") as? [String: Int] == ["b": 1])
  }

  @Test("a literal with something inside that cannot be stored is told of, with the way to it")
  func failure() async throws {
    final class Nothing {}
    let name = UUID().uuidString
    let key = Defaults.Key<Defaults.AnySerializable>(name, default: 1, suite: home.defaults)
    var errors = UserDefaults.valueErrors(of: name).makeAsyncIterator()
    Defaults[key] = ["list": [1, Nothing()]]
    let error = try #require(try await errors.next())
    #expect(error.operation == .set && error.reason.hasPrefix("[\"list\"][1] "))
    #expect(Defaults[key].get(Int.self) == 1)
  }
}
