import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import ScheduleKit
import TestSupport
import Testing

@testable import UserDefaultsCompat

/// Random schedules of threads and processes, whose histories have to be linearizable. Those of threads are run with
/// the thread sanitizer, too.
@Suite(.serialized)
struct UpdateScheduleTests {
  /// How many schedules a test runs; the environment variable `SCHEDULES` names another number.
  private static let count = ProcessInfo.processInfo.environment["SCHEDULES"].flatMap { Int($0) } ?? 300
  /// How many schedules processes run one after the other, before others take their place.
  private static let lifetime = 20

  // MARK: - Numbers

  /// The keys of numbers that several processes change: two that commits add up, and one that is also set.
  private static let shared = (pair: [0, 1], single: 2)

  /// The keys of numbers that the threads of one process change.
  private static func own(_ process: Int) -> (pair: [Int], single: Int) {
    let first = 3 + 3 * process
    return ([first, first + 1], first + 2)
  }

  /// A random operation on numbers that one process changes.
  ///
  /// Of the pair nothing is set: a set does not wait for a transaction, which by its documentation overwrites it, and
  /// one during a commit counts as made after it, though readers see it before.
  private static func ownOperation(
    _ keys: (pair: [Int], single: Int), _ generator: inout SeededGenerator
  ) -> ScheduledOperation {
    let pair = keys.pair.shuffled(using: &generator)
    return switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1: .modify(pair[0], adding: Int.random(in: 1...9, using: &generator))
    case 2, 3: .transaction(pair[0], pair[1])
    case 4: .commit(pair[0], pair[1])
    case 5, 6: .read(pair[0])
    case 7, 8: .modify(keys.single, adding: Int.random(in: 1...9, using: &generator))
    case 9: .set(keys.single, to: Int.random(in: 200...299, using: &generator))
    case 10: .count(keys.single, adding: Int.random(in: 1...9, using: &generator))
    default: .read(keys.single)
    }
  }

  /// A random operation on numbers that several processes change.
  private static func sharedOperation(_ generator: inout SeededGenerator) -> ScheduledOperation {
    let pair = shared.pair.shuffled(using: &generator)
    return switch Int.random(in: 0..<8, using: &generator) {
    case 0, 1, 2: .commit(pair[0], pair[1])
    case 3: .committedRead(pair[0])
    case 4, 5: .count(shared.single, adding: Int.random(in: 1...9, using: &generator))
    case 6: .store(shared.single, to: Int.random(in: 200...299, using: &generator))
    default: .committedRead(shared.single)
    }
  }

  // MARK: - The judge

  private static func record(
    _ operation: ScheduledOperation, _ start: UInt64, _ end: UInt64?, seen: Int = 0
  ) -> OperationRecord {
    OperationRecord(operation, start: start, outcome: end.map { .init(end: $0, seen: seen) })
  }

  @Test(
    "the judge accepts a history if some order explains it, and refuses a lost update and half a transaction")
  func judge() {
    let add = ScheduledOperation.modify(0, adding: 1)
    let lost = [Self.record(add, 0, 10, seen: 1), Self.record(add, 5, 15, seen: 1)]
    #expect(!History(lost, start: [0], end: [1]).isLinearizable)
    let kept = [Self.record(add, 0, 10, seen: 2), Self.record(add, 5, 15, seen: 1)]
    #expect(History(kept, start: [0], end: [2]).isLinearizable)
    #expect(!History(kept, start: [0], end: [1]).isLinearizable)
    let (first, second) = (ScheduledOperation.transaction(0, 1), ScheduledOperation.transaction(1, 0))
    let serial = [Self.record(first, 0, 10, seen: 3), Self.record(second, 5, 15, seen: 4)]
    #expect(History(serial, start: [1, 2], end: [4, 3]).isLinearizable)
    // Each has read what was there before the other.
    let skewed = [Self.record(first, 0, 10, seen: 3), Self.record(second, 5, 15, seen: 3)]
    #expect(!History(skewed, start: [1, 2], end: [3, 3]).isLinearizable)
  }

  @Test("the judge refuses an order against the clock, and leaves open what a killed process has done")
  func clock() {
    let stale = [
      Self.record(.set(0, to: 7), 0, 10), Self.record(.read(0), 20, 30, seen: 0),
    ]
    #expect(!History(stale, start: [0], end: [7]).isLinearizable)
    let overlapping = [
      Self.record(.set(0, to: 7), 0, 25), Self.record(.read(0), 20, 30, seen: 0),
    ]
    #expect(History(overlapping, start: [0], end: [7]).isLinearizable)
    let killed = [Self.record(.count(0, adding: 1), 0, nil), Self.record(.committedRead(0), 20, 30, seen: 1)]
    #expect(History(killed, start: [0], end: [1]).isLinearizable)
    #expect(History([killed[0]], start: [0], end: [0]).isLinearizable)
    #expect(History([killed[0]], start: [0], end: [1]).isLinearizable)
    #expect(!History(killed, start: [0], end: [0]).isLinearizable)
    // It cannot have taken effect before it was called.
    let later = [Self.record(.committedRead(0), 0, 5, seen: 1), Self.record(.count(0, adding: 1), 20, nil)]
    #expect(!History(later, start: [0], end: nil).isLinearizable)
  }

  // MARK: - Threads

  @Test("two to four threads of a process: numbers are linearizable, transactions are serializable")
  func threads() async throws {
    let home = try TypedHome()
    let objects = (0..<4).map { _ in UserDefaults(directory: home.directory, applicationName: "App") }
    let own = Self.own(0)
    var numbers = [Int](repeating: 0, count: own.single + 1)
    for seed in 0..<UInt64(Self.count) {
      var generator = SeededGenerator(seed: seed)
      let schedule = ThreadSchedule(
        (0..<Int.random(in: 2...4, using: &generator)).map { _ in
          (0..<4).map { _ in Self.ownOperation(own, &generator) }
        })
      let records = try await Self.run(schedule, on: objects)
      let end = numbers.indices.map { objects[0].integer(forKey: ScheduledOperation.name(of: $0)) }
      guard Self.isSerial(records, by: [0], from: numbers, to: end, "seed \(seed)") else { return }
      numbers = end
    }
    #expect(objects[0].synchronize())
    #expect(try Self.numbersOnDisk(home, numbers.count) == numbers)
  }

  @Test("commits of objects that share nothing in memory, as those of processes, are serializable")
  func strangers() async throws {
    let home = try TypedHome()
    home.defaults.set(0, forKey: ScheduledOperation.name(of: 0))
    let objects = try (0..<3).map { _ in try home.reopened() }
    var numbers = [0, 0, 0]
    for seed in 0..<UInt64(Self.count / 3) {
      var generator = SeededGenerator(seed: 1_000_000 + seed)
      let schedule = ThreadSchedule(
        (0..<3).map { _ in (0..<3).map { _ in Self.sharedOperation(&generator) } })
      let records = try await Self.run(schedule, on: objects)
      let end = try Self.numbersOnDisk(home, 3)
      guard Self.isSerial(records, by: [], from: numbers, to: end, "seed \(seed)") else { return }
      numbers = end
    }
  }

  /// Runs a schedule on threads of their own.
  private static func run(_ schedule: ThreadSchedule, on objects: [UserDefaults]) async throws
    -> [OperationRecord]
  {
    let records = Log<OperationRecord>()
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        continuation.resume(
          with: Result { try schedule.run(on: objects) { _, record in records.add(record) } })
      }
    }
    return records.all
  }

  // MARK: - Processes

  @Test(
    "two or three processes with threads of their own, some of which are killed: commits are serializable")
  func processes() async throws {
    let home = try TypedHome()
    let program = BuiltProduct.path(of: "schedule-process")
    var processes: [ScheduleProcess] = []
    var numbers = [Int](repeating: 0, count: Self.own(2).single + 1)
    var killCount = 0
    for seed in 0..<UInt64(Self.count) {
      var generator = SeededGenerator(seed: 2_000_000 + seed)
      if seed % UInt64(Self.lifetime) == 0 { processes = [] }
      let running = Int.random(in: 2...3, using: &generator)
      while processes.count < running {
        processes.append(try ScheduleProcess(program: program, directory: home.directory))
      }
      let schedules = (0..<running).map { process in
        ThreadSchedule(
          (0..<Int.random(in: 1...2, using: &generator)).map { _ in
            (0..<3).map { _ in
              Bool.random(using: &generator)
                ? Self.sharedOperation(&generator) : Self.ownOperation(Self.own(process), &generator)
            }
          })
      }
      let isKilling = Int.random(in: 0..<6, using: &generator) == 0
      let victim = isKilling ? Int.random(in: 0..<running, using: &generator) : nil
      let killAfter = Int.random(in: 0...2, using: &generator)
      let records = try await Self.run(schedules, on: Array(processes[..<running])) {
        $0 == victim ? killAfter : nil
      }
      let end = try Self.numbersOnDisk(home, numbers.count)
      let survivors = (0..<running).filter { $0 != victim }
      guard Self.isSerial(records, by: survivors, from: numbers, to: end, "seed \(seed)") else { return }
      if let victim {
        killCount += 1
        // What it set without a save is lost; what its callers saw has to be serial all the same.
        guard Self.isSerial(records, by: [victim], from: numbers, to: nil, "seed \(seed)") else { return }
        processes[victim] = try ScheduleProcess(program: program, directory: home.directory)
      }
      numbers = end
    }
    if Self.count >= 100 { #expect(killCount > 0) }
  }

  /// Runs a schedule on each process, all at the same time.
  ///
  /// - Parameter killAfter: How many operations of a process have returned when it is killed; nil for never.
  private static func run(
    _ schedules: [ThreadSchedule], on processes: [ScheduleProcess], _ killAfter: @escaping (Int) -> Int?
  ) async throws -> [OperationRecord] {
    for (process, schedule) in zip(processes, schedules) { try process.prepare(schedule) }
    for process in processes { try process.begin() }
    return try await withThrowingTaskGroup(of: [[OperationRecord]].self) { group in
      for (index, process) in processes.enumerated() {
        let (schedule, limit) = (schedules[index], killAfter(index))
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
              continuation.resume(with: Result { try process.finish(schedule, killAfter: limit) })
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1.flatMap { $0 } }
    }
  }

  /// The numbers in the file.
  private static func numbersOnDisk(_ home: TypedHome, _ count: Int) throws -> [Int] {
    let values = try UserDatabase(directory: home.directory).load(DomainName("App")).values
    return (0..<count).map { key in
      values[PropertyListKey(ScheduledOperation.name(of: key))]?.scalarText.flatMap { Int($0) } ?? 0
    }
  }

  /// Whether what is seen of the shared numbers, and of the own numbers of some processes, is linearizable; reports it
  /// if not.
  ///
  /// - Parameters:
  ///   - owners: The processes whose own numbers are judged.
  ///   - end: The numbers at the end; nil if they may be older ones.
  private static func isSerial(
    _ records: [OperationRecord], by owners: [Int], from start: [Int], to end: [Int]?, _ name: String
  ) -> Bool {
    let history = History(records, start: start, end: end)
    var groups: [Set<Int>] = owners.flatMap { [Set(own($0).pair), [own($0).single]] }
    if end != nil { groups += [Set(shared.pair), [shared.single]] }
    for keys in groups {
      let part = history.part(about: keys)
      guard part.isLinearizable else {
        Issue.record("\(name): the numbers \(keys.sorted()) \(part)")
        return false
      }
    }
    return true
  }
}
