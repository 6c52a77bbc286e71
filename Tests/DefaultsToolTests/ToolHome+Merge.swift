import Foundation
import TestSupport

extension ToolHome {
  /// The path of a side of a merge: `base`, `ours` or `theirs`.
  func path(ofSide side: String) -> String { "\(root.path)/\(side)" }

  /// Puts the sides of a merge in place; a nil one is not there.
  func writeSides(_ base: [UInt8]?, _ ours: [UInt8]?, _ theirs: [UInt8]?) throws {
    for (side, bytes) in [("base", base), ("ours", ours), ("theirs", theirs)] {
      let url = URL(fileURLWithPath: path(ofSide: side))
      if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
      if let bytes { try Data(bytes).write(to: url) }
    }
  }

  /// Runs `merge` with the sides that are in place; gives the outcome, and what OURS holds then.
  func merge(_ options: [String] = []) throws -> (outcome: Outcome, ours: [UInt8]) {
    let outcome = run(["merge"] + options + ["base", "ours", "theirs"].map(path(ofSide:)))
    return (outcome, Array(try Data(contentsOf: URL(fileURLWithPath: path(ofSide: "ours")))))
  }
}
