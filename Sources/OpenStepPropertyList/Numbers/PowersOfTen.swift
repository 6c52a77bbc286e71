/// Tables of powers of five and ten.
enum PowersOfTen {
  private static let fives: [UInt64] = (0...27).map { count in
    (0..<count).reduce(1) { power, _ in power * 5 }
  }
  private static let doubles: [Double] = (0...22).map { count in
    // Each of them is an integer that a Double represents exactly.
    (0..<count).reduce(1) { power, _ in power * 10 }
  }

  private static let longFives: [UInt128] = (0...33).map { count in
    (0..<count).reduce(1) { power, _ in power * 5 }
  }
  private static let wholes: [UInt128] = (0...23).map { count in
    (0..<count).reduce(1) { power, _ in power * 10 }
  }

  /// Five to the power of 0 to 33.
  static func longFive(_ exponent: Int) -> UInt128 { longFives[exponent] }

  /// Ten to the power of 0 to 23.
  static func whole(_ exponent: Int) -> UInt128 { wholes[exponent] }

  /// Five to the power of 0 to 27.
  static func five(_ exponent: Int) -> UInt64 { fives[exponent] }

  /// Ten to the power of 0 to 22, which a Double holds exactly.
  static func exact(_ exponent: Int) -> Double { doubles[exponent] }
}
