import OpenStepPropertyList

/// What is rescued of any text can be written and read again, and of a whole dictionary it is everything.
enum RescueCheck {
  static func check(_ bytes: [UInt8]) {
    let options = PropertyList.ParsingOptions.domainFile
    guard let rescued = RescuedText(bytes, options: options) else { return }
    if case .dictionary(let values)? = try? PropertyList(parsing: bytes, options: options) {
      precondition(rescued.values == values, "a text without damage loses something")
    }
    precondition(
      Set(rescued.parts.compactMap(\.key)) == Set(rescued.values.keys), "an entry that is kept has no value")
    for (part, next) in zip(rescued.parts, rescued.parts.dropFirst()) {
      precondition(
        (part.end.line, part.end.column) <= (next.start.line, next.start.column), "parts of a text overlap")
    }
    let value = PropertyList.dictionary(rescued.values)
    guard let text = try? value.bytes(style: .openStep) else {
      preconditionFailure("what was rescued cannot be written")
    }
    precondition((try? PropertyList(parsing: text, options: options)) == value, "what was rescued changes")
  }
}
