/// Parses decimal numbers, correctly rounded: to the nearest Double, and ties to even.
///
/// Nearly all numbers have at most 19 digits and a moderate exponent, and take one multiplication or division
/// of 128 bits; the standard library parses the others.
enum DecimalReader {
  /// Parses digits with an optional sign, point and exponent, or `nan`, `inf` or `infinity`
  /// in any case; otherwise nil.
  ///
  /// A number that is too large becomes infinity, and one that is too small becomes zero, as in the C
  /// library. NaN may have a sign, which GNUstep writes.
  static func real(_ text: Span<UInt8>) -> Double? {
    guard let number = Decimal(text) else { return word(text) }
    if number.isExact, let magnitude = value(of: number.mantissa, exponent: number.exponent) {
      return number.isNegative ? -magnitude : magnitude
    }
    return Double(String(utf8: text))
  }

  private static func word(_ text: Span<UInt8>) -> Double? {
    guard (3...9).contains(text.count) else { return nil }
    let isNegative = text[0] == UInt8(ascii: "-")
    let hasSign = isNegative || text[0] == UInt8(ascii: "+")
    switch String(utf8: text.slice(from: hasSign ? 1 : 0)).lowercased() {
    case "nan": return .nan
    case "inf", "infinity": return isNegative ? -.infinity : .infinity
    default: return nil
    }
  }

  /// The digits of a number as an integer, and the power of ten by which it is multiplied.
  private struct Decimal {
    var isNegative = false
    var mantissa: UInt64 = 0
    var exponent = 0
    /// Whether the mantissa contains all digits, apart from zeros at the end.
    var isExact = true

    init?(_ text: Span<UInt8>) {
      var index = 0
      isNegative = text.first == UInt8(ascii: "-")
      if isNegative || text.first == UInt8(ascii: "+") { index = 1 }
      let first = index
      takeDigits(text, &index, isFraction: false)
      var count = index - first
      if index < text.count, text[index] == UInt8(ascii: ".") {
        index += 1
        let start = index
        takeDigits(text, &index, isFraction: true)
        count += index - start
      }
      guard count > 0 else { return nil }
      if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
        index += 1
        guard takeExponent(text, &index) else { return nil }
      }
      guard index == text.count else { return nil }
    }

    private mutating func takeDigits(
      _ text: Span<UInt8>, _ index: inout Int, isFraction: Bool
    ) {
      while index < text.count {
        let digit = UInt64(text[index] &- UInt8(ascii: "0"))
        guard digit < 10 else { return }
        // A larger mantissa could overflow with another digit.
        if mantissa < 1_000_000_000_000_000_000 {
          mantissa = mantissa * 10 + digit
          if isFraction { exponent -= 1 }
        } else {
          if digit != 0 { isExact = false }
          if !isFraction { exponent += 1 }
        }
        index += 1
      }
    }

    private mutating func takeExponent(_ text: Span<UInt8>, _ index: inout Int) -> Bool {
      var isNegative = false
      if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
        isNegative = text[index] == UInt8(ascii: "-")
        index += 1
      }
      let start = index
      var value = 0
      while index < text.count {
        let digit = Int(text[index] &- UInt8(ascii: "0"))
        guard digit < 10 else { break }
        // More than a text can have digits before or behind the point, which are added.
        value = min(value * 10 + digit, 1 << 40)
        index += 1
      }
      exponent += isNegative ? -value : value
      return index > start
    }
  }

  /// The nearest Double to an integer times a power of ten; nil unless one operation suffices.
  private static func value(of mantissa: UInt64, exponent: Int) -> Double? {
    if mantissa == 0 { return 0 }
    // Both operands are exact, so that the operation rounds once.
    if mantissa <= 1 << 53, (-22...22).contains(exponent) {
      let power = PowersOfTen.exact(abs(exponent))
      return exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
    }
    guard (-27...27).contains(exponent) else { return nil }
    let five = PowersOfTen.five(abs(exponent))
    if exponent >= 0 {
      return rounded(UInt128(mantissa) * UInt128(five), isMore: false, binaryExponent: exponent)
    }
    let zeros = mantissa.leadingZeroBitCount
    let (quotient, remainder) = (UInt128(mantissa << UInt64(zeros)) << 64)
      .quotientAndRemainder(dividingBy: UInt128(five))
    return rounded(quotient, isMore: remainder != 0, binaryExponent: exponent - 64 - zeros)
  }

  /// The nearest Double to an integer, or to slightly more than it, times a power of two; it
  /// has to be a normal number.
  private static func rounded(_ number: UInt128, isMore: Bool, binaryExponent: Int) -> Double {
    let surplus = 128 - number.leadingZeroBitCount - 53
    guard surplus > 0 else { return scaled(UInt64(number), binaryExponent) }
    var result = UInt64(number >> UInt128(surplus))
    let rest = number & ((1 << UInt128(surplus)) - 1)
    let half = (1 as UInt128) << UInt128(surplus - 1)
    if rest > half || (rest == half && (isMore || result & 1 != 0)) { result += 1 }
    return scaled(result, binaryExponent + surplus)
  }

  private static func scaled(_ number: UInt64, _ binaryExponent: Int) -> Double {
    Double(number) * Double(sign: .plus, exponent: binaryExponent, significand: 1)
  }
}
