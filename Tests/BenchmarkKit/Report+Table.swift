extension Report {
  private static let titles = ["Row", "ours", "beside", "", "ratio", "target", ""]

  /// The table in Markdown, whose columns also stand below each other as they are.
  ///
  /// - Parameters:
  ///   - names: The names of the rows that it shows; all where it is nil.
  ///   - isJudged: Whether it says where targets hold.
  public func table(of names: [String]? = nil, isJudged: Bool = true) -> String {
    var cells = [Report.titles]
    for line in lines where names?.contains(line.result.name) ?? true {
      var head = [line.result.name, line.result.ours?.median.map(line.result.unit.text) ?? ""]
      for comparison in line.comparisons.isEmpty ? [nil] : line.comparisons.map(Optional.some) {
        cells.append(head + Report.cells(comparison, unit: line.result.unit, isJudged: isJudged))
        head = ["", ""]
      }
    }
    let widths = Report.titles.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    func text(_ row: [String]) -> String {
      let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return "| " + padded.joined(separator: " | ") + " |\n"
    }
    let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|\n"
    return text(cells[0]) + rule + cells.dropFirst().map(text).joined()
  }

  private static func cells(_ comparison: Comparison?, unit: RowUnit, isJudged: Bool) -> [String] {
    guard let comparison else { return ["", "", "", "", ""] }
    let isOwn = comparison.target?.other == Target.ours
    let verdict =
      switch comparison.verdict {
      case .holds: isJudged ? "holds" : ""
      case .misses: isJudged ? "MISSED" : ""
      case .open(let reason): reason
      case .none: ""
      }
    return [
      isOwn ? "" : comparison.other, comparison.value.map(unit.text) ?? "",
      isOwn ? "" : ratio(comparison), comparison.target?.text(unit: unit) ?? "", verdict,
    ]
  }

  private static func ratio(_ comparison: Comparison) -> String {
    guard let ratio = comparison.ratio else { return "" }
    return switch (comparison.target?.bound, comparison.role) {
    case (.timesFaster, _), (nil, .peer): RowUnit.digits(1 / ratio) + " × faster"
    default: RowUnit.digits(ratio) + " ×"
    }
  }
}
