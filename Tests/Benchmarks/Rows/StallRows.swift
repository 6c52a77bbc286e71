import BenchmarkKit
import Foundation
import OpenStepDefaults
import OpenStepPropertyList

/// How long a call waits for what other threads and processes do, and what large values cost.
enum StallRows {
  static func all(_ bench: Workbench) -> [Row] {
    [stall(bench), largeValue(bench)]
  }

  /// Two objects on one directory by two of its names, as two processes would have them.
  private static func stall(_ bench: Workbench) -> Row {
    Row(
      "longest stall of a set or a first read, others change 100,000 keys", unit: .milliseconds,
      repetitions: 15
    ) {
      let folder = try bench.folder("stalls")
      let count = bench.size(100_000, brief: 2000)
      let ours = NSUserDefaults(directory: folder.path, applicationName: "Stalls")
      let alias = bench.directory.appendingPathComponent("stalls of others")
      try FileManager.default.createSymbolicLink(at: alias, withDestinationURL: folder)
      let theirs = NSUserDefaults(directory: alias.path, applicationName: "Stalls")
      let keys = TestKeys.make(count)
      var round = 0
      return [
        .ours(value: {
          round += 1
          for key in keys { theirs.setObject("\(round)", forKey: key) }
          guard theirs.synchronize() else {
            throw Absence("cannot save: \(String(describing: theirs.lastError))")
          }
          let refresh = Refresh(of: ours)
          var (longest, next) = (UInt64(0), 0)
          while !refresh.isDone {
            next += 1
            let start = monotonicTime()
            ours.setInteger(next, forKey: "Own \(next % 100)")
            let middle = monotonicTime()
            blackHole(ours.integerForKey(keys[next &* 7919 % count]))
            longest = max(longest, middle - start, monotonicTime() - middle)
          }
          guard ours.stringForKey(keys[0]) == "\(round)" else { throw Absence("the change was not seen") }
          return Double(longest) / 1e6
        })
      ]
    }
  }

  /// A thread that synchronizes an object once.
  private final class Refresh: @unchecked Sendable {
    // Unchecked: the flag is guarded by the lock.
    private let lock = NSLock()
    private var flag = false

    init(of defaults: NSUserDefaults) {
      Thread.detachNewThread {
        _ = defaults.synchronize()
        self.lock.withLock { self.flag = true }
      }
    }

    var isDone: Bool { lock.withLock { flag } }
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
        bench.isOnDisk
          ? .limit("the bytes on the disk") { count in try time(count) { try bare.write() } }
          : Contender(
            "the bytes on the disk", .limit, .absent("\(folder.path) is in memory; -dir names another place")),
      ]
    }
  }
}
