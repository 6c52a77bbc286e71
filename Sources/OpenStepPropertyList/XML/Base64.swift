/// Base64 with white space in it, as property lists hold data.
enum Base64 {
  /// What is wrong with a text, and where in it.
  struct Failure: Error {
    let message: String
    let offset: Int
  }

  /// The value of each byte as a digit; 64 for white space, 65 for `=` and 128 for all others.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 128, count: 256)
    for value in 0..<64 { values[Int(digits.utf8Start[value])] = UInt8(value) }
    for space in [0x20, 0x09, 0x0A, 0x0D] { values[space] = 64 }
    values[Int(UInt8(ascii: "="))] = 65
    return values
  }()

  private static let digits: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /// The bytes that a text stands for; it has to be whole, with its padding.
  static func decoded(_ text: UnsafeBufferPointer<UInt8>) -> Result<[UInt8], Failure> {
    var failure: Failure?
    let result = values.withUnsafeBufferPointer { values in
      [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { buffer, count in
        count = 0
        failure = decode(text, values, into: buffer, &count)
      }
    }
    if let failure { return .failure(failure) }
    // White space takes room that the data does not.
    return .success(result.count < result.capacity * 3 / 4 ? Array(result[...]) : result)
  }

  private static func decode(
    _ text: UnsafeBufferPointer<UInt8>, _ values: UnsafeBufferPointer<UInt8>,
    into buffer: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
  ) -> Failure? {
    var index = 0
    // The digits of four that are not whole yet.
    var (bits, digitCount): (UInt32, Int) = (0, 0)
    while index < text.count {
      while digitCount == 0, index + 4 <= text.count {
        let (first, second) = (values[Int(text[index])], values[Int(text[index + 1])])
        let (third, fourth) = (values[Int(text[index + 2])], values[Int(text[index + 3])])
        if (first | second | third | fourth) >= 64 { break }
        buffer[count] = first &<< 2 | second &>> 4
        buffer[count + 1] = second &<< 4 | third &>> 2
        buffer[count + 2] = third &<< 6 | fourth
        count += 3
        index += 4
      }
      guard index < text.count else { break }
      let value = values[Int(text[index])]
      if value < 64 {
        bits = bits << 6 | UInt32(value)
        digitCount += 1
        if digitCount == 4 {
          for shift in [16, 8, 0] as [UInt32] {
            buffer[count] = UInt8(truncatingIfNeeded: bits >> shift)
            count += 1
          }
          (bits, digitCount) = (0, 0)
        }
      } else if value == 65 {
        return finish(text, values, at: index, bits, digitCount, into: buffer, &count)
      } else if value != 64 {
        return Failure(message: "the data has a character that is no digit of base64", offset: index)
      }
      index += 1
    }
    return digitCount == 0 ? nil : incomplete(at: text.count)
  }

  /// Takes the padding at an index, and the bytes of the last digits.
  private static func finish(
    _ text: UnsafeBufferPointer<UInt8>, _ values: UnsafeBufferPointer<UInt8>, at start: Int, _ bits: UInt32,
    _ digitCount: Int, into buffer: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
  ) -> Failure? {
    var padding = 0
    for index in start..<text.count where values[Int(text[index])] != 64 {
      guard values[Int(text[index])] == 65 else {
        return Failure(message: "the base64 data goes on behind its end, which “=” marks", offset: index)
      }
      padding += 1
    }
    guard digitCount >= 2, digitCount + padding == 4 else { return incomplete(at: start) }
    let whole = bits << UInt32(6 * padding)
    for shift in [16, 8].prefix(digitCount - 1) as ArraySlice<UInt32> {
      buffer[count] = UInt8(truncatingIfNeeded: whole >> shift)
      count += 1
    }
    return nil
  }

  private static func incomplete(at offset: Int) -> Failure {
    Failure(message: "the base64 data is not whole: its digits and “=” come in fours", offset: offset)
  }

  /// Appends the digits of bytes, with padding.
  static func append(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout TextOutput) {
    output.append(count: (bytes.count + 2) / 3 * 4) { buffer in
      var (index, place) = (0, 0)
      let digits = Base64.digits.utf8Start
      while index < bytes.count {
        let first = bytes[index]
        let second = index + 1 < bytes.count ? bytes[index + 1] : 0
        let third = index + 2 < bytes.count ? bytes[index + 2] : 0
        buffer[place] = digits[Int(first &>> 2)]
        buffer[place + 1] = digits[Int((first & 3) &<< 4 | second &>> 4)]
        buffer[place + 2] =
          index + 1 < bytes.count ? digits[Int((second & 15) &<< 2 | third &>> 6)] : UInt8(ascii: "=")
        buffer[place + 3] = index + 2 < bytes.count ? digits[Int(third & 63)] : UInt8(ascii: "=")
        index += 3
        place += 4
      }
    }
  }
}
