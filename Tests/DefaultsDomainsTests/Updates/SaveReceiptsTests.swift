import DefaultsDatabase
import TestSupport
import Testing

@testable import DefaultsDomains

/// The tasks that wait for a save.
final class SaveReceiptsTests: Sendable {
  private let receipts = Lock(SaveReceipts())

  /// Makes tasks wait, one after the other.
  private func wait(_ numbers: Range<Int>) async -> [Task<Void, any Error>] {
    var tasks: [Task<Void, any Error>] = []
    for number in numbers {
      await withCheckedContinuation { isWaiting in
        tasks.append(
          Task { [self] in
            try await withCheckedThrowingContinuation { task in
              #expect(receipts.withLock { $0.add(task, number: number) })
              isWaiting.resume()
            }
          })
      }
    }
    return tasks
  }

  // Sets waited for a fifth of a second where 100,000 tasks waited.
  @Test("many tasks are settled in constant time, since sets wait for that")
  func manyTasks() async throws {
    let tasks = await wait(0..<20_000)
    let start = threadTime()
    let settled = receipts.withLock { $0.settle(save: 1, isAllSaved: false) }
    #expect(threadTime() - start < .milliseconds(2))
    #expect(receipts.withLock { !$0.hasWaitingTasks })
    settled.resume()
    for task in tasks { try await task.value }
  }

  @Test(
    "a save settles the tasks that came before it began, or all if nothing is unsaved; a cancelled one waits no longer"
  )
  func order() async throws {
    let before = await wait(0..<3)
    let save = receipts.withLock { $0.saveBegins() }
    let later = await wait(3..<5)
    receipts.withLock { $0.cancel(1) }.resume()
    await #expect(throws: CancellationError.self) { try await before[1].value }
    receipts.withLock { $0.settle(save: save, isAllSaved: false) }.resume()
    for task in [before[0], before[2]] { try await task.value }
    #expect(receipts.withLock { $0.hasWaitingTasks })
    receipts.withLock { $0.settle(save: save, isAllSaved: true) }.resume()
    for task in later { try await task.value }
    #expect(receipts.withLock { !$0.hasWaitingTasks })
  }
}
