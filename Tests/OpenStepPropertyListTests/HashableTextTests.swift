import OpenStepPropertyList
import TestSupport
import Testing

/// Keys as those of a dictionary of Swift's.
struct HashableTextTests {
  /// A letter with marks of falling canonical order behind it.
  private func text(_ count: Int, _ letter: String = "x") -> String { letter + repeatedMarks(count) }

  @Test(
    "a key with few marks behind each other is its text, byte for byte",
    arguments: [
      "", "a", "e\u{301}\u{316}", String(repeating: "e\u{301}\u{316}", count: 1000), "日本語", "\u{F73}",
    ])
  func plain(_ text: String) {
    #expect(PropertyListKey(text).hashableText.utf8.elementsEqual(text.utf8))
  }

  @Test(
    "a key with many marks is an equal string, in canonical order", arguments: ["", "x", "\u{E9}", "\u{344}"])
  func many(_ letter: String) {
    let text = text(600, letter)
    let other = PropertyListKey(text + "\u{F73}\u{334}z").hashableText
    #expect(other == text + "\u{F73}\u{334}z" && other.hashValue == (text + "\u{F73}\u{334}z").hashValue)
    #expect(!other.utf8.elementsEqual((text + "\u{F73}\u{334}z").utf8))
    // Marks of one class keep their order.
    #expect(PropertyListKey(text).hashableText.unicodeScalars.filter { $0 == "\u{301}" }.count >= 300)
    let alike = PropertyListKey(letter + String(repeating: "\u{301}\u{308}", count: 300)).hashableText
    #expect(alike.unicodeScalars.suffix(3).elementsEqual(["\u{308}", "\u{301}", "\u{308}"]))
  }

  // 60,000 marks took ten seconds, and 160,000 characters behind as many marks five, where the code was optimized.
  @Test("the time to hash it grows with its length, and not with the square")
  func time() {
    for (letter, rest) in [("x", "\u{F73}"), ("\u{F73}", "\u{F73}"), ("x", "e\u{301}")] {
      let ratio = growth(from: 20_000, to: 80_000, bound: 10) { count in
        let key = PropertyListKey(text(count, letter) + String(repeating: rest, count: count))
        let start = threadTime()
        #expect([key.hashableText: 1].count == 1)
        return threadTime() - start
      }
      #expect(ratio < 10, "\(ratio)")
    }
  }
}
