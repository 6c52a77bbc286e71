/// A text property list as a large domain is: ASCII, a dictionary of values of all kinds.
enum TestText {
  /// A text of at least so many bytes, the same one in each run.
  static func make(bytes count: Int) -> [UInt8] {
    var random = Generator(state: 7)
    var text: [UInt8] = Array("{\n".utf8)
    text.reserveCapacity(count + 1000)
    var number = 0
    while text.count < count {
      number += 1
      text += "    \(key(number)) = \(value(number, &random));\n".utf8
    }
    return text + "}\n".utf8
  }

  /// The name of an entry, counted from 1.
  static func key(_ number: Int) -> String { "Entry\(number)" }

  private static func value(_ number: Int, _ random: inout Generator) -> String {
    let word = "Value\(random.next() % 100_000)"
    return switch random.next() % 20 {
    case 0..<10: word
    case 10..<14: "\"some words of \(word), \\\"quoted\\\" and \\\\ escaped\""
    case 14..<17:
      "{Name = \"\(word) \(number)\"; Count = \(number); Path = \"/Users/ann/\(word)\"; Visible = YES; "
        + "Frame = \"120 80 640 480\"; }"
    case 17..<19: "(\((0..<8).map { _ in "\(random.next() % 10_000)" }.joined(separator: ", ")))"
    default: "<\((0..<8).map { _ in eightDigits(random.next()) }.joined(separator: " "))>"
    }
  }

  private static func eightDigits(_ bits: UInt64) -> String {
    String(bits % 0xf000_0000 + 0x1000_0000, radix: 16)
  }
}
