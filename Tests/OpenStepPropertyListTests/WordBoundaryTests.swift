import OpenStepPropertyList
import Testing

/// Strings and tokens are taken eight bytes at a time: what they hold may lie anywhere in a word.
@Suite
struct WordBoundaryTests {
  private static let lengths = 0..<26
  private static let ascii = (1..<128 as Range<UInt8>).map { Character(Unicode.Scalar($0)) }

  @Test("a character decides about quotes and escapes wherever in a string it stands")
  func quoting() throws {
    let bare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."
    for character in WordBoundaryTests.ascii + ["\0", "é", "€", "😀"] {
      let spelling =
        switch character {
        case "\"", "\\": "\\\(character)"
        case "\r": "\\r"
        case "\0": "\\000"
        default: String(character)
        }
      for before in WordBoundaryTests.lengths {
        for after in [0, 1, 9] {
          let (start, end) = (String(repeating: "a", count: before), String(repeating: "Z", count: after))
          let expected = start + spelling + end
          let text = try PropertyList.string(start + String(character) + end).text()
          #expect(text == (bare.contains(character) ? expected : "\"\(expected)\"") + "\n")
        }
      }
    }
  }

  @Test("a string of escapes alone is written whole", arguments: 1..<40)
  func escapes(count: Int) throws {
    let text = String(repeating: "\"\0", count: count)
    #expect(try PropertyList.string(text).text() == "\"\(String(repeating: "\\\"\\000", count: count))\"\n")
  }

  @Test("a token ends at the first character that needs quotes, wherever in a word it stands")
  func tokens() throws {
    let inside = "!#$%&*+-./:?@^_|~09AZaz"
    for before in WordBoundaryTests.lengths {
      let start = String(repeating: "a", count: before)
      for character in inside {
        // Something behind it, and nothing, so that the text ends within a word.
        for end in ["", "b", "bcdefghij"] {
          let token = "x" + start + String(character) + end
          #expect(try PropertyList(parsing: token) == .string(token))
        }
      }
      for character in WordBoundaryTests.ascii
      where !inside.contains(character) && !character.isASCIIAlphanumeric {
        let error = #expect(throws: PropertyListError.self) {
          try PropertyList(parsing: "(x\(start)\(character)\u{1}0123456789)")
        }
        // White space, a comma and a bracket may follow a token, what comes behind them not.
        let mayFollow = " \t\n\u{B}\u{C}\r,)".unicodeScalars.contains(character.unicodeScalars.first ?? "x")
        #expect(error?.character == (mayFollow ? "\u{1}" : character.unicodeScalars.first))
      }
    }
  }

  @Test("a quoted string ends at its quote and takes its escapes, wherever in a word they stand")
  func quoted() throws {
    for before in WordBoundaryTests.lengths {
      let start = String(repeating: "é", count: before)
      #expect(try PropertyList(parsing: "\"\(start)\"") == .string(start))
      #expect(try PropertyList(parsing: "'\(start)\"'") == .string(start + "\""))
      #expect(try PropertyList(parsing: "\"\(start)\\n\\\"x\"") == .string(start + "\n\"x"))
    }
  }

  @Test("keys are told apart by any byte and by their length")
  func keys() {
    var texts: Set<String> = []
    for length in 0..<20 {
      for character in ["a", "b", "\0", "\u{1}"] {
        for place in 0..<max(length, 1) {
          var scalars = Array(repeating: "a" as Character, count: length)
          if length > 0 { scalars[place] = Character(character) }
          texts.insert(String(scalars))
        }
      }
    }
    let keys = Set(texts.map { PropertyListKey($0) })
    #expect(keys.count == texts.count)
    // Another string with the same bytes is the same key.
    for text in texts { #expect(keys.contains(PropertyListKey(String(Substring("x" + text).dropFirst())))) }
    #expect(!keys.contains("c"))
  }
}

extension Character {
  fileprivate var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
