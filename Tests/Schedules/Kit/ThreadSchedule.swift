import DefaultsDatabase
import Foundation
public import UserDefaultsCompat

/// The operations of several threads of a process.
public struct ThreadSchedule: Codable, Sendable {
  /// The operations of each thread, in its order.
  public let threads: [[ScheduledOperation]]

  public init(_ threads: [[ScheduledOperation]]) {
    self.threads = threads
  }

  /// Runs all threads at once, and returns when they have ended.
  ///
  /// - Parameters:
  ///   - objects: The threads use them in turn.
  ///   - go: Returns when the threads are to begin; they exist already then.
  ///   - report: Receives each operation that has returned, before its thread goes on.
  /// - Throws: the error of an operation.
  public func run(
    on objects: [UserDefaultsCompat.UserDefaults], when go: () -> Void = {},
    _ report: @escaping @Sendable (_ thread: Int, OperationRecord) -> Void
  ) throws {
    let isChanged = Condition()
    let state = Lock((isOpen: false, running: threads.count, error: (any Error)?.none))
    for (index, operations) in threads.enumerated() {
      let defaults = objects[index % objects.count]
      Thread.detachNewThread {
        state.withLock(waitingOn: isChanged) { $0.isOpen ? .end : .wait() }
        do {
          for operation in operations {
            let start = MonotonicTime.now.nanoseconds
            let seen = try operation.run(on: defaults)
            let end = MonotonicTime.now.nanoseconds
            report(index, OperationRecord(operation, start: start, outcome: .init(end: end, seen: seen)))
          }
        } catch {
          state.withLock { $0.error = error }
        }
        state.withLock { state in
          state.running -= 1
          isChanged.broadcast()
        }
      }
    }
    go()
    state.withLock { state in
      state.isOpen = true
      isChanged.broadcast()
    }
    state.withLock(waitingOn: isChanged) { $0.running > 0 ? .wait() : .end }
    if let error = state.withLock({ $0.error }) { throw error }
  }
}
