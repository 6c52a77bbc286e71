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

  @Test("a transaction covers all objects of one suite, and what is found through others' search lists")
  func objects() throws {
    // Unchecked like its superclass, whose promise a subclass has to restate.
    final class Own: UserDefaults, @unchecked Sendable {}
    let second = UserDefaults(directory: home.directory, applicationName: "App")
    let own = Own(directory: home.directory, applicationName: "App")
    let searching = UserDefaults(directory: home.directory, applicationName: "Other")
    searching.addSuite(named: "App")
    let posted = Log<Int>()
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: nil, queue: nil
    ) { notice in
      if [home.defaults, second].contains(where: { $0 === notice.object as AnyObject }) {
        posted.add(second[width] * second[height])
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    Defaults.transaction {
      Defaults[width] = 2
      second[height] = 3
      for defaults in [home.defaults, second, own, searching] {
        #expect(defaults[width] == 2 && defaults[height] == 3)
        #expect((try? defaults.value(for: height)) == 3)
      }
      #expect(second.object(forKey: "width") as? Int == 1)
      second[width] += 1
      #expect(Defaults[width] == 3)
      Defaults.reset(height)
      #expect(second[height] == 1 && searching[height] == 1)
      Defaults[height] = 4
    }
    #expect(posted.all == [12])
    #expect(second.integer(forKey: "width") == 3 && searching.integer(forKey: "height") == 4)
    Defaults.transaction {
      own[width] = 7
      #expect(Defaults[width] == 7 && second.integer(forKey: "width") == 3)
      second.removeAll()
      #expect(own[width] == 1 && Defaults[height] == 1)
    }
    #expect(second.persistentDomain(forName: "App") == nil)
    #expect(throws: Failure.self) {
      try Defaults.transaction {
        own[width] = 7
        second[height] = 8
        throw Failure()
      }
    }
    #expect(Defaults[width] == 1 && Defaults[height] == 1)
  }

  @Test(
    "inside a transaction a key is what a lookup will find: arguments first, other domains after a removal")
  func lookups() throws {
    let defaults = UserDefaults(
      directory: home.directory, applicationName: "Args", arguments: ["", "-width", "9"])
    defaults.setPersistentDomain(["height": 5], forName: UserDefaults.globalDomain)
    Defaults.transaction {
      defaults[width] = 2
      #expect(defaults[width] == 9)
      defaults[height] = 3
      #expect(defaults[height] == 3)
      defaults[height] = 4
      Defaults.reset("height", suite: defaults)
      #expect(defaults[height] == 5)
    }
    #expect(defaults[width] == 9 && defaults[height] == 5)
    #expect(defaults.persistentDomain(forName: "Args") as? [String: Int] == ["width": 2])
  }

  @Test("changes without propagation are told to no observer when the transaction ends, in every nesting")
  func withoutPropagation() {
    let seen = Log<[Int]>()
    let observations: [any Defaults.Observation] = [
      Defaults.observe(width, options: [.prior]) { if !$0.isPrior { seen.add([$0.oldValue, $0.newValue]) } },
      Defaults.observe(keys: width, height, options: []) { seen.add([]) },
    ]
    Defaults.transaction { Defaults.withoutPropagation { Defaults[width] = 2 } }
    Defaults.withoutPropagation { Defaults.transaction { Defaults[width] = 3 } }
    Defaults.withoutPropagation {
      Defaults.transaction { Defaults.withoutPropagation { Defaults[width] = 4 } }
      Defaults[width] = 5
    }
    Defaults.transaction {
      Defaults.withoutPropagation {
        Defaults.withoutPropagation { Defaults[width] = 6 }
        Defaults.transaction { Defaults[width] = 7 }
        Defaults.reset(height)
      }
    }
    #expect(seen.take().isEmpty && Defaults[width] == 7)
    // A key that was changed aloud as well is told of.
    Defaults.transaction {
      Defaults[width] = 8
      Defaults.withoutPropagation { (Defaults[width], Defaults[height]) = (9, 9) }
    }
    #expect(Set(seen.take()) == [[7, 9], []] && Defaults[height] == 9)
    Defaults.transaction {
      Defaults.withoutPropagation { Defaults[width] = 10 }
      Defaults[height] = 10
    }
    #expect(seen.take() == [[]])
    Defaults[width] = 11
    #expect(Set(seen.take()) == [[10, 11], []])
    withExtendedLifetime(observations) {}
  }

  // It called itself until the stack or patience ended.
  @Test("an observer that sets its own key by a transaction without propagation is called once a change")
  func silentAnswer() {
    let calls = Log<Int>()
    let observation = Defaults.observe(width, options: []) { [width] change in
      calls.add(change.newValue)
      guard calls.all.count < 10 else { return }
      Defaults.transaction { Defaults.withoutPropagation { Defaults[width] += 1 } }
    }
    Defaults[width] = 5
    #expect(calls.all == [5] && Defaults[width] == 6)
    Defaults[width] = 7
    #expect(calls.all == [5, 7] && Defaults[width] == 8)
    withExtendedLifetime(observation) {}
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
  }

  // In a process of its own, since all updates of a process wait for each other.
  @Test("what a task and a thread set while the operation waits for them is no part of it")
  func othersDuring() async {
    await #expect(processExitsWith: .success) { try TransactionTests().checkOthersDuring() }
  }

  private func checkOthersDuring() {
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
