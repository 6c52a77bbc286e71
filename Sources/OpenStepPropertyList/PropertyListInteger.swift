/// A whole number from −2^63 to 2^64−1: every `Int64` and every `UInt64`.
public struct PropertyListInteger: Hashable, Sendable {
  /// The two's complement of a negative number, else the number itself.
  @usableFromInline let bits: UInt64
  @usableFromInline let isNegative: Bool

  /// Makes a number of a signed one.
  public init(_ value: Int64) {
    bits = UInt64(bitPattern: value)
    isNegative = value < 0
  }

  private init(unsigned: UInt64) {
    bits = unsigned
    isNegative = false
  }

  /// Makes a number of any integer, or gives nil for one out of range.
  public init?(exactly value: some BinaryInteger) {
    if let signed = Int64(exactly: value) {
      self.init(signed)
    } else if let unsigned = UInt64(exactly: value) {
      self.init(unsigned: unsigned)
    } else {
      return nil
    }
  }

  /// Reads decimal digits with an optional sign, or gives nil for anything else and for what is out of range.
  public init?(_ text: some StringProtocol) {
    if let signed = Int64(text) {
      self.init(signed)
    } else if let unsigned = UInt64(text) {
      self.init(unsigned: unsigned)
    } else {
      return nil
    }
  }

  /// The number as another integer type, or nil where that type cannot hold it.
  public func exactly<Other: FixedWidthInteger>(as type: Other.Type = Other.self) -> Other? {
    isNegative ? Other(exactly: Int64(bitPattern: bits)) : Other(exactly: bits)
  }

  /// The number as an `Int`, or nil where that cannot hold it.
  ///
  /// For readers: the function above is made for each type only where the compiler sees its body.
  @inlinable
  package var int: Int? {
    isNegative ? Int(exactly: Int64(bitPattern: bits)) : Int(exactly: bits)
  }

  /// The nearest double-precision number.
  public var doubleValue: Double {
    isNegative ? Double(Int64(bitPattern: bits)) : Double(bits)
  }
}

extension PropertyListInteger: Comparable {
  public static func < (left: PropertyListInteger, right: PropertyListInteger) -> Bool {
    // Negative numbers keep their order in two's complement.
    left.isNegative == right.isNegative ? left.bits < right.bits : left.isNegative
  }
}

extension PropertyListInteger: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) {
    self.init(value)
  }
}

extension PropertyListInteger: CustomStringConvertible {
  /// Decimal digits, with a minus sign where negative.
  public var description: String {
    isNegative ? String(Int64(bitPattern: bits)) : String(bits)
  }
}
