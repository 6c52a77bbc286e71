/// What the colours of a terminal mean in this tool's output.
enum TerminalColour: String {
  /// Something that is only on the second side of a comparison.
  case added = "32"
  /// Something that is only on the first side of a comparison.
  case removed = "31"
  /// A heading, or the one line of several that counts.
  case strong = "1"
  /// A file without an error.
  case good = "92"
  /// The mark below the place of an error.
  case caret = "91"

  /// A text in this colour, by the codes of ECMA-48, with what ends it.
  func text(_ bytes: [UInt8]) -> [UInt8] {
    Array("\u{1B}[\(rawValue)m".utf8) + bytes + Array("\u{1B}[m".utf8)
  }
}
