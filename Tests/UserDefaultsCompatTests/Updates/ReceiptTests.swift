import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

@testable import UserDefaultsCompat

/// When a program is told that its changes are on the disk.
struct ReceiptTests {
  private typealias UserDefaults = UserDefaultsCompat.UserDefaults

  private let home: TemporaryHome
  private let directory: String
  private let defaults: UserDefaults

  init() throws {
    home = try TemporaryHome()
    directory = home.path("Defaults")
    defaults = UserDefaults(directory: directory, applicationName: "App")
  }

  /// What is in a domain's file.
  private func file(_ name: String = "App") throws -> [PropertyListKey: PropertyList] {
    try UserDatabase(directory: directory).load(DomainName(name)).values
  }

  @Test("when saved() returns, everything that was set before is in the files of all domains")
  func saved() async throws {
    try await defaults.saved()
    for number in 0..<20 {
      defaults.set(String(number), forKey: "Number")
      defaults.setPersistentDomain(["k": String(number)], forName: "Other")
      try await defaults.saved()
      #expect(try file()["Number"] == .string(String(number)))
      #expect(try file("Other")["k"] == .string(String(number)))
    }
    let classic = NSUserDefaults(directory: directory, applicationName: "App")
    classic.setObject("x", forKey: "Classic")
    try await classic.saved()
    #expect(try file()["Classic"] == "x")
  }

  // In a process of its own: beside the tasks of all tests each wait for one takes long, and so does the work of the thread.
  @Test("it covers what was set before, while another thread goes on setting")
  func busy() async {
    await #expect(processExitsWith: .success) { [directory = directory as String] in
      let defaults = UserDefaults(directory: directory, applicationName: "App")
      let isDone = Lock(false)
      let writer = Thread {
        var number = 0
        while !isDone.withLock({ $0 }) {
          number += 1
          defaults.set(number, forKey: "Busy")
        }
      }
      writer.start()
      for number in 0..<20 {
        defaults.set(String(number), forKey: "Number")
        try await defaults.saved()
        let values = try UserDatabase(directory: directory).load(DomainName("App")).values
        #expect(values["Number"] == .string(String(number)))
      }
      isDone.withLock { $0 = true }
      while !writer.isFinished { await Task.yield() }
    }
  }

  @Test("a thousand tasks wait at once, and all are told")
  func manyTasks() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask { [self] in
          defaults.set(String(number), forKey: "Key \(number)")
          try await defaults.saved()
          if number % 100 == 0 { #expect(try file()["Key \(number)".storedKey] == .string(String(number))) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try file().count == 1000)
  }

  @Test("it throws why a save failed, keeps the change, and returns when a later save has succeeded")
  func failure() async throws {
    // The directory cannot be made where a file is.
    try home.write("", to: "Defaults")
    defaults.set("x", forKey: "Key")
    let error = await #expect(throws: DatabaseError.self) { try await defaults.saved() }
    #expect(error?.description.contains(directory) ?? false)
    try FileManager.default.removeItem(atPath: directory)
    try await defaults.saved()
    #expect(try file() == ["Key": "x"])
  }

  #if os(Linux)
    // A task missed the failure, and waited for the next attempt, which nobody makes here.
    @Test("it throws why the save failed that it begins, also where this ends before the call can wait")
    func failureAtOnce() async {
      await #expect(processExitsWith: .success) { [path = home.path as String] in
        // The directory cannot be made where a file is.
        guard FileManager.default.createFile(atPath: "\(path)/Defaults", contents: nil) else { _exit(1) }
        // Without threads, the calling thread makes the save. Root may have as many as it likes.
        if geteuid() == 0 {
          guard chown(path, 65534, 65534) == 0, setgid(65534) == 0, setuid(65534) == 0 else { _exit(2) }
        }
        var none = rlimit(rlim_cur: 1, rlim_max: 1)
        guard setrlimit(__rlimit_resource_t(6), &none) == 0 else { _exit(3) }
        let defaults = UserDefaults(directory: "\(path)/Defaults", applicationName: "App")
        defaults.set("x", forKey: "Key")
        // Ends the process where the call does not return.
        alarm(600)
        await #expect(throws: DatabaseError.self) { try await defaults.saved() }
        _exit(0)
      }
    }
  #endif

  // Each save left its thread in the observer, until all threads that save stood there.
  @Test("an observer of saves that does not return holds up no save and no asynchronous commit")
  func blockedObserver() async {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      let observed = UserDefaults(directory: "\(path)/Observed", applicationName: "App")
      let other = UserDefaults(directory: "\(path)/Other", applicationName: "App")
      let mayReturn = DispatchSemaphore(value: 0)
      let told = Lock(0)
      let allTold = DispatchSemaphore(value: 0)
      let token = NotificationCenter.default.addObserver(
        forName: UserDefaults.didSaveNotification, object: nil, queue: nil
      ) { note in
        guard note.userInfo?[UserDefaults.savedDirectoryKey] as? String == "\(path)/Observed" else { return }
        mayReturn.wait()
        mayReturn.signal()
        let count = told.withLock { told in
          told += 1
          return told
        }
        if count == 200 { allTold.signal() }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      // Ends the process where a save is not made.
      alarm(600)
      for number in 0..<100 {
        observed.set(String(number), forKey: "Set")
        try await observed.saved()
        try await observed.commit { $0.set(String(number), forKey: "Committed") }
      }
      other.set("x", forKey: "Key")
      try await other.saved()
      #expect(told.withLock { $0 } == 0)
      // All are told, one after the other.
      mayReturn.signal()
      #expect(allTold.wait(timeout: .now() + 300) == .success)
      try await observed.saved()
    }
  }

  @Test("a task that is cancelled waits no longer")
  func cancellation() async throws {
    let holder = try await LockHolder(of: UserDatabase(directory: directory))
    defaults.set("x", forKey: "Key")
    let task = Task { try await defaults.saved() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    holder.release()
    try await defaults.saved()
    #expect(try file() == ["Key": "x"])
  }

  @Test("a domain in memory has nothing to wait for")
  func inMemory() async throws {
    let defaults = UserDefaults.inMemory(applicationName: "App")
    defaults.set(1, forKey: "Key")
    try await defaults.saved()
  }

  @Test("each save of the object's domain is an element, and no other domain's; commits count")
  func sequence() async throws {
    var saves = defaults.saves.makeAsyncIterator()
    defaults.setPersistentDomain(["k": "1"], forName: "Other")
    #expect(defaults.synchronize())
    defaults.set("x", forKey: "Key")
    #expect(defaults.synchronize())
    let first = try #require(await saves.next())
    let size = try home.bytes(of: "Defaults/App.plist").count
    #expect(first.domain == "App" && first.directory == directory && first.byteCount == size)
    try await defaults.commit { $0.removeObject(forKey: "Key") }
    let second = try #require(await saves.next())
    #expect(second.domain == "App" && second.directory == directory && second.byteCount == 0)
    // It writes nothing.
    let read = try await defaults.commit { $0.string(forKey: "Key") }
    #expect(read == nil)
    // Without a call.
    defaults.set("y", forKey: "Key")
    #expect(await saves.next()?.byteCount == size)
  }

  @Test("what was set before a commit is saved, and told of, before what the commit's body makes")
  func savedBeforeCommit() async throws {
    var saves = defaults.saves.makeAsyncIterator()
    defaults.set(String(repeating: "x", count: 1000), forKey: "Large")
    let (size, inside) = try await defaults.commit { [home] draft in
      let inside = try home.text(of: "Defaults/App.plist")
      draft.removeObject(forKey: "Large")
      draft.set("y", forKey: "Key")
      return (inside.utf8.count, inside)
    }
    #expect(inside.contains("Large"))
    #expect(await saves.next()?.byteCount == size)
    #expect(try await saves.next()?.byteCount == home.bytes(of: "Defaults/App.plist").count)
  }

  @Test(
    "a save is posted once the file has the changes, by its domain's name and directory",
    .timeLimit(.minutes(10)))
  func notification() throws {
    let posted = Lock<[String]>([])
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didSaveNotification, object: nil, queue: nil
    ) { [directory, home] notice in
      guard notice.userInfo?[UserDefaults.savedDirectoryKey] as? String == directory else { return }
      let name = notice.userInfo?[UserDefaults.savedDomainKey] as? String ?? ""
      posted.withLock { $0.append("\(name) \(home.exists("Defaults/\(name).plist"))") }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    #expect(NSUserDefaultsDidSaveNotification == UserDefaults.didSaveNotification)
    #expect(defaults.synchronize())
    #expect(posted.withLock { $0 }.isEmpty)
    defaults.set("x", forKey: "Key")
    #expect(defaults.synchronize())
    // A thread of the package may have saved it before, and another one posts that.
    awaitTold { !posted.withLock { $0 }.isEmpty }
    #expect(posted.withLock { $0 } == ["App true"])
  }

  // The thread that ended the process called it, and never ended. Later it waited for half a second, but 32 times.
  @Test(
    "an observer of saves that does not return keeps no process from its end, nor its changes from the disk")
  func observerAtExit() async throws {
    await #expect(processExitsWith: .success) { [directory = directory as String] in
      // Ends a process that hangs.
      alarm(600)
      _ = NotificationCenter.default.addObserver(
        forName: UserDefaults.didSaveNotification, object: nil, queue: nil
      ) { _ in
        let never = DispatchSemaphore(value: 0)
        // Twenty times as long as the process waits.
        _ = never.wait(timeout: .now() + 10)
        try? Data().write(to: URL(fileURLWithPath: "\(directory)/awaited"))
        never.wait()
      }
      let defaults = UserDefaults(directory: directory, applicationName: "AtExit")
      defaults.set("x", forKey: "Key")
      withExtendedLifetime(defaults) { exit(0) }
    }
    #expect(try home.text(of: "Defaults/AtExit.plist").contains("Key = x"))
    #expect(!FileManager.default.fileExists(atPath: "\(directory)/awaited"))
  }

  @Test(
    "an observer of a save may wait for the next one, of the same object or another, however many do",
    .timeLimit(.minutes(30)), arguments: [false, true])
  func waitingObservers(isHurried: Bool) async throws {
    // More than the threads that work at a time.
    let objects = (0..<6).map { UserDefaults(directory: "\(directory)\($0)", applicationName: "App") }
    let told = Lock<Set<String>>([])
    let results = AsyncStream.makeStream(of: Bool.self)
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didSaveNotification, object: nil, queue: nil
    ) { [directory] notice in
      guard let place = notice.userInfo?[UserDefaults.savedDirectoryKey] as? String,
        let index = objects.indices.first(where: { place == "\(directory)\($0)" }),
        told.withLock({ $0.insert(place).inserted })
      else { return }
      let isSaved = DispatchSemaphore(value: 0)
      for object in [objects[index], objects[(index + 1) % objects.count]] {
        object.set("next", forKey: "Key \(index)")
        Task {
          try await object.saved()
          isSaved.signal()
        }
      }
      let isInTime = (0..<2).allSatisfy { _ in isSaved.wait(timeout: .now() + 600) == .success }
      results.continuation.yield(isInTime)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    for object in objects { object.set("first", forKey: "Key") }
    if isHurried {
      for object in objects { Task { try await object.saved() } }
    }
    var count = 0
    for await isInTime in results.stream {
      #expect(isInTime)
      count += 1
      if count == objects.count { break }
    }
    withExtendedLifetime(objects) {}
  }
}

extension String {
  fileprivate var storedKey: PropertyListKey { PropertyListKey(self) }
}
