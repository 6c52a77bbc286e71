import DefaultsDatabase
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// Change notifications by the table of the semantics' section 9, and the messages made of them.
struct ModernNotificationTests {
  private let home: TemporaryHome
  private let defaults: UserDefaults

  init() throws {
    home = try TemporaryHome()
    defaults = UserDefaults(directory: home.path, applicationName: "App")
  }

  /// How many change notifications an operation of the object posts.
  private func count(_ operation: () throws -> Void) rethrows -> Int {
    let count = Lock(0)
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
    ) { notification in
      count.withLock { $0 += notification.userInfo == nil ? 1 : 100 }
    }
    try operation()
    NotificationCenter.default.removeObserver(token)
    return count.withLock { $0 }
  }

  @Test("every set and removal by a call posts, changed or not")
  func sets() {
    #expect(count { defaults.set(1, forKey: "k") } == 1)
    #expect(count { for value in 1...2 { defaults.set(value, forKey: "k") } } == 2)
    #expect(count { defaults.set(2, forKey: "k") } == 1)
    #expect(count { defaults.removeObject(forKey: "k") } == 1)
    #expect(count { defaults.removeObject(forKey: "k") } == 1)
    #expect(count { defaults.set(nil as Any?, forKey: "k") } == 1)
    #expect(count { defaults.set(nil as URL?, forKey: "k") } == 1)
  }

  @Test("synchronizing, registering, volatile domains and suites post nothing")
  func others() throws {
    defaults.set(1, forKey: "k")
    #expect(count { defaults.synchronize() } == 0)
    #expect(count { defaults.register(defaults: ["k": 1]) } == 0)
    #expect(count { defaults.setVolatileDomain(["k": 1], forName: "V") } == 0)
    #expect(count { defaults.removeVolatileDomain(forName: "V") } == 0)
    #expect(count { defaults.addSuite(named: "S") } == 0)
    var changes = DomainChanges()
    changes.set("x", for: "k")
    _ = try UserDatabase(directory: home.path).commit(changes, to: DomainName("App"), onDamage: .refuse)
    #expect(count { defaults.synchronize() } == 0)
  }

  @Test("replacing and removing a persistent domain posts, also the same again and one that is not there")
  func domains() {
    #expect(count { defaults.setPersistentDomain(["k": 1], forName: "D") } == 1)
    #expect(count { defaults.setPersistentDomain(["k": 1], forName: "D") } == 1)
    #expect(count { defaults.removePersistentDomain(forName: "D") } == 1)
    #expect(count { defaults.removePersistentDomain(forName: "Unknown") } == 1)
    #expect(count { defaults.setPersistentDomain(["k": 1], forName: "a\0b") } == 0)
    #expect(count { defaults.removePersistentDomain(forName: UserDefaults.argumentDomain) } == 0)
  }

  @Test(
    "messages are served from the notification, by type and by identifier, to observers and as a sequence")
  func messages() async {
    let center = NotificationCenter.default
    // Who observes every name would end the process if a message were posted.
    let everything = center.addObserver(forName: nil, object: nil, queue: nil) { _ in }
    defer { center.removeObserver(everything) }
    let (calls, continuation) = AsyncStream.makeStream(of: String.self)
    let byType = center.addObserver(of: defaults, for: UserDefaults.DidChangeMessage.self) { _ in
      continuation.yield("type")
    }
    let byIdentifier = center.addObserver(of: defaults, for: .didChange) { _ in
      continuation.yield("identifier")
    }
    var sequence = center.messages(of: defaults, for: .didChange).makeAsyncIterator()
    var other = center.messages(of: defaults, for: UserDefaults.DidChangeMessage.self).makeAsyncIterator()
    defaults.set(1, forKey: "k")
    #expect(await sequence.next() != nil)
    #expect(await other.next() != nil)
    var iterator = calls.makeAsyncIterator()
    #expect(await [iterator.next(), iterator.next()].compactMap { $0 }.sorted() == ["identifier", "type"])

    center.removeObserver(byType)
    defaults.set(2, forKey: "k")
    #expect(await iterator.next() == "identifier")
    // Another object's changes are not this one's.
    UserDefaults(directory: home.path, applicationName: "App").set(3, forKey: "k")
    defaults.set(4, forKey: "k")
    #expect(await iterator.next() == "identifier")
    #expect(await sequence.next() != nil)
    withExtendedLifetime(byIdentifier) {}
  }

  /// Tells when it is released.
  private final class Capture: Sendable {
    private let released: AsyncStream<Void>.Continuation

    init(_ released: AsyncStream<Void>.Continuation) { self.released = released }

    deinit { released.yield() }
  }

  // All that waited were delivered, though the observation had ended.
  @Test(
    "an observer of messages that has ended is not called again, and is released", arguments: [false, true])
  func endedObserver(isReleased: Bool) async {
    let center = NotificationCenter()
    let (calls, call) = AsyncStream.makeStream(of: Void.self)
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let (releases, release) = AsyncStream.makeStream(of: Void.self)
    let count = Lock(0)
    var observation: UserDefaultsMessageObservation? = {
      let capture = Capture(release)
      return center.addObserver(for: UserDefaults.DidChangeMessage.self) { _ in
        count.withLock { $0 += 1 }
        call.yield()
        for await _ in gate { break }
        withExtendedLifetime(capture) {}
      }
    }()
    let subject = UserDefaults.inMemory()
    for _ in 0..<100 { center.post(name: UserDefaults.didChangeNotification, object: subject) }
    var iterator = calls.makeAsyncIterator()
    await iterator.next()
    if isReleased {
      observation = nil
    } else if let observation {
      center.removeObserver(observation)
    }
    opening.finish()
    var isReleased = releases.makeAsyncIterator()
    await isReleased.next()
    #expect(count.withLock { $0 } == 1)
    withExtendedLifetime(observation) {}
  }

  @Test("without a subject the messages of every object are served, and none of the classic class's")
  func anySubject() async {
    let center = NotificationCenter()
    let (calls, continuation) = AsyncStream.makeStream(of: String.self)
    let byType = center.addObserver(for: UserDefaults.DidChangeMessage.self) { _ in continuation.yield("type")
    }
    let byIdentifier = center.addObserver(of: UserDefaults.self, for: .sizeLimitExceeded) { _ in
      continuation.yield("size")
    }
    var changes = center.messages(of: UserDefaults.self, for: .didChange).makeAsyncIterator()
    var sizes = center.messages(for: UserDefaults.SizeLimitExceededMessage.self).makeAsyncIterator()
    let classic = NSUserDefaults(inMemoryWithApplicationName: "App")
    center.post(name: UserDefaults.didChangeNotification, object: classic)
    center.post(name: UserDefaults.didChangeNotification, object: UserDefaults.inMemory())
    #expect(await changes.next() != nil)
    var iterator = calls.makeAsyncIterator()
    #expect(await iterator.next() == "type")
    center.post(name: UserDefaults.sizeLimitExceededNotification, object: UserDefaults.inMemory())
    #expect(await sizes.next() != nil)
    // Were the classic class's notification served, it would have come before this.
    #expect(await iterator.next() == "size")
    withExtendedLifetime((byType, byIdentifier)) {}
  }

  @Test("no message of an object that is gone comes from another that lies where it lay")
  func subjectIsGone() async {
    let (calls, continuation) = AsyncStream.makeStream(of: Bool.self)
    // In turn, so that each takes the place in memory of one before it.
    let observations = (0..<50).map { _ in
      NotificationCenter.default.addObserver(of: UserDefaults.inMemory(), for: .didChange) { _ in
        continuation.yield(false)
      }
    }
    for _ in 0..<50 { UserDefaults.inMemory().set(1, forKey: "k") }
    let last = NotificationCenter.default.addObserver(of: defaults, for: .didChange) { _ in
      // Behind what the tasks of the others have to do already.
      for observation in observations { NotificationCenter.default.removeObserver(observation) }
      continuation.yield(true)
    }
    defaults.set(1, forKey: "k")
    var iterator = calls.makeAsyncIterator()
    #expect(await iterator.next() == true)
    withExtendedLifetime(last) {}
  }

  @Test("a handler is called once for each change, one call after the other")
  func order() async {
    let (calls, continuation) = AsyncStream.makeStream(of: Int.self)
    let running = Lock(0)
    let observation = NotificationCenter.default.addObserver(of: defaults, for: .didChange) { _ in
      let count = running.withLock { running in
        running += 1
        return running
      }
      await Task.yield()
      continuation.yield(count)
      running.withLock { $0 -= 1 }
    }
    for index in 1...50 { defaults.set(index, forKey: "k") }
    var iterator = calls.makeAsyncIterator()
    for _ in 1...50 { #expect(await iterator.next() == 1) }
    withExtendedLifetime(observation) {}
  }

  // All were kept, however slow the handler.
  @Test("of more than 10,000 messages that wait for a slow handler the others are left out")
  func slowHandler() async {
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
    let observation = NotificationCenter.default.addObserver(of: defaults, for: .didChange) { _ in
      continuation.yield()
      for await _ in gate { break }
    }
    var iterator = calls.makeAsyncIterator()
    defaults.set(0, forKey: "k")
    await iterator.next()
    for _ in 0..<10_050 { defaults.set(1, forKey: "k") }
    opening.finish()
    for _ in 0..<10_000 { await iterator.next() }
    // Behind all that waited before: the handler has got the last of them.
    defaults.set(2, forKey: "k")
    await iterator.next()
    continuation.finish()
    #expect(await iterator.next() == nil)
    withExtendedLifetime(observation) {}
  }
}
