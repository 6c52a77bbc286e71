import OpenStepPropertyList

/// One word as the value of the type that a flag before it names.
enum TypedWord {
  /// The value; nil if the word is none of the flag's type.
  static func value(of word: String, flag: String) -> PropertyList? {
    switch flag {
    case "-data": data(word)
    case "-int", "-integer": PropertyListInteger(word).map { .integer($0) }
    case "-float": real(word)
    case "-bool", "-boolean": truth(word)
    case "-date": date(word).map { .date($0) }
    default: nil
    }
  }

  /// What a flag takes, with its article.
  static func description(of flag: String) -> String {
    switch flag {
    case "-data": "an even number of hexadecimal digits"
    case "-int", "-integer": "a whole number of at most 64 bits"
    case "-float": "a decimal number of double precision, inf or nan"
    case "-bool", "-boolean": "one of true, false, yes, no, 1, 0"
    case "-date": "a date such as 2026-11-20, 2026-11-20T15:16:00Z or “2026-11-20 15:16:00 +0000”"
    default: "a word"
    }
  }

  /// What is wrong with a day and a time without a zone, which could be any; nil for another word.
  static func missingZone(of word: String) -> String? {
    let complete = word.utf8.contains(UInt8(ascii: "T")) ? "\(word)Z" : "\(word) +0000"
    return date(complete).map { _ in "its time has no zone; in UTC it is “\(complete)”" }
  }

  /// Hexadecimal digits with white space between them, and one pair of angle brackets.
  private static func data(_ word: String) -> PropertyList? {
    var text = word.utf8.filter { !isSpace($0) }[...]
    if text.first == UInt8(ascii: "<"), text.last == UInt8(ascii: ">"), text.count >= 2 {
      text = text.dropFirst().dropLast()
    }
    guard text.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    while let high = text.popFirst(), let low = text.popFirst() {
      guard let high = digit(high), let low = digit(low) else { return nil }
      bytes.append(high << 4 | low)
    }
    return .data(bytes)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func real(_ word: String) -> PropertyList? {
    guard !word.utf8.contains(where: isSpace),
      let value = try? PropertyList(typedScalar: "\(word) /*real*/"), case .real(let number) = value
    else { return nil }
    // Digits that overflow would become infinity, which has a word of its own.
    let hasDigits = word.utf8.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return number.isInfinite && hasDigits ? nil : value
  }

  private static func truth(_ word: String) -> PropertyList? {
    switch word.lowercased() {
    case "true", "yes", "1": .boolean(true)
    case "false", "no", "0": .boolean(false)
    default: nil
    }
  }

  /// A day, at midnight UTC, or a day and a time with their zone: `2026-11-20T15:16:00.5+02:00`,
  /// `2026-11-20 15:16:00 +0000`.
  private static func date(_ word: String) -> PropertyListDate? {
    if word.utf8.filter({ $0 == UInt8(ascii: " ") }).count == 2 { return PropertyListDate(text: word) }
    let fields = word.split(separator: "T", omittingEmptySubsequences: false)
    if fields.count == 1 { return PropertyListDate(text: "\(word) 00:00:00 +0000") }
    guard fields.count == 2 else { return nil }
    let clock = fields[1]
    if clock.last == "Z" { return PropertyListDate(text: "\(fields[0]) \(clock.dropLast()) +0000") }
    guard let sign = clock.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return nil }
    let zone = clock[sign...].filter { $0 != ":" }
    return PropertyListDate(text: "\(fields[0]) \(clock[..<sign]) \(zone)")
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
