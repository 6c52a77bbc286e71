import BenchmarkKit
import Foundation
import OpenStepDefaults
import OpenStepPropertyList

/// Changes of texts that people have written, beside the system calls that move the same bytes.
enum EditRows {
  static func all(_ bench: Workbench) -> [Row] {
    [handWritten(bench), project(bench)]
  }

  private static func handWritten(_ bench: Workbench) -> Row {
    Row("set and synchronize, 1 of 1,000 keys with comments") {
      let folder = try bench.folder("hand-written")
      let keys = TestKeys.make(1000)
      let lines = keys.map { "\t\"\($0)\" = 0;  // what it is for\n" }.joined(separator: "\n")
      let text = "/* Settings. */\n{\n\(lines)}\n"
      try text.write(to: folder.appendingPathComponent("Commented.plist"), atomically: true, encoding: .utf8)
      let defaults = NSUserDefaults(directory: folder.path, applicationName: "Commented")
      let bare = try SameBytes(Array(text.utf8), in: bench.folder("hand-written bytes"))
      var next = 0
      return [
        .ours { count in
          time(count) {
            next += 1
            defaults.setInteger(next, forKey: keys[next % 1000])
            return defaults.synchronize() ? 1 : 0
          }
        },
        .onDisk("the same bytes", bench, folder) { try bare.write() },
      ]
    }
  }

  private static func project(_ bench: Workbench) -> Row {
    Row("one key in a 25 MB project file", repetitions: 9) {
      let folder = try bench.folder("project")
      let count = bench.size(140_000, brief: 1000)
      let objects = (0..<count).map { index in
        """
        \t\t4D22DBAC0E2F\(100_000 + index) /* File\(index).swift in Sources */ = {
        \t\t\tisa = PBXBuildFile;
        \t\t\tfileRef = 4D22DBAB0E2F\(100_000 + index) /* File\(index).swift */;
        \t\t\tname = "File \(index)";
        \t\t};

        """
      }
      let text = """
        // !$*UTF8*$!
        {
        \tarchiveVersion = 1;
        \tobjects = {

        /* Begin PBXBuildFile section */
        \(objects.joined())/* End PBXBuildFile section */
        \t};
        \trootObject = 4D22DBAC0E2F100000 /* Project object */;
        }

        """
      let file = folder.appendingPathComponent("project.pbxproj")
      try text.write(to: file, atomically: true, encoding: .utf8)
      let key = PropertyListKey("4D22DBAC0E2F\(100_000 + count / 2)")
      var next = 0
      return [
        .ours { times in
          try time(times) {
            next += 1
            var editor = try PropertyListTextEditor(Array(try Data(contentsOf: file)))
            try editor.set(.string("File \(next)"), at: ["objects", .key(key), "name"])
            return try SameBytes(editor.bytes, in: folder).write()
          }
        },
        .onDisk("reading and writing its bytes", bench, folder) {
          try SameBytes(Array(try Data(contentsOf: file)), in: folder).write()
        },
      ]
    }
  }
}
