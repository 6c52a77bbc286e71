import BenchmarkKit
import Foundation
import Testing

struct ReportTests {
  private static func contender(_ name: String, _ role: Contender.Role, _ value: Double) -> ContenderResult {
    ContenderResult(name: name, role: role, values: [value])
  }

  /// Ours takes 10 ns, the dictionary 20, one peer 50 and the other 40; a third is not there.
  private static let read = RowResult(
    name: "read", unit: .nanoseconds,
    contenders: [
      contender("ours", .ours, 10), contender("Dictionary", .limit, 20), contender("Slow", .peer, 50),
      contender("Fast", .peer, 40),
      ContenderResult(name: "Gone", role: .peer, values: [], obstacle: "not installed"),
    ])

  private static func report(_ targets: String, row: RowResult = read) throws -> Report {
    try Report([row], targets: Targets(text: "{ read = \(targets); }"))
  }

  @Test(
    "a bound holds or is missed, at its edge, too",
    arguments: [
      ("{ Dictionary = {AtMost = 0.5; }; }", true), ("{ Dictionary = {AtMost = 0.49; }; }", false),
      ("{ Dictionary = {AtLeast = 0.5; }; }", true), ("{ Dictionary = {AtLeast = 0.51; }; }", false),
      ("{ Slow = {TimesFaster = 5; }; }", true), ("{ Slow = {TimesFaster = 5.1; }; }", false),
      ("{ BestPeer = {TimesFaster = 4.1; }; }", false),
      ("{ Ours = {AtMost = 10; }; }", true), ("{ Ours = {AtMost = 9; }; }", false),
      ("{ Slow = {TimesFaster = 5; }; Dictionary = {AtMost = 0.4; }; }", false),
    ])
  func judging(targets: String, holds: Bool) throws {
    let report = try ReportTests.report(targets)
    #expect(report.misses == (holds ? [] : ["read"]))
    #expect(report.status(checks: true) == (holds ? 0 : 1))
    #expect(report.status(checks: false) == 0)
  }

  @Test("a peer that is not there is no miss")
  func absence() throws {
    let report = try ReportTests.report("{ Gone = {TimesFaster = 5; }; }")
    #expect(report.misses.isEmpty)
    #expect(report.lines[0].comparisons.contains { $0.verdict == .open("not installed") })
  }

  @Test("why ours could not be measured is told, and the row has no value")
  func ownAbsence() throws {
    let row = RowResult(
      name: "read", unit: .nanoseconds,
      contenders: [
        ContenderResult(name: "ours", role: .ours, values: [], obstacle: "not built"),
        ReportTests.contender("Slow", .peer, 50),
      ])
    let report = try ReportTests.report("{ Slow = {TimesFaster = 5; }; Ours = {AtMost = 1; }; }", row: row)
    #expect(report.misses.isEmpty)
    #expect(report.lines[0].comparisons.map(\.verdict) == [.open("not built"), .open("not built")])
  }

  @Test("the best peer is judged where all peers are there, for the one that is not may be better")
  func bestPeer() throws {
    let targets = "{ BestPeer = {TimesFaster = 4; }; }"
    let all = RowResult(
      name: "read", unit: .nanoseconds, contenders: ReportTests.read.contenders.filter { $0.name != "Gone" })
    #expect(try ReportTests.report(targets, row: all).lines[0].comparisons.last?.verdict == .holds)
    #expect(try ReportTests.report(targets).lines[0].comparisons.last?.verdict == .open("not installed"))
  }

  @Test("a value that cannot be judged is shown, but no miss")
  func busy() throws {
    let row = RowResult(
      name: "read", unit: .percent,
      contenders: [
        ReportTests.contender("ours", .ours, 100),
        ContenderResult(name: "Dictionary", role: .limit, values: [120], obstacle: "busy"),
      ])
    let report = try ReportTests.report("{ Dictionary = {AtLeast = 0.95; }; }", row: row)
    #expect(report.misses.isEmpty)
    #expect(report.table().contains("| 100 % | Dictionary | 120 % | 0.83 × | at least 0.95 × | busy |"))
  }

  @Test("a target beside nobody is a mistake")
  func unknown() throws {
    #expect(throws: Targets.Mistake(description: "the row “read” has no “Nobody”")) {
      try ReportTests.report("{ Nobody = {AtMost = 1; }; }")
    }
  }

  @Test("the table shows each contender, its ratio and where its target stands")
  func table() throws {
    let report = try ReportTests.report(
      "{ Dictionary = {AtMost = 0.5; }; Slow = {TimesFaster = 8; }; BestPeer = {TimesFaster = 1.5; }; Ours = {AtMost = 20; }; }"
    )
    #expect(
      report.table() == """
        | Row  | ours    | beside          |         | ratio         | target                |               |
        |------|---------|-----------------|---------|---------------|-----------------------|---------------|
        | read | 10.0 ns | Dictionary      | 20.0 ns | 0.50 ×        | at most 0.5 ×         | holds         |
        |      |         | Slow            | 50.0 ns | 5.00 × faster | at least 8 × faster   | MISSED        |
        |      |         | Fast            | 40.0 ns | 4.00 × faster |                       |               |
        |      |         | Gone            |         |               |                       | not installed |
        |      |         | best peer, Fast | 40.0 ns | 4.00 × faster | at least 1.5 × faster | not installed |
        |      |         |                 |         |               | at most 20.0 ns       | holds         |

        """)
    #expect(!report.table(isJudged: false).contains("holds"))
    #expect(!report.table(isJudged: false).contains("MISSED"))
  }

  private static let environment = Environment(
    day: "2026-11-22", machine: "2 × Processor, System, ext4", software: ["Swift 6.3.1", "Peer 1"])

  @Test("the JSON form has each value, each comparison and the environment")
  func json() throws {
    let report = try ReportTests.report("{ Dictionary = {AtMost = 0.4; }; }")
    let parsed = try JSONSerialization.jsonObject(
      with: Data(report.json(measuredIn: ReportTests.environment).utf8))
    let run = try #require(parsed as? [String: Any])
    let environment = try #require(run["environment"] as? [String: Any])
    #expect(environment["day"] as? String == "2026-11-22" && environment["isBrief"] as? Bool == false)
    #expect(environment["software"] as? [String] == ["Swift 6.3.1", "Peer 1"])
    let row = try #require((run["rows"] as? [[String: Any]])?.first)
    #expect(row["row"] as? String == "read" && row["unit"] as? String == "nanoseconds")
    let contenders = try #require(row["contenders"] as? [[String: Any]])
    #expect(contenders.map { $0["median"] as? Double } == [10, 20, 50, 40, nil])
    #expect(contenders.map { $0["role"] as? String } == ["ours", "limit", "peer", "peer", "peer"])
    #expect(contenders[4]["obstacle"] as? String == "not installed")
    let comparison = try #require((row["comparisons"] as? [[String: Any]])?.first)
    #expect(comparison["with"] as? String == "Dictionary" && comparison["holds"] as? Bool == false)
    #expect(comparison["oursDividedByIt"] as? Double == 0.5)
    #expect(comparison["target"] as? [String: Double] == ["atMost": 0.4])
  }

  @Test("a run that was printed as JSON gives the same table, judged by the targets of the day it is read")
  func reading() throws {
    let report = try ReportTests.report("{ Dictionary = {AtMost = 0.5; }; }")
    let json = Data(try report.json(measuredIn: ReportTests.environment).utf8)
    let run = try Run(json: json)
    #expect(run.environment == ReportTests.environment)
    let targets = "{ Dictionary = {AtMost = 0.4; }; BestPeer = {TimesFaster = 4; }; }"
    let read = try Report(run.rows, targets: Targets(text: "{ read = \(targets); }"))
    #expect(try read.table() == ReportTests.report(targets).table())
    #expect(read.misses == ["read"])
    #expect(try run.wanted(by: Options(arguments: ["-row", "write"])).rows.isEmpty)
    #expect(throws: DecodingError.self) { try Run(json: Data("[]".utf8)) }
  }

  @Test("a page names the environment, and a table in a page is replaced by the lines of its rows")
  func pages() throws {
    let row = ReportTests.read
    let other = RowResult(name: "write", unit: row.unit, contenders: row.contenders)
    let report = try Report([row, other], targets: Targets(text: "{ read = { Ours = {AtMost = 20; }; }; }"))
    let page = report.page(measuredIn: ReportTests.environment)
    for text in ["2026-11-22", "2 × Processor, System, ext4", "Swift 6.3.1, Peer 1"] {
      #expect(page.contains(text))
    }
    #expect(Report.rowNames(in: page) == ["read", "write"])
    #expect(Report.cells(in: page).contains(["", "", "", "", "", "at most 20.0 ns", "holds"]))
    #expect(!page.contains("brief"))
    let brief = Environment(day: "2026-11-22", machine: "", software: [], isBrief: true)
    #expect(
      report.page(measuredIn: brief).contains("brief") && !report.page(measuredIn: brief).contains("holds"))

    let guide = "# Speed\n\n| Row  | ours |\n|------|------|\n| read | 1 ns |\n|      |      |\n\nThe end.\n"
    let shown = try report.replacingTable(in: guide)
    #expect(shown == "# Speed\n\n\(report.table(of: ["read"]))\nThe end.\n")
    #expect(Report.rowNames(in: shown) == ["read"])
    #expect(throws: Targets.Mistake(description: "the page shows the row “gone”, which was not measured")) {
      try report.replacingTable(in: guide.replacingOccurrences(of: "read", with: "gone"))
    }
    #expect(throws: Targets.Mistake(description: "the page has no table of rows")) {
      try report.replacingTable(in: "# Speed\n")
    }
  }

  @Test(
    "values are shown with three digits and a fitting unit",
    arguments: [
      (RowUnit.nanoseconds, 31.26, "31.3 ns"), (.nanoseconds, 1234, "1.23 µs"),
      (.nanoseconds, 4.5e6, "4.50 ms"),
      (.milliseconds, 3.761, "3.76 ms"), (.megabytes, 158.2, "158 MB"), (.percent, 194.6, "195 %"),
      (.times, 0, "0"), (.instructions, 525.2, "525"),
    ])
  func units(unit: RowUnit, value: Double, text: String) {
    #expect(unit.text(value) == text)
  }
}
