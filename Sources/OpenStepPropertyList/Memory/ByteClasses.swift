/// Which of the eight bytes in a word are of a kind, told by their top bits; all at a time.
///
/// To look a string's bytes up in a table one by one took twice as long.
enum ByteClasses {
  static let topBits: UInt64 = 0x8080_8080_8080_8080

  /// The top bits mark what is no letter, no digit, and neither `_` nor `.`: what not every reader takes without quotes.
  @inline(__always)
  static func notBare(_ word: UInt64) -> UInt64 {
    // In an ASCII byte, to add to the top bit tells what is at least so large, and reaches no other byte.
    let ascii = word & ~topBits
    let lowerCase = ascii | every(0x20)
    let letters = (lowerCase &+ every(0x80 - 0x61)) & ~(lowerCase &+ every(0x80 - 0x7B))
    let digits = (ascii &+ every(0x80 - 0x30)) & ~(ascii &+ every(0x80 - 0x3A))
    let others = (ascii ^ every(UInt8(ascii: "."))) &+ every(0x7F)
    let underscores = (ascii ^ every(UInt8(ascii: "_"))) &+ every(0x7F)
    return (~(letters | digits) & others & underscores | word) & topBits
  }

  /// The top bits mark what is no hexadecimal digit.
  @inline(__always)
  static func notHexadecimal(_ word: UInt64) -> UInt64 {
    let ascii = word & ~topBits
    let lowerCase = ascii | every(0x20)
    let letters = (lowerCase &+ every(0x80 - 0x61)) & ~(lowerCase &+ every(0x80 - 0x67))
    let digits = (ascii &+ every(0x80 - 0x30)) & ~(ascii &+ every(0x80 - 0x3A))
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
