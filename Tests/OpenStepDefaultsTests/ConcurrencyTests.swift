import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import OpenStepDefaults

/// Every call from many threads at once; run with the thread sanitizer, too.
struct ConcurrencyTests {
  /// Every reading call, on keys that others change at the same time.
  private static func read(_ defaults: NSUserDefaults, _ key: String) {
    _ = defaults.objectForKey(key)
    _ = defaults.propertyListForKey(key)
    _ = defaults.arrayForKey("array")
    _ = defaults.boolForKey("bool")
    _ = defaults.dataForKey("data")
    _ = defaults.dictionaryForKey("dictionary")
    _ = defaults.doubleForKey("double")
    _ = defaults.floatForKey("float")
    _ = defaults.integerForKey(key)
    _ = defaults.stringArrayForKey("array")
    _ = defaults.stringForKey(key)
    // From a language's domain.
    _ = defaults.stringForKey(NSDecimalSeparator)
    _ = defaults.lastError
  }

  /// Every setter, on keys that all threads share, and one of the thread's own that goes again.
  private static func write(_ defaults: NSUserDefaults, _ index: Int, _ thread: Int) {
    defaults.setBool(index % 2 == 0, forKey: "bool")
    defaults.setDouble(Double(index) / 3, forKey: "double")
    defaults.setFloat(Float(index) / 3, forKey: "float")
    defaults.setInteger(index, forKey: "integer")
    defaults.setObject(Data([UInt8(index % 256)]), forKey: "data")
    defaults.setObject(["a", String(index)], forKey: "array")
    defaults.setObject(["a": [index]], forKey: "dictionary")
    defaults.setObject("x", forKey: "passing \(thread)-\(index)")
    defaults.removeObjectForKey("passing \(thread)-\(index)")
    defaults.setObject(index % 2 == 0 ? nil : "x", forKey: "now and then")
    do {
      try NSUserDefaults.checkObject([index], forKey: "k")
    } catch {
      Issue.record(error)
    }
  }

  /// The calls about whole domains, a few at each turn.
  private static func useDomains(_ defaults: NSUserDefaults, _ index: Int, _ thread: Int) {
    // Some names are the thread's own, some everyone's.
    let name = index % 20 < 10 ? "P\(thread)" : "P"
    switch index % 10 {
    case 0: _ = defaults.synchronize()
    case 1: _ = defaults.dictionaryRepresentation().count
    case 2: defaults.setSearchList(defaults.searchList() + [name])
    case 3: _ = defaults.persistentDomainNames() + defaults.volatileDomainNames()
    case 4: defaults.removePersistentDomainForName(name)
    // Where another thread was faster, there is one already.
    case 5: _ = try? defaults.setPersistentDomain(["k": index], forName: name)
    case 6: defaults.removeVolatileDomainForName("V\(thread % 2)")
    case 7: _ = try? defaults.setVolatileDomain(["k": index], forName: "V\(thread % 2)")
    case 8: _ = defaults.volatileDomainForName("V0")
    default: _ = defaults.persistentDomainForName("App")?.count
    }
    defaults.registerDefaults(["registered \(thread)": index])
  }

  /// Objects that come and go while others are used.
  private static func makeObjects(_ path: String, _ index: Int) {
    _ = NSUserDefaults(directory: path, applicationName: "Other\(index % 3)", arguments: ["x", "-k", "1"])
    let inMemory = NSUserDefaults(inMemoryWithApplicationName: "App")
    inMemory.setInteger(index, forKey: "k")
    #expect(inMemory.integerForKey("k") == index)
    // All three on the directory that the environment names.
    NSUserDefaults().setInteger(index, forKey: "empty")
    NSUserDefaults.standardUserDefaults().setInteger(index, forKey: "standard")
    let user = NSUserDefaults(user: NSUserName())
    user?.setInteger(index, forKey: "user")
    #expect(user != nil)
  }

  @Test("eight threads that make all calls, with observers that call back in, keep every key")
  func allCalls() async throws {
    let home = try TemporaryHome()
    // A child, whose environment nobody reads yet: the user's own database is not touched.
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      setenv(DatabaseLocation.environmentVariable, path, 1)
      try await ConcurrencyTests.makeAllCalls(path)
    }
    let values = try UserDatabase(directory: home.path).load(DomainName("App")).values
    for thread in 0..<8 {
      for index in 0..<100 {
        #expect(values[PropertyListKey("\(thread)-\(index)")] == .string(String(index)))
      }
    }
    #expect(!values.keys.contains { $0.text.hasPrefix("passing ") })
    #expect(values["bool"] != nil && values["data"] != nil && values["array"] != nil)
  }

  private static func makeAllCalls(_ path: String) async throws {
    let shared = NSUserDefaults(directory: path, applicationName: "App")
    let inMemory = NSUserDefaults(inMemoryWithApplicationName: "App")
    let calls = Lock(0)
    let tokens = [shared, inMemory].map { (defaults: NSUserDefaults) in
      NotificationCenter.default.addObserver(
        forName: NSUserDefaultsDidChangeNotification, object: defaults, queue: nil
      ) { _ in
        let count = calls.withLock { count in
          count += 1
          return count
        }
        ConcurrencyTests.read(defaults, "observed")
        defaults.setObject(String(count), forKey: "observed")
        defaults.removeObjectForKey("passing observed")
        _ = defaults.dictionaryRepresentation().count
        // Each of them posts, and would come here again without end.
        if count % 8 == 0 { ConcurrencyTests.useDomains(defaults, count / 8, 8) }
      }
    }
    await EightThreads.run { thread in
      let own = NSUserDefaults(directory: path, applicationName: "App")
      for index in 0..<100 {
        for defaults in [shared, inMemory] { defaults.setInteger(index, forKey: "\(thread)-\(index)") }
        let defaults = index % 3 == 0 ? shared : index % 3 == 1 ? own : inMemory
        ConcurrencyTests.write(defaults, index, thread)
        ConcurrencyTests.read(
          index % 3 == 0 ? own : index % 3 == 1 ? inMemory : shared, "\((thread + 1) % 8)-\(index)")
        ConcurrencyTests.useDomains(defaults, index / 3, thread)
        ConcurrencyTests.makeObjects(path, index)
        if index % 10 == 0 {
          // An observer that goes while others are being told.
          let token = NotificationCenter.default.addObserver(
            forName: NSUserDefaultsDidChangeNotification, object: own, queue: nil
          ) { _ in own.removeObjectForKey("now and then") }
          own.setInteger(index, forKey: "now and then")
          NotificationCenter.default.removeObserver(token)
        }
      }
    }
    for token in tokens { NotificationCenter.default.removeObserver(token) }
    #expect(calls.withLock { $0 } > 0)
    #expect(shared.synchronize() && shared.lastError == nil)
    for thread in 0..<8 {
      for index in 0..<100 {
        #expect(inMemory.stringForKey("\(thread)-\(index)") == String(index))
      }
    }
  }

  @Test("a domain that eight threads replace as a whole never holds the values of two")
  func replacing() async throws {
    let home = try TemporaryHome()
    let keys = (0..<10).map(String.init)
    let mixtures = Lock(0)
    let looks = Lock(0)
    await EightThreads.run { thread in
      let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
      for round in 0..<50 {
        defaults.removePersistentDomainForName("P")
        // Where another thread was faster, there is one already.
        _ = try? defaults.setPersistentDomain(
          Dictionary(uniqueKeysWithValues: keys.map { ($0, "\(thread)-\(round)") }), forName: "P")
        if round % 10 == 0 { _ = defaults.synchronize() }
        guard let values = defaults.persistentDomainForName("P") as? [String: String], !values.isEmpty
        else { continue }
        looks.withLock { $0 += 1 }
        if values.count != keys.count || Set(values.values).count != 1 { mixtures.withLock { $0 += 1 } }
      }
      _ = defaults.synchronize()
    }
    #expect(mixtures.withLock { $0 } == 0)
    #expect(looks.withLock { $0 } > 50)
    let values = try UserDatabase(directory: home.path).load(DomainName("P")).values
    #expect(values.isEmpty || values.count == keys.count && Set(values.values).count == 1)
  }

  @Test("a domain is made by one of several threads only")
  func makingAtOnce() async throws {
    let home = try TemporaryHome()
    let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    for round in 0..<50 {
      let made = Lock(0)
      await EightThreads.run { thread in
        do {
          try defaults.setPersistentDomain(["thread": thread], forName: "P\(round)")
          made.withLock { $0 += 1 }
        } catch {
          // The others are refused.
        }
      }
      #expect(made.withLock { $0 } == 1)
    }
  }
}
