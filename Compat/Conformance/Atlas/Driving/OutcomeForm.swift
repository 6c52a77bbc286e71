import OpenStepPropertyList

/// The forms that the outcome of a message may have.
enum OutcomeForm {
  /// What is wrong with the outcome of a step; nil if nothing is.
  static func fault(in outcome: JSON) -> String? {
    guard let (tag, content) = outcome.tagged else { return faultOfValue(outcome) }
    switch (tag, content) {
    case ("ok", .boolean(true)), ("absent", .boolean(true)), ("noObject", .boolean(true)): return nil
    case ("raises", .string), ("unsupported", .string), ("number", .string), ("is", .string): return nil
    case ("n", .number(let count)) where count >= 0 && count == count.rounded(): return nil
    case ("ok", _), ("absent", _), ("noObject", _): return "“\(tag)” stands with true"
    case ("raises", _), ("unsupported", _): return "“\(tag)” stands with a string"
    case ("n", _): return "“n” stands with a whole number"
    case ("aborts", _), ("abortsAtExit", _), ("hangs", _), ("setupAborts", _), ("setupRaises", _),
      ("refused", _):
      return "“\(tag)” is the runner's own finding, never a reply"
    default: return faultOfValue(outcome)
    }
  }

  /// What is wrong with a value in the notation of behaviour.
  private static func faultOfValue(_ value: JSON) -> String? {
    switch value {
    case .null, .string: return nil
    case .boolean: return "a truth value is written {\"b\": true}"
    case .number:
      return "a number is written {\"i\": \"5\"}, {\"r\": \"0.5\"}, {\"f\": \"0.5\"} or {\"n\": 5}"
    case .array(let elements): return firstFault(in: elements, faultOfValue)
    case .object:
      guard let (tag, content) = value.tagged else { return "an object has one member, the tag" }
      switch (tag, content) {
      case ("d", .object(let entries)): return firstFault(in: entries.values, faultOfValue)
      case ("b", .boolean), ("u", .string), ("o", .string): return nil
      case ("i", .string(let text)): return PropertyListInteger(text) == nil ? "“i” is no integer" : nil
      case ("r", .string(let text)), ("f", .string(let text)):
        return Double(text) == nil ? "“\(tag)” is no number" : nil
      case ("x", .string(let text)): return faultOfHexadecimal(text)
      case ("t", .string(let text)): return Values.date(text) == nil ? "“t” is no date" : nil
      case ("i", _), ("r", _), ("f", _): return "“\(tag)” stands with a string of digits"
      case ("x", _), ("t", _), ("u", _), ("o", _): return "“\(tag)” stands with a string"
      default: return "there is no tag “\(tag)” with such a content"
      }
    }
  }

  /// The first fault of some values, each of which is looked at once: a lazy map would look at the one with the fault
  /// twice, and at one that is nested a hundred deep 2¹⁰⁰ times.
  private static func firstFault(in values: some Sequence<JSON>, _ fault: (JSON) -> String?) -> String? {
    for value in values {
      if let found = fault(value) { return found }
    }
    return nil
  }

  private static func faultOfHexadecimal(_ text: String) -> String? {
    text.utf8.count.isMultiple(of: 2) && text.allSatisfy(\.isHexDigit)
      ? nil : "data are pairs of hexadecimal digits"
  }

  /// What is wrong with the outcome of a text.
  static func faultOfText(in outcome: JSON) -> String? {
    guard let (tag, content) = outcome.tagged else { return "an object with one member is wanted" }
    switch (tag, content) {
    case ("error", .string), ("unsupported", .string), ("absent", .boolean(true)): return nil
    case ("value", let value): return faultOfTextValue(value)
    case ("nested", let nested):
      guard let steps = nested["outer_to_inner"]?.elements, case .number? = nested["repeat"],
        nested["leaf"] != nil,
        steps.allSatisfy({ $0.text.map { $0 == "a" || $0.hasPrefix("o:") } ?? false })
      else { return "“nested” has “outer_to_inner”, “repeat” and “leaf”" }
      return nil
    default: return "“\(tag)” is not “value”, “nested” or “error”"
    }
  }

  /// What is wrong with a value in the notation of texts.
  private static func faultOfTextValue(_ value: JSON) -> String? {
    guard let (tag, content) = value.tagged else { return "a value is an object with one member, the tag" }
    switch (tag, content) {
    case ("s", .string), ("date", .string), ("bool", .boolean): return nil
    case ("sx", .string(let text)), ("u16", .string(let text)), ("d", .string(let text)):
      return faultOfHexadecimal(text)
    case ("int", .string(let text)), ("real", .string(let text)):
      return Double(text) == nil ? "“\(tag)” is no number" : nil
    case ("a", .array(let elements)): return firstFault(in: elements, faultOfTextValue)
    case ("o", .object(let entries)): return firstFault(in: entries.values, faultOfTextValue)
    case ("nested", _): return "“nested” stands in place of “value”, not in it"
    case ("int", _), ("real", _): return "“\(tag)” stands with a string of digits"
    default: return "there is no tag “\(tag)” with such a content"
    }
  }
}
