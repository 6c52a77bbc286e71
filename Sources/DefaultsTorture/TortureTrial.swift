/// One trial of the matrix, with its results.
package protocol TortureTrial {
  /// Whether every promise was kept.
  var isClean: Bool { get }
  /// The rows to print.
  var rows: [TortureRow] { get }
}
