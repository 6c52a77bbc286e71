package import DefaultsDatabase
import Foundation

/// A thread of this process that holds a database's lock, as another process would.
package struct LockHolder {
  private let isDone = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// Returns when the thread holds the lock.
  ///
  /// - Parameter database: An object of the holder's own, with which nothing else shares a queue.
  package init(of database: UserDatabase) async throws {
    let held = AsyncStream.makeStream(of: Void.self)
    let domain = try DomainName("Held")
    Thread.detachNewThread { [isDone, ended] in
      _ = try? database.update(UpdateRequest(of: domain)) { _ in
        held.continuation.yield()
        isDone.wait()
        return nil
      }
      held.continuation.finish()
      ended.signal()
    }
    var isHeld = false
    for await _ in held.stream {
      isHeld = true
      break
    }
    guard isHeld else { throw NotFree() }
  }

  /// The lock was not free when the thread asked for it.
  private struct NotFree: Error {}

  /// Returns when the lock is free.
  package func release() {
    isDone.signal()
    precondition(ended.wait(timeout: .now() + 600) == .success, "the thread does not release the lock")
  }
}
