import BenchmarkKit
import Foundation
import Testing

/// The pages with results, beside the targets of today.
struct ResultsTests {
  private let targets: Targets
  private let results: String
  private let guide: String

  init() throws {
    let package = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent()
    }
    func text(_ path: String) throws -> String {
      try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
    }
    targets = try Targets(text: text("Tests/Benchmarks/Targets.plist"))
    results = try text("Tests/Benchmarks/Results.md")
    guide = try text("Sources/OpenStepDefaults/OpenStepDefaults.docc/Speed.md")
  }

  /// The cells of each row of a page, by its name; the name stands in the row's first line only.
  private func rows(in page: String) throws -> [String: [[String]]] {
    var rows: [String: [[String]]] = [:]
    var name = ""
    for cells in Report.cells(in: page) {
      try #require(cells.count == 7)
      if !cells[0].isEmpty { name = cells[0] }
      rows[name, default: []].append(cells)
    }
    return rows
  }

  @Test("the results have every row that has a target, and no row twice")
  func completeness() throws {
    let names = Report.rowNames(in: results)
    #expect(Set(names).count == names.count)
    #expect(Set(targets.names).subtracting(names).isEmpty)
  }

  @Test("each row of the results and of the guide shows the targets that it has today")
  func bounds() throws {
    for page in [results, guide] {
      let rows = try rows(in: page)
      #expect(!rows.isEmpty)
      for (name, lines) in rows {
        #expect(lines.filter { !$0[5].isEmpty }.count == targets.of(name).count, "\(name)")
        for target in targets.of(name) {
          let texts = RowUnit.allCases.map { target.text(unit: $0) }
          let isShown = lines.contains { line in
            let isBeside =
              switch target.other {
              case Target.ours: line[2].isEmpty
              case Target.bestPeer: line[2].hasPrefix("best peer, ") || line[2] == target.other
              default: line[2] == target.other
              }
            return isBeside && texts.contains(line[5])
          }
          #expect(isShown, "\(name): \(target)")
        }
      }
    }
  }

  @Test("the guide shows lines of the results")
  func guideLines() throws {
    // Values of a brief run say nothing, and are not written into the guide.
    let comparesValues = !results.contains(Report.briefNote)
    let all = try rows(in: results)
    for (name, lines) in try rows(in: guide) {
      let known = try #require(all[name], "\(name)")
      if comparesValues { #expect(lines == known, "\(name)") }
    }
  }
}
