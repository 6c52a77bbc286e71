/// Which of the eight bytes in a word are of a kind, told by their top bits; all at a time.
///
/// To look a string's bytes up in a table one by one took twice as long.
enum ByteClasses {
  static let topBits: UInt64 = 0x8080_8080_8080_8080

  /// The top bits mark what is no letter, no digit, and neither `_` nor `.`: what not every reader takes without quotes.
  @inline(__always)
  static func notBare(_ word: UInt64) -> UInt64 {
    let ascii = word & ~topBits
    let lowerCase = ascii | every(0x20)
    let letters = range(lowerCase, UInt8(ascii: "a"), to: UInt8(ascii: "z"))
    let digits = range(ascii, UInt8(ascii: "0"), to: UInt8(ascii: "9"))
    let others = (ascii ^ every(UInt8(ascii: "."))) &+ every(0x7F)
    let underscores = (ascii ^ every(UInt8(ascii: "_"))) &+ every(0x7F)
    return (~(letters | digits) & others & underscores | word) & topBits
  }

  /// The top bits mark what is no hexadecimal digit.
  @inline(__always)
  static func notHexadecimal(_ word: UInt64) -> UInt64 {
    let ascii = word & ~topBits
    let lowerCase = ascii | every(0x20)
    let letters = range(lowerCase, UInt8(ascii: "a"), to: UInt8(ascii: "f"))
    let digits = range(ascii, UInt8(ascii: "0"), to: UInt8(ascii: "9"))
    return (~(letters | digits) | word) & topBits
  }

  /// The four bytes that eight hexadecimal digits stand for.
  @inline(__always)
  static func bytes(ofHexadecimal word: UInt64) -> UInt32 {
    // A letter has nine more than its lower half.
    var value = (word & every(0x0F)) &+ (word &>> 6 & every(1)) &* 9
    value = (value &<< 4 | value &>> 8) & 0x00FF_00FF_00FF_00FF
    value = (value | value &>> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: value | value &>> 16)
  }

  /// The base64 digits of six bytes, which are the lowest of a word, the highest of them first.
  @inline(__always)
  static func base64Digits(of bytes: UInt64) -> UInt64 {
    var digits: UInt64 = 0
    for place in 0..<8 as Range<UInt64> { digits |= (bytes &>> (42 &- 6 &* place) & 63) &<< (8 &* place) }
    // A–Z, a–z, 0–9, + and / each lie at another distance from their values.
    let isLower = (digits &+ every(0x80 - 26)) &>> 7 & every(1)
    let isDigit = (digits &+ every(0x80 - 52)) &>> 7 & every(1)
    let isSign = (digits &+ every(0x80 - 62)) &>> 7 & every(1)
    let isSlash = (digits &+ every(0x80 - 63)) &>> 7 & every(1)
    return digits &+ every(65) &+ isLower &* 6 &+ isSlash &* 3 &- isDigit &* 75 &- isSign &* 15
  }

  /// The six bytes that eight base64 digits stand for, as the lowest of a word, the first one highest; nil for others.
  @inline(__always)
  static func bytes(ofBase64 word: UInt64) -> UInt64? {
    let ascii = word & ~topBits
    let upper = range(ascii, UInt8(ascii: "A"), to: UInt8(ascii: "Z")) & topBits
    let lower = range(ascii, UInt8(ascii: "a"), to: UInt8(ascii: "z")) & topBits
    let digit = range(ascii, UInt8(ascii: "0"), to: UInt8(ascii: "9")) & topBits
    let plus = ~((ascii ^ every(UInt8(ascii: "+"))) &+ every(0x7F)) & topBits
    let slash = ~((ascii ^ every(UInt8(ascii: "/"))) &+ every(0x7F)) & topBits
    guard (upper | lower | digit | plus | slash) & ~word == topBits else { return nil }
    var values = ascii &+ (digit &>> 7) &* 4 &+ (plus &>> 7) &* 19 &+ (slash &>> 7) &* 16
    values = (values &- (upper &>> 7) &* 65 &- (lower &>> 7) &* 71).byteSwapped
    values = (values & 0x3F00_3F00_3F00_3F00) &>> 2 | values & 0x003F_003F_003F_003F
    values = (values & 0x0FFF_0000_0FFF_0000) &>> 4 | values & 0x0000_0FFF_0000_0FFF
    return (values &>> 32) &<< 24 | values & 0xFF_FFFF
  }

  /// The lowest top bit marks the first NUL, carriage return, double quote or backslash; zero where there is none.
  @inline(__always)
  static func escaped(_ word: UInt64) -> UInt64 {
    let nul = zeros(word)
    let carriageReturn = zeros(word ^ every(UInt8(ascii: "\r")))
    let quote = zeros(word ^ every(UInt8(ascii: "\"")))
    let backslash = zeros(word ^ every(UInt8(ascii: "\\")))
    return nul | carriageReturn | quote | backslash
  }

  /// The lowest top bit marks the first control character, `"`, `&`, `'`, `<`, `>` or lead byte of U+FFFE.
  @inline(__always)
  static func xmlMarks(_ word: UInt64) -> UInt64 {
    // `&` and `'`, `<` and `>` each differ in one bit.
    let quotes = zeros(word ^ every(0x22)) | zeros((word | every(0x01)) ^ every(0x27))
    let angles = zeros((word | every(0x02)) ^ every(0x3E))
    let controls = (word &- every(0x20)) & ~word & topBits
    return quotes | angles | controls | zeros(word ^ every(0xEF))
  }

  /// The lowest top bit marks the first control character of ASCII below the space, double quote or backslash.
  @inline(__always)
  static func jsonMarks(_ word: UInt64) -> UInt64 {
    let controls = (word &- every(0x20)) & ~word & topBits
    return zeros(word ^ every(UInt8(ascii: "\""))) | zeros(word ^ every(UInt8(ascii: "\\"))) | controls
  }

  /// The top bits mark the bytes of a range, in a word of ASCII bytes; the other bits say nothing.
  @inline(__always)
  private static func range(_ ascii: UInt64, _ first: UInt8, to last: UInt8) -> UInt64 {
    // In an ASCII byte, to add to the top bit tells what is at least so large, and reaches no other byte.
    (ascii &+ every(0x80 - first)) & ~(ascii &+ every(0x7F - last))
  }

  /// The lowest top bit marks the first byte that is zero; zero where there is none.
  @inline(__always)
  static func zeros(_ word: UInt64) -> UInt64 {
    // A byte of zero borrows from its top bit.
    (word &- every(1)) & ~word & topBits
  }

  /// A byte in all eight places.
  @inline(__always)
  static func every(_ byte: UInt8) -> UInt64 {
    0x0101_0101_0101_0101 &* UInt64(byte)
  }
}
