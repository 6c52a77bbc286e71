import Foundation
import Observation
import OpenStepPropertyList
import TestSupport
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Every call of the facade from many threads at once; run with the thread sanitizer, too.
struct TypedConcurrencyTests {
  private struct User: Codable, Hashable, Defaults.Serializable { var name: String }

  private struct Keys: Sendable {
    let number: Defaults.Key<Int>
    let user: Defaults.Key<User>
    let set: Defaults.Key<Set<[String: Int]>>
    let url: Defaults.Key<URL?>
    let any: Defaults.Key<[String: Defaults.AnySerializable]>
    let left: Defaults.Key<Int>
    let right: Defaults.Key<Int>
    let unreadable: Defaults.Key<[Int]>
    let property: Default<Int>

    init(_ defaults: UserDefaults) {
      number = Defaults.Key("number", default: 0, suite: defaults)
      user = Defaults.Key("user", default: User(name: ""), suite: defaults)
      set = Defaults.Key("set", default: [], suite: defaults)
      url = Defaults.Key("url", suite: defaults)
      any = Defaults.Key("any", default: [:], suite: defaults)
      left = Defaults.Key("left", default: 0, suite: defaults)
      right = Defaults.Key("right", default: 0, suite: defaults)
      unreadable = Defaults.Key("unreadable", default: [], suite: defaults)
      property = Default(number)
    }

    func write(_ index: Int) {
      Defaults[number] = index
      Defaults[user] = User(name: "\(index)")
      Defaults[user].name += "!"
      Defaults[set] = [["a": index], [:]]
      Defaults[url] = index % 3 == 0 ? nil : URL(string: "https://a.b/\(index)")
      Defaults[any] = ["a": 1, "b": Defaults.AnySerializable(User(name: "x"))]
      property.wrappedValue += 1
      unreadable.suite.set(index, forKey: "unreadable")
      _ = Defaults[unreadable]
      if index % 5 == 0 { Defaults[unreadable] = [index] }
      if index % 7 == 0 { Defaults.reset(number, user) }
      Defaults.withoutPropagation { Defaults[number] += 1 }
    }

    func read() {
      _ = (Defaults[number], Defaults[user], Defaults[set], Defaults[url], property.wrappedValue)
      _ = Defaults[any]["b"]?.get(User.self)
      _ = (user.isDefaultValue, try? Defaults.value(for: unreadable))
      _ = withObservationTracking({ property.wrappedValue }, onChange: { _ = Defaults[user] })
    }
  }

  @Test("eight threads that make all calls, with observers that call back in, keep every key")
  func allCalls() async throws {
    let home = try TypedHome()
    let keys = Keys(home.defaults)
    let calls = Log<Void>()
    let observation = Defaults.observe(keys: keys.number, keys.user, keys.url) {
      calls.add(())
      keys.read()
      Defaults.withoutPropagation { Defaults[keys.number] += 1 }
      Defaults.transaction { Defaults[keys.set].insert(["observed": 1]) }
    }
    // No thread ever sees one of the two without the other.
    let pairs = Defaults.observe(keys.left, options: []) { [defaults = home.defaults] change in
      let both = defaults.dictionaryRepresentation()
      #expect(both["left"] as? Int == both["right"] as? Int)
    }
    await EightThreads.run { thread in
      let own = Keys(UserDefaults(directory: home.directory, applicationName: "App"))
      for index in 0..<60 {
        for keys in [keys, own] {
          keys.write(index)
          keys.read()
        }
        Defaults[Defaults.Key<Int>("\(thread)-\(index)", default: -1, suite: home.defaults)] = index
        Defaults.transaction {
          Defaults[keys.left] = thread * 1000 + index
          own.read()
          Defaults[keys.right] = thread * 1000 + index
        }
        let passing = Defaults.observe(own.number) { _ in _ = Defaults[keys.user] }
        passing.tieToLifetime(of: own.number)
        let updates = Defaults.updates(keys.number, own.user)
        let single = Defaults.updates(own.set, initial: false)
        Defaults[own.number] = index
        if index % 2 == 0 { passing.removeLifetimeTie() } else { passing.invalidate() }
        withExtendedLifetime((updates, single)) {}
      }
    }
    observation.invalidate()
    pairs.invalidate()
    #expect(calls.all.count > 100)
    let reopened = try home.reopened()
    for thread in 0..<8 {
      for index in 0..<60 { #expect(reopened.object(forKey: "\(thread)-\(index)") as? Int == index) }
    }
    #expect(reopened[keys.left] == reopened[keys.right])
  }
}
