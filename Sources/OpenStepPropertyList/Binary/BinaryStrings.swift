/// Strings between a binary property list and UTF-8: ASCII as it is, all others in big-endian UTF-16.
enum BinaryStrings {
  /// Whether all bytes are below 0x80, eight at a time.
  @inline(__always)
  static func areASCII(_ bytes: UnsafeRawPointer, count: Int) -> Bool {
    var all: UInt64 = 0
    var offset = 0
    while offset + 8 <= count {
      all |= word(bytes, at: offset)
      offset += 8
    }
    return (all | tailWord(bytes + offset, count: count - offset)) & ByteClasses.topBits == 0
  }

  // MARK: - Reading

  /// The string of bytes that are ASCII.
  @inline(__always)
  static func string(ascii bytes: UnsafeRawPointer, count: Int) -> String {
    String(
      decoding: UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: UInt8.self), count: count),
      as: UTF8.self)
  }

  /// The string of so many units of UTF-16, and the number of the first that is half of no pair.
  ///
  /// Such a half becomes U+FFFD, as a Swift string holds characters only.
  static func string(utf16 units: UnsafeRawPointer, count: Int) -> (String, loneSurrogate: Int?) {
    var loneSurrogate: Int?
    // Counted first: of a long text in Latin letters three bytes a unit would be mostly room that is never used.
    let byteCount = transcode(units, count: count) { _, _ in
    } lone: {
      loneSurrogate = loneSurrogate ?? $0
    }
    let text = String(unsafeUninitializedCapacity: byteCount) { buffer in
      guard let target = buffer.baseAddress else { return 0 }
      return transcode(units, count: count) {
        target[$0] = $1
      } lone: { _ in
      }
    }
    return (text, loneSurrogate)
  }

  /// Gives the bytes of UTF-8 one after the other with their places, and returns how many there are.
  @inline(__always)
  private static func transcode(
    _ units: UnsafeRawPointer, count: Int, put: (Int, UInt8) -> Void, lone: (Int) -> Void
  ) -> Int {
    func unit(_ index: Int) -> UInt32 {
      UInt32(units.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self).bigEndian)
    }
    var (index, place) = (0, 0)
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
        put(place, UInt8(truncatingIfNeeded: scalar))
        place += 1
        continue
      }
      let length = scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
      let lead: UInt32 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
      put(place, UInt8(truncatingIfNeeded: lead | scalar >> UInt32(6 * (length - 1))))
      for following in 1..<length {
        put(
          place + following,
          UInt8(truncatingIfNeeded: 0x80 | scalar >> UInt32(6 * (length - 1 - following)) & 0x3F))
      }
      place += length
    }
    return place
  }

  // MARK: - Writing

  /// How many units of UTF-16 the well-formed UTF-8 of a string makes.
  static func utf16Count(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    // Each byte that begins a character makes a unit; each that begins one beyond U+FFFF, two.
    var count = 0
    for byte in text { count &+= (byte & 0xC0 != 0x80 ? 1 : 0) &+ (byte >= 0xF0 ? 1 : 0) }
    return count
  }

  /// Stores the units that ``utf16Count(_:)`` counts, each in two bytes.
  static func store(utf16Of text: UnsafeBufferPointer<UInt8>, at target: UnsafeMutableRawPointer) {
    var (index, place) = (0, 0)
    func following(_ number: Int) -> UInt32 { UInt32(text[index + number] & 0x3F) }
    func put(_ unit: UInt32) {
      target.storeBytes(of: UInt16(truncatingIfNeeded: unit).bigEndian, toByteOffset: place, as: UInt16.self)
      place += 2
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
