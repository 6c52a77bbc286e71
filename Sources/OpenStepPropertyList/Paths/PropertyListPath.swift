/// A path into a property list as a person writes it: `.Window.frames[2].x`.
///
/// A step is a dictionary's key behind a dot, an array's index in brackets, or `[+]` for a new element. Where a
/// ``PropertyListPathStep`` names a place of one property list, a step here may depend on the list: `[-1]` is the
/// last element, and `[+]` a place behind it.
package struct PropertyListPath: Hashable, Sendable {
  /// A step of a path.
  package enum Step: Hashable, Sendable {
    /// The entry of a dictionary with this key.
    case key(PropertyListKey)
    /// The element of an array: from 0 on, or counted from the end, -1 being the last.
    case index(Int)
    /// A new element before the one at this index, which counts from 0; a new last one for nil.
    case insertion(before: Int?)
  }

  /// The steps from the outermost container; none for the whole property list.
  package let steps: [Step]

  /// Makes a path of its steps.
  package init(_ steps: [Step]) {
    self.steps = steps
  }

  /// Makes the path to a place of a property list.
  package init(_ steps: some Sequence<PropertyListPathStep>) {
    self.steps = steps.map { step in
      switch step {
      case .key(let key): .key(key)
      case .index(let index): .index(index)
      }
    }
  }
}

extension PropertyListPath: CustomStringConvertible {
  /// The text that ``init(_:)-(String)`` reads back: `.` for no step, otherwise the steps, where a key that is no
  /// plain name is in double quotes.
  package var description: String { text { _ in false } }

  /// The same text, in which more characters are escaped.
  ///
  /// - Parameter isEscaped: Whether a character is escaped; not asked for what is never written as it stands.
  package func text(escaping isEscaped: (Unicode.Scalar) -> Bool) -> String {
    steps.isEmpty ? "." : PropertyListPath.text(of: steps[...], escaping: isEscaped)
  }

  /// The text of a part of a path.
  package static func text(
    of steps: ArraySlice<Step>, escaping isEscaped: (Unicode.Scalar) -> Bool = { _ in false }
  ) -> String {
    var text = ""
    for step in steps {
      switch step {
      case .key(let key): text += "." + PropertyListPath.name(of: key, escaping: isEscaped)
      case .index(let index): text += "[\(index)]"
      case .insertion(let index): text += "[+\(index.map(String.init) ?? "")]"
      }
    }
    return text
  }

  /// A key as a step has it: a plain name, or a string in double quotes with escapes.
  private static func name(
    of key: PropertyListKey, escaping isEscaped: (Unicode.Scalar) -> Bool
  ) -> String {
    func isPlain(_ scalar: Unicode.Scalar) -> Bool { PropertyListPath.isPlain(scalar) && !isEscaped(scalar) }
    if !key.text.isEmpty, key.text.unicodeScalars.allSatisfy(isPlain) { return key.text }
    var name = "\""
    for scalar in key.text.unicodeScalars {
      switch scalar {
      case "\"", "\\": name += "\\\(scalar)"
      case _ where isPlain(scalar) || scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F:
        name.unicodeScalars.append(scalar)
      default:
        for unit in scalar.utf16 {
          let digits = String(unit, radix: 16)
          name += "\\U" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
      }
    }
    return name + "\""
  }

  /// Whether a character may stand in a name without quotes.
  static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ".", "[", "]", "\"", "'", "\\": return false
    default: break
    }
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF: return false
    default: return true
    }
  }
}
