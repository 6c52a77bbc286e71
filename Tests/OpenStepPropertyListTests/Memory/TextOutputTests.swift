import Testing

@testable import OpenStepPropertyList

/// The growing buffer against an array, over each size at which it grows.
@Suite struct TextOutputTests {
  private struct Failure: Error {}

  @Test("every kind of piece lands behind those before it, however small the buffer was", arguments: 0..<40)
  func pieces(capacity: Int) {
    var output = TextOutput(capacity: capacity)
    var expected: [UInt8] = []
    for round in 0..<30 {
      output.append(UInt8(round))
      expected.append(UInt8(round))
      let piece = (0..<round).map { UInt8($0 + 100) }
      output.append(piece.span)
      expected += piece
      output.append("text" as StaticString)
      expected += "text".utf8
      output.append(word: 0x0807_0605_0403_0201, count: round % 9)
      expected += (1..<9 as Range<UInt8>).prefix(round % 9)
      output.append(0x2E, count: round)
      expected += [UInt8](repeating: 0x2E, count: round)
      output.append(atMost: 2 * round) { room in
        for byte in piece { room.append(byte) }
        #expect(room.count == piece.count)
      }
      expected += piece
      output.checkInvariants()
    }
    #expect(output.bytes == expected)
    #expect(output.count == expected.count)
    #expect([UInt8](output.contents) == expected)
    output.truncate(to: 10)
    output.truncate(to: 20)
    #expect(output.bytes == Array(expected.prefix(10)))
    var other = TextOutput(capacity: 0)
    other.append(output)
    #expect(other.bytes == Array(expected.prefix(10)))
  }

  @Test("numbers have as many digits as they need, and at least those that are wanted")
  func digits() {
    var numbers: [UInt64] = [0, .max, UInt64(Int64.max)]
    var power: UInt64 = 1
    for _ in 0..<19 {
      power *= 10
      numbers += [power - 1, power, power + 1]
    }
    for number in numbers {
      for least in [0, 1, 5, 25] {
        var output = TextOutput(capacity: 0)
        output.append(digits: number, count: least)
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, least - digits.utf8.count))
        #expect(String(utf8: output.contents) == zeros + digits)
        output.checkInvariants()
      }
    }
  }

  @Test("a marked byte ends a copy wherever it stands, or forbids it")
  func copies() {
    for count in 0..<26 {
      for place in 0...count {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        if place < count { bytes[place] = UInt8(ascii: "\"") }
        var output = TextOutput(capacity: place)
        #expect(output.appendPlain(bytes.span) == place)
        #expect(output.bytes == Array(bytes[..<place]))
        #expect(output.appendIfBare(bytes.span) == (count > 0 && place == count))
        #expect(output.count == place + (place == count ? count : 0))
        output.checkInvariants()
      }
    }
  }

  @Test("an array takes over what is written and what follows, with room and without", arguments: 0..<30)
  func arrays(capacity: Int) {
    var output = TextOutput(capacity: 4)
    output.append("begun " as StaticString)
    let array = output.array(capacity: capacity) { output in
      for number in 0..<10 { output.append(digits: UInt64(number), count: 1) }
      output.checkInvariants()
    }
    #expect(array == Array("begun 0123456789".utf8))
    #expect(output.count == 0)
    output.append("again" as StaticString)
    #expect(output.bytes == Array("again".utf8))
    output.checkInvariants()
  }

  @Test("an array that turned out far too large is given in its own size")
  func trimming() {
    var output = TextOutput(capacity: 0)
    let array = output.array(capacity: 100_000) { $0.append("short" as StaticString) }
    #expect(array == Array("short".utf8))
    #expect(array.capacity < 1000)
  }

  @Test("a buffer that was swapped comes back with the bytes; after an error none are left")
  func swaps() {
    var writer = TextOutput()
    var whole = TextOutput(capacity: 0)
    whole.append("a" as StaticString)
    let array = whole.array(capacity: 1) { whole in
      swap(&writer, &whole)
      defer { swap(&writer, &whole) }
      for _ in 0..<100 { writer.append("b" as StaticString) }
    }
    #expect(array == Array(("a" + String(repeating: "b", count: 100)).utf8))
    for capacity in [0, 1000] {
      #expect(throws: Failure.self) {
        _ = try whole.array(capacity: capacity) { (output) throws(Failure) in
          output.append("c" as StaticString)
          throw Failure()
        }
      }
      whole.truncate(to: 0)
      whole.append("d" as StaticString)
      #expect(whole.bytes == Array("d".utf8))
      whole.checkInvariants()
      whole.truncate(to: 0)
    }
  }

  @Test("another buffer than was lent stops the program")
  func wrongBuffer() async {
    await #expect(processExitsWith: .failure) {
      var writer = TextOutput()
      var whole = TextOutput()
      _ = whole.array(capacity: 100) { swap(&writer, &$0) }
    }
  }

  @Test("more than there is room for stops the program", arguments: [true, false])
  func room(isWord: Bool) async {
    await #expect(processExitsWith: .failure) { [isWord = isWord as Bool] in
      var output = TextOutput()
      output.append(atMost: 3) { room in
        room.append(word: 0, count: 3)
        if isWord { room.append(word: 0, count: 1) } else { room.append(0) }
      }
    }
  }
}
