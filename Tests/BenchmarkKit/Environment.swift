/// When, where and with what the rows of a run were measured.
public struct Environment: Codable, Equatable, Sendable {
  /// The day, as 2026-11-22.
  public let day: String
  /// The processor and the number of its cores, the system, and the file system.
  public let machine: String
  /// The compiler and the peers, each with its version.
  public var software: [String]
  /// Whether each row ran for an instant only, so that no target can be judged.
  public let isBrief: Bool

  public init(day: String, machine: String, software: [String], isBrief: Bool = false) {
    self.day = day
    self.machine = machine
    self.software = software
    self.isBrief = isBrief
  }
}
