import BenchmarkKit
import Foundation
import TestSupport

extension Environment {
  /// Today, this machine, and the compiler; the peers are added when they have been measured.
  static func ofThisMachine(_ bench: Workbench) throws -> Environment {
    let system = ProcessInfo.processInfo
    return Environment(
      day: Date().formatted(.iso8601.year().month().day()),
      machine: "\(system.activeProcessorCount) × \(processor), \(system.operatingSystemVersionString), "
        + (bench.fileSystem ?? "unknown file system"),
      software: [try compiler()], isBrief: bench.isBrief)
  }

  /// The processor's name, or the kind of processor where the system does not tell it.
  private static var processor: String {
    #if os(Linux)
      let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
      if let line = lines.split(separator: "\n").first(where: { $0.hasPrefix("model name") }),
        let colon = line.firstIndex(of: ":")
      {
        return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
    #endif
    #if arch(x86_64)
      return "x86-64"
    #elseif arch(arm64)
      return "ARM64"
    #else
      return "unknown processor"
    #endif
  }

  /// The compiler in the search path, which is the one that built the program where `swift run` started it.
  private static func compiler() throws -> String {
    let output = try GNUstepProgram.run("/usr/bin/env", ["swift", "--version"])
    guard let version = String(decoding: output, as: UTF8.self).firstMatch(of: /Swift version ([0-9.]+)/)
    else { throw Absence("“swift --version” does not tell the version of Swift") }
    return "Swift \(version.1)"
  }
}
