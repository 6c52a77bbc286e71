import Foundation
import TestSupport
import Testing

@testable import DefaultsTool

struct SearchedWordTests {
  @Test("it is found wherever Foundation finds it, and nowhere else")
  func random() {
    var generator = SeededGenerator(seed: 7)
    func bytes(upTo count: Int) -> [UInt8] {
      (0..<Int.random(in: 0...count, using: &generator)).map { _ in UInt8.random(in: 0...1, using: &generator)
      }
    }
    for _ in 0..<5000 {
      let (word, text) = (bytes(upTo: 8), bytes(upTo: 30))
      let isExpected = word.isEmpty || Data(text).range(of: Data(word)) != nil
      #expect(SearchedWord(word).isPart(of: text) == isExpected, "\(word) in \(text)")
    }
  }

  // A word of 1,000 letters in a text of ten million took 80 seconds.
  @Test("the time grows with the lengths, not with their product")
  func time() {
    let ratio = growth(from: 10_000, to: 100_000, bound: 30) { count in
      let (word, text) = (
        [UInt8](repeating: 97, count: count / 10) + [98], [UInt8](repeating: 97, count: count)
      )
      let start = threadTime()
      #expect(!SearchedWord(word).isPart(of: text))
      return threadTime() - start
    }
    #expect(ratio < 30, "\(ratio)")
  }
}
