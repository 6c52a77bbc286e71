import BenchmarkKit
import Foundation
import OpenStepDefaults
import UserDefaultsCompat

/// The instructions of a read, which repeat where times do not, counted by valgrind's callgrind.
enum InstructionRows {
  /// What a child reads, all in memory, so that no other thread has work meanwhile.
  enum Kind: String {
    case classicHit, shimHit, classicAbsent, tableHit, tableAbsent

    private static let count = 1000

    /// Fills what is read, and reads 1,000 keys so often.
    func timeReads(_ passes: Int) -> Double {
      let (stored, hits) = (TestKeys.make(Kind.count), TestKeys.make(Kind.count))
      let others = TestKeys.make(Kind.count, seed: 2)
      let classic = NSUserDefaults(inMemoryWithApplicationName: "Classic")
      let shim = UserDefaultsCompat.UserDefaults.inMemory()
      let table = Dictionary(uniqueKeysWithValues: stored.map { ($0, 123) })
      for key in stored {
        classic.setObject("123", forKey: key)
        shim.set(123, forKey: key)
      }
      return switch self {
      case .classicHit: benchmarks.timeReads(hits, passes) { classic.integerForKey($0) }
      case .shimHit: benchmarks.timeReads(hits, passes) { shim.integer(forKey: $0) }
      case .classicAbsent: benchmarks.timeReads(others, passes) { classic.objectForKey($0) == nil ? 0 : 1 }
      case .tableHit: benchmarks.timeReads(hits, passes) { table[$0] ?? 0 }
      case .tableAbsent: benchmarks.timeReads(others, passes) { table[$0] == nil ? 0 : 1 }
      }
    }

    /// The instructions of one read: what a run of more passes takes beyond one of a single pass.
    func instructions(_ bench: Workbench) throws -> Double {
      let passes = bench.size(100, brief: 1)
      let difference = try run(bench, passes: 1 + passes) - run(bench, passes: 1)
      return difference / Double(passes * Kind.count)
    }

    private func run(_ bench: Workbench, passes: Int) throws -> Double {
      let log = bench.directory.appendingPathComponent("callgrind")
      // With a seed of its own for each process, dictionaries would take different ways.
      _ = try LineProcess.numbers(
        URL(fileURLWithPath: "/usr/bin/env"),
        [
          "SWIFT_DETERMINISTIC_HASHING=1", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
          "--log-file=\(log.path)", bench.program.path, Child.option, Child.reads.rawValue, rawValue,
          "\(passes)",
        ])
      let text = try String(contentsOf: log, encoding: .utf8)
      // A line is `==123== Collected : 4567`.
      let line = text.split(separator: "\n").first { $0.contains("Collected :") }
      guard let count = line?.split(separator: " ").last.flatMap({ Double($0) }) else {
        throw Absence("valgrind did not say how many instructions it counted")
      }
      return count
    }
  }

  static func all(_ bench: Workbench) -> [Row] {
    [
      row(bench, "instructions of classic integerForKey, hit", .classicHit, .tableHit),
      row(bench, "instructions of shim integer(forKey:), hit", .shimHit, .tableHit),
      row(bench, "instructions of classic objectForKey, absent", .classicAbsent, .tableAbsent),
    ]
  }

  private static func row(_ bench: Workbench, _ name: String, _ ours: Kind, _ limit: Kind) -> Row {
    // Once, since they repeat.
    Row(name, unit: .instructions, repetitions: 1) {
      guard isInstalled() else {
        let absence = Contender.Work.absent("valgrind is not installed")
        return [Contender("ours", .ours, absence), Contender("Dictionary", .limit, absence)]
      }
      return [
        .ours(value: { try ours.instructions(bench) }),
        Contender("Dictionary", .limit, .value { try limit.instructions(bench) }),
      ]
    }
  }

  private static func isInstalled() -> Bool {
    let paths = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return paths.contains { access("\($0)/valgrind", X_OK) == 0 }
  }
}
