import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing
import TypedDefaults

@testable import UserDefaultsCompat

/// Random schedules of several threads: what the threads have seen, and what remains, is what some order of their
/// operations, one after the other, gives. Run with the thread sanitizer, too.
struct UpdateScheduleTests {
  /// An operation on numbers with the names 0 to 2, and what its caller sees.
  enum Operation: CustomStringConvertible {
    case modify(Int, adding: Int)
    /// Makes the second number the sum of both, in a transaction.
    case transaction(Int, Int)
    /// The same, in a commit.
    case commit(Int, Int)
    case set(Int, to: Int)
    case read(Int)

    var description: String {
      switch self {
      case .modify(let key, let number): "modify \(key) by \(number)"
      case .transaction(let first, let second): "transaction \(second) += \(first)"
      case .commit(let first, let second): "commit \(second) += \(first)"
      case .set(let key, let number): "set \(key) to \(number)"
      case .read(let key): "read \(key)"
      }
    }

    /// Its effect if nothing else happens, by its meaning.
    func apply(to numbers: inout [Int]) -> Int {
      switch self {
      case .modify(let key, let number):
        numbers[key] += number
        return numbers[key]
      case .transaction(let first, let second), .commit(let first, let second):
        numbers[second] += numbers[first]
        return numbers[second]
      case .set(let key, let number):
        numbers[key] = number
        return 0
      case .read(let key): return numbers[key]
      }
    }

    /// Carries it out on an object.
    func run(on defaults: UserDefaults) throws -> Int {
      func key(_ number: Int) -> Defaults.Key<Int> {
        Defaults.Key("number \(number)", default: 0, suite: defaults)
      }
      switch self {
      case .modify(let number, let summand):
        return Defaults.modify(key(number)) { value in
          value += summand
          return value
        }
      case .transaction(let first, let second):
        return Defaults.transaction {
          Defaults[key(second)] += Defaults[key(first)]
          return Defaults[key(second)]
        }
      case .commit(let first, let second):
        return try defaults.commitPatiently { draft in
          draft.set(
            draft.integer(forKey: "number \(second)") + draft.integer(forKey: "number \(first)"),
            forKey: "number \(second)")
          return draft.integer(forKey: "number \(second)")
        }
      case .set(let number, let value):
        defaults.set(value, forKey: "number \(number)")
        return 0
      case .read(let number): return defaults.integer(forKey: "number \(number)")
      }
    }
  }

  /// Whether some order of the operations gives what was seen and what remained.
  ///
  /// - Parameters:
  ///   - threads: The operations of each thread, in its order.
  ///   - seen: What each of them has seen.
  static func isSerial(
    _ threads: [[Operation]], seen: [[Int]], start: [Int], end: [Int]
  ) -> Bool {
    func search(_ positions: [Int], _ numbers: [Int]) -> Bool {
      var isOver = true
      for (thread, position) in positions.enumerated() where position < threads[thread].count {
        isOver = false
        var after = numbers
        guard threads[thread][position].apply(to: &after) == seen[thread][position] else { continue }
        var next = positions
        next[thread] += 1
        if search(next, after) { return true }
      }
      return isOver && numbers == end
    }
    return search(threads.map { _ in 0 }, start)
  }

  /// Runs the operations of each thread at once, each on an object.
  private func run(_ threads: [[Operation]], on objects: [UserDefaults]) async -> [[Int]] {
    let seen = Lock(threads.map { _ in [Int]() })
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let group = DispatchGroup()
      let arrived = Lock(0)
      for index in threads.indices {
        group.enter()
        Thread.detachNewThread {
          arrived.withLock { $0 += 1 }
          while arrived.withLock({ $0 }) < threads.count {}
          for operation in threads[index] {
            do {
              let value = try operation.run(on: objects[index])
              seen.withLock { $0[index].append(value) }
            } catch {
              Issue.record("\(operation): \(error)")
              seen.withLock { $0[index].append(.min) }
            }
          }
          group.leave()
        }
      }
      group.notify(queue: .global()) { continuation.resume() }
    }
    return seen.withLock { $0 }
  }

  @Test("the judge itself refuses a lost update, and a transaction in two parts")
  func judge() {
    let modify = Operation.modify(0, adding: 1)
    #expect(Self.isSerial([[modify], [modify]], seen: [[1], [2]], start: [0, 0, 0], end: [2, 0, 0]))
    #expect(!Self.isSerial([[modify], [modify]], seen: [[1], [1]], start: [0, 0, 0], end: [1, 0, 0]))
    let both: [[Operation]] = [[.transaction(0, 1)], [.transaction(1, 0)]]
    #expect(Self.isSerial(both, seen: [[3], [4]], start: [1, 2, 0], end: [4, 3, 0]))
    #expect(!Self.isSerial(both, seen: [[3], [3]], start: [1, 2, 0], end: [3, 3, 0]))
  }

  @Test("two to four threads of a process: a single number is linearizable, transactions are serializable")
  func threads() async throws {
    let home = try TypedHome()
    let objects = (0..<4).map { _ in UserDefaults(directory: home.directory, applicationName: "App") }
    for seed in 0..<400 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let start = [1, 10, 100]
      for (key, number) in start.enumerated() { objects[0].set(number, forKey: "number \(key)") }
      let threads = (0..<Int.random(in: 2...4, using: &generator)).map { _ in
        (0..<3).map { _ -> Operation in
          let (first, second) = Bool.random(using: &generator) ? (0, 1) : (1, 0)
          return switch Int.random(in: 0..<10, using: &generator) {
          case 0, 1: .modify(Int.random(in: 0..<3, using: &generator), adding: 1)
          case 2, 3: .modify(2, adding: Int.random(in: 1...9, using: &generator))
          case 4, 5: .transaction(first, second)
          case 6: .commit(first, second)
          // Of a number of which no transaction depends; see the documentation of transactions.
          case 7: .set(2, to: Int.random(in: 200...299, using: &generator))
          default: .read(Int.random(in: 0..<3, using: &generator))
          }
        }
      }
      let seen = await run(threads, on: objects)
      let end = (0..<3).map { objects[0].integer(forKey: "number \($0)") }
      guard Self.isSerial(threads, seen: seen, start: start, end: end) else {
        Issue.record("seed \(seed): \(threads) saw \(seen), and left \(end)")
        return
      }
    }
  }

  @Test("commits of objects that share nothing in memory, as those of processes: they are serializable")
  func strangers() async throws {
    let home = try TypedHome()
    let objects = try (0..<3).map { _ in
      UserDefaults(
        store: DefaultsStore(
          user: PersistentDomains(database: UserDatabase(directory: home.directory)),
          applicationName: try DomainName("App"), process: ProcessDomains(arguments: []), managed: nil))
    }
    for seed in 0..<100 {
      var generator = SeededGenerator(seed: UInt64(1000 + seed))
      let start = [1, 10, 0]
      try await objects[0].commitPatiently { draft in
        for (key, number) in start.enumerated() { draft.set(number, forKey: "number \(key)") }
      }
      let threads = (0..<3).map { _ in
        (0..<3).map { _ -> Operation in
          let (first, second) = Bool.random(using: &generator) ? (0, 1) : (1, 0)
          return .commit(first, second)
        }
      }
      let seen = await run(threads, on: objects)
      let end = try await objects[0].commitPatiently { draft in
        (0..<3).map { draft.integer(forKey: "number \($0)") }
      }
      guard Self.isSerial(threads, seen: seen, start: start, end: end) else {
        Issue.record("seed \(seed): \(threads) saw \(seen), and left \(end)")
        return
      }
    }
  }
}
