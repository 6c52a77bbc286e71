import DefaultsDatabase
import Foundation
import TestSupport
import Testing
import TypedDefaults
import UserDefaultsCompat

/// What the program's objects do when the library lets go of them: their deinitializers may set and observe keys.
///
/// Each test runs in a process of its own, which a thread that waits for itself would keep for ever.
struct ReleaseTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  /// An object that ends an observation when it ends.
  private final class Model: Sendable {
    private let observation: UserDefaultsObservation

    init(_ suite: UserDefaults) {
      observation = suite.observe("other") { _, _ in }
    }

    var number: Int { 5 }
  }

  @Test("an observation that ends may be the last that holds an object which observes keys itself")
  func observationOfKey() async {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      alarm(600)
      let suite = UserDefaults(directory: path, applicationName: "App")
      let plain = Defaults.Key<Int>("k", default: 0, suite: suite)
      var first: (any Defaults.Observation)?
      do {
        let model = Model(suite)
        let key = Defaults.Key<Int>("k", suite: suite, default: { model.number })
        first = Defaults.observe(key, options: []) { _ in }
      }
      var second: (any Defaults.Observation)? = Defaults.observe(plain, options: []) { _ in }
      let third = Defaults.observe(plain, options: []) { _ in }
      // The observer of the first one goes when half of them have ended.
      first = nil
      second = nil
      withExtendedLifetime((first, second, third)) {}
    }
  }

  /// A value whose last copy sets a key.
  private final class Box: Codable, Defaults.Serializable, Sendable {
    static let setting = Lock<(@Sendable () -> Void)?>(nil)

    deinit { Box.setOnce() }

    static func setOnce() {
      let body = setting.withLock { setting in
        defer { setting = nil }
        return setting
      }
      body?()
    }
  }

  @Test("an element that a sequence of several keys drops may set one of the keys")
  func droppedElement() async {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      alarm(600)
      let suite = UserDefaults(directory: path, applicationName: "App")
      let box = Defaults.Key<Box>("box", default: Box(), suite: suite)
      let number = Defaults.Key<Int>("number", default: 0, suite: suite)
      Defaults[box] = Box()
      let updates = Defaults.updates(box, number)
      for value in 1...990 { Defaults[number] = value }
      let hasSet = Lock(false)
      Box.setting.withLock {
        $0 = {
          Defaults[number] += 1
          hasSet.withLock { $0 = true }
        }
      }
      for value in 991...1100 { Defaults[number] = value }
      precondition(hasSet.withLock { $0 })
      withExtendedLifetime(updates) {}
    }
  }

  private final class Subclass: UserDefaults, @unchecked Sendable {
    // Unchecked like its superclass, whose promise a subclass has to restate.
    deinit { Box.setOnce() }
  }

  @Test("in a transaction the last reference to an object may be let go of whose deinitializer sets a key")
  func objectInTransaction() async {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      alarm(600)
      let suite = UserDefaults(directory: path, applicationName: "App")
      let (other, again) = (
        Defaults.Key<Int>("other", default: 0, suite: suite), Defaults.Key<Int>("k", default: 0, suite: suite)
      )
      Box.setting.withLock { $0 = { Defaults[other] = 7 } }
      Defaults.transaction {
        do {
          let key = Defaults.Key<Int>(
            "k", default: 0, suite: Subclass(directory: path, applicationName: "App"))
          Defaults[key] = 1
        }
        Defaults[again] = 2
      }
      precondition(Defaults[again] == 2 && Defaults[other] == 7)
    }
  }
}
