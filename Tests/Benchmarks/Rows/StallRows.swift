import BenchmarkKit
import DefaultsDatabase
import Foundation
import OpenStepDefaults
import OpenStepPropertyList

/// How long a call waits for what other threads and processes do, and what large values cost.
enum StallRows {
  static func all(_ bench: Workbench) -> [Row] {
    [stall(bench, countsRunQueue: true), stall(bench, countsRunQueue: false), largeValue(bench)]
  }

  /// Two objects on one directory by two of its names, as two processes would have them.
  ///
  /// - Parameter countsRunQueue: Whether the time counts in which the thread could run and no processor was free. On two
  ///   processors, one of which reads the change, that is most of the longest stall, and the system's doing: beside it
  ///   stands what the same calls take while another thread only computes.
  private static func stall(_ bench: Workbench, countsRunQueue: Bool) -> Row {
    let name = "longest stall of a set or a first read, others change 100,000 keys"
    return Row(
      countsRunQueue ? name : "\(name), without the run queue", unit: .milliseconds, repetitions: 15
    ) {
      let place = countsRunQueue ? "stalls" : "stalls without the run queue"
      let folder = try bench.folder(place)
      let count = bench.size(100_000, brief: 2000)
      let ours = NSUserDefaults(directory: folder.path, applicationName: "Stalls")
      let alias = bench.directory.appendingPathComponent("\(place), others")
      try FileManager.default.createSymbolicLink(at: alias, withDestinationURL: folder)
      let theirs = NSUserDefaults(directory: alias.path, applicationName: "Stalls")
      let keys = TestKeys.make(count)
      var (round, workTime) = (0, UInt64(0))
      let change = Contender.ours(value: {
        round += 1
        for key in keys { theirs.setObject("\(round)", forKey: key) }
        guard theirs.synchronize() else {
          throw Absence("cannot save: \(String(describing: theirs.lastError))")
        }
        let start = monotonicTime()
        let stall = try longestStall(
          of: ours, keys, countsRunQueue: countsRunQueue, during: OtherThread { _ = ours.synchronize() })
        workTime = monotonicTime() - start
        guard ours.stringForKey(keys[0]) == "\(round)" else { throw Absence("the change was not seen") }
        return stall
      })
      guard countsRunQueue else { return [change] }
      let computing = Contender(
        "while a thread only computes", .limit,
        .value {
          let end = monotonicTime() + workTime
          return try longestStall(
            of: ours, keys, countsRunQueue: true, during: OtherThread { while monotonicTime() < end {} })
        })
      return [change, computing]
    }
  }

  /// The longest of many sets and reads that are made while another thread works, in milliseconds.
  private static func longestStall(
    of defaults: NSUserDefaults, _ keys: [String], countsRunQueue: Bool, during work: OtherThread
  ) throws -> Double {
    let queue = countsRunQueue ? nil : try RunQueue()
    func time(_ body: () -> Void) throws -> UInt64 {
      guard let queue else {
        let start = monotonicTime()
        body()
        return monotonicTime() - start
      }
      let before = try queue.delayAtRest()
      let start = monotonicTime()
      body()
      let passed = monotonicTime() - start
      let waited = try queue.delayAtRest() - before
      return passed > waited ? passed - waited : 0
    }
    var (longest, next) = (UInt64(0), 0)
    while !work.isDone {
      next += 1
      let set = try time { defaults.setInteger(next, forKey: "Own \(next % 100)") }
      let read = try time { blackHole(defaults.integerForKey(keys[next &* 7919 % keys.count])) }
      longest = max(longest, set, read)
    }
    return Double(longest) / 1e6
  }

  /// How long the calling thread has waited for a processor, as Linux counts it.
  private final class RunQueue {
    private let file: FileHandle

    init() throws {
      let path = "/proc/thread-self/schedstat"
      guard let file = FileHandle(forReadingAtPath: path) else { throw Absence("there is no \(path)") }
      self.file = file
    }

    /// In nanoseconds, read without a pause: the system likes to suspend a thread as a system call returns, after
    /// the number was formed, and that wait would count as a part of the body.
    func delayAtRest() throws -> UInt64 {
      while true {
        let start = monotonicTime()
        let delay = try delay()
        if monotonicTime() - start < 50_000 { return delay }
      }
    }

    /// The second of three numbers.
    private func delay() throws -> UInt64 {
      var buffer = [UInt8](repeating: 0, count: 96)
      let count = pread(file.fileDescriptor, &buffer, buffer.count, 0)
      let words = buffer.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
      guard words.count > 1, let delay = UInt64(String(decoding: words[1], as: UTF8.self)) else {
        throw Absence("/proc/thread-self/schedstat has no second number")
      }
      return delay
    }
  }

  /// A thread of its own for one piece of work, which begins at once.
  private final class OtherThread: Sendable {
    private let flag = Lock(false)

    init(_ work: @escaping @Sendable () -> Void) {
      Thread.detachNewThread {
        work()
        self.flag.withLock { $0 = true }
      }
    }

    var isDone: Bool { flag.withLock { $0 } }
  }

  private static func largeValue(_ bench: Workbench) -> Row {
    Row("set and synchronize 64 MB of data", repetitions: 5) {
      let folder = try bench.folder("large value")
      let defaults = NSUserDefaults(directory: folder.path, applicationName: "Large")
      var data = Data(
        (0..<bench.size(64 << 20, brief: 1 << 20)).lazy.map { UInt8(truncatingIfNeeded: $0 &* 31) })
      func save() -> Int {
        data[0] &+= 1
        defaults.setObject(data, forKey: "Data")
        return defaults.synchronize() ? 1 : 0
      }
      guard save() == 1 else { throw Absence("cannot save: \(String(describing: defaults.lastError))") }
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent("Large.plist")))
      let bare = try SameBytes(bytes, in: bench.folder("large bytes"))
      return [
        .ours { count in time(count) { save() } },
        .onDisk("the bytes on the disk", bench, folder) { try bare.write() },
      ]
    }
  }
}
