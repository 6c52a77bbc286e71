import TestSupport
import Testing

@testable import DefaultsDomains

/// OPENSTEP's rules for truth and numbers in strings; the values are those of the written rules.
struct StringCodingTests {
  @Test(
    "a string is true if it is yes in any case or its integer is not zero",
    arguments: [
      ("YES", true), ("yes", true), ("Yes", true), ("yeS", true), ("1", true), ("01", true), ("+1", true),
      ("2", true), ("-1", true), ("1.5", true), ("12abc", true), (" 1", true), ("1e3", true),
      ("9223372036854775808", true),
      ("Y", false), ("y", false), ("YESTERDAY", false), ("true", false), ("TRUE", false), ("t", false),
      (" YES", false), ("\tYES", false), ("YES ", false), ("0", false), ("00", false), ("-0", false),
      ("0x10", false), ("0.5", false), ("NO", false), ("on", false), ("", false), ("-", false), ("x1", false),
      ("９", false), ("ＹＥＳ", false), ("0 1", false), ("y\u{301}es", false),
    ])
  func bool(text: String, expected: Bool) {
    #expect(StringCoding.bool(text) == expected)
  }

  @Test(
    "an integer is the digits after white space and a sign, and saturates",
    arguments: [
      ("42", 42), (" 42", 42), ("\t\n\u{B}\u{C}\r42", 42), ("42 ", 42), ("+7", 7), ("-7", -7), ("007", 7),
      ("1e3", 1), ("1,234", 1), ("1_000", 1), ("3.9", 3), ("-3.9", -3), ("12abc", 12), ("1 2", 1),
      ("9223372036854775807", Int.max), ("9223372036854775808", Int.max), ("99999999999999999999", Int.max),
      ("-9223372036854775808", Int.min), ("-9223372036854775809", Int.min),
      ("-99999999999999999999", Int.min),
      (".5", 0), ("--1", 0), ("+-1", 0), ("- 1", 0), ("", 0), ("-", 0), ("x1", 0), ("0x1F", 0), ("e5", 0),
      ("YES", 0), ("\u{A0}9", 0), ("９", 0), ("٣", 0), ("nan", 0), ("inf", 0),
    ])
  func integer(text: String, expected: Int) {
    #expect(StringCoding.integer(text) == expected)
  }

  @Test(
    "a real number is the longest decimal at the start, correctly rounded",
    arguments: [
      ("0.1", 0.1), ("0.30000000000000004", 0.30000000000000004), ("1.5x", 1.5), ("5.", 5), (".5", 0.5),
      ("-.5", -0.5), ("1e3", 1000), ("2.5e-3x", 0.0025), ("1e", 1), ("1e+", 1), ("1E2", 100), ("+7", 7),
      (" 42", 42), ("\n8", 8), ("1,234", 1), ("1_000", 1), ("5e-324", Double.leastNonzeroMagnitude),
      ("1e400", Double.infinity),
      ("-1e400", -Double.infinity), ("1e-400", 0), ("1234567890123456789", 1_234_567_890_123_456_768),
      ("99999999999999999999", 1e20), ("9223372036854775808", 9_223_372_036_854_775_808),
      ("inf", Double.infinity), ("-inf", -Double.infinity),
      (" inf", 0), ("+inf", 0), ("Inf", 0), ("infinity", 0), ("--1", 0), ("- 1", 0), (".", 0), ("-", 0),
      ("", 0), ("0x1F", 0), ("e5", 0), (".e5", 0), ("\u{A0}9", 0), ("９", 0), ("YES", 0),
    ])
  func double(text: String, expected: Double) {
    #expect(StringCoding.double(text) == expected)
    #expect(StringCoding.float(text) == Float(expected))
  }

  @Test("exactly nan is no number, and minus zero keeps its sign")
  func specialReals() {
    #expect(StringCoding.double("nan").isNaN)
    #expect(StringCoding.float("nan").isNaN)
    #expect(StringCoding.double("-nan") == 0)
    #expect(StringCoding.double("NaN") == 0)
    #expect(StringCoding.double("-0").sign == .minus)
  }

  @Test("a single-precision number is rounded once")
  func singleRounding() {
    // By way of a Double this would round to even, one unit lower.
    let text = "1.00000005960464477540"
    #expect(StringCoding.float(text) == Float(1).nextUp)
    #expect(Float(StringCoding.double(text)) == 1)
  }

  @Test("a number behind which many combining marks stand is read in time that grows with the length")
  func combiningMarks() {
    let ratio = growth(from: 4_000, to: 32_000, bound: 24) { count in
      let text =
        "2" + String(repeating: "\u{301}", count: count) + String(repeating: "\u{316}", count: count)
      let before = threadTime()
      #expect(StringCoding.double(text) == 2 && StringCoding.float(text) == 2)
      return threadTime() - before
    }
    #expect(ratio < 24)
  }
}
