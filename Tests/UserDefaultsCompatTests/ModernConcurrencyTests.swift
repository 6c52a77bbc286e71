import DefaultsDatabase
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// Every call of the modern class from many threads at once; run with the thread sanitizer, too.
struct ModernConcurrencyTests {
  private static func read(_ defaults: UserDefaults, _ key: String) {
    _ = defaults.object(forKey: key)
    _ = defaults.array(forKey: "array")
    _ = defaults.bool(forKey: "bool")
    _ = defaults.data(forKey: "data")
    _ = defaults.dictionary(forKey: "dictionary")
    _ = defaults.double(forKey: "double")
    _ = defaults.float(forKey: "float")
    _ = defaults.integer(forKey: key)
    _ = defaults.stringArray(forKey: "array")
    _ = defaults.string(forKey: key)
    _ = defaults.url(forKey: "url")
    _ = defaults.value(forKey: key)
    _ = try? defaults.value(forKey: "integer", as: Int.self)
    _ = defaults.objectIsForced(forKey: key)
    _ = defaults.lastError
    _ = defaults.description
  }

  private static func write(_ defaults: UserDefaults, _ index: Int, _ thread: Int) {
    defaults.set(index % 2 == 0, forKey: "bool")
    defaults.set(Double(index) / 3, forKey: "double")
    defaults.set(Float(index) / 3, forKey: "float")
    defaults.set(index, forKey: "integer")
    defaults.set(Data([UInt8(index % 256)]), forKey: "data")
    defaults.set(["a", String(index)], forKey: "array")
    defaults.set(["a": [index]], forKey: "dictionary")
    defaults.set(URL(string: "https://example.org/\(index)"), forKey: "url")
    defaults.setValue("x", forKey: "passing \(thread)-\(index)")
    defaults.removeObject(forKey: "passing \(thread)-\(index)")
    defaults.set(index % 2 == 0 ? nil : "x" as Any?, forKey: "now and then")
  }

  /// The calls about domains and suites, a few at each turn.
  private static func useDomains(_ defaults: UserDefaults, _ index: Int, _ thread: Int) {
    // Some names are the thread's own, some everyone's.
    let name = index % 20 < 10 ? "P\(thread)" : "P"
    switch index % 12 {
    case 0: _ = defaults.synchronize()
    case 1: _ = defaults.dictionaryRepresentation().count
    case 2: defaults.addSuite(named: name)
    case 3: defaults.removeSuite(named: name)
    case 4: defaults.removePersistentDomain(forName: name)
    case 5: defaults.setPersistentDomain(["k": index], forName: name)
    case 6: defaults.setVolatileDomain(["k": index], forName: "V\(thread % 2)")
    case 7: defaults.removeVolatileDomain(forName: "V\(thread % 2)")
    case 8: _ = defaults.volatileDomain(forName: "V0").count + defaults.volatileDomainNames.count
    case 9: defaults.setVolatileDomain(["argument": index], forName: UserDefaults.argumentDomain)
    case 10: _ = UserDefaults.sizeLimit
    default: _ = defaults.persistentDomain(forName: "App")?.count
    }
    defaults.register(defaults: ["registered \(thread)": index])
  }

  @Test("eight threads that make all calls, with observers that call back in, keep every key")
  func allCalls() async throws {
    let home = try TemporaryHome()
    let path: String = home.path
    let shared = UserDefaults(directory: path, applicationName: "App")
    let inMemory = UserDefaults.inMemory(applicationName: "App")
    let calls = Counter()
    let observations = [shared, inMemory].map { defaults in
      defaults.observe("integer", options: [.initial, .prior, .old, .new]) { defaults, change in
        calls.increment()
        _ = (change.oldValue, change.newValue)
        Self.read(defaults, "observed")
        defaults.set(calls.value, forKey: "observed")
        // Domains change under others' observers, too.
        if calls.value % 8 == 0 { Self.useDomains(defaults, calls.value / 8, 8) }
      }
    }
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: shared, queue: nil
    ) { _ in Self.read(shared, "observed") }
    await EightThreads.run { thread in
      let own = UserDefaults(directory: path, applicationName: "App")
      for index in 0..<100 {
        for defaults in [shared, inMemory] { defaults.set(index, forKey: "\(thread)-\(index)") }
        let all = [shared, own, inMemory]
        Self.write(all[index % 3], index, thread)
        Self.read(all[(index + 1) % 3], "\((thread + 1) % 8)-\(index)")
        Self.useDomains(all[index % 3], index / 3, thread)
        // Observers that come and go while others are being told, and objects too.
        let passing = own.observe("integer") { _, _ in own.removeObject(forKey: "now and then") }
        let changes = own.changes(forKey: "double", includingInitial: true)
        own.set(index, forKey: "integer")
        if index % 2 == 0 { passing.invalidate() }
        withExtendedLifetime(changes) {}
        UserDefaults.inMemory().set(index, forKey: "k")
        if index % 10 == 0, let temporary = try? UserDefaults.temporary() {
          temporary.set(index, forKey: "k")
        }
        _ = UserDefaults.withStandard(inMemory) { UserDefaults.standard.integer(forKey: "integer") }
      }
    }
    NotificationCenter.default.removeObserver(token)
    for observation in observations { observation.invalidate() }
    #expect(calls.value > 100)
    #expect(shared.synchronize() && shared.lastError == nil)
    let values = try UserDatabase(directory: path).load(DomainName("App")).values
    for thread in 0..<8 {
      for index in 0..<100 {
        #expect(values[PropertyListKey("\(thread)-\(index)")] == .integer(PropertyListInteger(Int64(index))))
        #expect(inMemory.object(forKey: "\(thread)-\(index)") as? Int == index)
      }
    }
    #expect(!values.keys.contains { $0.text.hasPrefix("passing ") })
  }
}
