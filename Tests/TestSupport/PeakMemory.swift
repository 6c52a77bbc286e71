#if os(Linux)
  import Foundation

  /// The most memory that this process ever had, in bytes; for a process of its own.
  public func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let count = line?.split(separator: " ").dropLast().last.flatMap({ Int($0) }) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    return count * 1024
  }
#endif
