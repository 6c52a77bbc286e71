import BenchmarkKit
import Foundation
import OpenStepDefaults
import TypedDefaults
import UserDefaultsCompat

/// Changes in memory, and typed reads.
enum SetRows {
  static func all(_ bench: Workbench) -> [Row] {
    [setInteger(bench), shimSet(bench), setIntegerSizes(bench), setAndRead(bench), typedRead(bench)]
  }

  private static func classic(_ keys: [String]) -> NSUserDefaults {
    let defaults = NSUserDefaults(inMemoryWithApplicationName: "Classic")
    for key in keys { defaults.setObject("0", forKey: key) }
    return defaults
  }

  /// Sets each key to another number than before, so often.
  private static func timeSets(_ keys: [String], _ count: Int, _ set: (Int, String) -> Void) -> Double {
    var number = Int(monotonicTime() % 1_000_000_000)
    return time(count) {
      for key in keys {
        number += 1
        set(number, key)
      }
      return number
    }
  }

  private static func setInteger(_ bench: Workbench) -> Row {
    Row("setInteger in memory") {
      let keys = TestKeys.make(1000)
      let ours = classic(TestKeys.make(1000))
      let foundation = FoundationPeer.filled(TestKeys.make(1000), with: 0)
      return [
        .ours(operations: 1000) { timeSets(keys, $0) { ours.setInteger($0, forKey: $1) } },
        try .gnustep(bench, "set", operations: 1000) {
          try $0.tell("keys", bench.file(of: keys))
          try $0.tell("integers", "0")
        },
        .foundation(operations: 1000) { timeSets(keys, $0) { foundation.set($0, forKey: $1) } },
      ]
    }
  }

  private static func shimSet(_ bench: Workbench) -> Row {
    Row("shim set of an Int, no observer") {
      let keys = TestKeys.make(1000)
      let ours = UserDefaultsCompat.UserDefaults(
        directory: try bench.folder("sets").path, applicationName: "Shim")
      for key in TestKeys.make(1000) { ours.set(0, forKey: key) }
      let foundation = FoundationPeer.filled(TestKeys.make(1000), with: 0)
      return [
        .ours(operations: 1000) { timeSets(keys, $0) { ours.set($0, forKey: $1) } },
        .foundation(operations: 1000) { timeSets(keys, $0) { foundation.set($0, forKey: $1) } },
      ]
    }
  }

  private static func setIntegerSizes(_ bench: Workbench) -> Row {
    Row("setInteger in memory, 100,000 keys") {
      let keys = TestKeys.make(bench.size(100_000, brief: 1000))
      let ours = classic(TestKeys.make(keys.count))
      let few = TestKeys.make(10)
      let oursWithFew = classic(TestKeys.make(10))
      return [
        .ours(operations: keys.count) { timeSets(keys, $0) { ours.setInteger($0, forKey: $1) } },
        .limit("10 keys", operations: 10) { timeSets(few, $0) { oursWithFew.setInteger($0, forKey: $1) } },
      ]
    }
  }

  private static func setAndRead(_ bench: Workbench) -> Row {
    Row("set, then read, 20,000 keys") {
      let keys = TestKeys.make(bench.size(20_000, brief: 100))
      let ours = classic(TestKeys.make(keys.count))
      let few = TestKeys.make(10)
      let oursWithFew = classic(TestKeys.make(10))
      let foundation = FoundationPeer.filled(TestKeys.make(keys.count), with: 0)
      // Foundation takes some 20 ms for one.
      var next = 0
      return [
        .ours { count in
          timeOneByOne(keys, count, &next) {
            ours.setInteger($0, forKey: $1)
            return ours.integerForKey($1)
          }
        },
        .limit("10 keys") { count in
          timeOneByOne(few, count, &next) {
            oursWithFew.setInteger($0, forKey: $1)
            return oursWithFew.integerForKey($1)
          }
        },
        try .gnustep(bench, "setread") {
          try $0.tell("keys", bench.file(of: keys))
          try $0.tell("integers", "0")
        },
        .foundation { count in
          timeOneByOne(keys, count, &next) {
            foundation.set($0, forKey: $1)
            return foundation.integer(forKey: $1)
          }
        },
      ]
    }
  }

  /// Does something with a new number and the next key, so often.
  @inline(__always)
  private static func timeOneByOne(
    _ keys: [String], _ count: Int, _ next: inout Int, _ work: (Int, String) -> Int
  ) -> Double {
    time(count) {
      next += 1
      return work(next, keys[next % keys.count])
    }
  }

  private static func typedRead(_ bench: Workbench) -> Row {
    Row("Defaults[.key], an Int") {
      let standard = UserDefaultsCompat.UserDefaults.standard
      let names = TestKeys.make(1000)
      let keys = TestKeys.make(1000).map { Defaults.Key<Int>($0, default: 0) }
      for name in TestKeys.make(1000) { standard.set(123, forKey: name) }
      return [
        .ours(operations: 1000) { count in
          time(count) {
            var sum = 0
            for key in keys { sum &+= Defaults[key] }
            return sum
          }
        },
        .limit("shim integer(forKey:)", operations: 1000) {
          timeReads(names, $0) { UserDefaultsCompat.UserDefaults.standard.integer(forKey: $0) }
        },
      ]
    }
  }
}
