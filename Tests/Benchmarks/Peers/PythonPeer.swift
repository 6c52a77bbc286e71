import BenchmarkKit
import Foundation

/// A Python module of property lists, or libplist, in a program of ours that lives as long as the benchmark and times
/// itself.
final class PythonPeer {
  /// The modules that are measured.
  enum Module: String {
    /// Reads and writes text; others' work.
    case openstepPlist = "openstep_plist"
    /// Reads and writes XML and binary property lists; Python's own.
    case plistlib
    /// Reads and writes XML and binary property lists; a C library, called without Python's values.
    case libplist
  }

  private let process: LineProcess
  /// The module's name and version.
  let version: String

  private init?(_ module: Module) throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("python_benchmark.py")
    process = try LineProcess(
      URL(fileURLWithPath: "/usr/bin/env"), ["python3", script.path, module.rawValue])
    let words = try process.line().split(separator: " ", maxSplits: 1)
    guard words.first == "ready" else { return nil }
    version = words.last.map { "\(module.rawValue) \($0)" } ?? module.rawValue
  }

  static func start(_ module: Module) -> Result<PythonPeer, Absence> {
    do {
      guard let peer = try PythonPeer(module) else {
        return .failure(Absence("\(module.rawValue) is not installed"))
      }
      return .success(peer)
    } catch {
      return .failure(Absence("Python cannot be run: \(error)"))
    }
  }

  /// Its side of a row about a file, or why there is none.
  static func contender(
    _ bench: Workbench, _ module: Module, _ work: String, file: String
  ) throws -> Contender {
    switch bench.python(module) {
    case .success(let peer):
      try peer.process.number("load \(file)")
      return Contender(
        module.rawValue, .peer, .passes(operations: 1) { try peer.process.number("time \(work) \($0)") })
    case .failure(let absence):
      return Contender(module.rawValue, .peer, .absent(absence.description))
    }
  }
}
