/// Prints numbers with a given number of significant digits, correctly rounded, as C's `%.17g` does.
///
/// Ties are rounded to an even last digit. Numbers from 1e-15 to 1e38 take a few operations of 128 bits;
/// other numbers are computed in full by long multiplication and then rounded. Writers use sixteen or
/// seventeen digits; seventeen distinguish all Doubles.
enum DecimalPrinter {
  /// The text of a finite number; an exponent is used below 1e-4, and from ten to the
  /// power of the number of digits.
  static func text(of value: Double, digits count: Int) -> String {
    var bytes = TextOutput()
    append(value, digits: count, to: &bytes)
    return String(utf8: bytes.contents)
  }

  /// Appends the text of a finite number.
  static func append(_ value: Double, digits count: Int, to output: inout TextOutput) {
    precondition(value.isFinite && (16...17).contains(count), "only finite numbers have digits")
    if value.sign == .minus { output.append(ascii: "-") }
    guard value != 0 else { return output.append(ascii: "0") }
    var (digits, exponent) = rounded(value.magnitude, count)
    var digitCount = count
    while digitCount > 1, digits.isMultiple(of: 10) {
      digits /= 10
      digitCount -= 1
    }
    append(digits, digitCount, exponent, count, to: &output)
  }

  /// Appends digits; the exponent is the power of ten of the first digit.
  private static func append(
    _ digits: UInt64, _ digitCount: Int, _ exponent: Int, _ precision: Int, to output: inout TextOutput
  ) {
    guard exponent >= -4, exponent < precision else {
      append(digits, digitCount, pointBehind: 1, to: &output)
      output.append(ascii: "e")
      output.append(ascii: exponent < 0 ? "-" : "+")
      return output.append(digits: UInt64(abs(exponent)), count: 2)
    }
    if exponent < 0 {
      output.append("0." as StaticString)
      return output.append(digits: digits, count: digitCount - 1 - exponent)
    }
    append(digits, digitCount, pointBehind: exponent + 1, to: &output)
  }

  /// Appends digits with a decimal point after so many of them, or with zeros if there are fewer.
  private static func append(
    _ digits: UInt64, _ digitCount: Int, pointBehind wholeCount: Int, to output: inout TextOutput
  ) {
    let fractionCount = digitCount - wholeCount
    guard fractionCount > 0 else {
      output.append(digits: digits, count: 1)
      return output.append(UInt8(ascii: "0"), count: -fractionCount)
    }
    let power = UInt64(PowersOfTen.whole(fractionCount))
    output.append(digits: digits / power, count: 1)
    output.append(ascii: ".")
    output.append(digits: digits % power, count: fractionCount)
  }

  // MARK: - Digits

  /// The value rounded to so many digits, as an integer, and the power of ten of the first digit.
  private static func rounded(_ value: Double, _ count: Int) -> (digits: UInt64, exponent: Int) {
    // The value is the significand times two to the power of the exponent.
    let significand = value.significandBitPattern | (value.isNormal ? 1 << 52 : 0)
    let binaryExponent = (value.isNormal ? Int(value.exponentBitPattern) : 1) - 1075
    guard value >= 1e-15, value < 1e38 else {
      return LongDecimal(significand: significand, binaryExponent: binaryExponent).rounded(to: count)
    }
    let limit = PowersOfTen.whole(count)
    // An estimate, by slightly less than the decimal logarithm of two.
    var exponent = (Int(value.exponent) * 1233) >> 12
    while true {
      let (digits, roundsUp) = scaled(significand, binaryExponent, by: count - 1 - exponent)
      if digits >= limit {
        exponent += 1
      } else if digits < limit / 10 {
        exponent -= 1
      } else {
        let result = UInt64(digits) + (roundsUp ? 1 : 0)
        return UInt128(result) == limit ? (result / 10, exponent + 1) : (result, exponent)
      }
    }
  }

  /// A significand times powers of two and ten, rounded down, and whether the
  /// nearest integer is the next one.
  private static func scaled(
    _ significand: UInt64, _ binaryExponent: Int, by exponent: Int
  ) -> (UInt128, roundsUp: Bool) {
    if exponent < 0 {
      // A number with more digits before the point than requested is an integer.
      let power = PowersOfTen.whole(-exponent)
      let (quotient, remainder) = (UInt128(significand) << UInt128(binaryExponent))
        .quotientAndRemainder(dividingBy: power)
      return (quotient, remainder > power / 2 || (remainder == power / 2 && quotient & 1 != 0))
    }
    let product = UInt128(significand) * PowersOfTen.longFive(exponent)
    let shift = binaryExponent + exponent
    if shift >= 0 { return (product << UInt128(shift), false) }
    let result = product >> UInt128(-shift)
    let rest = product & ((1 << UInt128(-shift)) - 1)
    let half = (1 as UInt128) << UInt128(-shift - 1)
    return (result, rest > half || (rest == half && result & 1 != 0))
  }
}

/// All decimal digits of a number by long multiplication; for very large and very small numbers.
private struct LongDecimal {
  /// The digits, the first one not zero.
  private var digits: [UInt8] = []
  /// The power of ten of the first digit.
  private var exponent: Int

  init(significand: UInt64, binaryExponent: Int) {
    // Nine decimal digits in each element, the least significant element first.
    var parts = [UInt32(significand % 1_000_000_000)]
    var rest = significand / 1_000_000_000
    while rest > 0 {
      parts.append(UInt32(rest % 1_000_000_000))
      rest /= 1_000_000_000
    }
    // 2^−n has the digits of 5^n, with the decimal point n places to the left.
    // Twelve factors at a time: 5^12 is less than a thousand million.
    let factor: UInt64 = binaryExponent < 0 ? 5 : 2
    var count = abs(binaryExponent)
    while count > 0 {
      var product: UInt64 = 1
      for _ in 0..<min(count, 12) { product *= factor }
      LongDecimal.multiply(&parts, by: product)
      count -= 12
    }
    for part in parts.reversed() {
      var part = part
      var nine = [UInt8](repeating: 0, count: 9)
      for place in (0..<9).reversed() {
        nine[place] = UInt8(part % 10)
        part /= 10
      }
      digits += nine
    }
    exponent = digits.count - 1 + min(binaryExponent, 0)
    let zeros = digits.prefix { $0 == 0 }.count
    digits.removeFirst(zeros)
    exponent -= zeros
  }

  /// - Parameter factor: Less than a thousand million, so that the carry is one element.
  private static func multiply(_ parts: inout [UInt32], by factor: UInt64) {
    var carry: UInt64 = 0
    for index in parts.indices {
      let product = UInt64(parts[index]) * factor + carry
      parts[index] = UInt32(product % 1_000_000_000)
      carry = product / 1_000_000_000
    }
    if carry > 0 { parts.append(UInt32(carry)) }
  }

  /// The number rounded to so many digits, as an integer, and the power of ten of the first digit.
  func rounded(to count: Int) -> (digits: UInt64, exponent: Int) {
    var result: UInt64 = 0
    for place in 0..<count { result = result * 10 + UInt64(place < digits.count ? digits[place] : 0) }
    guard count < digits.count else { return (result, exponent) }
    let isAboveHalf = digits[count] > 5 || (digits[count] == 5 && digits[(count + 1)...].contains { $0 != 0 })
    if isAboveHalf || (digits[count] == 5 && result & 1 != 0) { result += 1 }
    return UInt128(result) == PowersOfTen.whole(count) ? (result / 10, exponent + 1) : (result, exponent)
  }
}
