import DefaultsDatabase
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

/// The synchronize of all objects that comes every 30 seconds.
@Suite(.timeLimit(.minutes(30)))
struct PeriodicSynchronizeTests {
  /// An object whose synchronize does not return before it is told to, as where an observer of the program waits.
  private final class HeldUpDefaults: NSUserDefaults, @unchecked Sendable {
    // Unchecked like its superclass; its own state is a lock and a semaphore.
    let count = Lock(0)
    let mayEnd = DispatchSemaphore(value: 0)

    override init(directory: String, applicationName: String? = nil, arguments: [String] = []) {
      super.init(directory: directory, applicationName: applicationName, arguments: arguments)
    }

    override func synchronize() -> Bool {
      count.withLock { $0 += 1 }
      mayEnd.wait()
      return true
    }
  }

  /// Changes a domain as another process does.
  private func change(_ key: PropertyListKey, in directory: String) throws {
    var changes = DomainChanges()
    changes.set("theirs", for: key)
    _ = try UserDatabase(directory: directory).commit(changes, to: DomainName("App"), onDamage: .refuse)
  }

  // One thread synchronized all objects, one after the other.
  @Test("objects that an observer holds up delay no other, and are synchronized once")
  func heldUp() async throws {
    let home = try TemporaryHome()
    let heldUp = (0..<3).map { HeldUpDefaults(directory: "\(home.path)/\($0)", applicationName: "App") }
    defer { for object in heldUp { object.mayEnd.signal() } }
    let directory = "\(home.path)/Defaults"
    let defaults = NSUserDefaults(directory: directory, applicationName: "App")
    defaults.setObject("mine", forKey: "K")
    #expect(defaults.synchronize())
    let (told, continuation) = AsyncStream.makeStream(of: Void.self)
    let token = NotificationCenter.default.addObserver(
      forName: NSUserDefaultsDidChangeNotification, object: defaults, queue: nil
    ) { _ in continuation.yield() }
    defer { NotificationCenter.default.removeObserver(token) }
    var notifications = told.makeAsyncIterator()
    for key in ["L", "M"] {
      try change(PropertyListKey(key), in: directory)
      await notifications.next()
      #expect(defaults.stringForKey(key) == "theirs")
    }
    #expect(heldUp.map { $0.count.withLock { $0 } } == [1, 1, 1])
  }
}
