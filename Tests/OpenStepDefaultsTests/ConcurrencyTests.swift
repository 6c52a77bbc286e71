import Foundation
import TestSupport
import Testing

@testable import OpenStepDefaults

/// Every call from many threads at once; run with the thread sanitizer, too.
struct ConcurrencyTests {
  /// Runs a body on eight threads at once and waits for all.
  private func onEightThreads(_ body: @escaping @Sendable (Int) -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let group = DispatchGroup()
      for index in 0..<8 {
        group.enter()
        Thread.detachNewThread {
          body(index)
          group.leave()
        }
      }
      group.notify(queue: .global()) { continuation.resume() }
    }
  }

  @Test("eight threads that set, read, remove and synchronize keep every key")
  func allCalls() async throws {
    let home = try TemporaryHome()
    let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    let token = NotificationCenter.default.addObserver(
      forName: NSUserDefaultsDidChangeNotification, object: defaults, queue: nil
    ) { _ in
      defaults.setObject(defaults.stringForKey("0-0"), forKey: "observed")
    }
    defer { NotificationCenter.default.removeObserver(token) }
    await onEightThreads { thread in
      let own = NSUserDefaults(directory: home.path, applicationName: "App")
      for index in 0..<100 {
        let key = "\(thread)-\(index)"
        defaults.setInteger(index, forKey: key)
        defaults.setObject(["a": [index]], forKey: "shared")
        _ = own.integerForKey("\((thread + 1) % 8)-\(index)")
        own.setObject("x", forKey: "temporary \(key)")
        defaults.removeObjectForKey("temporary \(key)")
        defaults.registerDefaults([key: index])
        _ = defaults.dictionaryForKey("shared")
        _ = defaults.stringForKey("NSDecimalSeparator")
        switch index % 10 {
        case 0: _ = defaults.synchronize()
        case 1: _ = defaults.dictionaryRepresentation().count
        case 2: defaults.setSearchList(defaults.searchList())
        case 3: _ = defaults.persistentDomainNames() + defaults.volatileDomainNames()
        case 4: defaults.removePersistentDomainForName("P\(thread)")
        case 5: _ = try? defaults.setPersistentDomain(["k": index], forName: "P\(thread)")
        case 6: defaults.removeVolatileDomainForName("V\(thread)")
        case 7: _ = try? defaults.setVolatileDomain(["k": index], forName: "V\(thread)")
        case 8: _ = defaults.lastError
        default: _ = defaults.persistentDomainForName("App")?.count
        }
      }
    }
    #expect(defaults.synchronize())
    let read = NSUserDefaults(directory: home.path, applicationName: "App")
    for thread in 0..<8 {
      for index in 0..<100 {
        #expect(read.persistentDomainForName("App")?["\(thread)-\(index)"] as? String == String(index))
        #expect(read.objectForKey("temporary \(thread)-\(index)") == nil)
      }
    }
  }
}
