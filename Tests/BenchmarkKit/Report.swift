import Foundation

/// All results beside their targets, as a table and as JSON.
public struct Report: Sendable {
  /// How a ratio stands to its target.
  public enum Verdict: Equatable, Sendable {
    case holds, misses
    /// The target cannot be judged, and why.
    case open(String)
    /// There is no target.
    case none
  }

  /// Ours beside one other contender.
  public struct Comparison: Sendable {
    public let other: String
    /// What the other is to the row; nil where there is no other.
    public let role: Contender.Role?
    public let value: Double?
    /// Ours divided by the other; where there is no other, our value.
    public let ratio: Double?
    public let target: Target?
    public let verdict: Verdict
  }

  /// One row and what was compared in it.
  public struct Line: Sendable {
    public let result: RowResult
    public let comparisons: [Comparison]
  }

  public let lines: [Line]

  /// Compares what the rows showed.
  ///
  /// - Throws: ``Targets/Mistake`` where a target names a contender that its row does not have.
  public init(_ results: [RowResult], targets: Targets) throws {
    lines = try results.map { row in
      let known = row.others.map(\.name) + [Target.ours, Target.bestPeer]
      for target in targets.of(row.name) where !known.contains(target.other) {
        throw Targets.Mistake(description: "the row “\(row.name)” has no “\(target.other)”")
      }
      return Line(result: row, comparisons: Report.comparisons(row, targets.of(row.name)))
    }
  }

  /// The names of the rows that miss a target.
  public var misses: [String] {
    lines.filter { $0.comparisons.contains { $0.verdict == .misses } }.map(\.result.name)
  }

  /// What the command ends with: 1 where it checks and a target is missed, else 0.
  public func status(checks: Bool) -> Int32 {
    checks && !misses.isEmpty ? 1 : 0
  }

  private static func comparisons(_ row: RowResult, _ targets: [Target]) -> [Comparison] {
    var open = targets
    var comparisons: [Comparison] = []
    for other in row.others {
      let own = open.filter { $0.other == other.name }
      open.removeAll { $0.other == other.name }
      let ratio = row.ratio(to: other)
      for target in own.isEmpty ? [nil] : own.map(Optional.some) {
        comparisons.append(
          Comparison(
            other: other.name, role: other.role, value: other.median, ratio: ratio, target: target,
            verdict: verdict(target, ratio, obstacle: row.ours?.obstacle ?? other.obstacle)))
      }
    }
    for target in open {
      let best = target.other == Target.bestPeer ? row.bestPeer : nil
      let ratio = target.other == Target.ours ? row.ours?.median : best.flatMap(row.ratio)
      let obstacle = row.ours?.obstacle ?? (ratio == nil ? "no peer is installed" : nil)
      var verdict = verdict(target, ratio, obstacle: obstacle)
      // Who is not there may have been the best.
      let missing = row.others.first { $0.role == .peer && $0.obstacle != nil }?.obstacle
      if target.other == Target.bestPeer, verdict == .holds, let missing { verdict = .open(missing) }
      comparisons.append(
        Comparison(
          other: best.map { "best peer, \($0.name)" } ?? target.other, role: best?.role,
          value: best?.median, ratio: ratio, target: target, verdict: verdict))
    }
    return comparisons
  }

  private static func verdict(_ target: Target?, _ ratio: Double?, obstacle: String?) -> Verdict {
    if let obstacle { return .open(obstacle) }
    guard let target, let ratio else { return .none }
    return target.holds(ratio) ? .holds : .misses
  }
}
