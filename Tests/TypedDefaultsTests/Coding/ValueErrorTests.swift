import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Stored values that cannot be read: never lost, never passed over in silence.
struct ValueErrorTests {
  private struct User: Codable, Equatable, Defaults.Serializable { var name: String }

  private let home: TypedHome
  /// The key's name, by which errors of this test are known.
  private let name = UUID().uuidString

  init() throws {
    home = try TypedHome()
  }

  private func key<Value: Defaults.Serializable>(_ initial: Value) -> Defaults.Key<Value> {
    Defaults.Key(name, default: initial, suite: home.defaults)
  }

  /// What a throwing read says.
  private func reason(_ body: () throws -> some Any) -> String? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? Defaults.ValueError)?.description
    }
  }

  @Test("the default value is returned, the stored bytes stay, and it is told of once")
  func reading() async throws {
    home.defaults.set(#"{"nom":"A"}"#, forKey: name)
    let key = key(User(name: "none"))
    var errors = UserDefaults.valueErrors(of: name).makeAsyncIterator()
    for _ in 0..<5 { #expect(Defaults[key] == User(name: "none")) }
    #expect(try home.reopened().string(forKey: name) == #"{"nom":"A"}"#)
    let error = try #require(try await errors.next())
    #expect(error.operation == .read && error.key == name && error.type == "User")
    // The next that is told of is the next that is wrong.
    home.defaults.set(5, forKey: name)
    for _ in 0..<5 { _ = Defaults[key] }
    let next = try await errors.next()?.reason
    #expect(next == "it is the number 5, which is not of type String")
  }

  @Test("a throwing read says what is wrong, where, and that nothing was changed")
  func sentences() throws {
    home.defaults.set(#"{"nom":"A"}"#, forKey: name)
    let user = key(User(name: "none"))
    let text = try #require(reason { try Defaults.value(for: user) })
    #expect(
      text.hasPrefix(
        "the value for the key “\(name)” cannot be read as User: it does not decode from “{\"nom\":\"A\"}”: at .name: "
      ))
    #expect(text.hasSuffix("; it was left as it is, and the subscript gives the key’s default value"))
    home.defaults.set(["a": [1, "x", 3]], forKey: name)
    #expect(
      reason { try Defaults.value(for: key([String: [Int]]())) }
        == "the value for the key “\(name)” cannot be read as Dictionary<String, Array<Int>>: "
        + "[\"a\"][1] is the string “x”, which is not of type Int; "
        + "it was left as it is, and the subscript gives the key’s default value")
    #expect(reason { try Defaults.value(for: key(1)) }?.contains("which is not of type Int") == true)
  }

  @Test("a throwing read of nothing is nil, whatever the default value")
  func nothing() throws {
    #expect(try Defaults.value(for: key(1)) == nil)
    #expect(try Defaults.value(for: Defaults.Key<Int>("dynamic", suite: home.defaults) { 5 }) == nil)
  }

  @Test("a throwing read tells of a damaged file, which may hold the value")
  func damagedFile() throws {
    let folder = try TemporaryHome()
    try folder.write("{ a = ", to: "App.plist")
    let defaults = UserDefaults(directory: folder.path, applicationName: "App")
    let key = Defaults.Key<Int>("k", default: 1, suite: defaults)
    #expect(Defaults[key] == 1)
    #expect { try Defaults.value(for: key) } throws: { "\($0)".contains("App.plist") }
  }

  @Test("one bad element makes the whole value unreadable, never a shorter one")
  func elements() {
    home.defaults.set([1, "x", 3], forKey: name)
    #expect(Defaults[key([9])] == [9] && Defaults[key(Set([9]))] == [9])
    #expect(Defaults[key([Int?.none].compactMap { $0 })] == [])
    #expect(home.defaults.array(forKey: name)?.count == 3)
    home.defaults.set([#"{"name":"A"}"#, "{}"], forKey: name)
    #expect(Defaults[key([User]())] == [])
    #expect(throws: Defaults.ValueError.self) { try Defaults.value(for: key([User]())) }
    home.defaults.set(["1": 1, "x": 2], forKey: name)
    #expect(Defaults[key([Int: Int]())] == [:])
    #expect(throws: Defaults.ValueError.self) { try Defaults.value(for: key([Int: Int]())) }
    home.defaults.set(["1": 1, "+1": 2], forKey: name)
    #expect(throws: Defaults.ValueError.self) { try Defaults.value(for: key([Int: Int]())) }
  }

  @Test("two keys of a dictionary that Swift takes for one make it unreadable")
  func canonicalEquivalence() throws {
    try home.writeOutside(
      PropertyListKey(name), .dictionary(["\u{E9}": .string("a"), "e\u{301}": .string("b")]))
    #expect(home.defaults.synchronize())
    let key = key(["x": "y"])
    #expect(Defaults[key] == ["x": "y"])
    #expect(throws: Defaults.ValueError.self) { try Defaults.value(for: key) }
  }

  @Test("setting over an unreadable value keeps it under another key, whether or not it was read")
  func setting() throws {
    for wasRead in [true, false] {
      home.defaults.removeAll()
      home.defaults.set(["mine": 1], forKey: name)
      let key = key(0.5)
      if wasRead { #expect(Defaults[key] == 0.5) }
      Defaults[key] = 0.7
      let kept = Defaults.ValueError.keptAs(name)
      #expect(kept == name + ".unreadable")
      let reopened = try home.reopened()
      #expect(reopened[key] == 0.7 && reopened.object(forKey: kept) as? [String: Int] == ["mine": 1])
      // A second one has another place; the same again has the same.
      home.defaults.set("other", forKey: name)
      Defaults[key] = 0.8
      #expect(home.defaults.string(forKey: kept + "-2") == "other")
      home.defaults.set(["mine": 1], forKey: name)
      Defaults[key] += 0.25
      #expect(home.defaults.object(forKey: kept + "-3") == nil)
      #expect(home.defaults.object(forKey: kept) as? [String: Int] == ["mine": 1])
    }
  }

  @Test("setting nil over an unreadable value keeps it too")
  func settingNil() {
    home.defaults.set("x", forKey: name)
    Defaults[Defaults.Key<Int?>(name, suite: home.defaults)] = nil
    #expect(home.defaults.object(forKey: name) == nil)
    #expect(home.defaults.string(forKey: name + ".unreadable") == "x")
  }

  @Test("values of the type leave nothing behind when they are set over")
  func noTrace() {
    let codable = key(User(name: ""))
    home.defaults.set(#"{"name":"A"}"#, forKey: name)
    for index in 0..<3 { Defaults[codable] = User(name: "\(index)") }
    let number = Defaults.Key<Double>("n", default: 0, suite: home.defaults)
    for value in ["0.8", 1, true, 2.5] as [Any] {
      home.defaults.set(value, forKey: "n")
      Defaults[number] += 1
    }
    #expect(Set(home.defaults.persistentDomain(forName: "App")?.keys.map { $0 } ?? []) == [name, "n"])
  }

  @Test("an unreadable value of another domain is hidden, not copied")
  func otherDomain() {
    home.defaults.setPersistentDomain([name: "x"], forName: UserDefaults.globalDomain)
    let key = key(1)
    #expect(Defaults[key] == 1)
    Defaults[key] = 2
    #expect(Defaults[key] == 2)
    #expect(home.defaults.object(forKey: name + ".unreadable") == nil)
  }

  @Test("a throwing set says why a value cannot be stored, leaves the old one, and else sets the value")
  func throwingSet() throws {
    struct Blocked: Defaults.Serializable, Equatable {
      struct Bridge: Defaults.Bridge {
        func serialize(_ value: Blocked?) -> String? { value?.text }
        func deserialize(_ object: String?) -> Blocked? { object.map { Blocked(text: $0) } }
      }
      static var bridge: Bridge { Bridge() }
      var text: String?
    }
    let key = key(Blocked(text: "a"))
    try Defaults.set(Blocked(text: "b"), for: key)
    #expect(Defaults[key].text == "b")
    #expect(reason { try Defaults.set(Blocked(text: nil), for: key) }?.contains("cannot be stored") == true)
    #expect(reason { try home.defaults.set(Blocked(text: nil), for: key) } != nil)
    // The article fits the type's name.
    #expect(
      reason { try Defaults.set(Blocked(text: nil), for: key) }?.contains(", a Blocked, cannot") == true)
    let list = Defaults.Key<[Blocked]>("list", default: [], suite: home.defaults)
    #expect(
      reason { try Defaults.set([Blocked(text: nil)], for: list) }?.contains(", an Array<Blocked>, cannot")
        == true)
    #expect(Defaults[key].text == "b")
    let optional = Defaults.Key<Int?>("optional", suite: home.defaults)
    try Defaults.set(5, for: optional)
    #expect(home.defaults.integer(forKey: "optional") == 5)
    try Defaults.set(nil, for: optional)
    #expect(home.defaults.object(forKey: "optional") == nil)
    // Inside a transaction the error undoes what was set before.
    #expect(throws: Defaults.ValueError.self) {
      try Defaults.transaction {
        try Defaults.set(7, for: optional)
        try Defaults.set(Blocked(text: nil), for: key)
      }
    }
    #expect(Defaults[optional] == nil && Defaults[key].text == "b")
  }

  @Test("an observer is given the default value for an unreadable one")
  func observing() {
    let key = key(1)
    let log = Log<Int>()
    let observation = Defaults.observe(key) { log.add($0.newValue) }
    home.defaults.set("x", forKey: name)
    home.defaults.set(3, forKey: name)
    #expect(log.all == [1, 1, 3])
    withExtendedLifetime(observation) {}
  }

  @Test(
    "a value that cannot be read is kept when another one is set, however deep it nests, and in a subclass too",
    arguments: [499, 501, 900], [false, true])
  func deepKept(depth: Int, isSubclass: Bool) throws {
    let folder = try TemporaryHome()
    var changes = DomainChanges()
    changes.set(nested(depth, inDictionaries: false), for: "k")
    let database = UserDatabase(directory: folder.path)
    _ = try database.commit(changes, to: DomainName("App"), onDamage: .refuse)
    let defaults =
      isSubclass
      ? Subclass(directory: folder.path, applicationName: "App")
      : UserDefaults(directory: folder.path, applicationName: "App")
    Defaults[Defaults.Key<Int>("k", default: 1, suite: defaults)] = 5
    #expect(defaults.synchronize())
    let values = try database.load(DomainName("App")).values
    #expect(values["k"] == .integer(5))
    #expect(values["k.unreadable"] == nested(depth, inDictionaries: false))
  }
}

// Unchecked, because it adds nothing to its superclass.
private final class Subclass: UserDefaults, @unchecked Sendable {}
