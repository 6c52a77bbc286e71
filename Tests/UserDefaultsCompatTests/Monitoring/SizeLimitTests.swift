import Foundation
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// The limit is one for the process, and others' tests depend on it, so each of these runs in a process of its own.
struct SizeLimitTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  @Test(
    "a domain that grows beyond the limit is told of once, and again after it was below; nothing is dropped")
  func passing() async {
    await #expect(processExitsWith: .success) { try await SizeLimitTests().checkPassing() }
  }

  private func checkPassing() async throws {
    #expect(UserDefaults.sizeLimit == 4 << 20)
    UserDefaults.sizeLimit = 1000
    defer { UserDefaults.sizeLimit = 4 << 20 }
    let defaults = UserDefaults(directory: home.path, applicationName: "App")
    var messages = NotificationCenter.default.messages(of: defaults, for: .sizeLimitExceeded)
      .makeAsyncIterator()
    let posted = Posted(by: defaults)

    defaults.set(String(repeating: "x", count: 900), forKey: "small")
    #expect(posted.count(afterSave: 1) == 0)
    defaults.set(String(repeating: "x", count: 200), forKey: "more")
    #expect(posted.count(afterSave: 2) == 1)
    #expect(await messages.next() != nil)
    defaults.set(1, forKey: "still")
    #expect(posted.count(afterSave: 3) == 1)
    defaults.removeObject(forKey: "small")
    #expect(posted.count(afterSave: 4) == 1)
    defaults.set(Data(count: 1000), forKey: "data")
    #expect(posted.count(afterSave: 5) == 2)
    let read = UserDefaults(directory: home.path, applicationName: "App")
    #expect(read.data(forKey: "data") == Data(count: 1000))
    // Another process makes the file small.
    try home.write("{ a = 1; }".utf8, to: "App.plist")
    #expect(defaults.synchronize() && defaults.integer(forKey: "a") == 1)
    defaults.set(Data(count: 1000), forKey: "data")
    #expect(posted.count(afterSave: 6) == 3)
  }

  @Test("0 stands for no limit, and other objects' domains do not count")
  func none() async {
    await #expect(processExitsWith: .success) { try SizeLimitTests().checkNone() }
  }

  private func checkNone() {
    UserDefaults.sizeLimit = 0
    defer { UserDefaults.sizeLimit = 4 << 20 }
    let defaults = UserDefaults(directory: home.path, applicationName: "App")
    let posted = Posted(by: defaults)
    defaults.set(Data(count: 100_000), forKey: "data")
    #expect(posted.count(afterSave: 1) == 0)
    UserDefaults.sizeLimit = 10
    defaults.setPersistentDomain(["data": Data(count: 1000)], forName: "Other")
    #expect(posted.count(afterSave: 2) == 0)
  }

  @Test(
    "objects that end while a save exceeds the limit are told of it, or are not, and nothing else happens")
  func endingObjects() async {
    await #expect(processExitsWith: .success) { try SizeLimitTests().checkEndingObjects() }
  }

  private func checkEndingObjects() {
    UserDefaults.sizeLimit = 100
    defer { UserDefaults.sizeLimit = 4 << 20 }
    let path = home.path
    let saver = UserDefaults(directory: path, applicationName: "App")
    let (ended, done) = (Counter(), Counter())
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while done.value == 0 { _ = Ending(directory: path, applicationName: "App", ended: ended) }
      isOver.signal()
    }
    for number in 0..<50 {
      saver.set(Data(repeating: UInt8(number), count: number.isMultiple(of: 2) ? 1000 : 1), forKey: "data")
      #expect(saver.synchronize())
    }
    while ended.value == 0 { sched_yield() }
    done.increment()
    isOver.wait()
  }
}

/// Counts the notifications of an object's domain beyond the limit.
///
/// A change that is not saved by the object soon is saved by a thread of the package, and another one posts the
/// notifications of that save. They are all posted when that save itself is.
private final class Posted {
  private let defaults: UserDefaults
  private let (exceeded, saves) = (Counter(), Counter())
  private let tokens: [any NSObjectProtocol]

  init(by defaults: UserDefaults) {
    self.defaults = defaults
    let center = NotificationCenter.default
    tokens = [
      center.addObserver(forName: UserDefaults.sizeLimitExceededNotification, object: defaults, queue: nil) {
        [exceeded] _ in exceeded.increment()
      },
      center.addObserver(forName: UserDefaults.didSaveNotification, object: nil, queue: nil) {
        [saves] _ in saves.increment()
      },
    ]
    // Ends the process where a save is not posted.
    alarm(600)
  }

  deinit {
    for token in tokens { NotificationCenter.default.removeObserver(token) }
  }

  /// Saves, and gives the count when the process's saves up to a number are posted.
  func count(afterSave number: Int) -> Int {
    #expect(defaults.synchronize())
    awaitTold { saves.value >= number }
    return exceeded.value
  }
}

/// An object of a subclass, which counts how many of them have ended.
private final class Ending: UserDefaultsCompat.UserDefaults, @unchecked Sendable {
  // Unchecked like its superclass, whose promise a subclass has to restate.
  private let ended: Counter

  init(directory: String, applicationName: String, ended: Counter) {
    self.ended = ended
    super.init(directory: directory, applicationName: applicationName)
  }

  deinit { ended.increment() }
}
