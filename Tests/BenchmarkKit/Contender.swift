/// One of those that a row measures side by side: ours, a peer, or the limit.
public struct Contender {
  /// What a contender is to the row.
  public enum Role: String, Codable, Sendable {
    case ours, peer, limit
  }

  /// How one repetition is measured.
  public enum Work {
    /// Takes a number of passes, gives the nanoseconds that they took; a pass is so many operations.
    case passes(operations: Int, (_ count: Int) throws -> Double)
    /// Gives the value itself, in the row's unit.
    case value(() throws -> Double)
    /// Cannot be measured here, and why.
    case absent(String)
  }

  public let name: String
  public let role: Role
  let work: Work
  /// The least median with which the row can be judged; what is below shows that the machine is busy.
  let leastQuiet: Double?

  public init(_ name: String, _ role: Role, _ work: Work, leastQuiet: Double? = nil) {
    self.name = name
    self.role = role
    self.work = work
    self.leastQuiet = leastQuiet
  }

  /// Ours, whose operations are timed.
  public static func ours(operations: Int = 1, _ passes: @escaping (Int) throws -> Double) -> Contender {
    Contender("ours", .ours, .passes(operations: operations, passes))
  }

  /// Ours, which gives its value itself.
  public static func ours(value: @escaping () throws -> Double) -> Contender {
    Contender("ours", .ours, .value(value))
  }

  /// The limit, whose operations are timed.
  public static func limit(
    _ name: String, operations: Int = 1, _ passes: @escaping (Int) throws -> Double
  ) -> Contender {
    Contender(name, .limit, .passes(operations: operations, passes))
  }
}
