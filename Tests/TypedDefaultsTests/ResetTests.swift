import DefaultsDatabase
import DefaultsDomains
import OpenStepDefaults
import TestSupport
import Testing
import TypedDefaults

@testable import UserDefaultsCompat

/// Keys that go back to their default values.
struct ResetTests {
  private let defaults = UserDefaults.inMemory()
  private let number: Defaults.Key<Int>
  private let text: Defaults.Key<String?>

  init() {
    number = Defaults.Key("number", default: 1, suite: defaults)
    text = Defaults.Key("text", suite: defaults)
    Defaults[number] = 2
    Defaults[text] = "x"
  }

  private var isReset: Bool {
    Defaults[number] == 1 && Defaults[text] == nil
      && defaults.persistentDomain(forName: defaults.store.application.name.text) == nil
  }

  @Test("keys of several types are reset by one call")
  func keys() {
    Defaults.reset(number, text)
    #expect(isReset)
  }

  @Test("keys are reset by a list of them")
  func list() {
    Defaults.reset([number, text])
    #expect(isReset)
  }

  @Test("keys are reset by their names")
  func names() {
    Defaults.reset("number", "text", suite: defaults)
    #expect(isReset)
    Defaults[number] = 2
    Defaults.reset(["number"], suite: defaults)
    #expect(isReset)
  }

  @Test("a key resets itself")
  func itself() {
    number.reset()
    text.reset()
    #expect(isReset)
  }

  @Test("all keys of a suite are removed by one change, and nothing else is")
  func removeAll() {
    let log = Log<Int>()
    defaults.setPersistentDomain(["global": 1], forName: UserDefaults.globalDomain)
    let observation = Defaults.observe(keys: number, text, options: []) { [defaults, number, text] in
      log.add(Defaults[number] + (Defaults[text] == nil ? 0 : 100))
      #expect(defaults.integer(forKey: "global") == 1)
    }
    Defaults.removeAll(suite: defaults)
    #expect(isReset && log.all == [1, 1])
    Defaults[number] = 3
    defaults.removeAll()
    #expect(isReset && defaults.integer(forKey: "global") == 1)
    withExtendedLifetime(observation) {}
  }

  @Test("what an administrator has set keeps nothing else from being removed")
  func removeAllWithManaged() throws {
    let home = try TemporaryHome()
    try home.write("{ number = 9 /*integer*/; }", to: "App.plist")
    let defaults = UserDefaults(
      store: DefaultsStore(
        user: PersistentDomains(database: nil), applicationName: try DomainName("App"),
        process: ProcessDomains(arguments: []), managed: PersistentDomains.at(directory: home.path)))
    defaults.setPersistentDomain(["number": 1, "other": 2], forName: "App")
    Defaults.removeAll(suite: defaults)
    #expect(defaults.persistentDomain(forName: "App") as? [String: Int] == ["number": 1])
    #expect(Defaults[key: number, suite: defaults] == 9)
  }
}
