import Foundation
import Testing

@testable import OpenStepPropertyList

/// Each class of bytes against a test of one byte, in every place of a word.
@Suite struct ByteClassesTests {
  private func firstMark(_ marks: UInt64) -> Int { marks.trailingZeroBitCount / 8 }

  private func check(_ isMarked: (UInt8) -> Bool, _ marks: (UInt64) -> UInt64) throws {
    let plain = try #require((0x20...0x7E as ClosedRange<UInt8>).first { !isMarked($0) })
    for byte in 0...UInt8.max {
      for place in 0..<8 as Range<UInt64> {
        // Behind it stands what may be marked too, which is not to reach back.
        for behind in [plain, byte, 0xFF, 0] {
          var word: UInt64 = 0
          for other in 0..<8 as Range<UInt64> {
            let value = other < place ? plain : other == place ? byte : behind
            word |= UInt64(value) << (8 * other)
          }
          let found = firstMark(marks(word))
          #expect(isMarked(byte) ? found == Int(place) : found > Int(place), "\(byte) at \(place)")
        }
      }
    }
  }

  @Test("the classes mark what they say")
  func classes() throws {
    let bare = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.".utf8)
    let digits = Set("0123456789ABCDEFabcdef".utf8)
    try check({ !bare.contains($0) }, ByteClasses.notBare)
    try check({ !digits.contains($0) }, ByteClasses.notHexadecimal)
    try check({ "\"\\\r\0".utf8.contains($0) }, ByteClasses.escaped)
    try check({ $0 < 0x20 || "\"&'<>".utf8.contains($0) || $0 == 0xEF }, ByteClasses.xmlMarks)
    try check({ $0 < 0x20 || "\"\\".utf8.contains($0) }, ByteClasses.jsonMarks)
    try check({ $0 == 0 }, ByteClasses.zeros)
  }

  private func word(_ text: some StringProtocol) -> UInt64 {
    text.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  @Test("eight hexadecimal digits are four bytes")
  func hexadecimal() {
    #expect(ByteClasses.bytes(ofHexadecimal: word("0fbd7AE9")) == 0xE97A_BD0F)
    for byte in 0...UInt8.max {
      let digits = String(repeating: String(format: "%02x", byte), count: 4)
      #expect(ByteClasses.bytes(ofHexadecimal: word(digits)) == UInt32(byte) * 0x0101_0101)
    }
  }

  @Test("eight base64 digits are six bytes, as Foundation has it, and nothing else is")
  func base64() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let six = random.next() >> 16
      let bytes = (0..<6).map { UInt8(truncatingIfNeeded: six >> UInt64(40 - 8 * $0)) }
      let digits = Data(bytes).base64EncodedString()
      #expect(ByteClasses.base64Digits(of: six) == word(digits))
      #expect(ByteClasses.bytes(ofBase64: word(digits)) == six)
    }
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for byte in 0...UInt8.max {
      for place in 0..<8 as Range<UInt64> {
        let others = word("AAAAAAAA") & ~(0xFF << (8 * place))
        let found = ByteClasses.bytes(ofBase64: others | UInt64(byte) << (8 * place))
        #expect((found != nil) == alphabet.contains(byte))
      }
    }
  }
}
