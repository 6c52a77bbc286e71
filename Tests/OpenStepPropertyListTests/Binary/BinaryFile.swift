/// Binary property lists that are put together by hand.
enum BinaryFile {
  /// A file of such objects, in which everything has its place.
  static func bytes(
    _ objects: [[UInt8]], root: Int = 0, referenceSize: Int = 1, offsetSize: Int = 4
  ) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += bigEndian(bytes.count, size: offsetSize)
      bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    return bytes + bigEndian(objects.count, size: 8) + bigEndian(root, size: 8) + bigEndian(table, size: 8)
  }

  static func bigEndian(_ value: some FixedWidthInteger, size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Four bytes at once, as files of a million objects take long without optimization.
  private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// A short ASCII string.
  static func string(_ text: String) -> [UInt8] {
    precondition(text.utf8.count < 15, "longer strings have another form")
    return [0x50 | UInt8(text.utf8.count)] + Array(text.utf8)
  }

  /// The bytes of hexadecimal digits; white space between them is left out.
  static func hexadecimal(_ digits: String) -> [UInt8] {
    let digits = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// Arrays in one another around `true`, with references of four bytes.
  static func nested(_ depth: Int) -> [UInt8] {
    var (objects, offsets) = (Array("bplist00".utf8), [] as [UInt8])
    for object in 0...depth {
      append(UInt32(objects.count), to: &offsets)
      objects.append(object == depth ? 0x09 : 0xA1)
      if object < depth { append(UInt32(object + 1), to: &objects) }
    }
    let table = bigEndian(objects.count, size: 8)
    return objects + offsets + [0, 0, 0, 0, 0, 0, 4, 4] + bigEndian(depth + 1, size: 8)
      + bigEndian(0, size: 8)
      + table
  }

  /// Arrays of which each names the next one twice, and the last one `true`.
  static func bomb(levels: Int) -> [UInt8] {
    bytes((0..<levels).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x09]])
  }

  /// What Python's plistlib writes of a dictionary of every kind of value, its keys sorted.
  static let plistlib = hexadecimal(
    """
    62706c6973743030d80102030405060708090f101116232425556172726179556279746573546461746555656d7074795869
    6e746567657273546c6f6e6754746578745475696473a60a0a0b0c0d0e517810010908233ff80000000000004200ff3341c5
    c854a0000000a41213141550a0d040ac1718191a1b1c1d1e1f202122100010ff11010011ffff120001000012ffffffff1300
    00000100000000137fffffffffffffff13ffffffffffffffff13800000000000000014000000000000000080000000000000
    00140000000000000000ffffffffffffffff5f100f6161616161616161616161616161616700630061006600e90020d83dde
    00a32627288005810100830001000000080019001f0025002a00300039003e00430048004f0051005300540055005e006100
    6a006f00700071007200730080008200840087008a008f0094009d00a600af00b800c900da00ec00fb00ff01010104000000
    0000000201000000000000002900000000000000000000000000000109
    """)

  /// What GNUstep writes of such a dictionary, a reference of an archive among it; its largest number became 2^63−1.
  static let gnustep = hexadecimal(
    """
    62706c6973743030dc0102030405060708090a0b0c0d0e0f1011121314151617185175517253617272536173635264745174
    5162546c6f6e67516451735161536269678007233ff8000000000000a419191a1b536162633340140000000000000911012c
    5f101a6162636465666768696a6b6c6d6e6f707172737475767778797a430102036300e9d83dde0013fffffffffffffffb13
    7fffffffffffffff5178a0d008212325292d303234393b3d3f43454e535760616481858c959ea0a100000000000001010000
    00000000001c000000000000000000000000000000a2
    """)
}
