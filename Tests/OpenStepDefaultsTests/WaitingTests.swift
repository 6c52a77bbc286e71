import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import OpenStepDefaults

/// How long calls wait for a lock that is not given back.
struct WaitingTests {
  /// The promise is two seconds; a busy machine may wake a thread late.
  private static let bound = Duration.seconds(3)

  private let home: TemporaryHome
  private let defaults: NSUserDefaults

  init() throws {
    home = try TemporaryHome()
    defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    defaults.setObject("0", forKey: "K")
    #expect(defaults.synchronize())
  }

  /// Runs a body while somebody else has the database's lock.
  private func whileLocked<Result>(_ body: () async throws -> Result) async throws -> Result {
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX) == 0)
    return try await body()
  }

  private func values(of domain: String) throws -> [PropertyListKey: PropertyList] {
    try UserDatabase(directory: home.path).load(DomainName(domain)).values
  }

  @Test("changes in many domains wait for a lock once, and are all kept")
  func manyDomains() async throws {
    defaults.setObject("1", forKey: "K")
    for name in ["A", "B", "C"] { try defaults.setPersistentDomain(["k": name], forName: name) }
    let (isSaved, duration) = try await whileLocked {
      let start = ContinuousClock.now
      return (defaults.synchronize(), ContinuousClock.now - start)
    }
    #expect(!isSaved)
    #expect(duration < WaitingTests.bound)
    #expect("\(try #require(defaults.lastError))".contains("has held the lock for two seconds"))
    #expect(defaults.synchronize())
    #expect(try values(of: "App") == ["K": "1"])
    for name in ["A", "B", "C"] { #expect(try values(of: name) == ["k": .string(name)]) }
  }

  @Test("threads that wait for a lock at the same time do not wait for each other's waiting")
  func manyThreads() async throws {
    defaults.setObject("1", forKey: "K")
    let longest = try await whileLocked {
      await withTaskGroup(of: Duration.self) { group in
        for thread in 0..<4 {
          group.addTask { [defaults, path = home.path] in
            await withCheckedContinuation { continuation in
              Thread.detachNewThread {
                let start = ContinuousClock.now
                if thread < 3 {
                  _ = defaults.synchronize()
                } else {
                  // A domain that nobody has read yet is read from the disk.
                  _ = NSUserDefaults(directory: path, applicationName: "Other").objectForKey("K")
                }
                continuation.resume(returning: ContinuousClock.now - start)
              }
            }
          }
        }
        return await group.reduce(.zero, max)
      }
    }
    #expect(longest < WaitingTests.bound)
    #expect(defaults.synchronize())
    #expect(try values(of: "App") == ["K": "1"])
  }

  @Test("setters, getters and new objects do not wait for a lock")
  func otherCalls() async throws {
    let duration = try await whileLocked {
      let start = ContinuousClock.now
      defaults.setObject("1", forKey: "K")
      #expect(defaults.stringForKey("K") == "1")
      let other = NSUserDefaults(directory: home.path, applicationName: "App")
      #expect(other.stringForKey("K") == "1")
      other.removeObjectForKey("K")
      return ContinuousClock.now - start
    }
    #expect(duration < .seconds(1))
    #expect(defaults.objectForKey("K") == nil)
  }
}
