import TestSupport

/// Random texts of dictionaries as people write them: with comments, blank lines, tabs, several line ends,
/// needless quotes, entries on one line, and without the last semicolon.
struct RandomTexts {
  private var generator: SeededGenerator
  private var lineEnd = "\n"
  private var unit = "  "
  private var isQuoted = false
  private var commentCount = 0
  /// Whether a text may lack its last semicolon or have empty containers.
  private let isLoose: Bool

  init(seed: UInt64, isLoose: Bool) {
    generator = SeededGenerator(seed: seed)
    self.isLoose = isLoose
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func element<Element>(of elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &generator)]
  }

  /// A text with braces, or without.
  mutating func text() -> String {
    lineEnd = element(of: ["\n", "\n", "\r\n", "\r"])
    unit = element(of: ["  ", "    ", "\t", ""])
    isQuoted = chance(20)
    commentCount = 0
    if chance(25) {
      return header() + entries(depth: 0, isOnOneLine: false, indentation: "", hasBraces: false)
        + (chance(80) ? lineEnd : "")
    }
    let isOnOneLine = chance(15)
    return header() + dictionary(depth: 0, isOnOneLine: isOnOneLine, indentation: "")
      + (chance(80) ? lineEnd : "") + (chance(10) ? comment() + lineEnd : "")
  }

  /// A text of an array whose elements stand on lines of their own, share lines, or both.
  mutating func arrayText() -> String {
    lineEnd = element(of: ["\n", "\n", "\r\n"])
    unit = element(of: ["  ", "\t", ""])
    isQuoted = chance(20)
    commentCount = 0
    let layout = number(0..<4)
    let (hasComments, hasBlankLines) = (chance(40), chance(20))
    var text = header() + "("
    let count = number(0..<9)
    for index in 0..<count {
      switch layout {
      case 0 where index > 0: text += " "
      case 0: break
      case 1 where chance(50): text += " "
      default:
        text += lineEnd
        if hasBlankLines, chance(50) { text += lineEnd }
        if hasComments, chance(30) { text += unit + comment() + lineEnd }
        text += unit
      }
      text += value(depth: 1, isOnOneLine: layout == 0, indentation: unit)
      if hasComments, chance(10) { text += " " + comment(mayBeOfLine: false) }
      if index + 1 < count || layout > 1 && chance(30) { text += "," }
      if hasComments, chance(30) { text += " " + comment(mayBeOfLine: layout > 1) }
    }
    return text + (layout == 0 ? "" : lineEnd) + ")" + lineEnd
  }

  private mutating func header() -> String {
    switch number(0..<5) {
    case 0: comment() + lineEnd
    case 1: comment() + lineEnd + lineEnd
    case 2: lineEnd
    default: ""
    }
  }

  /// A comment that ends on its line.
  private mutating func comment(mayBeOfLine: Bool = true) -> String {
    commentCount += 1
    let text = "c\(commentCount)"
    switch number(0..<4) {
    case 0 where mayBeOfLine: return "// \(text)"
    case 1: return "/* \(text)\(lineEnd) more; }\"' */"
    default: return "/* \(text) = { ; */"
    }
  }

  private mutating func dictionary(depth: Int, isOnOneLine: Bool, indentation: String) -> String {
    let body = entries(
      depth: depth, isOnOneLine: isOnOneLine, indentation: indentation + unit, hasBraces: true)
    if isOnOneLine {
      let space = chance(50) ? " " : ""
      return "{" + space + body + space + "}"
    }
    let afterBrace = chance(10) ? " " + comment() : ""
    let last = chance(10) ? indentation + unit + comment() + lineEnd : ""
    return "{" + afterBrace + lineEnd + body + lineEnd + last + indentation + "}"
  }

  private mutating func entries(
    depth: Int, isOnOneLine: Bool, indentation: String, hasBraces: Bool
  ) -> String {
    let count = number((isLoose && hasBraces && depth > 0 ? 0 : 1)..<5)
    var keys: [String] = []
    for index in 0..<count { keys.append(element(of: ["k", "Font", "Wide key", "a.b", "é"]) + "\(index)") }
    if chance(50) { keys.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
    if chance(20) { keys.shuffle(using: &generator) }
    let gap = element(of: [" = ", "=", "\t= ", " =  "])
    let between = element(of: [" ", "", "  "])
    var text = ""
    for (index, key) in keys.enumerated() {
      let isLast = index + 1 == count
      var line = spelled(key) + gap + value(depth: depth, isOnOneLine: isOnOneLine, indentation: indentation)
      if !(isLast && isLoose && hasBraces && chance(15)) { line += ";" }
      if isOnOneLine {
        text += line + (isLast ? "" : between + (chance(10) ? comment(mayBeOfLine: false) + " " : ""))
        continue
      }
      if index > 0 {
        text += chance(12) && !isLast ? between : lineEnd
        if text.hasSuffix(lineEnd) {
          if chance(15) { text += lineEnd }
          if chance(15) { text += indentation + comment() + lineEnd }
          if chance(8) { text += lineEnd }
          text += indentation
        }
      } else {
        if chance(15) { text += indentation + comment() + lineEnd }
        text += indentation
      }
      text += line
      if chance(20) { text += element(of: [" ", "\t", "  "]) + tailComment(index, count, &text) }
    }
    return text
  }

  private mutating func tailComment(_ index: Int, _ count: Int, _ text: inout String) -> String {
    comment(mayBeOfLine: false)
  }

  private mutating func value(depth: Int, isOnOneLine: Bool, indentation: String) -> String {
    let isInner = isOnOneLine || chance(30)
    switch number(0..<10) {
    case 0 where depth < 3:
      return dictionary(depth: depth + 1, isOnOneLine: isInner, indentation: indentation)
    case 1 where depth < 3: return array(depth: depth + 1, isOnOneLine: isInner, indentation: indentation)
    case 2: return "<0fbd 7a>"
    case 3: return "5 /*integer*/"
    default: return spelled(element(of: ["12", "Helvetica", "two words", "YES", "~/x", ""]))
    }
  }

  private mutating func array(depth: Int, isOnOneLine: Bool, indentation: String) -> String {
    let count = number((isLoose ? 0 : 1)..<4)
    let inner = indentation + unit
    let separator = isOnOneLine ? element(of: [", ", ","]) : "," + lineEnd + inner
    var elements: [String] = []
    for _ in 0..<count { elements.append(value(depth: depth, isOnOneLine: isOnOneLine, indentation: inner)) }
    let body = elements.joined(separator: separator)
    return isOnOneLine ? "(" + body + ")" : "(" + lineEnd + inner + body + lineEnd + indentation + ")"
  }

  private func spelled(_ text: String) -> String {
    let isBare =
      !text.isEmpty
      && text.utf8.allSatisfy { byte in
        byte == 0x2E || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte)
      }
    return isBare && !isQuoted ? text : "\"\(text)\""
  }
}
