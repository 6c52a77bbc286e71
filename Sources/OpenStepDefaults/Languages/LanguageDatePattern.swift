/// A date pattern in Unicode's notation (`EEEE, d MMMM y`), to be translated into
/// OPENSTEP's (`%A, %e %B %Y`).
struct LanguageDatePattern {
  private enum Part: Equatable {
    case field(letter: Unicode.Scalar, count: Int)
    case literal(String)
  }

  private let parts: [Part]

  /// Parses a pattern into fields and the text between them.
  init(_ pattern: String) {
    // By scalars: a quote and a combining mark behind it are one Character.
    let scalars = Array(pattern.unicodeScalars)
    var parts: [Part] = []
    var literal = ""
    var isQuoted = false
    var index = 0
    func endLiteral() {
      if !literal.isEmpty { parts.append(.literal(literal)) }
      literal = ""
    }
    while index < scalars.count {
      let scalar = scalars[index]
      if scalar == "'" {
        if index + 1 < scalars.count, scalars[index + 1] == "'" {
          literal += "'"
          index += 1
        } else {
          isQuoted.toggle()
        }
        index += 1
      } else if !isQuoted, Self.isLetter(scalar) {
        let end = scalars[index...].firstIndex { $0 != scalar } ?? scalars.count
        endLiteral()
        parts.append(.field(letter: scalar, count: end - index))
        index = end
      } else {
        literal.unicodeScalars.append(Self.plainSpace(scalar))
        index += 1
      }
    }
    endLiteral()
    self.parts = parts
  }

  /// The pattern in OPENSTEP's notation; a field without a counterpart is left out.
  var openStepFormat: String {
    var format = ""
    for part in parts {
      switch part {
      case .literal(let text):
        // The spaces around a field that was left out must not become two spaces.
        let text = format.last == " " || format.isEmpty ? text.drop { $0 == " " } : text[...]
        format += text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
      case .field(let letter, let count):
        format += conversion(of: letter, count: count) ?? ""
      }
    }
    while format.last == " " { format.removeLast() }
    return format
  }

  /// The order of day (D), month (M) and year (Y).
  var numberOrder: String {
    var order = ""
    for case .field(let letter, _) in parts {
      let sign: Character? =
        switch letter {
        case "d": "D"
        case "M", "L": "M"
        case "y", "u", "Y", "r": "Y"
        default: nil
        }
      if let sign, !order.contains(sign) { order.append(sign) }
    }
    return order
  }

  private func conversion(of letter: Unicode.Scalar, count: Int) -> String? {
    switch letter {
    case "E", "c": count == 4 ? "%A" : "%a"
    case "M", "L": count < 3 ? "%m" : count == 4 ? "%B" : "%b"
    // OPENSTEP wrote a day between numbers with two digits, and beside a month's name without a leading zero.
    case "d": count == 2 || hasNumericMonth ? "%d" : "%e"
    case "y", "u", "Y", "r": count == 2 ? "%y" : "%Y"
    case "H", "k": "%H"
    case "h", "K": "%I"
    case "m": "%M"
    case "s": "%S"
    case "a", "b", "B": "%p"
    case "z", "Z", "O", "v", "V", "X", "x": "%z"
    default: nil
    }
  }

  private var hasNumericMonth: Bool {
    parts.contains { part in
      guard case .field(let letter, let count) = part else { return false }
      return (letter == "M" || letter == "L") && count < 3
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }

  /// Replaces a space of any width by the plain one, which people type.
  static func plainSpace(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    scalar.properties.generalCategory == .spaceSeparator ? " " : scalar
  }
}
