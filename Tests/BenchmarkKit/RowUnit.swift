import Foundation

/// What the values of a row count.
public enum RowUnit: String, CaseIterable, Codable, Sendable {
  case nanoseconds, milliseconds, megabytes, percent, times, instructions

  /// A value as the table shows it.
  public func text(_ value: Double) -> String {
    switch self {
    case .nanoseconds where value >= 1e6: RowUnit.digits(value / 1e6) + " ms"
    case .nanoseconds where value >= 1e3: RowUnit.digits(value / 1e3) + " µs"
    case .nanoseconds: RowUnit.digits(value) + " ns"
    case .milliseconds: RowUnit.digits(value) + " ms"
    case .megabytes: RowUnit.digits(value) + " MB"
    case .percent: String(format: "%.0f %%", value)
    case .times: String(format: "%.0f", value)
    case .instructions: String(format: "%.0f", value)
    }
  }

  /// Three digits, or all that stand before the point.
  static func digits(_ value: Double) -> String {
    String(format: value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value)
  }
}
