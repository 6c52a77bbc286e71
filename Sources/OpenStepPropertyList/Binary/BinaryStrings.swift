/// Converts the strings of a binary property list to and from UTF-8: they are ASCII or big-endian UTF-16.
enum BinaryStrings {
  // MARK: - Reading

  /// The string of UTF-16 code units, and the index of the first lone surrogate.
  ///
  /// A lone surrogate becomes U+FFFD, because a Swift string contains only characters.
  static func string(utf16 bytes: Span<UInt8>) -> (String, loneSurrogate: Int?) {
    var loneSurrogate: Int?
    // The bytes are counted first, because three bytes for each unit would be mostly unused in Latin text.
    var byteCount = 0
    transcode(bytes) { _ in
      byteCount += 1
    } lone: {
      loneSurrogate = loneSurrogate ?? $0
    }
    let text = String(utf8Count: byteCount) { text in
      transcode(bytes) {
        text.append($0)
      } lone: { _ in
      }
    }
    return (text, loneSurrogate)
  }

  /// Gives the bytes of the string in UTF-8 one by one.
  @inline(__always)
  private static func transcode(_ bytes: Span<UInt8>, put: (UInt8) -> Void, lone: (Int) -> Void) {
    let count = bytes.count / 2
    func unit(_ index: Int) -> UInt32 { UInt32(bytes[2 * index]) << 8 | UInt32(bytes[2 * index + 1]) }
    var index = 0
    while index < count {
      var scalar = unit(index)
      if scalar & 0xF800 == 0xD800 {
        if scalar < 0xDC00, index + 1 < count, unit(index + 1) & 0xFC00 == 0xDC00 {
          scalar = 0x10000 + (scalar & 0x3FF) << 10 + unit(index + 1) & 0x3FF
          index += 1
        } else {
          lone(index)
          scalar = 0xFFFD
        }
      }
      index += 1
      if scalar < 0x80 {
        put(UInt8(truncatingIfNeeded: scalar))
        continue
      }
      let length = scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
      let lead: UInt32 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
      put(UInt8(truncatingIfNeeded: lead | scalar >> UInt32(6 * (length - 1))))
      for following in 1..<length {
        put(UInt8(truncatingIfNeeded: 0x80 | scalar >> UInt32(6 * (length - 1 - following)) & 0x3F))
      }
    }
  }

  // MARK: - Writing

  /// The number of UTF-16 code units of a string in well-formed UTF-8.
  static func utf16Count(_ text: Span<UInt8>) -> Int {
    // The first byte of each character gives one unit, or two if the character is beyond U+FFFF.
    var count = 0
    for place in 0..<text.count {
      let byte = text[place]
      count &+= (byte & 0xC0 != 0x80 ? 1 : 0) &+ (byte >= 0xF0 ? 1 : 0)
    }
    return count
  }

  /// Appends the units that ``utf16Count(_:)`` counts, each in two bytes.
  static func append(utf16Of text: Span<UInt8>, to output: inout TextOutput) {
    var index = 0
    func following(_ number: Int) -> UInt32 { UInt32(text[index + number] & 0x3F) }
    func put(_ unit: UInt32) {
      output.append(word: UInt64(UInt16(truncatingIfNeeded: unit).byteSwapped), count: 2)
    }
    while index < text.count {
      let lead = UInt32(text[index])
      if lead < 0x80 {
        put(lead)
        index += 1
      } else if lead < 0xE0 {
        put((lead & 0x1F) << 6 | following(1))
        index += 2
      } else if lead < 0xF0 {
        put((lead & 0xF) << 12 | following(1) << 6 | following(2))
        index += 3
      } else {
        let scalar = (lead & 0x7) << 18 | following(1) << 12 | following(2) << 6 | following(3)
        put(0xD800 + (scalar - 0x10000) >> 10)
        put(0xDC00 + scalar & 0x3FF)
        index += 4
      }
    }
  }
}
