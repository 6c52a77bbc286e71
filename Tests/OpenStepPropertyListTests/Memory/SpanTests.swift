import Testing

@testable import OpenStepPropertyList

/// Bytes eight at a time, against the same byte by byte, at every place of a word.
///
/// Truth values are compared, because `#expect` takes a call apart and cannot keep a span.
@Suite struct SpanTests {
  @Test("a word has its first byte lowest, and reaches to the end")
  func words() {
    let bytes = (0..<20).map { UInt8($0) }
    for offset in 0...12 {
      let expected = (0..<8).reduce(0 as UInt64) { $0 | UInt64(offset + $1) << UInt64(8 * $1) }
      #expect(bytes.span.word(at: offset) == expected)
    }
  }

  @Test("a word outside of the bytes stops the program", arguments: [-1, 13])
  func outside(offset: Int) async {
    await #expect(processExitsWith: .failure) { [offset = offset as Int] in
      _ = [UInt8](repeating: 0, count: 20).span.word(at: offset)
    }
  }

  @Test("the first marked byte is found from any place on, and else the end")
  func marks() {
    for count in 0..<26 {
      for place in 0...count {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        if place < count { bytes[place] = UInt8(ascii: "<") }
        for start in 0...place {
          let found = bytes.span.firstMark(from: start) { word in
            ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "<")))
          }
          #expect(found == place)
        }
      }
    }
  }

  @Test("ASCII is told from all else wherever it stands")
  func ascii() {
    for count in 0..<26 {
      var bytes = [UInt8](repeating: 0x7F, count: count)
      #expect(bytes.span.isASCII == true)
      for place in 0..<count {
        bytes[place] = 0x80
        #expect(bytes.span.isASCII == false)
        #expect((bytes.span.contains { $0 == 0x80 }) == true)
        bytes[place] = 0x7F
      }
      #expect((bytes.span.contains { $0 == 0x80 }) == false)
    }
  }

  private static let texts: [String] = {
    let tails = ["", "a", "b", "é", "\u{E000}", "\u{FFFD}", "😀", "\u{10FFFF}"]
    return (0..<20).flatMap { count in
      tails.map { String(repeating: "x", count: count) + $0 } + ["\(String(repeating: "x", count: count))éz"]
    }
  }()

  @Test("equality and both orders are those of the standard library")
  func order() {
    for left in SpanTests.texts {
      for right in SpanTests.texts {
        let (leftBytes, rightBytes) = (Array(left.utf8), Array(right.utf8))
        let common = zip(leftBytes, rightBytes).prefix { $0 == $1 }.count
        #expect(leftBytes.span.hasEqualBytes(as: rightBytes.span) == (leftBytes == rightBytes))
        #expect(leftBytes.span.hasEqualLongBytes(as: rightBytes.span) == (leftBytes == rightBytes))
        #expect(haveEqualBytes(left, right) == (leftBytes == rightBytes))
        #expect(leftBytes.span.commonPrefixCount(with: rightBytes.span) == common)
        #expect(leftBytes.span.precedes(rightBytes.span) == leftBytes.lexicographicallyPrecedes(rightBytes))
        #expect(
          leftBytes.span.precedesByUTF16(rightBytes.span)
            == left.utf16.lexicographicallyPrecedes(right.utf16))
      }
    }
  }

  @Test("long buffers differ wherever one byte does")
  func longBytes() {
    let bytes = (0..<100).map { UInt8($0) }
    #expect(bytes.span.hasEqualLongBytes(as: Array(bytes).span) == true)
    for place in bytes.indices {
      var other = bytes
      other[place] ^= 0x80
      #expect(bytes.span.hasEqualLongBytes(as: other.span) == false)
    }
  }

  @Test("eight bytes as a number have the order of the bytes")
  func orderedWords() {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    #expect(bytes.span.orderedWord(from: 0) == 0x0102_0304_0506_0708)
    #expect(bytes.span.orderedWord(from: 1) == 0x0203_0405_0607_0809)
    #expect(bytes.span.orderedWord(from: 6) == 0x0708_0900_0000_0000)
    #expect(bytes.span.orderedWord(from: 9) == 0)
    #expect(bytes.span.orderedWord(from: 20) == 0)
  }

  @Test("strings are made of bytes and give them back")
  func strings() {
    for text in SpanTests.texts {
      #expect(text.withBytes { [UInt8]($0) } == Array(text.utf8))
      #expect(text.withBytes { String(utf8: $0) } == text)
      #expect(
        String(utf8Count: text.utf8.count) { output in for byte in text.utf8 { output.append(byte) } } == text
      )
    }
    #expect(String(utf8: ([0x61, 0xFF] as [UInt8]).span) == "a\u{FFFD}")
    #expect(("plist" as StaticString).withBytes { [UInt8]($0) } == Array("plist".utf8))
    #expect(("plist" as StaticString).byte(at: 4) == UInt8(ascii: "t"))
  }
}
