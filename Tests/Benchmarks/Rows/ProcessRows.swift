import BenchmarkKit
import DefaultsDatabase
import Foundation
import OpenStepDefaults
import UserDefaultsCompat

/// Rows about fresh processes, about two processes, and about one that has nothing to do.
enum ProcessRows {
  static func all(_ bench: Workbench) -> [Row] {
    [firstRead(bench), openLarge(bench), openLargeMemory(bench), observer(bench), idle(bench), memory(bench)]
  }

  /// Runs a child to its end; gives the numbers that it prints.
  private static func run(_ bench: Workbench, _ child: Child, _ arguments: String...) throws -> [Double] {
    try LineProcess.numbers(bench.program, [Child.option, child.rawValue] + arguments)
  }

  // MARK: - Fresh processes

  private static func firstRead(_ bench: Workbench) -> Row {
    Row("first read in a fresh process, 50 keys") {
      let folder = try bench.folder("fresh")
      let keys = TestKeys.make(50)
      let defaults = NSUserDefaults(directory: folder.path, applicationName: Child.domain)
      for key in keys { defaults.setObject("some value", forKey: key) }
      guard defaults.synchronize() else { throw Absence("cannot save in \(folder.path)") }
      guard FoundationPeer.filled(keys, with: "some value").synchronize() else {
        throw Absence("Foundation cannot save")
      }
      let all = try bench.file(of: keys)
      if case .success(let peer) = bench.gnustep() {
        try peer.tell("keys", all)
        try peer.tell("strings", "value")
        _ = try peer.time("sync", 1)
      }
      let one = bench.directory.appendingPathComponent("one-key")
      try keys[25].write(to: one, atomically: true, encoding: .utf8)
      return [
        .ours(value: { try run(bench, .classic, folder.path, one.path)[0] }),
        gnustep(bench, keys: one.path),
        Contender(FoundationPeer.name, .peer, .value { try run(bench, .foundation, one.path)[0] }),
      ]
    }
  }

  private static func gnustep(_ bench: Workbench, keys: String) -> Contender {
    switch bench.gnustep() {
    case .success(let peer): Contender(GNUstepPeer.name, .peer, .value { try peer.readFirst(keys) })
    case .failure(let absence): Contender(GNUstepPeer.name, .peer, .absent(absence.description))
    }
  }

  // MARK: - A large domain

  /// The file of a large domain in a database of ours, a copy in GNUstep's, and a file with 100 of its keys.
  private static func large(_ bench: Workbench) throws -> (folder: URL, keys: URL, bytes: Int) {
    let text = TestText.make(bytes: bench.size(25_000_000, brief: 100_000))
    let folder = try bench.folder("large")
    try Data(text).write(to: folder.appendingPathComponent(Child.domain + ".plist"))
    try Data(text).write(to: bench.folder("GNUstep").appendingPathComponent("benchmark.plist"))
    let keys = folder.appendingPathComponent("keys")
    try (1...100).map { TestText.key($0 * 7) }.joined(separator: "\n")
      .write(to: keys, atomically: true, encoding: .utf8)
    return (folder, keys, text.count)
  }

  private static func openLarge(_ bench: Workbench) -> Row {
    Row("open 25 MB of text, read 100 keys", repetitions: 9) {
      let (folder, keys, _) = try large(bench)
      return [
        .ours(value: { try run(bench, .classic, folder.path, keys.path)[0] }),
        gnustep(bench, keys: keys.path),
      ]
    }
  }

  private static func openLargeMemory(_ bench: Workbench) -> Row {
    Row("open 25 MB of text, read 100 keys: peak memory", unit: .megabytes, repetitions: 9) {
      let (folder, keys, bytes) = try large(bench)
      return [
        .ours(value: { try run(bench, .classic, folder.path, keys.path)[1] / 1e6 }),
        Contender("the file", .limit, .value { Double(bytes) / 1e6 }),
      ]
    }
  }

  // MARK: - Two processes, and none

  private static func observer(_ bench: Workbench) -> Row {
    Row("change in one process to observer in another", unit: .milliseconds, repetitions: 50) {
      let folder = try bench.folder("observed")
      let defaults = UserDefaultsCompat.UserDefaults(directory: folder.path, applicationName: Child.domain)
      let delays = Delays()
      let observation = defaults.observe(Child.stampKey) { defaults, _ in
        let stamp = defaults.string(forKey: Child.stampKey).flatMap(UInt64.init)
        delays.add(Double(monotonicTime() - (stamp ?? 0)) / 1e6)
      }
      let writer = try LineProcess(bench.program, [Child.option, Child.writer.rawValue, folder.path])
      return [
        .ours(value: {
          guard try writer.number("set") == 1 else { throw Absence("the writer cannot save") }
          guard let delay = delays.next() else { throw Absence("no change was seen in 5 s") }
          withExtendedLifetime((defaults, observation)) {}
          return delay
        })
      ]
    }
  }

  private static func idle(_ bench: Workbench) -> Row {
    Row("wake-ups in 10 s of idling", unit: .times, repetitions: 1) {
      let child = try LineProcess(
        bench.program, [Child.option, Child.idle.rawValue, bench.folder("idle").path])
      return [
        .ours(value: {
          _ = try child.line()
          // What follows the start, such as the end of the delay of a save, is no idling yet.
          Thread.sleep(forTimeInterval: 1)
          let before = try ProcessStatus.sleeps(of: child.identifier)
          guard before > 0 else { throw Absence("this system does not count how often threads sleep") }
          // The ten seconds that are measured.
          Thread.sleep(forTimeInterval: bench.isBrief ? 0.1 : 10)
          return Double(try ProcessStatus.sleeps(of: child.identifier) - before)
        })
      ]
    }
  }

  private static func memory(_ bench: Workbench) -> Row {
    Row("memory for 100,000 keys", unit: .megabytes, repetitions: 9) {
      [
        .ours(value: { try run(bench, .memory, "100000")[0] / 1e6 }),
        Contender("[String: String]", .limit, .value { try run(bench, .dictionary, "100000")[0] / 1e6 }),
      ]
    }
  }
}

/// The delays that an observer found, waited for by another thread.
private final class Delays: Sendable {
  private let delays = Lock<[Double]>([])
  private let condition = Condition()

  func add(_ delay: Double) {
    delays.withLock { delays in
      delays.append(delay)
      condition.signal()
    }
  }

  /// The next delay; nil where there is none for five seconds.
  func next() -> Double? {
    let deadline = MonotonicTime.now + 5
    var next: Double?
    delays.withLock(waitingOn: condition) { delays in
      if delays.isEmpty { return .now < deadline ? .wait(until: deadline) : .end }
      next = delays.removeFirst()
      return .end
    }
    return next
  }
}
