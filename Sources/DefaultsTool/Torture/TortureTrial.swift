/// One part of the matrix: what was tried, and what came of it.
protocol TortureTrial {
  /// Whether every promise was kept.
  var isClean: Bool { get }
  /// What to print.
  var rows: [TortureRow] { get }
}

/// A line of the table.
struct TortureRow {
  let label: String
  let value: String

  init(_ label: String, _ value: String) {
    (self.label, self.value) = (label, value)
  }

  init(_ label: String, _ value: Int) {
    self.init(label, String(value))
  }
}
