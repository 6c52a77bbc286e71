/// What one contender of a row showed.
public struct ContenderResult: Decodable, Sendable {
  public let name: String
  public let role: Contender.Role
  /// One value for each repetition.
  public let values: [Double]
  /// Why it could not be measured, or not so that it can be judged; else nil.
  public let obstacle: String?

  private enum CodingKeys: String, CodingKey {
    case name, role, obstacle
    case values = "repetitions"
  }

  public init(name: String, role: Contender.Role, values: [Double], obstacle: String? = nil) {
    self.name = name
    self.role = role
    self.values = values
    self.obstacle = obstacle
  }

  /// The median of the repetitions; nil where nothing was measured.
  public var median: Double? { values.median }
}

/// What all contenders of a row showed.
public struct RowResult: Decodable, Sendable {
  public let name: String
  public let unit: RowUnit
  /// Ours first.
  public let contenders: [ContenderResult]

  private enum CodingKeys: String, CodingKey {
    case unit, contenders
    case name = "row"
  }

  public init(name: String, unit: RowUnit, contenders: [ContenderResult]) {
    self.name = name
    self.unit = unit
    self.contenders = contenders
  }

  public var ours: ContenderResult? { contenders.first }
  public var others: ArraySlice<ContenderResult> { contenders.dropFirst() }

  /// How many times the other's value ours is.
  ///
  /// The median of the ratios within each repetition: what slows the machine for some seconds slows both
  /// sides of a ratio, where it could fall on the median of one side only.
  public func ratio(to other: ContenderResult) -> Double? {
    zip(ours?.values ?? [], other.values).map { $0 / $1 }.median
  }

  /// The peer with the smallest median, if any could be measured.
  var bestPeer: ContenderResult? {
    others.filter { $0.role == .peer && $0.median != nil }
      .min { $0.median ?? .infinity < $1.median ?? .infinity }
  }
}

extension [Double] {
  /// The middle value, or the mean of the two in the middle; nil without any.
  public var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
