import BenchmarkKit
import Foundation

/// The files of the package that belong to the benchmark.
enum Pages {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  /// The targets of all rows.
  static let targets = folder.appendingPathComponent("Targets.plist")
  /// The table of all rows, as the last full run on a quiet machine measured them.
  private static let results = folder.appendingPathComponent("Results.md")
  /// The guide page, whose table shows some rows of ``results``.
  private static let guide = folder.appendingPathComponent(
    "../../Sources/OpenStepDefaults/OpenStepDefaults.docc/Speed.md"
  ).standardizedFileURL

  /// Writes a run's results into the pages, or none of them where the run is not a full one.
  static func write(_ report: Report, of run: Run, targets: Targets) throws {
    guard !run.environment.isBrief else {
      throw Options.Mistake("-write needs rows that were measured in full, and this run was brief")
    }
    let measured = Set(run.rows.filter { $0.ours?.median != nil }.map(\.name))
    let missing = Set(run.rows.map(\.name)).union(targets.names).subtracting(measured)
    guard missing.isEmpty else {
      throw Options.Mistake(
        "-write needs all rows, and these were not measured: \(missing.sorted().joined(separator: "; "))")
    }
    let guideText = try report.replacingTable(in: String(contentsOf: guide, encoding: .utf8))
    try Data(report.page(measuredIn: run.environment).utf8).write(to: results)
    try Data(guideText.utf8).write(to: guide)
  }
}
