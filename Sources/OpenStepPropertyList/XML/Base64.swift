/// Base64 with white space, in which XML property lists contain data.
enum Base64 {
  /// An error in a text, with its offset.
  struct Failure: Error {
    let message: String
    let offset: Int
  }

  /// The value of each byte as a digit; 64 for white space, 65 for `=` and 128 for all other bytes.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 128, count: 256)
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (value, digit) in digits.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
    for space in [0x20, 0x09, 0x0A, 0x0D] { values[space] = 64 }
    values[Int(UInt8(ascii: "="))] = 65
    return values
  }()

  /// Decodes a text, which has to be complete, with its padding.
  static func decoded(_ text: Span<UInt8>) -> Result<[UInt8], Failure> {
    do throws(Failure) {
      var output = TextOutput(capacity: 0)
      let capacity = text.count / 4 * 3 + 3
      return .success(
        try output.array(capacity: capacity) { (output) throws(Failure) in
          try output.append(atMost: capacity) { (room) throws(Failure) in try decode(text, into: &room) }
        })
    } catch {
      return .failure(error)
    }
  }

  private static func decode(_ text: Span<UInt8>, into room: inout OutputRoom) throws(Failure) {
    let values = values.span
    var index = 0
    // The digits of an incomplete group of four.
    var (bits, digitCount): (UInt32, Int) = (0, 0)
    while index < text.count {
      while digitCount == 0, index + 8 <= text.count,
        let bytes = ByteClasses.bytes(ofBase64: text.word(at: index))
      {
        room.append(word: (bytes &<< 16).byteSwapped, count: 6)
        index += 8
      }
      guard index < text.count else { break }
      let value = values[Int(text[index])]
      if value < 64 {
        bits = bits << 6 | UInt32(value)
        digitCount += 1
        if digitCount == 4 {
          append(bits, count: 3, to: &room)
          (bits, digitCount) = (0, 0)
        }
      } else if value == 65 {
        return try finish(text, at: index, bits, digitCount, into: &room)
      } else if value != 64 {
        throw Failure(message: "the data has a character that is no digit of base64", offset: index)
      }
      index += 1
    }
    if digitCount > 0 { throw incomplete(at: text.count) }
  }

  /// Appends up to three bytes of 24 bits, the highest byte first.
  @inline(__always)
  private static func append(_ bits: UInt32, count: Int, to room: inout OutputRoom) {
    room.append(word: UInt64((bits &<< 8).byteSwapped), count: count)
  }

  /// Parses the padding at an index, and appends the bytes of the last digits.
  private static func finish(
    _ text: Span<UInt8>, at start: Int, _ bits: UInt32, _ digitCount: Int, into room: inout OutputRoom
  ) throws(Failure) {
    var padding = 0
    for index in start..<text.count where values[Int(text[index])] != 64 {
      guard values[Int(text[index])] == 65 else {
        throw Failure(message: "the base64 data continues after “=”, which marks its end", offset: index)
      }
      padding += 1
    }
    guard digitCount >= 2, digitCount + padding == 4 else { throw incomplete(at: start) }
    append(bits << UInt32(6 * padding), count: digitCount - 1, to: &room)
  }

  private static func incomplete(at offset: Int) -> Failure {
    Failure(
      message: "the base64 data is incomplete: its digits and “=” must form groups of four", offset: offset)
  }

  /// Appends the digits of bytes, with padding.
  static func append(_ bytes: Span<UInt8>, to output: inout TextOutput) {
    output.append(atMost: (bytes.count + 2) / 3 * 4) { room in
      var index = 0
      while index + 8 <= bytes.count {
        let six = bytes.word(at: index).byteSwapped &>> 16
        room.append(word: ByteClasses.base64Digits(of: six), count: 8)
        index += 6
      }
      while index < bytes.count {
        let count = min(bytes.count - index, 3)
        var three: UInt64 = 0
        for place in 0..<count { three |= UInt64(bytes[index + place]) &<< UInt64(40 - 8 * place) }
        room.append(word: ByteClasses.base64Digits(of: three), count: count + 1)
        for _ in count..<3 { room.append(UInt8(ascii: "=")) }
        index += 3
      }
    }
  }
}
