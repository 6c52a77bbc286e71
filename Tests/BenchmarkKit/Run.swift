public import Foundation

/// What a run of the benchmark measured, and in which environment.
public struct Run: Decodable, Sendable {
  public let environment: Environment
  public let rows: [RowResult]

  public init(_ rows: [RowResult], in environment: Environment) {
    self.environment = environment
    self.rows = rows
  }

  /// Reads what ``Report/json(measuredIn:)`` wrote.
  ///
  /// - Throws: `DecodingError` where it is something else.
  public init(json: Data) throws {
    self = try JSONDecoder().decode(Run.self, from: json)
  }

  /// The rows that the options ask for.
  public func wanted(by options: Options) -> Run {
    Run(rows.filter { options.wants($0.name) }, in: environment)
  }
}
