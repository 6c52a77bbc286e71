import Foundation
import TestSupport
import Testing

@testable import DefaultsTool

/// Marks around the lines of two texts that differ.
struct MergedLinesTests {
  private let marks = MergedLines(markSize: 7, labels: ("o", "t"))

  private func merged(_ ours: String, _ theirs: String) -> String {
    String(decoding: marks.bytes(of: Array(ours.utf8), and: Array(theirs.utf8)), as: UTF8.self)
  }

  /// One side of a text with marks.
  private func side(_ isOurs: Bool, of text: String) -> [Substring] {
    var (lines, keeps): ([Substring], Bool) = ([], true)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      switch line {
      case "<<<<<<< o": keeps = isOurs
      case "=======": keeps = !isOurs
      case ">>>>>>> t": keeps = true
      default: if keeps { lines.append(line) }
      }
    }
    return lines
  }

  @Test("equal texts have no marks, and lines that differ have them alone")
  func examples() {
    #expect(merged("a\nb", "a\nb") == "a\nb")
    #expect(merged("", "") == "")
    #expect(merged("a\nx\nb\n", "a\ny\nb\n") == "a\n<<<<<<< o\nx\n=======\ny\n>>>>>>> t\nb\n")
    #expect(merged("x", "") == "<<<<<<< o\nx\n=======\n>>>>>>> t\n")
    #expect(
      merged("{\nx\n};\n1\n{\ny\n};\n", "{\nz\n};\n1\n{\nw\n};\n")
        == "{\n<<<<<<< o\nx\n=======\nz\n>>>>>>> t\n};\n1\n{\n<<<<<<< o\ny\n=======\nw\n>>>>>>> t\n};\n")
    #expect(
      String(decoding: marks.wholes(of: [], and: []), as: UTF8.self) == "<<<<<<< o\n=======\n>>>>>>> t\n")
  }

  @Test("of random texts, each side can be read off, with every line in its order")
  func random() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let texts = (0..<2).map { _ in
        (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
          "l\(Int.random(in: 0..<7, using: &generator))\n"
        }.joined()
      }
      let text = merged(texts[0], texts[1])
      #expect(side(true, of: text) == texts[0].split(separator: "\n", omittingEmptySubsequences: false))
      #expect(side(false, of: text) == texts[1].split(separator: "\n", omittingEmptySubsequences: false))
    }
  }

  @Test("the time for unlike texts grows with their length")
  func growth() {
    let kinds: [(Int, Int, Int) -> String] = [
      { side, number, _ in "line \(number) of \(side)\n" }, { _, number, _ in "line \(number % 7)\n" },
      { side, number, count in "line \(side == 0 ? number : count - number)\n" },
    ]
    for (index, line) in kinds.enumerated() {
      let ratio = TestSupport.growth(from: 4000, to: 16_000, bound: 8) { count in
        let texts = (0..<2).map { side in
          Array((0..<count - side).map { line(side, $0, count) }.joined().utf8)
        }
        let start = threadTime()
        let merged = marks.bytes(of: texts[0], and: texts[1])
        let time = threadTime() - start
        #expect(merged.count >= texts[0].count)
        return time
      }
      #expect(ratio < 8, "\(index): \(ratio)")
    }
  }
}
