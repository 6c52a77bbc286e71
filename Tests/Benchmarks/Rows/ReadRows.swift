import BenchmarkKit
import COpenStepDefaults
import DefaultsC
import Foundation
import OpenStepDefaults
import UserDefaultsCompat

/// Reads of 1,000 keys, beside a bare dictionary of the same keys.
///
/// The keys that are asked for are other instances than those that are stored, for every side, since two
/// strings of one instance are equal at a glance.
enum ReadRows {
  static func all(_ bench: Workbench) -> [Row] {
    [
      classicHit(bench), shimHit(bench), absent(bench), classicThreads(bench), shimThreads(bench),
      dictionary(bench), classicDouble(bench), url(bench), data(bench), representation(bench),
      c("C osd_get_integer, hit", bench, seed: 1), c("C osd_get_integer, absent", bench, seed: 2),
    ]
  }

  private static let count = 1000

  /// What the limit looks the keys up in.
  private static func table() -> [String: Int] {
    Dictionary(uniqueKeysWithValues: TestKeys.make(count).map { ($0, 123) })
  }

  /// The classic object with the string "123" for each key, on a database in a directory.
  private static func classic(_ bench: Workbench) throws -> NSUserDefaults {
    let defaults = NSUserDefaults(directory: try bench.folder("reads").path, applicationName: "Classic")
    for key in TestKeys.make(count) { defaults.setObject("123", forKey: key) }
    return defaults
  }

  /// The modern object with the integer 123 for each key, on a database in a directory.
  private static func shim(_ bench: Workbench) throws -> UserDefaultsCompat.UserDefaults {
    let defaults = UserDefaultsCompat.UserDefaults(
      directory: try bench.folder("reads").path, applicationName: "Shim")
    for key in TestKeys.make(count) { defaults.set(123, forKey: key) }
    return defaults
  }

  private static func classicHit(_ bench: Workbench) -> Row {
    Row("classic integerForKey, hit") {
      let (keys, table, ours) = (TestKeys.make(count), table(), try classic(bench))
      let foundation = FoundationPeer.filled(TestKeys.make(count), with: "123")
      return [
        .ours(operations: count) { timeReads(keys, $0) { ours.integerForKey($0) } },
        .limit("Dictionary", operations: count) { timeReads(keys, $0) { table[$0] ?? 0 } },
        try .gnustep(bench, "integer", operations: count) {
          try $0.tell("keys", bench.file(of: keys))
          try $0.tell("strings", "123")
        },
        .foundation(operations: count) { timeReads(keys, $0) { foundation.integer(forKey: $0) } },
      ]
    }
  }

  private static func shimHit(_ bench: Workbench) -> Row {
    Row("shim integer(forKey:), hit") {
      let (keys, table, ours) = (TestKeys.make(count), table(), try shim(bench))
      let foundation = FoundationPeer.filled(TestKeys.make(count), with: 123)
      return [
        .ours(operations: count) { timeReads(keys, $0) { ours.integer(forKey: $0) } },
        .limit("Dictionary", operations: count) { timeReads(keys, $0) { table[$0] ?? 0 } },
        try .gnustep(bench, "integer", operations: count) {
          try $0.tell("keys", bench.file(of: keys))
          try $0.tell("integers", "123")
        },
        .foundation(operations: count) { timeReads(keys, $0) { foundation.integer(forKey: $0) } },
      ]
    }
  }

  private static func absent(_ bench: Workbench) -> Row {
    Row("classic objectForKey, absent") {
      let (keys, table, ours) = (TestKeys.make(count, seed: 2), table(), try classic(bench))
      let foundation = FoundationPeer.filled(TestKeys.make(count), with: "123")
      return [
        .ours(operations: count) { timeReads(keys, $0) { ours.objectForKey($0) == nil ? 0 : 1 } },
        .limit("Dictionary", operations: count) { timeReads(keys, $0) { table[$0] == nil ? 0 : 1 } },
        try .gnustep(bench, "object", operations: count) {
          try $0.tell("keys", bench.file(of: TestKeys.make(count)))
          try $0.tell("strings", "123")
          try $0.tell("ask", bench.file(of: keys))
        },
        .foundation(operations: count) {
          timeReads(keys, $0) { foundation.object(forKey: $0) == nil ? 0 : 1 }
        },
      ]
    }
  }

  private static func classicDouble(_ bench: Workbench) -> Row {
    Row("classic doubleForKey, hit") {
      let (keys, ours) = (TestKeys.make(count), try classic(bench))
      for key in keys { ours.setObject("123.25", forKey: key) }
      return [
        .ours(operations: count) { timeReads(keys, $0) { Int(ours.doubleForKey($0)) } },
        .limit("integerForKey", operations: count) { timeReads(keys, $0) { ours.integerForKey($0) } },
      ]
    }
  }

  private static func c(_ name: String, _ bench: Workbench, seed: UInt64) -> Row {
    Row(name) {
      let (keys, ours) = (TestKeys.make(count, seed: seed), try classic(bench))
      // Never freed, like the handle.
      let cKeys = keys.map { UnsafePointer<CChar>(strdup($0)) }
      var handle: OpaquePointer?
      guard osd_open_directory(try bench.folder("reads").path, "Classic", &handle) == OSD_OK else {
        fatalError(String(cString: osd_error_message()))
      }
      return [
        .ours(operations: count) { [handle] passes in
          time(passes) {
            var (sum, value): (Int64, Int64) = (0, 0)
            for key in cKeys {
              osd_get_integer(handle, key, &value)
              sum &+= value
            }
            return Int(sum)
          }
        },
        .limit("integerForKey", operations: count) { timeReads(keys, $0) { ours.integerForKey($0) } },
      ]
    }
  }

  private static func url(_ bench: Workbench) -> Row {
    Row("shim url(forKey:) of an https URL") {
      let (ours, keys) = (try shim(bench), TestKeys.make(count))
      let names = TestKeys.make(count, seed: 4)
      let url = URL(string: "https://example.com/a?b=c")
      for name in names { ours.set(url, forKey: name) }
      for key in keys { ours.set("a string", forKey: key) }
      return [
        .ours(operations: count) { timeReads(names, $0) { ours.url(forKey: $0) == nil ? 0 : 1 } },
        .limit("string(forKey:)", operations: count) {
          timeReads(keys, $0) { ours.string(forKey: $0)?.utf8.count ?? 0 }
        },
      ]
    }
  }

  private static func data(_ bench: Workbench) -> Row {
    Row("shim data(forKey:) of 64 bytes") {
      let (ours, keys) = (try shim(bench), TestKeys.make(count))
      let names = TestKeys.make(count, seed: 5)
      for name in names { ours.set(Data(repeating: 7, count: 64), forKey: name) }
      for key in keys { ours.set("a string", forKey: key) }
      return [
        .ours(operations: count) { timeReads(names, $0) { ours.data(forKey: $0)?.count ?? 0 } },
        .limit("string(forKey:)", operations: count) {
          timeReads(keys, $0) { ours.string(forKey: $0)?.utf8.count ?? 0 }
        },
      ]
    }
  }

  private static func representation(_ bench: Workbench) -> Row {
    Row("dictionaryRepresentation() of 2,600 keys") {
      let ours = UserDefaultsCompat.UserDefaults.inMemory(applicationName: "Shim")
      for (number, key) in TestKeys.make(2600, seed: 6).enumerated() {
        if number.isMultiple(of: 2) {
          ours.set(number, forKey: key)
        } else {
          ours.set("a string", forKey: key)
        }
      }
      let ready = Array(ours.dictionaryRepresentation())
      return [
        .ours { time($0) { ours.dictionaryRepresentation().count } },
        .limit("the same of ready objects") { passes in
          time(passes) {
            var made: [String: Any] = [:]
            for (key, object) in ready { made[key] = object }
            return made.count
          }
        },
      ]
    }
  }

  private static func classicThreads(_ bench: Workbench) -> Row {
    Row("classic integerForKey, 2 threads against 1", unit: .percent, repetitions: 31) {
      let (table, ours) = (table(), try classic(bench))
      let ourThreads = TwoThreads(bench) { keys, count in timeReads(keys, count) { ours.integerForKey($0) } }
      let bareThreads = TwoThreads(bench) { keys, count in timeReads(keys, count) { table[$0] ?? 0 } }
      return [
        .ours(value: ourThreads.scaling), bareThreads.limit("Dictionary"),
      ]
    }
  }

  private static func shimThreads(_ bench: Workbench) -> Row {
    Row("shim integer(forKey:), 2 threads against 1", unit: .percent, repetitions: 31) {
      let (table, ours) = (table(), try shim(bench))
      let ourThreads = TwoThreads(bench) { keys, count in timeReads(keys, count) { ours.integer(forKey: $0) }
      }
      let bareThreads = TwoThreads(bench) { keys, count in timeReads(keys, count) { table[$0] ?? 0 } }
      return [
        .ours(value: ourThreads.scaling), bareThreads.limit("Dictionary"),
      ]
    }
  }

  private static func dictionary(_ bench: Workbench) -> Row {
    Row("dictionaryForKey of 100 entries, repeated") {
      let ours = try classic(bench)
      let entries = Dictionary(uniqueKeysWithValues: TestKeys.make(100, seed: 3).map { ($0, "value") })
      ours.setObject(entries, forKey: "Entries")
      ours.setObject("123", forKey: "Scalars")
      let (entriesKeys, scalarKeys) = (
        Array(repeating: "Entries", count: count), Array(repeating: "Scalars", count: count)
      )
      return [
        .ours(operations: count) { timeReads(entriesKeys, $0) { ours.dictionaryForKey($0)?.count ?? 0 } },
        .limit("a scalar read", operations: count) { timeReads(scalarKeys, $0) { ours.integerForKey($0) } },
      ]
    }
  }
}
