import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import UserDefaultsCompat

/// How long a commit waits, and for whom.
struct CommitWaitTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  /// Databases on a disk that takes its time to make a change safe, as many do.
  private func database(_ name: String, delay: Int = 30_000) -> PersistentDomains {
    let slow = FaultyFileSystem { operation in
      if operation.name == "synchronize" { CurrentProcess.pause(microseconds: delay) }
      return nil
    }
    return PersistentDomains(database: UserDatabase(directory: home.path(name), fileSystem: slow))
  }

  private func object(_ domains: PersistentDomains, _ name: String) throws -> UserDefaults {
    UserDefaults(
      store: DefaultsStore(
        user: domains, applicationName: try DomainName(name), process: ProcessDomains(arguments: []),
        managed: nil))
  }

  /// Has many threads make one commit each, at the same time; gives the errors.
  private func commitByThreads(_ objects: [UserDefaults]) async -> [any Error] {
    let errors = Log<any Error>()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let group = DispatchGroup()
      for defaults in objects {
        group.enter()
        Thread.detachNewThread {
          do {
            try defaults.commit { $0.set($0.integer(forKey: "Count") + 1, forKey: "Count") }
          } catch {
            errors.add(error)
          }
          group.leave()
        }
      }
      group.notify(queue: .global()) { continuation.resume() }
    }
    return errors.all
  }

  // Each of these takes longer than a commit waits for others. They run in processes of their own, since all updates
  // of a process wait for each other.

  @Test("on a slow disk no commit of many threads is refused because others of the process come first")
  func oneDomain() async {
    await #expect(processExitsWith: .success) {
      let test = try CommitWaitTests()
      let defaults = try test.object(test.database("Defaults"), "App")
      #expect(await test.commitByThreads(Array(repeating: defaults, count: 40)).map { "\($0)" } == [])
      #expect(defaults.integer(forKey: "Count") == 40)
    }
  }

  @Test("nor if each changes another domain of the database")
  func manyDomains() async {
    await #expect(processExitsWith: .success) {
      let test = try CommitWaitTests()
      let domains = test.database("Defaults")
      let objects = try (0..<40).map { try test.object(domains, "App \($0)") }
      #expect(await test.commitByThreads(objects).map { "\($0)" } == [])
      #expect(objects.allSatisfy { $0.integer(forKey: "Count") == 1 })
    }
  }

  @Test("nor if some change another database, and some the same one")
  func manyDatabases() async {
    await #expect(processExitsWith: .success) {
      let test = try CommitWaitTests()
      let domains = (0..<40).map { test.database("Defaults \($0)") }
      let objects = try (domains + domains[..<4] + domains[..<4]).map { try test.object($0, "App") }
      #expect(await test.commitByThreads(objects).map { "\($0)" } == [])
      #expect(
        objects.map { $0.integer(forKey: "Count") } == objects.indices.map { (4..<40).contains($0) ? 1 : 3 })
    }
  }

  @Test("two hundred tasks that commit on a slow disk lose none, and none is refused")
  func tasks() async {
    await #expect(processExitsWith: .success) {
      let test = try CommitWaitTests()
      let defaults = try test.object(test.database("Defaults"), "App")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<200 {
          group.addTask {
            try await defaults.commit { $0.set($0.integer(forKey: "Count") + 1, forKey: "Count") }
          }
        }
        try await group.waitForAll()
      }
      #expect(defaults.integer(forKey: "Count") == 200)
    }
  }

  @Test(
    "a holder of the lock that is stopped keeps all threads waiting for two seconds, not one after the other")
  func stoppedHolder() async {
    await #expect(processExitsWith: .success) {
      let test = try CommitWaitTests()
      let domains = test.database("Defaults", delay: 0)
      let objects = try (0..<30).map { try test.object(domains, "App \($0 % 10)") }
      let holder = try await LockHolder(of: UserDatabase(directory: test.home.path("Defaults")))
      let start = MonotonicTime.now
      let errors = await test.commitByThreads(objects)
      let seconds = MonotonicTime.now.seconds(since: start)
      holder.release()
      #expect(errors.count == 30)
      for error in errors {
        #expect((error as? DatabaseError)?.kind == .locked(holder: CurrentProcess.identifier))
      }
      // One after the other they would take a minute.
      #expect((1.9..<20).contains(seconds), "\(seconds)")
      #expect(await test.commitByThreads(objects).isEmpty)
    }
  }

  @Test(
    "a commit that waits for the body of an update keeps no other process waiting, and is refused in the end")
  func waitsWithoutLock() async {
    await #expect(processExitsWith: .success) {
      let test = try CommitWaitTests()
      let disk = FaultyFileSystem()
      let database = UserDatabase(directory: test.home.path("Defaults"), fileSystem: disk)
      let defaults = try test.object(PersistentDomains(database: database), "App")
      let (isInside, isDone, ended) = (
        AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
      )
      Thread.detachNewThread {
        UpdateLock.shared.hold {
          isInside.continuation.yield()
          isDone.wait()
        }
        ended.signal()
      }
      for await _ in isInside.stream { break }
      let errors = await test.commitByThreads([defaults])
      #expect(errors.count == 1)
      #expect("\(errors)".contains("inside modify, a transaction or a commit for two seconds"))
      #expect(!disk.operations.contains { $0.name == "tryLock" })
      isDone.signal()
      Self.wait(for: ended)
      #expect(await test.commitByThreads([defaults]).isEmpty)
    }
  }

  @Test("a commit that is written for longer than two seconds makes no other one fail")
  func slowCommit() async {
    await #expect(processExitsWith: .success) {
      let test = try CommitWaitTests()
      let objects = try (0..<3).map {
        let directory = "Defaults \($0)"
        try FileManager.default.createDirectory(
          atPath: test.home.path(directory), withIntermediateDirectories: false)
        // With the lock's file the directories above are on the disk, too.
        try test.home.write("", to: directory + "/.lock")
        return try test.object(test.database(directory, delay: 1_200_000), "App")
      }
      #expect(await test.commitByThreads(objects).map { "\($0)" } == [])
    }
  }

  @Test(
    "a commit whose disk does not answer keeps those of other databases waiting for twelve seconds, and no longer"
  )
  func hangingCommit() async {
    await #expect(processExitsWith: .success) {
      let test = try CommitWaitTests()
      let (hangs, isDone, ended) = (
        AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
      )
      let disk = FaultyFileSystem { operation in
        guard operation.name == "synchronize" else { return nil }
        hangs.continuation.yield()
        isDone.wait()
        isDone.signal()
        return nil
      }
      let database = UserDatabase(directory: test.home.path("Hanging"), fileSystem: disk)
      let hanging = try test.object(PersistentDomains(database: database), "App")
      let other = try test.object(test.database("Defaults", delay: 0), "App")
      Thread.detachNewThread {
        _ = try? hanging.commit { $0.set(1, forKey: "Key") }
        ended.signal()
      }
      for await _ in hangs.stream { break }
      let start = MonotonicTime.now
      let errors = await test.commitByThreads([other, other])
      let seconds = MonotonicTime.now.seconds(since: start)
      isDone.signal()
      Self.wait(for: ended)
      #expect(errors.count == 2)
      for error in errors {
        #expect("\(error)".contains("reading or writing the files of a commit for more than ten seconds"))
      }
      #expect((8..<60).contains(seconds), "\(seconds)")
      #expect(await test.commitByThreads([other]).isEmpty)
    }
  }

  @Test(
    "a body that does not return keeps commits and saves of the database waiting for two seconds, and no longer"
  )
  func endlessBody() async {
    await #expect(processExitsWith: .success) {
      let test = try CommitWaitTests()
      let domains = test.database("Defaults", delay: 0)
      let objects = [try test.object(domains, "Other"), try test.object(domains, "Blocked")]
      let (isInside, isDone, ended) = (
        AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
      )
      let (app, database) = (try DomainName("Blocked"), try #require(domains.database))
      // The engine's part of a commit, without the lock of updates.
      Thread.detachNewThread {
        _ = try? database.update(UpdateRequest(of: app)) { _ in
          isInside.continuation.yield()
          isDone.wait()
          return nil
        }
        ended.signal()
      }
      for await _ in isInside.stream { break }
      objects[0].set("kept", forKey: "Key")
      let errors = await test.commitByThreads(objects)
      #expect(!objects[0].synchronize())
      isDone.signal()
      Self.wait(for: ended)
      #expect(errors.count == 2)
      for error in errors {
        #expect("\(error)".contains("another thread of this process has held the lock for two seconds"))
      }
      #expect(objects[0].synchronize())
      #expect(await test.commitByThreads(objects).isEmpty)
    }
  }

  /// Has 200 tasks make a commit, which has to be refused, for each object; gives the seconds that it has taken.
  private static func refusedCommits(_ objects: [UserDefaults]) async -> Double {
    let errors = Log<any Error>()
    let start = MonotonicTime.now
    await withTaskGroup(of: Void.self) { group in
      for defaults in objects {
        for _ in 0..<200 {
          group.addTask {
            do {
              try await defaults.commit { $0.set(1, forKey: "Key") }
            } catch {
              errors.add(error)
            }
          }
        }
      }
    }
    #expect(errors.all.count == 200 * objects.count)
    for error in errors.all {
      guard case .locked = (error as? DatabaseError)?.kind else {
        Issue.record("\(error)")
        continue
      }
    }
    return MonotonicTime.now.seconds(since: start)
  }

  @Test(
    "commits of two hundred tasks that find the lock held are all refused after two seconds from their calls")
  func tasksWhileHeld() async {
    await #expect(processExitsWith: .success) {
      let test = try CommitWaitTests()
      let defaults = try test.object(test.database("Defaults", delay: 0), "App")
      defaults.set(0, forKey: "Key")
      #expect(defaults.synchronize())
      let other = open(test.home.path("Defaults/.lock"), O_RDWR | O_CLOEXEC)
      defer { close(other) }
      try #require(flock(other, LOCK_EX) == 0)
      let seconds = await Self.refusedCommits([defaults])
      // A few at a time, each two seconds from when it begins, would take many times as long.
      #expect((1.9..<20).contains(seconds), "\(seconds)")
      flock(other, LOCK_UN)
      try await defaults.commit { $0.set(2, forKey: "Key") }
      #expect(defaults.integer(forKey: "Key") == 2)
    }
  }

  @Test(
    "so are commits of two hundred tasks while another one's body does not return, of its database and others"
  )
  func tasksDuringBody() async {
    await #expect(processExitsWith: .success) {
      let test = try CommitWaitTests()
      let objects = try ["Defaults", "Others"].map { try test.object(test.database($0, delay: 0), "App") }
      let (isInside, isDone) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
      async let slow: Void = objects[0].commit { draft in
        isInside.continuation.yield()
        isDone.wait()
        draft.set(2, forKey: "Key")
      }
      for await _ in isInside.stream { break }
      let seconds = await Self.refusedCommits(objects)
      #expect((1.9..<20).contains(seconds), "\(seconds)")
      isDone.signal()
      try await slow
      #expect(objects.map { $0.integer(forKey: "Key") } == [2, 0])
    }
  }

  /// Waits for another thread, which is about to signal.
  private static func wait(for semaphore: DispatchSemaphore) {
    #expect(semaphore.wait(timeout: .now() + 600) == .success)
  }
}
