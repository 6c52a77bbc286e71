import DefaultsDatabase
import DefaultsDomains
import Foundation
import GNUstepCompat
import OpenStepDefaults
import TestSupport
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Counts by several threads, of which none may be lost; run with the thread sanitizer, too.
struct UpdateCountTests {
  private let home: TypedHome
  private let count: Defaults.Key<Int>

  init() throws {
    home = try TypedHome()
    count = Defaults.Key("count", default: 0, suite: home.defaults)
  }

  @Test("eight threads that modify a key 1,000 times each count to 8,000")
  func modify() async {
    await EightThreads.run { [count] _ in
      for _ in 0..<1000 { Defaults.modify(count) { $0 += 1 } }
    }
    #expect(Defaults[count] == 8000)
  }

  @Test("eight threads with 1,000 transactions each count to 8,000")
  func transactions() async {
    await EightThreads.run { [count] _ in
      for _ in 0..<1000 { Defaults.transaction { Defaults[count] += 1 } }
    }
    #expect(Defaults[count] == 8000)
  }

  @Test("tasks with asynchronous transactions count every one")
  func asynchronousTransactions() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask { [count] in
          for _ in 0..<50 { await Defaults.asynchronousTransaction { Defaults[count] += 1 } }
        }
      }
    }
    #expect(Defaults[count] == 2000)
  }

  @Test("all classes and kinds of update together lose none, while other threads set other keys and save")
  func everything() async throws {
    let classic = NSUserDefaults(directory: home.directory, applicationName: "App")
    let modern = UserDefaults(directory: home.directory, applicationName: "App")
    let asynchronous = Task { [count] in
      for _ in 0..<200 { await Defaults.asynchronousTransaction { Defaults[count] += 1 } }
    }
    let commits = Task { [home] in
      for _ in 0..<20 {
        try await home.defaults.commitPatiently { $0.set($0.integer(forKey: "count") + 1, forKey: "count") }
      }
    }
    await EightThreads.run { [home, count] thread in
      for number in 0..<400 {
        switch thread {
        case 0: Defaults.modify(count) { $0 += 1 }
        // The classic class stores text, which the modern one gives as such.
        case 1: modern.modify(forKey: "count") { $0 = (Int("\($0 ?? 0)") ?? 0) + 1 }
        case 2:
          classic.modifyObjectForKey("count") { $0 = String((($0 as? String).flatMap { Int($0) } ?? 0) + 1) }
        case 3: Defaults.transaction { Defaults[count] += 1 }
        case 4: Defaults.transaction { Defaults.modify(count) { $0 += 1 } }
        case 5: modern.modify(forKey: "other") { _ in Defaults.modify(count) { $0 += 1 } }
        case 6: modern.set(number, forKey: "number \(number % 7)")
        default: if number % 20 == 0 { home.defaults.synchronize() }
        }
      }
    }
    await asynchronous.value
    try await commits.value
    #expect(home.defaults.integer(forKey: "count") == 6 * 400 + 200 + 20)
    #expect(try home.reopened().integer(forKey: "count") == 2620)
  }

  @Test("GNUstep's class counts with its own numbers")
  func gnustep() async throws {
    let folder = try TemporaryHome()
    let defaults = GNUstepUserDefaults(directory: folder.path + "/Defaults", applicationName: "App")
    await EightThreads.run { _ in
      for _ in 0..<200 { defaults.modifyObjectForKey("count") { $0 = ($0 as? Int ?? 0) + 1 } }
    }
    #expect(defaults.objectForKey("count") as? Int == 1600)
    try await defaults.commit { $0.setInteger($0.integerForKey("count") + 1, forKey: "count") }
    #expect(defaults.objectForKey("count") as? Int == 1601)
    #expect(try folder.text(of: "Defaults/App.plist").contains("<integer>1601</integer>"))
  }

  // In a process of its own, since all updates of a process wait for each other.
  @Test("a thread that sets a key all the time does not keep another one from modifying it")
  func busySetter() async {
    await #expect(processExitsWith: .success) { try await UpdateCountTests().checkBusySetter() }
  }

  private func checkBusySetter() async {
    let isDone = Lock(false)
    let sets = Lock(0)
    let setter = Thread { [home] in
      var number = 0
      while !isDone.withLock({ $0 }) {
        number += 2
        home.defaults.set(number, forKey: "count")
        sets.withLock { $0 += 1 }
      }
    }
    setter.start()
    var runs: [Int] = []
    for _ in 0..<20 {
      var times = 0
      Defaults.modify(count) { value in
        times += 1
        value += 1
        // The other thread sets the key in between; the second set has begun after this. After eight attempts it
        // waits instead, so that a time is all that shows it.
        let (before, start) = (sets.withLock { $0 }, MonotonicTime.now)
        while sets.withLock({ $0 }) < before + 2, times <= 8 || MonotonicTime.now < start + 0.05 {
          sched_yield()
        }
      }
      runs.append(times)
    }
    isDone.withLock { $0 = true }
    while !setter.isFinished { await Task.yield() }
    // Eight attempts in vain, perhaps one more for a set that was under way when sets began to wait, and the last.
    #expect(runs.allSatisfy { [9, 10].contains($0) }, "\(runs)")
  }

  @Test("a body that itself sets the key ends, and its result is the value")
  func ownSets() {
    let value = Defaults.modify(count) { value in
      Defaults.modify(count) { $0 += 100 }
      value += 1
      return value
    }
    #expect(Defaults[count] == value)
  }

  @Test("an error in a body changes nothing, and its own update is undone")
  func failure() {
    struct Failure: Error {}
    Defaults[count] = 5
    #expect(throws: Failure.self) {
      try Defaults.modify(count) { value throws(Failure) in
        value = 7
        throw Failure()
      }
    }
    #expect(Defaults[count] == 5)
    // The lock is free again.
    Defaults.modify(count) { $0 += 1 }
    #expect(Defaults[count] == 6)
  }

  @Test(
    "observers and notifications come after the update, one for each, and may make updates of other threads")
  func observers() async {
    let seen = Log<[Int]>()
    let observation = Defaults.observe(count, options: []) { [count] change in
      seen.add([change.oldValue, change.newValue])
      guard change.newValue < 10 else { return }
      // Another thread's update must not wait for this one.
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Defaults.modify(Defaults.Key<Int>("other", default: 0, suite: count.suite)) { $0 += 1 }
        done.signal()
      }
      #expect(done.wait(timeout: .now() + 600) == .success)
    }
    let posted = Lock(0)
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: home.defaults, queue: nil
    ) { _ in posted.withLock { $0 += 1 } }
    defer { NotificationCenter.default.removeObserver(token) }
    Defaults.modify(count) { $0 = 1 }
    #expect(seen.take() == [[0, 1]])
    Defaults.transaction { Defaults[count] = 2 }
    #expect(seen.take() == [[1, 2]])
    home.defaults.modify(forKey: "unobserved") { [home] _ in
      home.defaults.set(3, forKey: "count")
      home.defaults.set(4, forKey: "count")
      #expect(seen.all.isEmpty)
    }
    #expect(seen.take() == [[2, 4]])
    #expect(home.defaults.integer(forKey: "other") == 3)
    #expect(posted.withLock { $0 } >= 3)
    withExtendedLifetime(observation) {}
  }

  @Test("a value that is found in another domain is the beginning, and the application's domain is changed")
  func otherDomains() throws {
    let defaults = UserDefaults(
      directory: home.directory, applicationName: "Args", arguments: ["", "-shown", "9"])
    defaults.setPersistentDomain(["height": 5], forName: UserDefaults.globalDomain)
    defaults.register(defaults: ["depth": 7])
    defaults.modify(forKey: "height") { $0 = ($0 as? Int ?? 0) + 1 }
    defaults.modify(forKey: "depth") { $0 = ($0 as? Int ?? 0) + 1 }
    defaults.modify(forKey: "shown") { $0 = "\($0 as? String ?? "")0" }
    #expect(
      defaults.persistentDomain(forName: "Args") as? [String: AnyHashable] == [
        "height": 6, "depth": 8, "shown": "90",
      ])
    let classic = NSUserDefaults(
      directory: home.directory, applicationName: "Classic", arguments: ["", "-shown", "9"])
    classic.registerDefaults(["depth": 7])
    for key in ["height", "depth", "shown"] {
      classic.modifyObjectForKey(key) { $0 = "\($0 as? String ?? "")0" }
    }
    #expect(
      classic.persistentDomainForName("Classic") as? [String: String] == [
        "height": "50", "depth": "70", "shown": "90",
      ])
    classic.modifyObjectForKey("height") { $0 = nil }
    #expect(classic.stringForKey("height") == "5")
  }

  @Test(
    "an unreadable old value is kept under another key, and a value that cannot be stored changes nothing")
  func unreadable() {
    home.defaults.set("no number", forKey: "count")
    Defaults.modify(count) { $0 += 3 }
    #expect(Defaults[count] == 3 && home.defaults.string(forKey: "count.unreadable") == "no number")
  }

  @Test("of more than a hundred unreadable values of a key the last is the newest")
  func manyUnreadable() {
    for number in 1...150 {
      home.defaults.set("no number \(number)", forKey: "count")
      Defaults[count] = number
    }
    let kept = home.defaults.dictionaryRepresentation().filter { $0.key.hasPrefix("count.unreadable") }
    #expect(kept.count == 100)
    #expect(kept["count.unreadable"] as? String == "no number 1")
    #expect(kept["count.unreadable-99"] as? String == "no number 99")
    #expect(kept["count.unreadable-100"] as? String == "no number 150")
  }

  @Test("in a subclass a modify calls the overridden methods")
  func subclass() {
    // Unchecked like its superclass, whose promise a subclass has to restate.
    final class Doubling: UserDefaults, @unchecked Sendable {
      override func object(forKey key: String) -> Any? { (super.object(forKey: key) as? Int).map { $0 * 2 } }
    }
    let own = Doubling(directory: home.directory, applicationName: "App")
    own.set(3, forKey: "count")
    own.modify(forKey: "count") { $0 = ($0 as? Int ?? 0) + 1 }
    #expect(Defaults[count] == 7)
    own.modify(Defaults.Key<Int>("count", default: 0, suite: own)) { $0 += 1 }
    #expect(Defaults[count] == 15)
  }

  // It ran 64 times.
  @Test("a closure that changes its own key runs once, and what it makes comes last", arguments: 0..<4)
  func ownChange(_ kind: Int) {
    home.defaults.set(5, forKey: "count")
    var runs = 0
    Defaults.modify(count) { value in
      runs += 1
      switch kind {
      case 0: Defaults.modify(count) { $0 += 10 }
      case 1: Defaults[count] = 20
      case 2: home.defaults.removeAll()
      default: Defaults.modify(count) { _ in home.defaults.set(7, forKey: "count") }
      }
      value += 1
    }
    #expect(runs == 1 && Defaults[count] == 6)
  }

  @Test("synchronize is refused inside an update, and works again after it")
  func synchronize() {
    Defaults.transaction {
      Defaults[count] = 1
      #expect(!home.defaults.synchronize())
      #expect(
        "\(home.defaults.lastError.map { "\($0)" } ?? "")".contains(
          "inside modify, a transaction or a commit"))
    }
    #expect(home.defaults.synchronize() && home.defaults.lastError == nil)
  }
}
