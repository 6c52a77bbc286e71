import DefaultsDatabase
import Foundation
import OpenStepDefaults
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Several changes at one moment.
struct TransactionTests {
  private struct Failure: Error {}

  private let home: TypedHome
  private let width: Defaults.Key<Int>
  private let height: Defaults.Key<Int>

  init() throws {
    home = try TypedHome()
    width = Defaults.Key("width", default: 1, suite: home.defaults)
    height = Defaults.Key("height", default: 1, suite: home.defaults)
  }

  @Test("the operation sees its changes, and nobody else does before it ends")
  func isolation() throws {
    let result = Defaults.transaction {
      Defaults[width] = 640
      Defaults[height] += 479
      #expect(Defaults[width] == 640 && Defaults[height] == 480 && !width.isDefaultValue)
      #expect(home.defaults.integer(forKey: "width") == 1)
      width.reset()
      #expect(Defaults[width] == 1)
      Defaults[width] = 640
      #expect((try? Defaults.value(for: width)) == 640)
      return "done"
    }
    #expect(result == "done" && home.defaults.integer(forKey: "width") == 640)
    let reopened = try home.reopened()
    #expect(reopened[width] == 640 && reopened[height] == 480)
  }

  @Test("all changes are told of by one notification, and no observer sees some without the others")
  func oneChange() {
    let posted = Log<Int>()
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: home.defaults, queue: nil
    ) { [width, height] _ in posted.add(Defaults[width] * Defaults[height]) }
    let seen = Log<Int>()
    let observation = Defaults.observe(keys: width, height, options: []) { [width, height] in
      seen.add(Defaults[width] * Defaults[height])
    }
    Defaults.transaction {
      Defaults[width] = 3
      Defaults[width] = 4
      Defaults[height] = 5
    }
    #expect(posted.all == [20] && seen.all == [20, 20])
    Defaults.transaction {}
    #expect(seen.all.count == 2)
    NotificationCenter.default.removeObserver(token)
    withExtendedLifetime(observation) {}
  }

  @Test("another process finds all changes in the file, or none")
  func oneWrite() async throws {
    Defaults.transaction { (Defaults[width], Defaults[height]) = (0, 0) }
    let other = try home.reopened()
    let isDone = Lock(false)
    Thread.detachNewThread { [home, width, height] in
      for index in 1...50 {
        Defaults.transaction { (Defaults[width], Defaults[height]) = (index, index) }
        home.defaults.synchronize()
      }
      isDone.withLock { $0 = true }
    }
    while !isDone.withLock({ $0 }) {
      #expect(other.synchronize())
      let values = try #require(other.persistentDomain(forName: "App") as? [String: Int])
      #expect(values["width"] == values["height"])
      await Task.yield()
    }
    #expect(other.synchronize())
    #expect(other[width] == 50 && other[height] == 50)
  }

  @Test("an error undoes all, a key's unreadable old value included")
  func failure() throws {
    home.defaults.set("no number", forKey: "height")
    #expect(throws: Failure.self) {
      try Defaults.transaction {
        Defaults[width] = 2
        Defaults[height] = 3
        throw Failure()
      }
    }
    #expect(Defaults[width] == 1 && home.defaults.string(forKey: "height") == "no number")
    // Kept by the next change, though an attempt has seen it before.
    Defaults[height] = 3
    #expect(home.defaults.string(forKey: "height.unreadable") == "no number")
  }

  @Test("a transaction inside another is part of it, and its error is the outer one's to catch")
  func nested() {
    Defaults.transaction {
      Defaults[width] = 2
      try? Defaults.transaction {
        Defaults[height] = 3
        throw Failure()
      }
      #expect(home.defaults.integer(forKey: "height") == 1 && Defaults[height] == 3)
    }
    #expect(Defaults[width] == 2 && Defaults[height] == 3)
  }

  @Test("removing all keys and migrating belong to the transaction too")
  func otherCalls() {
    Defaults[width] = 5
    Defaults.transaction {
      Defaults[height] = 6
      Defaults.removeAll(suite: home.defaults)
      #expect(Defaults[width] == 1 && Defaults[height] == 1)
      #expect(home.defaults.integer(forKey: "width") == 5)
      Defaults[height] = 7
    }
    #expect(Defaults[width] == 1 && Defaults[height] == 7)
    #expect(home.defaults.object(forKey: "width") as? Int == 1)
    Defaults.transaction { Defaults.reset("height", suite: home.defaults) }
    #expect(Defaults[height] == 1)
  }

  @Test("several suites are changed each at one moment")
  func suites() {
    let other = UserDefaults.inMemory()
    Defaults.transaction {
      Defaults[width] = 2
      other[width] = 3
      #expect(Defaults[width] == 2 && Defaults[key: width, suite: other] == 3)
    }
    #expect(home.defaults.integer(forKey: "width") == 2 && other.integer(forKey: "width") == 3)
  }

  // The tasks inherited the transaction, and what they set after its end went nowhere.
  @Test("a task that the operation starts makes changes of its own, during and after it")
  func tasks() async {
    let task = Defaults.transaction { [width, height] in
      Defaults[width] = 2
      return Task {
        Defaults[height] = 3
        return Defaults.transaction { Defaults[width] == 2 }
      }
    }
    #expect(await task.value)
    #expect(Defaults[height] == 3)
    _ = try? Defaults.transaction { [height] in
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        Defaults[height] = 4
        done.signal()
      }
      Thread.detachNewThread {
        Defaults[height] = 4
        done.signal()
      }
      done.wait()
      throw Failure()
    }
    #expect(Defaults[height] == 4)
  }

  @Test("what an observer does in answer to another change is no part of the transaction")
  func observers() {
    let typed = Defaults.observe(Defaults.Key<Int>("plain", default: 0, suite: home.defaults), options: []) {
      [width] _ in Defaults[width] = 8
    }
    _ = try? Defaults.transaction {
      home.defaults.set(1, forKey: "plain")
      throw Failure()
    }
    #expect(Defaults[width] == 8)
    withExtendedLifetime(typed) {}
  }
}
