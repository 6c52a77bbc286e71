import Foundation
import Testing
import TypedDefaults
import UserDefaultsCompat

extension Defaults.Name {
  fileprivate static let isFirstLaunch: Self = "isFirstLaunch"
  fileprivate static let names = Self(rawValue: "names.of @all")
}

/// Properties by the name of a default.
struct UserDefaultTests {
  private struct Storage {
    @UserDefault(key: .isFirstLaunch) var isFirstLaunch: Bool?
    @UserDefault(key: .names) var names: [String: [Date]]?
    @UserDefault(key: "literal") var literal: Double?
  }

  @Test("a property is nil until it is set, and nil removes it")
  func values() {
    UserDefaults.withStandard(.inMemory()) {
      let storage = Storage()
      #expect(storage.isFirstLaunch == nil && storage.names == nil)
      storage.isFirstLaunch = false
      storage.names = ["a": [Date(timeIntervalSince1970: 0)]]
      storage.literal = 0.5
      #expect(UserDefaults.standard.object(forKey: "isFirstLaunch") as? Bool == false)
      #expect(storage.names == ["a": [Date(timeIntervalSince1970: 0)]] && storage.literal == 0.5)
      #expect(storage.$names.key == .names)
      storage.names = nil
      #expect(UserDefaults.standard.object(forKey: "names.of @all") == nil)
    }
  }

  @Test("an observer is given the old and the new value, until its token is let go")
  func observing() {
    UserDefaults.withStandard(.inMemory()) {
      let storage = Storage()
      let log = Log<String>()
      var token: (any Defaults.Observation)? = storage.$isFirstLaunch.observe { old, new in
        log.add("\(old.map { "\($0)" } ?? "-") \(new.map { "\($0)" } ?? "-")")
      }
      storage.isFirstLaunch = true
      UserDefaults.standard.set(false, forKey: "isFirstLaunch")
      storage.isFirstLaunch = nil
      #expect(log.all == ["- true", "true false", "false -"])
      withExtendedLifetime(token) {}
      token = nil
      storage.isFirstLaunch = true
      #expect(log.all.count == 3)
    }
  }

  @Test("a value of another type gives nil and is kept")
  func otherType() {
    let defaults = UserDefaults.inMemory()
    let property = UserDefault<Bool>(key: .isFirstLaunch, suite: defaults)
    defaults.set("perhaps", forKey: "isFirstLaunch")
    #expect(property.wrappedValue == nil && defaults.string(forKey: "isFirstLaunch") == "perhaps")
    defaults.set("YES", forKey: "isFirstLaunch")
    #expect(property.wrappedValue == true)
  }
}
