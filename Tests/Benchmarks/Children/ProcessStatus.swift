import Foundation

/// What Linux tells about a process; 0 on other systems.
enum ProcessStatus {
  /// An amount of this process's memory, such as `VmRSS`, in bytes.
  static func bytes(_ name: String) -> Int {
    field(name, of: "/proc/self/status") * 1024
  }

  /// How many threads this process has; 0 on other systems.
  static func threads() -> Int {
    field("Threads", of: "/proc/self/status")
  }

  /// How many of this process's descriptors are inotify instances; 0 on other systems.
  static func eventSources() -> Int {
    let folder = "/proc/self/fd"
    // A descriptor may be closed meanwhile.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.contains("inotify")
        ?? false
    }
  }

  /// How often the threads of a process have gone to sleep so far, which is how often they were woken.
  static func sleeps(of process: Int32) throws -> Int {
    let tasks = "/proc/\(process)/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
      sum + field("voluntary_ctxt_switches", of: "\(tasks)/\(task)/status")
    }
  }

  private static func field(_ name: String, of path: String) -> Int {
    // Where the file is absent, the system is another.
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return 0 }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
