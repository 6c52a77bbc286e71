import OpenStepPropertyList

/// Values as JSON: plain for other programs, or in a notation with tags that holds every value.
enum JSONText {
  /// The value as plain JSON with sorted keys, four spaces a level.
  ///
  /// - Parameter isEscaped: Which characters stand as escapes although JSON does not demand it.
  /// - Throws: ``CommandError`` for what JSON does not have: data, dates, infinities, NaN.
  static func plain(
    _ value: PropertyList, escaping isEscaped: (Unicode.Scalar) -> Bool = \.breaksLines
  ) throws(CommandError) -> String {
    try withoutActuallyEscaping(isEscaped) { (isEscaped) throws(CommandError) in
      var writer = PlainWriter(isEscaped: isEscaped)
      try writer.append(value, level: 0)
      return writer.output + "\n"
    }
  }

  /// The value in the tagged notation: compact ASCII JSON with sorted keys, each value an object
  /// whose one key names its type.
  ///
  /// The tags are `s` string, `d` data in hexadecimal digits, `a` array, `o` dictionary, `int`,
  /// `real` (a float is written as the equal real), `bool` and `date`.
  static func tagged(_ value: PropertyList) -> String {
    var output = ""
    append(tagged: value, to: &output)
    return output + "\n"
  }

  private static func append(tagged value: PropertyList, to output: inout String) {
    switch value {
    case .string(let text):
      output += "{\"s\":\(ascii(text))}"
    case .data(let bytes):
      output += "{\"d\":\"\(hexadecimal(bytes))\"}"
    case .array(let elements):
      output += "{\"a\":["
      for (index, element) in elements.enumerated() {
        if index > 0 { output += "," }
        append(tagged: element, to: &output)
      }
      output += "]}"
    case .dictionary(let entries):
      output += "{\"o\":{"
      for (index, entry) in entries.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { output += "," }
        output += ascii(entry.key.text) + ":"
        append(tagged: entry.value, to: &output)
      }
      output += "}}"
    case .integer(let number):
      output += "{\"int\":\"\(number)\"}"
    case .real(let number):
      output += "{\"real\":\"\(number)\"}"
    case .float(let number):
      output += "{\"real\":\"\(Double(number))\"}"
    case .boolean(let truth):
      output += "{\"bool\":\(truth)}"
    case .date(let date):
      output += "{\"date\":\"\(internetText(of: date))\"}"
    }
  }

  /// `2001-01-01T00:00:00Z`; a date that no calendar form holds exactly is its seconds since that moment.
  private static func internetText(of date: PropertyListDate) -> String {
    let fields = date.text.split(separator: " ")
    return fields.count == 3 ? "\(fields[0])T\(fields[1])Z" : date.text
  }

  // MARK: Strings

  /// A string in which everything but printable ASCII is an escape.
  private static func ascii(_ text: String) -> String {
    quoted(text) { !(0x20...0x7E).contains($0.value) }
  }

  fileprivate static func quoted(_ text: String, escaping isEscaped: (Unicode.Scalar) -> Bool) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        result += "\\\(scalar)"
      case "\u{8}": result += "\\b"
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      case "\u{C}": result += "\\f"
      case "\r": result += "\\r"
      case _ where isEscaped(scalar):
        for unit in scalar.utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
      default:
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}

/// Lays out plain JSON, one entry a line.
private struct PlainWriter {
  let isEscaped: (Unicode.Scalar) -> Bool
  var output = ""
  /// The keys and indexes on the way to the current value, for messages.
  private var path: [String] = []

  init(isEscaped: @escaping (Unicode.Scalar) -> Bool) {
    self.isEscaped = isEscaped
  }

  mutating func append(_ value: PropertyList, level: Int) throws(CommandError) {
    switch value {
    case .string(let text):
      output += JSONText.quoted(text, escaping: isEscaped)
    case .array(let elements):
      try append("[", "]", count: elements.count, level: level) { writer, index throws(CommandError) in
        writer.path.append("\(index)")
        try writer.append(elements[index], level: level + 1)
      }
    case .dictionary(let entries):
      let entries = entries.sorted { $0.key < $1.key }
      try append("{", "}", count: entries.count, level: level) { writer, index throws(CommandError) in
        writer.path.append(entries[index].key.text)
        writer.output += JSONText.quoted(entries[index].key.text, escaping: writer.isEscaped) + ": "
        try writer.append(entries[index].value, level: level + 1)
      }
    case .integer(let number):
      output += "\(number)"
    case .real(let number):
      try append(number)
    case .float(let number):
      try append(Double(number))
    case .boolean(let truth):
      output += "\(truth)"
    case .data:
      throw refusal("data")
    case .date:
      throw refusal("a date")
    }
  }

  private mutating func append(_ number: Double) throws(CommandError) {
    guard number.isFinite else { throw refusal("the number \(PropertyList.text(of: number))") }
    output += "\(number)"
  }

  private mutating func append(
    _ opening: String, _ closing: String, count: Int, level: Int,
    entry: (inout PlainWriter, Int) throws(CommandError) -> Void
  ) throws(CommandError) {
    output += opening
    for index in 0..<count {
      output += (index > 0 ? ",\n" : "\n") + String(repeating: " ", count: 4 * (level + 1))
      try entry(&self, index)
      path.removeLast()
    }
    if count > 0 { output += "\n" + String(repeating: " ", count: 4 * level) }
    output += closing
  }

  private func refusal(_ what: String) -> CommandError {
    let place = path.isEmpty ? "" : " at “\(path.joined(separator: "."))”"
    return CommandError(.refused, "JSON cannot hold \(what)\(place); “-to tagged” holds every value")
  }
}
