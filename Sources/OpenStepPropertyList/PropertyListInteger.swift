/// A whole number from −2^63 to 2^64−1: every `Int64` and every `UInt64`.
public struct PropertyListInteger: Hashable, Sendable {
  /// The two's complement of a negative number; otherwise the number itself.
  @usableFromInline let bits: UInt64
  @usableFromInline let isNegative: Bool

  /// Makes a number from a signed integer.
  public init(_ value: Int64) {
    bits = UInt64(bitPattern: value)
    isNegative = value < 0
  }

  private init(unsigned: UInt64) {
    bits = unsigned
    isNegative = false
  }

  /// Makes a number from any integer; nil if it is out of range.
  public init?(exactly value: some BinaryInteger) {
    if let signed = Int64(exactly: value) {
      self.init(signed)
    } else if let unsigned = UInt64(exactly: value) {
      self.init(unsigned: unsigned)
    } else {
      return nil
    }
  }

  /// Parses decimal digits with an optional sign; nil for any other text, and for a number out of range.
  public init?(_ text: some StringProtocol) {
    if let signed = Int64(text) {
      self.init(signed)
    } else if let unsigned = UInt64(text) {
      self.init(unsigned: unsigned)
    } else {
      return nil
    }
  }

  /// The number as another integer type; nil if that type cannot represent it.
  public func exactly<Other: FixedWidthInteger>(as type: Other.Type = Other.self) -> Other? {
    isNegative ? Other(exactly: Int64(bitPattern: bits)) : Other(exactly: bits)
  }

  /// The number as an `Int`; nil if `Int` cannot represent it.
  ///
  /// Other modules can inline it, whereas they would call the generic
  /// ``exactly(as:)`` without specialisation.
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
  /// Decimal digits, with a minus sign if the number is negative.
  public var description: String {
    isNegative ? String(Int64(bitPattern: bits)) : String(bits)
  }
}
