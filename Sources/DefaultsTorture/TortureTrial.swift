/// One part of the matrix: what was tried, and what came of it.
package protocol TortureTrial {
  /// Whether every promise was kept.
  var isClean: Bool { get }
  /// What to print.
  var rows: [TortureRow] { get }
}
