/// How one style writes strings: which may stand bare, and which characters need an escape.
struct StringQuoting {
  /// What a byte asks of the string that holds it; bits, so that a whole string's needs add up.
  private enum Need {
    static let nothing: UInt8 = 0
    static let quotes: UInt8 = 1
    /// Only a look at the characters can tell; quotes are needed in any case.
    static let escapes: UInt8 = 2
  }

  private let style: PropertyList.Style
  /// The need of each of the 256 bytes.
  private let needs: [UInt8]

  init(style: PropertyList.Style) {
    self.style = style
    needs = (UInt8.min...UInt8.max).map { byte in
      switch byte {
      // What every reader of any lineage takes without quotes.
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
        Need.nothing
      case 0, UInt8(ascii: "\r"), UInt8(ascii: "\""), UInt8(ascii: "\\"):
        Need.escapes
      case 0x20...0x7E:
        Need.quotes
      default:
        style == .openStep ? Need.quotes : Need.escapes
      }
    }
  }

  /// Appends a string, in quotes unless every reader takes it bare; O(n) in its length.
  func append(_ text: String, to output: inout [UInt8]) {
    var text = text
    // The buffer is read inside the closure only.
    let need = text.withUTF8 { bytes in
      bytes.isEmpty ? Need.quotes : bytes.reduce(Need.nothing) { $0 | needs[Int($1)] }
    }
    if need == Need.nothing {
      output.append(contentsOf: text.utf8)
      return
    }
    output.append(UInt8(ascii: "\""))
    if need & Need.escapes == 0 {
      output.append(contentsOf: text.utf8)
    } else {
      for scalar in text.unicodeScalars { append(scalar, to: &output) }
    }
    output.append(UInt8(ascii: "\""))
  }

  private func append(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
    switch scalar {
    case "\"", "\\":
      output.append(UInt8(ascii: "\\"))
      output.append(UInt8(ascii: scalar))
    case "\r":
      // Raw, it would be at the mercy of whatever converts line ends.
      output.append(contentsOf: "\\r".utf8)
    case "\0":
      // Raw, it ends the text for readers of C strings, and as second byte it looks like UTF-16.
      output.append(contentsOf: "\\000".utf8)
    case _ where isRaw(scalar):
      output.append(contentsOf: scalar.utf8)
    case "\u{7}"..."\u{C}":
      output.append(UInt8(ascii: "\\"))
      output.append(Array("abtnvf".utf8)[Int(scalar.value) - 7])
    case _ where scalar.isASCII:
      // All three digits, since the character after it may be a digit too.
      output.append(contentsOf: "\\\(digits(of: scalar.value, radix: 8, count: 3))".utf8)
    default:
      for unit in scalar.utf16 {
        output.append(contentsOf: "\\U\(digits(of: UInt32(unit), radix: 16, count: 4))".utf8)
      }
    }
  }

  /// Whether a character other than the quote and the backslash stands for itself.
  private func isRaw(_ scalar: Unicode.Scalar) -> Bool {
    switch style {
    case .openStep: true
    case .ascii, .gnustep: (0x20...0x7E).contains(scalar.value)
    case .oneLine: !isControlOrLineEnd(scalar)
    }
  }

  private func isControlOrLineEnd(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
    default: false
    }
  }

  private func digits(of value: UInt32, radix: Int, count: Int) -> String {
    let digits = String(value, radix: radix, uppercase: true)
    return String(repeating: "0", count: count - digits.utf8.count) + digits
  }
}
