import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import OpenStepDefaults

/// Counts the notifications of one object.
private final class Counter: Sendable {
  private let count: Count
  private let token: Lock<(any NSObjectProtocol)?> = Lock(nil)

  private final class Count: Sendable {
    let number = Lock(0)
  }

  init(_ defaults: NSUserDefaults, then body: @escaping @Sendable () -> Void = {}) {
    let count = Count()
    self.count = count
    let token = NotificationCenter.default.addObserver(
      forName: NSUserDefaultsDidChangeNotification, object: defaults, queue: nil
    ) { _ in
      count.number.withLock { $0 += 1 }
      body()
    }
    // Unchecked, because the token is a constant, and the center that takes it back is for all threads.
    nonisolated(unsafe) let kept = token
    self.token.withLock { $0 = kept }
  }

  deinit {
    token.withLock { $0.map(NotificationCenter.default.removeObserver) }
  }

  var value: Int { count.number.withLock { $0 } }
}

struct NotificationTests {
  @Test("the first change after a synchronize is told, and no other")
  func firstChange() throws {
    let home = try TemporaryHome()
    let defaults = OwnThreadDefaults(directory: home.path, applicationName: "App")
    let counter = Counter(defaults)
    #expect(defaults.synchronize())
    #expect(counter.value == 0)
    defaults.setObject("1", forKey: "A")
    #expect(counter.value == 1)
    defaults.setObject("2", forKey: "A")
    defaults.removeObjectForKey("A")
    try defaults.setPersistentDomain(["x": "y"], forName: "P")
    #expect(counter.value == 1)
    #expect(defaults.synchronize())
    #expect(counter.value == 1)
    defaults.removePersistentDomainForName("P")
    #expect(counter.value == 2)
  }

  @Test("what changes nothing persistent is not told")
  func noChange() throws {
    let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")
    defaults.setObject("1", forKey: "A")
    #expect(defaults.synchronize())
    let counter = Counter(defaults)
    defaults.setObject("1", forKey: "A")
    defaults.removeObjectForKey("absent")
    defaults.registerDefaults(["B": "1"])
    try defaults.setVolatileDomain(["B": "1"], forName: "V")
    defaults.removeVolatileDomainForName("V")
    defaults.setSearchList(["App"])
    defaults.removePersistentDomainForName("Nowhere")
    #expect(counter.value == 0)
  }

  @Test("a save that nobody called does not make the next change a first one")
  func ownSave() throws {
    let home = try TemporaryHome()
    let defaults = OwnThreadDefaults(directory: home.path, applicationName: "App")
    let counter = Counter(defaults)
    defaults.setObject("1", forKey: "A")
    defaults.persistent.save(andRefresh: false)
    #expect(FileManager.default.fileExists(atPath: home.path + "/App.plist"))
    defaults.setObject("2", forKey: "A")
    #expect(counter.value == 1)
  }

  @Test("a synchronize that reads others' changes tells of them once")
  func foreignChange() throws {
    let home = try TemporaryHome()
    let defaults = OwnThreadDefaults(directory: home.path, applicationName: "App")
    defaults.setObject("mine", forKey: "A")
    #expect(defaults.synchronize())
    let counter = Counter(defaults)
    // Another process, as far as the object can tell.
    let other = UserDatabase(directory: home.path)
    var changes = DomainChanges()
    changes.set("theirs", for: "B")
    _ = try other.commit(changes, to: DomainName("App"), onDamage: .refuse)
    var unrelated = DomainChanges()
    unrelated.set("x", for: "B")
    _ = try other.commit(unrelated, to: DomainName("Unrelated"), onDamage: .refuse)
    #expect(defaults.objectForKey("B") == nil)
    #expect(counter.value == 0)
    #expect(defaults.synchronize())
    #expect(defaults.stringForKey("B") == "theirs")
    #expect(counter.value == 1)
    #expect(defaults.synchronize())
    #expect(counter.value == 1)
  }

  @Test("a save of our own hides no foreign change from the next synchronize")
  func foreignChangeBehindOwnSave() throws {
    let home = try TemporaryHome()
    let defaults = OwnThreadDefaults(directory: home.path, applicationName: "App")
    defaults.setObject("mine", forKey: "A")
    #expect(defaults.synchronize())
    var changes = DomainChanges()
    changes.set("theirs", for: "B")
    _ = try UserDatabase(directory: home.path).commit(changes, to: DomainName("App"), onDamage: .refuse)
    defaults.setObject("again", forKey: "A")
    defaults.persistent.save(andRefresh: false)
    #expect(defaults.objectForKey("B") == nil)
    let counter = Counter(defaults)
    #expect(defaults.synchronize())
    #expect(counter.value == 1)
    #expect(defaults.stringForKey("B") == "theirs")
    #expect(defaults.stringForKey("A") == "again")
  }

  @Test("an observer may call back into the object")
  func callingBack() {
    let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")
    let counter = Counter(defaults) {
      defaults.setObject(defaults.stringForKey("A"), forKey: "B")
      _ = defaults.synchronize()
      _ = defaults.dictionaryRepresentation()
    }
    defaults.setObject("1", forKey: "A")
    #expect(defaults.stringForKey("B") == "1")
    #expect(counter.value >= 1)
  }

  @Test("a change that others of this process follow is found at once, and told at the next synchronize")
  func followedChange() async throws {
    final class Listener: DomainListener {
      let continuation: AsyncStream<Void>.Continuation
      init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }
      func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys) -> (() -> Void)? {
        { self.continuation.yield() }
      }

      func tellRecorded(of keys: ChangedKeys) {}
    }
    let home = try TemporaryHome()
    let domains = PersistentDomains.at(directory: home.path)
    domains.followExternalChanges()
    let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    // Before the change, because the object's own synchronize, every 30 seconds, may tell of it first on a slow machine.
    let counter = Counter(defaults)
    let (told, continuation) = AsyncStream.makeStream(of: Void.self)
    let listener = Listener(continuation)
    defaults.application.add(listener, for: "k")
    var changes = DomainChanges()
    changes.set("1", for: "k")
    _ = try UserDatabase(directory: home.path).commit(changes, to: DomainName("App"), onDamage: .refuse)
    for await _ in told { break }
    #expect(defaults.stringForKey("k") == "1")
    #expect(defaults.synchronize())
    #expect(counter.value == 1)
    defaults.application.remove(ObjectIdentifier(listener), for: "k")
  }
}
