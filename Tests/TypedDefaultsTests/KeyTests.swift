import Foundation
import Testing
import TypedDefaults
import UserDefaultsCompat

extension Defaults.Keys {
  fileprivate static let quality = Key<Double>("quality", default: 0.8)
  fileprivate static let name = Key<String?>("name")
  fileprivate static let isUnicorn = Key<Bool>("isUnicorn", default: true)
}

/// Keys as programs declare and use them.
struct KeyTests {
  @Test("a key that is declared in an extension gets, sets and changes in place")
  func declared() {
    UserDefaults.withStandard(.inMemory()) {
      #expect(Defaults[.quality] == 0.8)
      Defaults[.quality] = 0.5
      #expect(Defaults[.quality] == 0.5)
      Defaults[.quality] += 0.25
      #expect(Defaults[.quality] == 0.75)
      #expect(UserDefaults.standard.double(forKey: "quality") == 0.75)
      UserDefaults.standard.set(0.25, forKey: "quality")
      #expect(Defaults[.quality] == 0.25)
    }
  }

  @Test("a key is used directly too, and by the object that holds its value")
  func direct() {
    let defaults = UserDefaults.inMemory()
    let key = Defaults.Key<Bool>("isUnicorn", default: true, suite: defaults)
    #expect(Defaults[key])
    defaults[key] = false
    #expect(!Defaults[key] && !defaults[key])
    UserDefaults.withStandard(.inMemory()) {
      #expect(UserDefaults.standard[.isUnicorn])
      UserDefaults.standard[.isUnicorn] = false
      #expect(!Defaults[.isUnicorn])
    }
    #expect(defaults.object(forKey: "isUnicorn") as? Bool == false)
  }

  @Test("a key reads and writes in another suite when one is named")
  func suites() {
    let (own, other) = (UserDefaults.inMemory(), UserDefaults.inMemory())
    let key = Defaults.Key<[Int]>("list", default: [1], suite: own)
    Defaults[key: key, suite: other].append(2)
    #expect(Defaults[key: key, suite: other] == [1, 2])
    #expect(Defaults[key: key] == [1] && Defaults[key: key, suite: nil] == [1])
    #expect(own.object(forKey: "list") as? [Int] == [1] && other.object(forKey: "list") as? [Int] == [1, 2])
  }

  @Test("an optional key has no default value, and setting nil removes it")
  func optional() {
    UserDefaults.withStandard(.inMemory()) {
      #expect(Defaults[.name] == nil)
      Defaults[.name] = "Alice"
      #expect(Defaults[.name] == "Alice")
      Defaults[.name]? += "!"
      #expect(UserDefaults.standard.string(forKey: "name") == "Alice!")
      Defaults[.name] = nil
      #expect(UserDefaults.standard.object(forKey: "name") == nil && Defaults[.name] == nil)
    }
  }

  @Test("nil uncovers the default value of an optional key that has one")
  func optionalWithDefault() {
    let key = Defaults.Key<Int?>("k", default: 5, suite: .inMemory())
    #expect(Defaults[key] == 5)
    Defaults[key] = 6
    #expect(Defaults[key] == 6)
    Defaults[key] = nil
    #expect(Defaults[key] == 5)
  }

  @Test("a dynamic default value is asked for each time, is not registered, and may use other keys")
  func dynamicDefault() {
    let defaults = UserDefaults.inMemory()
    let base = Defaults.Key<Int>("base", default: 1, suite: defaults)
    let key = Defaults.Key<Int>("k", suite: defaults) {
      Defaults[base] += 1
      return Defaults[base]
    }
    #expect(Defaults[key] == 2 && Defaults[key] == 3)
    #expect(defaults.object(forKey: "k") == nil)
    Defaults[key] = 10
    #expect(Defaults[key] == 10 && Defaults[base] == 3)
    #expect(key.defaultValue == 4)
  }

  @Test("a default value is registered, where untyped getters find it, and is not stored")
  func registered() throws {
    let home = try TypedHome()
    _ = Defaults.Key<Bool>("isUnicornMode", default: true, suite: home.defaults)
    _ = Defaults.Key<URL>("url", default: URL(string: "https://a.b")!, suite: home.defaults)
    _ = Defaults.Key<[String: Int]>("map", default: ["a": 1], suite: home.defaults)
    #expect(home.defaults.bool(forKey: "isUnicornMode"))
    #expect(home.defaults.url(forKey: "url") == URL(string: "https://a.b"))
    #expect(home.defaults.object(forKey: "map") as? [String: Int] == ["a": 1])
    #expect(home.defaults.persistentDomain(forName: "App") == nil)
  }

  @Test("a key's default value counts in every store in which the key is used, for untyped getters too")
  func otherStores() throws {
    let key = Defaults.Key<Double>("elsewhere", default: 0.8, suite: .inMemory())
    let uses: [(UserDefaults) -> Void] = [
      { #expect($0[key] == 0.8) },
      { _ = try? $0.value(for: key) },
      {
        $0[key] = 1
        $0.removeObject(forKey: "elsewhere")
      },
      {
        try? $0.set(1, for: key)
        $0.removeObject(forKey: "elsewhere")
      },
    ]
    for use in uses {
      let other = UserDefaults.inMemory()
      use(other)
      #expect(other.double(forKey: "elsewhere") == 0.8 && other[key] == 0.8)
      #expect(try other.value(for: key) == nil)
    }
    let free = UserDefaults.withStandard(.inMemory()) { Defaults.Key<Int>("free", default: 4) }
    for use: (UserDefaults) -> Void in [
      { _ in _ = Defaults.observe(free) { _ in } }, { _ in _ = Defaults.observe(keys: free) {} },
      { _ in free.reset() }, { _ in _ = Default(free).wrappedValue }, { _ in _ = Defaults.updates(free) },
      { _ in _ = Defaults.updates([free]) },
    ] {
      UserDefaults.withStandard(.inMemory()) {
        use(.standard)
        #expect(UserDefaults.standard.integer(forKey: "free") == 4)
      }
    }
    // What the program registers itself is its last word.
    let registered = UserDefaults.inMemory()
    registered.register(defaults: ["elsewhere": 2.0])
    #expect(registered[key] == 2 && registered.double(forKey: "elsewhere") == 2)
    // The first store again, after others.
    #expect(Defaults[key] == 0.8)
  }

  @Test("a typed read, an untyped one and an observer find the same, also what the program registers")
  func oneValue() throws {
    let defaults = UserDefaults.inMemory()
    let first = Defaults.Key<Double>("q", default: 0.8, suite: defaults)
    let log = Log<Double>()
    var observations: [any Defaults.Observation] = []
    observations.append(Defaults.observe(first) { log.add($0.newValue) })
    #expect(log.take() == [0.8])
    defaults.register(defaults: ["q": 2.0])
    #expect(Defaults[first] == 2 && defaults.double(forKey: "q") == 2 && first.defaultValue == 0.8)
    #expect(try Defaults.value(for: first) == 2)
    _ = log.take()
    let second = Defaults.Key<Double>("q", default: 0.5, suite: defaults)
    observations.append(Defaults.observe(second) { log.add($0.newValue) })
    #expect(log.take().last == 0.5 && defaults.double(forKey: "q") == 0.5)
    #expect(Defaults[first] == 0.5 && Defaults[second] == 0.5)
    Defaults[first] = 3
    #expect(log.take() == [3, 3] && Defaults[second] == 3)
    second.reset()
    #expect(log.take() == [0.5, 0.5])
    #expect(Defaults[first] == 0.5 && Defaults[second] == 0.5)
    Defaults.transaction {
      Defaults[first] = 4
      Defaults.reset(second)
      #expect(Defaults[first] == 0.5)
    }
    // An optional key's value is what is registered, too, as is one that is asked for.
    #expect(Defaults[Defaults.Key<Double?>("q", suite: defaults)] == 0.5)
    #expect(Defaults[Defaults.Key<Double>("q", suite: defaults) { 9 }] == 0.5)
    // One of another type is not readable, here and there.
    defaults.register(defaults: ["q": "none"])
    #expect(Defaults[first] == 0.8 && Defaults[second] == 0.5)
    observations.append(Defaults.observe(first) { log.add($0.newValue) })
    #expect(log.take().last == 0.8)
  }

  @Test("the peer's parameter for other devices is accepted, and nothing leaves this one")
  func iCloud() {
    UserDefaults.withStandard(.inMemory(applicationName: "App")) {
      let fixed = Defaults.Key<Int>("a", default: 1, iCloud: true)
      let inSuite = Defaults.Key<Int>("b", default: 2, suite: .standard, iCloud: false)
      let dynamic = Defaults.Key<Int>("c", suite: .standard, iCloud: true) { 3 }
      let optional = Defaults.Key<Int?>("d", iCloud: true)
      (Defaults[fixed], Defaults[optional]) = (5, 6)
      #expect(Defaults[fixed] == 5 && Defaults[inSuite] == 2 && Defaults[dynamic] == 3)
      #expect(
        UserDefaults.standard.persistentDomain(forName: "App") as? [String: Int] == ["a": 5, "d": 6])
    }
  }

  @Test("a value is the default value, stored or not, or it is another")
  func isDefaultValue() {
    let key = Defaults.Key<Int>("k", default: 1, suite: .inMemory())
    #expect(key.isDefaultValue)
    Defaults[key] = 2
    #expect(!key.isDefaultValue)
    Defaults[key] = 1
    #expect(key.isDefaultValue && key.suite.object(forKey: "k") as? Int == 1)
  }

  @Test(
    "a key has any name",
    arguments: ["a.b.c", "@count", "", "two words", "ключ", "🦄\n\"", "self", "k[0]", "-x", "$(A)"])
  func names(name: String) throws {
    let home = try TypedHome()
    let key = Defaults.Key<Int>(name, default: 0, suite: home.defaults)
    let log = Log<Int>()
    let observation = Defaults.observe(key, options: []) { log.add($0.newValue) }
    Defaults[key] = 7
    #expect(Defaults[key] == 7 && log.all == [7])
    #expect(try home.reopened()[key] == 7)
    Defaults.reset(name, suite: home.defaults)
    #expect(key.isDefaultValue)
    withExtendedLifetime(observation) {}
  }

  @Test("composed and decomposed spellings of a name are two keys")
  func spellings() throws {
    let home = try TypedHome()
    let composed = Defaults.Key<Int>("\u{E9}", default: 0, suite: home.defaults)
    let decomposed = Defaults.Key<Int>("e\u{301}", default: 0, suite: home.defaults)
    Defaults[composed] = 1
    Defaults[decomposed] = 2
    #expect(composed != decomposed && Set([composed, decomposed]).count == 2)
    let reopened = try home.reopened()
    #expect(reopened[composed] == 1 && reopened[decomposed] == 2)
  }

  @Test("keys are equal by name and suite, whatever their types and default values")
  func equality() {
    let defaults = UserDefaults.inMemory()
    let keys: [Defaults.AnyKey] = [
      Defaults.Key<Int>("k", default: 1, suite: defaults), Defaults.Key<String?>("k", suite: defaults),
      Defaults.Key<Int>("k", default: 1, suite: .inMemory()),
      Defaults.Key<Int>("l", default: 1, suite: defaults),
    ]
    #expect(keys[0] == keys[1] && keys[0] != keys[2] && keys[0] != keys[3])
    #expect(Set(keys).count == 3)
  }

  @Test("a key without a suite follows the standard object; one with a suite stays with it")
  func standard() {
    let (first, second) = (UserDefaults.inMemory(), UserDefaults.inMemory())
    let (free, bound) = UserDefaults.withStandard(first) {
      (Defaults.Key<Int>("free", default: 0), Defaults.Key<Int>("bound", default: 0, suite: second))
    }
    UserDefaults.withStandard(first) { (Defaults[free], Defaults[bound]) = (1, 1) }
    UserDefaults.withStandard(second) {
      #expect(Defaults[free] == 0 && Defaults[bound] == 1)
    }
    #expect(first.integer(forKey: "free") == 1)
  }

  @Test("what a subclass finds is the value, and a value that is set goes by way of the subclass")
  func subclass() {
    // Unchecked like its superclass, whose promise a subclass has to restate.
    final class Shouting: UserDefaults, @unchecked Sendable {
      let log = Log<String>()

      override func object(forKey defaultName: String) -> Any? {
        (super.object(forKey: defaultName) as? String).map { $0.uppercased() }
      }

      override func set(_ value: Any?, forKey defaultName: String) {
        log.add(defaultName)
        super.set(value, forKey: defaultName)
      }
    }
    let defaults = Shouting(directory: NSTemporaryDirectory() + "/\(UUID().uuidString)")
    let key = Defaults.Key<String>("k", default: "", suite: defaults)
    Defaults[key] = "loud"
    #expect(Defaults[key] == "LOUD" && defaults.log.all == ["k"])
  }
}
