import BenchmarkKit
import Foundation
import OpenStepDefaults

/// Saves, beside the system calls that any save takes.
enum DiskRows {
  static func all(_ bench: Workbench) -> [Row] {
    [setAndSynchronize(bench), synchronizeNothing(bench)]
  }

  /// A database with 1,000 keys, all on the disk.
  private static func saved(_ folder: URL) throws -> NSUserDefaults {
    let defaults = NSUserDefaults(directory: folder.path, applicationName: "Saved")
    for key in TestKeys.make(1000) { defaults.setInteger(0, forKey: key) }
    // Two files are searched: the application's and the global one.
    defaults.removePersistentDomainForName(NSGlobalDomain)
    try defaults.setPersistentDomain(["Global": "1"], forName: NSGlobalDomain)
    guard defaults.synchronize() else {
      throw Absence("cannot save: \(String(describing: defaults.lastError))")
    }
    return defaults
  }

  private static func setAndSynchronize(_ bench: Workbench) -> Row {
    Row("set and synchronize, 1 of 1,000 keys") {
      let folder = try bench.folder("saves")
      let ours = try saved(folder)
      let keys = TestKeys.make(1000)
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent("Saved.plist")))
      let bare = try SameBytes(bytes, in: bench.folder("bytes"))
      let foundation = FoundationPeer.filled(keys, with: 0)
      var next = 0
      return [
        .ours { count in
          time(count) {
            next += 1
            ours.setInteger(next, forKey: keys[next % 1000])
            return ours.synchronize() ? 1 : 0
          }
        },
        .onDisk("the same bytes", bench, folder) { try bare.write() },
        try .gnustep(bench, "sync") {
          try $0.tell("keys", bench.file(of: keys))
          try $0.tell("integers", "0")
        },
        .foundation { count in
          time(count) {
            next += 1
            foundation.set(next, forKey: keys[next % 1000])
            return foundation.synchronize() ? 1 : 0
          }
        },
      ]
    }
  }

  private static func synchronizeNothing(_ bench: Workbench) -> Row {
    Row("synchronize with nothing to do") {
      let folder = try bench.folder("idle saves")
      let ours = try saved(folder)
      let paths = ["Saved", NSGlobalDomain].map { folder.appendingPathComponent($0 + ".plist").path }
      let foundation = FoundationPeer.filled(TestKeys.make(1000), with: 0)
      _ = foundation.synchronize()
      // A file that was written within the last two ticks of the coarsest clock may have been written again
      // with the same time, and is read to be sure; nothing to do is only what is older.
      if !bench.isBrief { Thread.sleep(forTimeInterval: 4) }
      return [
        .ours { count in time(count) { ours.synchronize() ? 1 : 0 } },
        .limit("stat of each file") { count in
          time(count) {
            var status = stat()
            var found = 0
            for path in paths { found += stat(path, &status) == 0 ? 1 : 0 }
            return found
          }
        },
        .foundation { count in time(count) { foundation.synchronize() ? 1 : 0 } },
      ]
    }
  }
}
