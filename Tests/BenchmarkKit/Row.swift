/// A line of the benchmark: what is measured, and who is measured beside it.
public struct Row {
  public let name: String
  public let unit: RowUnit
  /// How often every contender is measured.
  public let repetitions: Int
  /// Prepares the contenders, ours first.
  let contenders: () throws -> [Contender]

  /// Makes a row; what its preparation costs is paid only where the row runs.
  public init(
    _ name: String, unit: RowUnit = .nanoseconds, repetitions: Int = 15,
    contenders: @escaping () throws -> [Contender]
  ) {
    self.name = name
    self.unit = unit
    self.repetitions = repetitions
    self.contenders = contenders
  }

  /// Measures all contenders in turn, again and again, so that what else the machine does meets all of them.
  public func run(pace: Pace) throws -> RowResult {
    let contenders = try self.contenders()
    let counts = try contenders.map { try pace.passes(of: $0.work) }
    var values = [[Double]](repeating: [], count: contenders.count)
    for _ in 0..<(pace.isBrief ? 1 : repetitions) {
      for (index, contender) in contenders.enumerated() {
        switch contender.work {
        case .passes(let operations, let run):
          values[index].append(try run(counts[index]) / Double(counts[index] * operations))
        case .value(let value): values[index].append(try value())
        case .absent: continue
        }
      }
    }
    let results = zip(contenders, values).map { contender, values in
      var reason: String?
      if case .absent(let text) = contender.work { reason = text }
      if let least = contender.leastQuiet, let median = values.median, median < least {
        reason = "the machine is busy: a quiet one gives at least \(unit.text(least))"
      }
      return ContenderResult(name: contender.name, role: contender.role, values: values, obstacle: reason)
    }
    return RowResult(name: name, unit: unit, contenders: results)
  }
}
