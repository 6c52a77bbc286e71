import Foundation
import TestSupport
import Testing

@testable import OpenStepPropertyList

/// Decimal numbers against the C library, which rounds correctly.
@Suite struct DecimalTests {
  private func read(_ text: String) -> Double? {
    text.withBytes { DecimalReader.real($0) }
  }

  private static let odd: [Double] = [
    1, 10, 0.1, 0.5, 9.5, 1e15, 1e16, 9_999_999_999_999_998, 1e17, 123_456_789_012_345_680, 1e22, 1e23, 1e38,
    1e-15, 1e-16,
    0x1p53, 0x1p54, 0x1p126, 0x1p127, 0x1p128, 0x1p-50, 0x1p-1022, .leastNonzeroMagnitude,
    .leastNormalMagnitude, .greatestFiniteMagnitude,
    9.9999999999999995e-07, 1e-6, 1e-5, 0.0001, 0.00099999999999999998, .pi,
    // Exactly between two decimals of 17 digits.
    0x1.0000000001p-1, 1.0000000000000022, 0.50000000000000011, 562_949_953_421_312.0625,
    4_503_599_627_370_497.5,
    140_737_488_355_328.15625, 70_368_744_177_664.078125,
  ]

  @Test("the printer rounds as C does, numbers of every kind")
  func printer() {
    var random = RandomValues(seed: 3)
    var generator = SeededGenerator(seed: 4)
    let ties = (0..<2000).map { _ in
      // With few bits behind the point and many before, the digits often end in a 5 at the eighteenth.
      Double(generator.next() >> 12)
        * Double(sign: .plus, exponent: -Int(generator.next() % 24), significand: 1)
    }
    for value in Self.odd + ties + (0..<3000).map({ _ in random.double() }) where value.isFinite && value != 0
    {
      for digits in [16, 17] {
        for value in [value, -value] {
          let expected = String(format: "%.\(digits)g", value)
          let text = DecimalPrinter.text(of: value, digits: digits)
          if text != expected { Issue.record("\(value.debugDescription): \(text), not \(expected)") }
        }
      }
    }
  }

  @Test("the reader rounds as C does, numbers of every length and size")
  func reader() {
    var random = RandomValues(seed: 5)
    var generator = SeededGenerator(seed: 6)
    var texts: [String] = []
    for value in Self.odd + (0..<2000).map({ _ in random.double() }) where value.isFinite {
      texts += [
        String(format: "%.17g", value), String(format: "%.16g", value), String(format: "%.20e", value),
        "\(value)",
      ]
    }
    for _ in 0..<4000 {
      let digits = generator.next() >> (generator.next() % 60)
      texts.append("\(digits)e\(Int(generator.next() % 64) - 32)")
      texts.append("\(digits).\(generator.next())E+\(generator.next() % 20)")
      texts.append("0.000\(digits)e-\(generator.next() % 340)")
      // Halfway between two neighbours, and a little more.
      let half = (generator.next() >> 11 | 1 << 52) << 1 | 1
      texts += ["\(half)", "\(half).0", "\(half).00000000000000000001", "\(half)0e-1"]
    }
    // More digits than the exponent's bound was.
    let zeros = String(repeating: "0", count: 1_000_010)
    texts += ["0.\(zeros)1e1000030", "1\(zeros)e-1000000", "1\(zeros)e-1000030"]
    for text in texts {
      let expected = strtod(text, nil)
      if read(text)?.bitPattern != expected.bitPattern {
        Issue.record("\(text): \(String(describing: read(text))), not \(expected)")
      }
    }
  }

  @Test("seventeen digits tell every number from every other")
  func roundTrip() {
    var random = RandomValues(seed: 7)
    for _ in 0..<3000 {
      let value = random.double()
      if !value.isFinite { continue }
      let text = DecimalPrinter.text(of: value, digits: 17)
      #expect(read(text)?.bitPattern == value.bitPattern, "\(text)")
    }
  }
}
