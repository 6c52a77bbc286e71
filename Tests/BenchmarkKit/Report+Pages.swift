extension Report {
  /// The page `Tests/Benchmarks/Results.md`: the table of all rows, and the environment in which they were measured.
  public func page(measuredIn environment: Environment) -> String {
    """
    # Results

    All rows of the benchmark, as measured on \(environment.day).

    - Machine: \(environment.machine)
    - Software: \(environment.software.joined(separator: ", "))\(environment.isBrief ? Report.briefNote : "")

    `swift run -c release benchmarks -write` measures all rows and writes this file. The guide page
    `Sources/OpenStepDefaults/OpenStepDefaults.docc/Speed.md` says what the columns mean.

    \(table(isJudged: !environment.isBrief))
    """
  }

  /// What the page says of a run with `-brief`.
  public static let briefNote =
    "\n- The run was brief: its values only show that each row runs, and no target is judged."

  /// A page with the lines of its table replaced by this report's lines of the same rows.
  ///
  /// - Throws: ``Targets/Mistake`` where the page has no table, or shows a row that the report does not have.
  public func replacingTable(in page: String) throws -> String {
    let names = Report.rowNames(in: page)
    guard let range = Report.tableLines(in: page) else {
      throw Targets.Mistake(description: "the page has no table of rows")
    }
    for name in names where !lines.contains(where: { $0.result.name == name }) {
      throw Targets.Mistake(description: "the page shows the row “\(name)”, which was not measured")
    }
    var text = page.split(separator: "\n", omittingEmptySubsequences: false)
    text.replaceSubrange(range, with: table(of: names).split(separator: "\n"))
    return text.joined(separator: "\n")
  }

  /// The names of the rows in a page's table, in their order; empty where it has no table.
  public static func rowNames(in page: String) -> [String] {
    cells(in: page).map { $0[0] }.filter { !$0.isEmpty }
  }

  /// The cells of each line of a page's table of rows, without its head; empty where it has no table.
  public static func cells(in page: String) -> [[String]] {
    guard let range = tableLines(in: page) else { return [] }
    return page.split(separator: "\n", omittingEmptySubsequences: false)[range].dropFirst(2).map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { cell in
        String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
    }
  }

  /// The lines of a page, by their numbers, that are its table of rows.
  private static func tableLines(in page: String) -> Range<Int>? {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(where: { $0.hasPrefix("| Row ") }) else { return nil }
    return start..<(lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex)
  }
}
