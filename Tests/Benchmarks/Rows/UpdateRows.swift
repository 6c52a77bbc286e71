import BenchmarkKit
import DefaultsDatabase
import Foundation
import OpenStepDefaults
import TypedDefaults
import UserDefaultsCompat

/// Updates and receipts, beside the calls that they are made of.
enum UpdateRows {
  static func all(_ bench: Workbench) -> [Row] {
    [modify(bench), typedModify(bench), commit(bench), savedNothing(bench)]
  }

  private static func modify(_ bench: Workbench) -> Row {
    Row("modify of an Int in memory") {
      let keys = TestKeys.make(1000)
      let ours = UserDefaultsCompat.UserDefaults(
        directory: try bench.folder("modifies").path, applicationName: "Shim")
      for key in keys { ours.set(0, forKey: key) }
      var number = 0
      return [
        .ours(operations: 1000) { count in
          time(count) {
            for key in keys { ours.modify(forKey: key) { $0 = ($0 as? Int ?? 0) + 1 } }
            return 1
          }
        },
        .limit("shim set of an Int", operations: 1000) { count in
          time(count) {
            for key in keys {
              number += 1
              ours.set(number, forKey: key)
            }
            return number
          }
        },
      ]
    }
  }

  private static func typedModify(_ bench: Workbench) -> Row {
    Row("Defaults.modify of an Int in memory") {
      let ours = UserDefaultsCompat.UserDefaults(
        directory: try bench.folder("typed modifies").path, applicationName: "Shim")
      let keys = TestKeys.make(1000).map { Defaults.Key<Int>($0, default: 0, suite: ours) }
      for key in keys { Defaults[key] = 0 }
      var number = 0
      return [
        .ours(operations: 1000) { count in
          time(count) {
            for key in keys { Defaults.modify(key) { $0 += 1 } }
            return 1
          }
        },
        .limit("Defaults[.key] = an Int", operations: 1000) { count in
          time(count) {
            for key in keys {
              number += 1
              Defaults[key] = number
            }
            return number
          }
        },
      ]
    }
  }

  private static func commit(_ bench: Workbench) -> Row {
    Row("commit of 1 of 1,000 keys") {
      let keys = TestKeys.make(1000)
      let objects = try ["commits", "saves beside commits"].map { folder in
        let defaults = NSUserDefaults(directory: try bench.folder(folder).path, applicationName: "Saved")
        for key in keys { defaults.setInteger(0, forKey: key) }
        guard defaults.synchronize() else {
          throw Absence("cannot save: \(String(describing: defaults.lastError))")
        }
        return defaults
      }
      var next = 0
      return [
        .ours { count in
          time(count) {
            next += 1
            let key = keys[next % 1000]
            do {
              return try objects[0].commit { draft in
                let number = draft.integerForKey(key) + 1
                draft.setInteger(number, forKey: key)
                return number
              }
            } catch {
              return 0
            }
          }
        },
        .limit("set and synchronize") { count in
          time(count) {
            next += 1
            let key = keys[next % 1000]
            objects[1].setInteger(objects[1].integerForKey(key) + 1, forKey: key)
            return objects[1].synchronize() ? 1 : 0
          }
        },
      ]
    }
  }

  private static func savedNothing(_ bench: Workbench) -> Row {
    Row("saved() with nothing to save") {
      let ours = UserDefaultsCompat.UserDefaults(
        directory: try bench.folder("receipts").path, applicationName: "Shim")
      ours.set(1, forKey: "Key")
      guard ours.synchronize() else {
        throw Absence("cannot save: \(String(describing: ours.lastError))")
      }
      return [
        .ours { count in
          let duration = Lock(0.0)
          let done = DispatchSemaphore(value: 0)
          Task {
            let start = monotonicTime()
            for _ in 0..<count { try await ours.saved() }
            duration.withLock { $0 = Double(monotonicTime() - start) }
            done.signal()
          }
          done.wait()
          return duration.withLock { $0 }
        }
      ]
    }
  }
}
