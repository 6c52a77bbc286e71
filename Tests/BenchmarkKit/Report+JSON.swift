import Foundation

extension Report {
  private struct JSONRun: Encodable {
    let environment: Environment
    let rows: [JSONRow]
  }

  private struct JSONRow: Encodable {
    let row: String
    let unit: RowUnit
    let contenders: [JSONContender]
    let comparisons: [JSONComparison]
  }

  private struct JSONContender: Encodable {
    let name: String
    let role: Contender.Role
    let median: Double?
    let repetitions: [Double]
    let obstacle: String?
  }

  private struct JSONComparison: Encodable {
    let with: String
    let oursDividedByIt: Double?
    let target: [String: Double]?
    let holds: Bool?
  }

  /// All rows as JSON, with every repetition's value, and the environment in which they were measured.
  ///
  /// ``Run/init(json:)`` reads it. Medians, comparisons and targets are for other readers: a report makes them
  /// anew.
  public func json(measuredIn environment: Environment) throws -> String {
    let rows = lines.map { line in
      JSONRow(
        row: line.result.name, unit: line.result.unit,
        contenders: line.result.contenders.map {
          JSONContender(
            name: $0.name, role: $0.role, median: $0.median, repetitions: $0.values, obstacle: $0.obstacle)
        },
        comparisons: line.comparisons.map { comparison in
          JSONComparison(
            with: comparison.other, oursDividedByIt: comparison.role == nil ? nil : comparison.ratio,
            target: comparison.target.map(Report.json),
            holds: environment.isBrief ? nil : Report.holds(comparison.verdict))
        })
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(JSONRun(environment: environment, rows: rows)), as: UTF8.self)
      + "\n"
  }

  private static func json(_ target: Target) -> [String: Double] {
    switch target.bound {
    case .atMost(let bound): ["atMost": bound]
    case .atLeast(let bound): ["atLeast": bound]
    case .timesFaster(let bound): ["timesFaster": bound]
    }
  }

  private static func holds(_ verdict: Verdict) -> Bool? {
    switch verdict {
    case .holds: true
    case .misses: false
    case .open, .none: nil
    }
  }
}
