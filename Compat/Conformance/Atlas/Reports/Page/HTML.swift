import Foundation
import OpenStepPropertyList

/// Text in the form in which a page shows it.
enum HTML {
  /// The bytes of an input, or of an answer, above which it is cut on the page.
  static let longest = 200

  /// A text with marks in place of the characters that HTML reserves, and signs in place of those that cannot
  /// be seen.
  static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\0"..<" ": result.unicodeScalars.append(picture(of: scalar))
      default:
        if isInvisible(scalar) {
          result += "⟨U+\(String(scalar.value, radix: 16, uppercase: true))⟩"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  /// The sign that Unicode has for a control character, such as ␊.
  private static func picture(of control: Unicode.Scalar) -> Unicode.Scalar {
    Unicode.Scalar(0x2400 + control.value) ?? control
  }

  /// Whether a character has no shape, changes the direction of the text, or is no character.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: true
    default: false
    }
  }

  /// JSON as code, cut if it is long.
  static func code(_ json: JSON) -> String {
    let text = json.description
    return text.utf8.count <= longest ? "<code>\(escaped(text))</code>" : cut(text, of: Array(text.utf8))
  }

  /// The input of a text question as code, cut if it is long.
  static func code(ofBase64 base64: String) -> String {
    let bytes = Array(Data(base64Encoded: base64) ?? Data())
    if let text = String(validating: bytes, as: UTF8.self) {
      return bytes.count <= longest ? "<code>\(escaped(text))</code>" : cut(text, of: bytes)
    }
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    return bytes.count <= longest ? "bytes <code>\(digits)</code>" : cut("bytes \(digits)", of: bytes)
  }

  /// The beginning of a text, with the number of bytes that are meant and their hash.
  private static func cut(_ text: String, of bytes: [UInt8]) -> String {
    "<code>\(escaped(String(text.prefix(80))))</code>… (\(bytes.count) bytes, FNV-1a \(hash(bytes)))"
  }

  /// The FNV-1a hash of 64 bits, by which two long texts can be told apart.
  static func hash(_ bytes: some Sequence<UInt8>) -> String {
    let value = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
