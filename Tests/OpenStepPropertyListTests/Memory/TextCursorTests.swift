import Testing

@testable import OpenStepPropertyList

/// Truth values are compared, because `#expect` takes a call apart and cannot keep a span.
@Suite struct TextCursorTests {
  private let bytes = Array("<key>name</key>".utf8)

  @Test("bytes and words are read up to the end and not beyond")
  func reading() {
    var cursor = TextCursor(bytes.span)
    for place in bytes.indices {
      #expect(cursor.byte == bytes[place])
      #expect(cursor.isAtEnd == false)
      for distance in 0..<20 {
        #expect(
          cursor.byte(ahead: distance) == (place + distance < bytes.count ? bytes[place + distance] : nil))
        let word = cursor.word(ahead: distance)
        #expect((word != nil) == (place + distance + 8 <= bytes.count))
        if let word { #expect(word == bytes.span.word(at: place + distance)) }
      }
      cursor.advance()
    }
    #expect(cursor.isAtEnd == true)
    #expect(cursor.byte == nil)
    cursor.advance(by: 3)
    #expect(cursor.byte == nil)
    #expect(cursor.byte(ahead: 0) == nil)
    #expect(cursor.word(ahead: 0) == nil)
    #expect(cursor.starts(with: "<") == false)
    #expect(cursor.stands("<", ahead: 1) == false)
    #expect(cursor.hasBehind(">") == false)
    cursor.skip { word in ByteClasses.zeros(word) }
    #expect(cursor.isAtEnd == true)
    cursor.checkInvariants()
  }

  @Test("texts are recognised at, ahead of and behind the cursor")
  func texts() {
    var cursor = TextCursor(bytes.span)
    #expect(cursor.starts(with: "<key>") == true)
    #expect(cursor.starts(with: "<kez>") == false)
    #expect(cursor.stands("name", ahead: 5) == true)
    #expect(cursor.stands("name", ahead: 4) == false)
    #expect(cursor.stands("</key>", ahead: 9) == true)
    #expect(cursor.stands("</key>>", ahead: 9) == false)
    #expect(cursor.hasBehind("<") == false)
    cursor.advance(by: 5)
    #expect(cursor.hasBehind("<key>") == true)
    #expect(cursor.hasBehind("x<key>") == false)
    #expect(cursor.text(from: 1) == "key>")
    cursor.move(to: bytes.count)
    #expect(cursor.text(from: 5) == "name</key>")
    #expect(cursor.slice(from: bytes.count).isEmpty == true)
    cursor.checkInvariants()
  }

  @Test("a place outside of the text stops the program", arguments: [-1, 4])
  func outside(place: Int) async {
    await #expect(processExitsWith: .failure) { [place = place as Int] in
      let bytes = Array("abc".utf8)
      var cursor = TextCursor(bytes.span)
      cursor.move(to: place)
    }
  }

  @Test("a slice from behind the cursor stops the program")
  func backwards() async {
    await #expect(processExitsWith: .failure) {
      let bytes = Array("abc".utf8)
      let cursor = TextCursor(bytes.span)
      _ = cursor.text(from: 2)
    }
  }
}
