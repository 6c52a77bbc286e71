import BenchmarkKit
import Foundation

/// openstep_plist, in a Python program of ours that lives as long as the benchmark and times itself.
final class PythonPeer {
  static let name = "openstep_plist"

  private let process: LineProcess

  private init() throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("openstep_plist_benchmark.py")
    process = try LineProcess(URL(fileURLWithPath: "/usr/bin/env"), ["python3", script.path])
  }

  static func start() -> Result<PythonPeer, Absence> {
    do {
      let peer = try PythonPeer()
      guard try peer.process.line() == "ready" else {
        return .failure(Absence("openstep_plist is not installed"))
      }
      return .success(peer)
    } catch {
      return .failure(Absence("Python cannot be run: \(error)"))
    }
  }

  /// Its side of a row about a text, or why there is none.
  static func contender(_ bench: Workbench, _ work: String, file: String) throws -> Contender {
    switch bench.python() {
    case .success(let peer):
      try peer.process.number("load \(file)")
      return Contender(name, .peer, .passes(operations: 1) { try peer.process.number("time \(work) \($0)") })
    case .failure(let absence):
      return Contender(name, .peer, .absent(absence.description))
    }
  }
}
