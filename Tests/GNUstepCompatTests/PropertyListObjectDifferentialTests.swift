import Foundation
import GNUstepCompat
import TestSupport
import Testing

/// GNUstep's strings and numbers, and what this package says of the same ones.
@Suite(.enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)))
struct PropertyListObjectDifferentialTests {
  /// One object, as both sides get it.
  private enum Sample: CustomStringConvertible {
    case text(String)
    case double(Double)
    case float(Float)
    case signed(Int64)
    case unsigned(UInt64)
    case truth(Bool)

    var object: Any {
      switch self {
      case .text(let value): value
      case .double(let value): value
      case .float(let value): value
      case .signed(let value): value
      case .unsigned(let value): value
      case .truth(let value): value
      }
    }

    /// The line that the GNUstep program takes.
    var line: String {
      switch self {
      case .text(let value):
        "s " + value.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      case .double(let value): "d " + String(value.bitPattern, radix: 16)
      case .float(let value): "f " + String(value.bitPattern, radix: 16)
      case .signed(let value): "q \(value)"
      case .unsigned(let value): "Q \(value)"
      case .truth(let value): "B \(value ? 1 : 0)"
      }
    }

    var isText: Bool { if case .text = self { true } else { false } }

    /// The value of a real number.
    var real: Double? {
      switch self {
      case .double(let value): value
      case .float(let value): Double(value)
      default: nil
      }
    }

    /// Whether GNUstep loses the value of a number in a text: more than 17 digits, or too near to zero.
    var isLostThere: Bool {
      guard case .text(let text) = self else { return false }
      let digits = text.utf8.prefix { $0 != UInt8(ascii: "e") }.filter { (0x30...0x39).contains($0) }.count
      let value = PropertyListObject(text).doubleValue
      return digits > 17 || (value != 0 && value.magnitude < 0x1p-1021)
    }

    var description: String { "\(type(of: object)) \(object)" }
  }

  private static let texts = [
    "", "0", "1", "-1", "+1", "+7", "5", " 5", "5 ", "\t5", "\n8", "\r9", "\u{B}1", "\u{C}2", "\u{A0}9",
    "\u{A0} -7", "\u{2028}5", "\u{2003}Y", "\u{85}5", "\u{3000}5", "\u{1F}5", "12abc", "0x10", "0X1F",
    "-0x10",
    "010", "1e3", "1E3", "1e", "1e+", "1.5", "-1.5", ".5", "5.", "-.5", "+.5", "-.", "- 1", "- -5", "--1",
    "+-1", "-+1", "0 5", "0\n1", "0y", "0-Y", "+ +Y", "  -0 +T", "YES", "yes", "Y", "yep", "NO", "no", "NY",
    "true", "TRUE", "t", "tt", "False", "on", "off", " YES", "YES ", "+YES", "-Y", "0Y", "00T", "\u{FF10}",
    "\u{663}", "\u{FF19}", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295",
    "4294967296", "4294967297", "3000000000", "-3000000000", "99999999999", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "99999999999999999999", "1,234", "1_000", "3.9", "-3.9", "0.1", "1e400", "-1e400", "5e-324", "1e-310",
    "1e-400", "0.30000000000000004", "3.4028235e38", "3.5e38", "1e38", "1e308", "nan", "inf", "-inf",
    "infinity", "NaN", "1.5e2x", "1e2.5", "..5", "1..5", "1.2.3", "e5", ".e5", ".", "-", "+", "0e5",
    "123456789012345678", "1234567890123456789", "0.1234567890123456789012", "16777217", "16777216.5", "a5",
    "1\u{301}5", "5\u{301}", "\u{E9}", "5\u{E9}", "1\u{2028}2", "0.000000000000000001", "1d5", "1f", "1L",
    "0b11", "0o17", "''5", "\"5\"", "(5)", "1 2", "1\t2", "1\n2", "\u{BD}", "\u{B2}", "1\u{B2}", "\u{221E}",
    "\u{2212}5", "1e5", "1e05", "1e-5", "1E+5", "1e 5", "1 e5", "4.35", "0.57", "8.41", "9e15", "1.1e-7",
    "123456789012345.678", "17.5e-1", "0.5.5", "1,5",
  ]
  private static let doubles = [
    0.0, -0.0, 1, -1, 0.1, 0.5, 1.5, -3.75, 2.9999, 1.0 / 3, 2.0 / 3, 0.1 + 0.2, 1e15, 1e16, 1e17,
    123_456_789_012_345_680, 9_007_199_254_740_992, 1e20, 1e21, 1e100, 1e-4, 1e-5, 1.5e-5,
    .leastNonzeroMagnitude,
    .greatestFiniteMagnitude, .infinity, -.infinity, .nan, 2_147_483_647, 2_147_483_648, -2_147_483_649,
    4_294_967_297, 0x1p63, -0x1p63, 1e19, .pi, 1234567.891, 0.000123456789, 100, 1e6, 123_456, 1e10,
    12345678901234.5, 65536, 0.7, 99.99, 1e-10,
  ]
  private static let floats: [Float] = [
    0.1, 0.5, 1.5, .pi, 1e10, 16_777_216, 1e-5, 123456.789, .greatestFiniteMagnitude, 1e20, -0.0, 0.3,
    2.0 / 3,
    1e7, 123_456_792, .nan, .infinity,
  ]
  private static let signed: [Int64] = [
    0, 1, -1, 5, 2_147_483_647, 2_147_483_648, -2_147_483_649, 4_294_967_296, 4_294_967_297, .max, .min,
    9_007_199_254_740_993, 1_000_000,
  ]
  private static let unsigned: [UInt64] = [0, 5, 1 << 63, .max]

  private static var samples: [Sample] {
    var samples = texts.map(Sample.text) + doubles.map(Sample.double) + floats.map(Sample.float)
    samples += signed.map(Sample.signed) + unsigned.map(Sample.unsigned) + [.truth(true), .truth(false)]
    var random = SeededGenerator(seed: 17)
    for _ in 0..<100 {
      samples.append(.double(Double.random(in: -1e6...1e6, using: &random)))
      samples.append(.float(Float.random(in: -1000...1000, using: &random)))
      let characters = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        "0123456789+-. eEyYtTxN".randomElement(using: &random) ?? "0"
      }
      samples.append(.text(String(characters)))
    }
    return samples
  }

  /// What GNUstep answers for one object.
  private struct Answers {
    let int: Int32
    let integer: Int
    let bool: Bool
    let float: Float
    let double: Double
    let text: String
    /// Whether it is equal to each of the objects up to itself.
    let equalities: [Bool]

    init(line: Substring) throws {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      try #require(words.count == 7)
      int = try #require(Int32(words[0]))
      integer = try #require(Int(words[1]))
      bool = words[2] == "1"
      float = Float(bitPattern: try #require(UInt32(words[3], radix: 16)))
      double = Double(bitPattern: try #require(UInt64(words[4], radix: 16)))
      let digits = Array(words[5].utf8)
      text = String(
        decoding: stride(from: 0, to: digits.count, by: 2).map { index in
          UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }, as: UTF8.self)
      equalities = words[6].map { $0 == "1" }
    }
  }

  private func answers(to samples: [Sample]) throws -> [Answers] {
    let program = try GNUstepProgram("values", named: "values")
    let file = program.directory.appendingPathComponent("samples")
    try Data(samples.map { $0.line + "\n" }.joined().utf8).write(to: file)
    let output = String(decoding: try program.run([file.path]), as: UTF8.self)
    let answers = try output.split(separator: "\n").map(Answers.init)
    try #require(answers.count == samples.count)
    return answers
  }

  @Test("strings and numbers say the same as GNUstep's")
  func scalars() throws {
    let samples = PropertyListObjectDifferentialTests.samples
    #expect(samples.count > 400)
    for (sample, theirs) in zip(samples, try answers(to: samples)) {
      let ours = PropertyListObject(sample.object)
      #expect(ours.boolValue == theirs.bool, "\(sample)")
      if let value = sample.real {
        // A C conversion beyond the type's range has no defined result.
        if Int32(exactly: value.rounded(.towardZero)) != nil {
          #expect(ours.intValue == theirs.int, "\(sample)")
        }
        if Int(exactly: value.rounded(.towardZero)) != nil {
          #expect(ours.integerValue == theirs.integer, "\(sample)")
        }
      } else {
        #expect(ours.intValue == theirs.int, "\(sample)")
        // GNUstep wraps what is beyond the limit.
        let isBeyond = if case .unsigned(let value) = sample { value > Int64.max } else { false }
        #expect(ours.integerValue == (isBeyond ? .max : theirs.integer), "\(sample)")
      }
      if !sample.isLostThere {
        #expect(isSame(ours.doubleValue, theirs.double), "\(sample)")
        #expect(isSame(Double(ours.floatValue), Double(theirs.float)), "\(sample)")
      }
      #expect(ours.stringValue == theirs.text, "\(sample)")
    }
  }

  private func isSame(_ left: Double, _ right: Double) -> Bool {
    left.isNaN ? right.isNaN : left == right && left.sign == right.sign
  }

  @Test("numbers are equal, and strings are, where GNUstep's are")
  func equality() throws {
    let samples = PropertyListObjectDifferentialTests.samples
    for (index, theirs) in try answers(to: samples).enumerated() {
      for (other, isEqual) in theirs.equalities.enumerated()
      where samples[index].isText == samples[other].isText {
        let (first, second) = (samples[index], samples[other])
        // GNUstep compares integers with real numbers as the latter, so that 2^53+1 is 2^53, and NaN with itself.
        let isOther = [first, second].contains { sample in
          !sample.isText && !(PropertyListObject(sample.object).doubleValue.magnitude < 0x1p53)
        }
        if isOther { continue }
        let ours = PropertyListObject(first.object).isEqual(second.object)
        #expect(ours == isEqual, "\(first) and \(second)")
      }
    }
  }
}
