import OpenStepPropertyList

/// What must hold between ours and another contender of a row.
public struct Target: Equatable, Sendable {
  /// The bound of a ratio.
  public enum Bound: Equatable, Sendable {
    /// Ours is so many times the other at most.
    case atMost(Double)
    /// Ours is so many times the other at least.
    case atLeast(Double)
    /// The other takes so many times what ours takes at least.
    case timesFaster(Double)
  }

  /// The name in a target that stands for our value itself, without a ratio.
  public static let ours = "Ours"
  /// The name in a target that stands for the best of the peers.
  public static let bestPeer = "BestPeer"

  /// The other contender's name, or one of the two above.
  public let other: String
  public let bound: Bound

  public init(_ other: String, _ bound: Bound) {
    self.other = other
    self.bound = bound
  }

  /// The bound as the table shows it.
  ///
  /// - Parameter unit: What the row's values count; only a bound of our value itself is shown in it.
  public func text(unit: RowUnit) -> String {
    func text(_ bound: Double) -> String {
      other == Target.ours ? unit.text(bound) : "\(Int(exactly: bound).map { "\($0)" } ?? "\(bound)") ×"
    }
    return switch bound {
    case .atMost(let bound): "at most \(text(bound))"
    case .atLeast(let bound): "at least \(text(bound))"
    case .timesFaster(let bound): "at least \(text(bound)) faster"
    }
  }

  /// Whether the bound holds for a ratio of ours to the other.
  func holds(_ ratio: Double) -> Bool {
    switch bound {
    case .atMost(let limit): ratio <= limit
    case .atLeast(let limit): ratio >= limit
    case .timesFaster(let factor): 1 / ratio >= factor
    }
  }
}

/// The targets of all rows, from a text property list.
public struct Targets: Sendable {
  /// A mistake in the file of the targets.
  public struct Mistake: Error, CustomStringConvertible, Equatable {
    public let description: String

    public init(description: String) {
      self.description = description
    }
  }

  private let rows: [String: [Target]]

  /// Reads `{ "row" = { Other = { AtMost = 0.8; }; }; }`, with `AtMost`, `AtLeast` or `TimesFaster`.
  ///
  /// - Throws: `PropertyListError` where the text is none; ``Mistake`` where it is not of that form.
  public init(text: String) throws {
    guard case .dictionary(let rows) = try PropertyList(parsing: text) else {
      throw Mistake(description: "the targets are no dictionary")
    }
    var targets: [String: [Target]] = [:]
    for (row, value) in rows {
      guard case .dictionary(let others) = value else {
        throw Mistake(description: "the targets of “\(row.text)” are no dictionary")
      }
      targets[row.text] = try others.flatMap { other, bounds in
        try Targets.bounds(bounds, place: "“\(row.text)”, “\(other.text)”").map { Target(other.text, $0) }
      }.sorted { $0.other < $1.other }
    }
    self.rows = targets
  }

  private static func bounds(_ value: PropertyList, place: String) throws -> [Target.Bound] {
    guard case .dictionary(let bounds) = value else {
      throw Mistake(description: "\(place): expected a dictionary such as {AtMost = 0.8;}")
    }
    return try bounds.map { key, value in
      guard let number = value.scalarText.flatMap(Double.init) else {
        throw Mistake(description: "\(place): the bound “\(key.text)” is no number")
      }
      switch key.text {
      case "AtMost": return .atMost(number)
      case "AtLeast": return .atLeast(number)
      case "TimesFaster": return .timesFaster(number)
      default:
        throw Mistake(description: "\(place): “\(key.text)” is none of AtMost, AtLeast and TimesFaster")
      }
    }
  }

  /// The targets of a row, sorted by the other's name; empty where the file has none.
  public func of(_ row: String) -> [Target] { rows[row] ?? [] }

  /// The names of all rows that the file has targets for, sorted.
  public var names: [String] { rows.keys.sorted() }
}
