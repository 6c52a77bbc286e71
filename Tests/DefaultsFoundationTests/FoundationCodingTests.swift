import Foundation
import OpenStepPropertyList
import Testing

@testable import DefaultsFoundation

/// The typed getters on any stored value; the values of strings are those of the written rules.
@Suite
struct FoundationCodingTests {
  @Test(
    "a string is true if a Y, a T or a number other than zero stands behind white space, sign and zeros",
    arguments: [
      ("YES", true), ("yes", true), ("Y", true), ("y", true), ("yep", true), ("YESTERDAY", true),
      ("true", true),
      ("TRUE", true), ("t", true), ("T", true), ("truth", true), (" YES", true), ("\t\r\nYES", true),
      ("YES ", true), ("1", true), ("01", true), ("+1", true), ("2", true), ("-1", true), ("-01", true),
      ("1.5", true), ("12abc", true), (" 42", true), ("1e3", true), ("1,234", true), ("5.", true),
      ("00T", true),
      ("99999999999999999999", true), ("Y\u{301}", true),
      ("0", false), ("00", false), ("-0", false), ("0x10", false), ("0.5", false), ("NO", false),
      ("no", false),
      ("N", false), ("off", false), ("false", false), ("f", false), ("on", false), ("ON", false), ("", false),
      ("-", false), ("x1", false), ("９", false), ("٣", false), (".5", false), ("--1", false), ("+-1", false),
      ("- 1", false), ("inf", false), ("nan", false), ("\u{A0}1", false), ("Ｙ", false),
    ])
  func truthOfText(text: String, expected: Bool) {
    #expect(FoundationCoding.bool(.string(text)) == expected)
  }

  @Test(
    "a string is the number that it begins with",
    arguments: [
      ("42", 42, 42), (" 42", 42, 42), ("42 ", 42, 42), ("+7", 7, 7), ("12abc", 12, 12), ("1e3", 1, 1000),
      ("1,234", 1, 1), ("1_000", 1, 1), ("3.9", 3, 3.9), ("-3.9", -3, -3.9), (".5", 0, 0.5), ("5.", 5, 5),
      ("--1", 0, 0), ("- 1", 0, 0), ("1e", 1, 1), ("\n8", 8, 8), ("\u{A0}9", 0, 0), ("0x1F", 0, 0),
      ("９", 0, 0),
      ("inf", 0, 0), ("-inf", 0, 0), ("nan", 0, 0), ("infinity", 0, 0), ("YES", 0, 0), ("", 0, 0),
      ("1e400", 1, .infinity), ("5e-324", 5, .leastNonzeroMagnitude),
      ("9223372036854775807", .max, 9.2233720368547758e18),
      ("9223372036854775808", .max, 9.2233720368547758e18), ("99999999999999999999", .max, 1e20),
      ("-99999999999999999999", .min, -1e20), ("123.4", 123, 123.4),
    ] as [(String, Int, Double)])
  func numberOfText(text: String, integer: Int, double: Double) {
    #expect(FoundationCoding.integer(.string(text)) == integer)
    #expect(FoundationCoding.double(.string(text)) == double)
    #expect(FoundationCoding.float(.string(text)) == Float(double))
  }

  @Test(
    "a real number is cut towards zero, and one that is too large becomes the nearest limit",
    arguments: [
      (2.67, 2), (-2.67, -2), (-0.0, 0), (0.5, 0), (.nan, 0), (.infinity, .max), (-.infinity, .min),
      (1e20, .max), (-1e20, .min), (0x1p63, .max), (-0x1p63, .min),
      (0x1.fffffffffffffp62, 9_223_372_036_854_774_784),
      (.leastNonzeroMagnitude, 0), (1e300, .max),
    ] as [(Double, Int)])
  func integerOfReal(real: Double, expected: Int) {
    #expect(FoundationCoding.integer(.real(real)) == expected)
    let single = Float(real)
    if Double(single) == real || single.isNaN {
      #expect(FoundationCoding.integer(.float(single)) == expected)
    }
  }

  @Test("numbers and truth values answer as any number")
  func numbers() throws {
    #expect(FoundationCoding.double(.boolean(true)) == 1)
    #expect(FoundationCoding.float(.boolean(true)) == 1)
    #expect(FoundationCoding.integer(.boolean(true)) == 1)
    #expect(FoundationCoding.integer(.boolean(false)) == 0)
    #expect(FoundationCoding.double(.float(0.1)) == 0.10000000149011612)
    #expect(FoundationCoding.float(.float(0.1)) == 0.1)
    #expect(FoundationCoding.float(.real(1e300)) == .infinity)
    #expect(FoundationCoding.double(.real(.nan)).isNaN)
    #expect(FoundationCoding.float(.real(.nan)).isNaN)
    #expect(FoundationCoding.double(.real(-0.0)).sign == .minus)
    #expect(FoundationCoding.double(.integer(9_007_199_254_740_993)) == 9_007_199_254_740_992)
    #expect(FoundationCoding.float(.integer(16_777_217)) == 16_777_216)
    let largest = try #require(PropertyListInteger(exactly: UInt64.max))
    #expect(FoundationCoding.integer(.integer(largest)) == .max)
    #expect(FoundationCoding.double(.integer(largest)) == 0x1p64)
    for value in [.integer(2), .integer(-1), .integer(largest), .real(0.5), .real(.nan), .float(0.5)]
      as [PropertyList]
    {
      #expect(FoundationCoding.bool(value))
    }
    for value in [.integer(0), .real(0), .real(-0.0), .float(0), .boolean(false)] as [PropertyList] {
      #expect(!FoundationCoding.bool(value))
    }
  }

  @Test("a whole number is rounded to single precision once")
  func singleRounding() throws {
    // The last bit decides, and a Double would have dropped it.
    let unsigned = try #require(PropertyListInteger(exactly: (1 << 63) + (1 << 39) + 1 as UInt64))
    #expect(FoundationCoding.float(.integer(unsigned)) == 0x1.000002p63)
    let signed = PropertyListInteger((1 << 62) + (1 << 38) + 1)
    #expect(FoundationCoding.float(.integer(signed)) == 0x1.000002p62)
  }

  @Test("a number's string has no more digits than it needs, and no point on whole ones")
  func strings() throws {
    let strings: [(PropertyList, String?)] = [
      ("x", "x"), (.integer(5), "5"), (.integer(.init(Int64.max)), "9223372036854775807"), (.real(5), "5"),
      (.real(0.1), "0.1"), (.real(-2.5), "-2.5"), (.float(0.1), "0.1"), (.float(3), "3"),
      (.boolean(true), "1"), (.boolean(false), "0"), (.data([1]), nil), (["x"], nil), (["a": "x"], nil),
      (.date(PropertyListDate(secondsSinceReferenceDate: 0)), nil),
    ]
    for (value, expected) in strings { #expect(FoundationCoding.string(value) == expected) }
    let largest = try #require(PropertyListInteger(exactly: UInt64.max))
    #expect(FoundationCoding.string(.integer(largest)) == "18446744073709551615")
    #expect(FoundationCoding.string(nil) == nil)
  }

  @Test("an array of strings has strings only")
  func stringArrays() {
    #expect(FoundationCoding.stringArray([]) == [])
    #expect(FoundationCoding.stringArray(["a", "b"]) == ["a", "b"])
    #expect(FoundationCoding.stringArray(["a", .integer(1)]) == nil)
    #expect(FoundationCoding.stringArray(["a", ["b"]]) == nil)
    #expect(FoundationCoding.stringArray("(a, b)") == nil)
    #expect(FoundationCoding.stringArray(nil) == nil)
  }

  @Test("what is neither number nor string answers zero, false and nothing")
  func others() {
    let date = PropertyList.date(PropertyListDate(secondsSinceReferenceDate: 7))
    for value in [.data([49]), ["7"], ["7": "7"], date, nil] as [PropertyList?] {
      #expect(!FoundationCoding.bool(value))
      #expect(FoundationCoding.integer(value) == 0)
      #expect(FoundationCoding.float(value) == 0)
      #expect(FoundationCoding.double(value) == 0)
    }
    #expect(FoundationCoding.data(.data([])) == Data())
    #expect(FoundationCoding.data(.data([1, 2])) == Data([1, 2]))
    #expect(FoundationCoding.data("a") == nil)
    #expect(FoundationCoding.data(nil) == nil)
  }
}
