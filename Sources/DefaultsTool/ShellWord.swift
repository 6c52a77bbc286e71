/// A text as one word of a POSIX shell's command line.
enum ShellWord {
  /// The text as a word that every POSIX shell reads, for a command that is to be run.
  ///
  /// What has to be escaped takes a command inside the word, which is hard to read: keys and values are to be escaped
  /// as property lists before. Line feeds at the text's end stand as they are, since a shell removes them from what a
  /// command prints.
  ///
  /// - Parameter isEscaped: Whether a character is escaped; true at least for those that ``text(_:escaping:)`` escapes.
  static func portable(
    _ text: String, escaping isEscaped: (Unicode.Scalar) -> Bool = \.breaksLines
  ) -> String {
    guard text.unicodeScalars.contains(where: isEscaped) else {
      return ShellWord.text(text, escaping: isEscaped)
    }
    var rest = Substring(text).unicodeScalars
    var lineFeeds = ""
    while rest.last == "\n" {
      rest.removeLast()
      lineFeeds += "\n"
    }
    var word = rest.isEmpty ? "" : "\"$(printf %b '"
    for scalar in rest {
      if !isEscaped(scalar), scalar == " " || scalar.utf8.allSatisfy(isPlain) {
        word.unicodeScalars.append(scalar)
      } else {
        // The quotes around the command would not protect each special character in every shell.
        for byte in scalar.utf8 { word += "\\0" + octal(byte) }
      }
    }
    if !rest.isEmpty { word += "')\"" }
    return lineFeeds.isEmpty ? word : word + "'\(lineFeeds)'"
  }

  /// The text itself if no character in it is special to the shell; otherwise in quotes.
  ///
  /// Control characters and line separators are escaped, so that the word stays on one line and cannot
  /// control a terminal. That takes `$'…'`, which POSIX has since 2024 and not every `sh` knows: it is for lines that
  /// people read, and ``portable(_:escaping:)`` is for commands.
  ///
  /// - Parameter isEscaped: Whether a character is escaped; true at least for those.
  static func text(_ text: String, escaping isEscaped: (Unicode.Scalar) -> Bool = \.breaksLines) -> String {
    if text.unicodeScalars.contains(where: isEscaped) { return "$'\(escaped(text, isEscaped))'" }
    if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
    // By scalars, since a quote with a combining mark is another character in Swift.
    var word = "'"
    for scalar in text.unicodeScalars {
      if scalar == "'" { word += "'\\''" } else { word.unicodeScalars.append(scalar) }
    }
    return word + "'"
  }

  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return String(repeating: "0", count: 3 - digits.utf8.count) + digits
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ":"): true
    case 0x80...0xFF: true
    default: false
    }
  }

  /// The text for `$'…'`, with the bytes of escaped characters as octal numbers.
  private static func escaped(_ text: String, _ isEscaped: (Unicode.Scalar) -> Bool) -> String {
    var word = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'", "\\":
        word += "\\\(scalar)"
      case _ where isEscaped(scalar):
        for byte in scalar.utf8 { word += "\\" + octal(byte) }
      default:
        word.unicodeScalars.append(scalar)
      }
    }
    return word
  }
}
