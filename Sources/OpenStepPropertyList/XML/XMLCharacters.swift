/// The characters that XML 1.0 allows.
enum XMLCharacters {
  static func contains(_ codePoint: UInt32) -> Bool {
    switch codePoint {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }
}
