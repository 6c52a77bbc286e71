import OpenStepPropertyList
import TestSupport
import Testing

/// The strings by which a classic reader sees scalars.
@Suite
struct ScalarTextTests {
  @Test("a scalar's text is the shortest that tells its value, and data and containers have none")
  func texts() throws {
    let largest = try #require(PropertyListInteger(exactly: UInt64.max))
    let texts: [(PropertyList, String?)] = [
      ("a b", "a b"), (.integer(5), "5"), (.integer(-7), "-7"), (.integer(largest), "18446744073709551615"),
      (.integer(PropertyListInteger(Int64.min)), "-9223372036854775808"), (.real(1.5), "1.5"),
      (.real(3), "3"),
      (.real(0.1), "0.1"), (.real(-0.0), "-0"), (.real(.infinity), "inf"), (.real(-.infinity), "-inf"),
      (.real(.nan), "nan"), (.real(-.nan), "nan"), (.real(.leastNonzeroMagnitude), "5e-324"),
      (.float(0.1), "0.1"),
      (.float(12.34), "12.34"), (.float(16_777_216), "16777216"), (.boolean(true), "YES"),
      (.boolean(false), "NO"),
      (.date(PropertyListDate(secondsSinceReferenceDate: 0)), "2001-01-01 00:00:00 +0000"), (.data([5]), nil),
      ([], nil), ([:], nil),
    ]
    for (value, text) in texts { #expect(value.scalarText == text) }
  }

  @Test("a number's text is read back to the same bits by the standard library")
  func numbers() {
    var random = RandomValues(seed: 9)
    for _ in 0..<20_000 {
      let number = random.double()
      let back = Double(PropertyList.text(of: number))
      if back?.bitPattern != number.bitPattern && !number.isNaN { Issue.record("\(number)") }
      let single = Float(number)
      let singleBack = Float(PropertyList.text(of: single))
      if singleBack?.bitPattern != single.bitPattern && !single.isNaN { Issue.record("\(single)") }
    }
  }

  @Test(
    "a real's text may have a sign, a fraction and an exponent, and nothing else",
    arguments: [
      ("5", 5), ("+5", 5), ("-5", -5), ("5.", 5), (".5", 0.5), ("1e3", 1000), ("1E-3", 0.001), ("1e+3", 1000),
      ("1e400", .infinity), ("-1e400", -.infinity), ("1e-400", 0), ("INF", .infinity),
      ("-Infinity", -.infinity),
      ("NaN", .nan), ("", nil), (".", nil), ("-", nil), ("e5", nil), ("1e", nil), ("0x1p3", nil),
      ("1_000", nil),
      ("1,5", nil), ("1 2", nil), ("nan(5)", nil), ("infinit", nil), ("٣", nil), ("1.5.5", nil), ("--1", nil),
    ] as [(String, Double?)])
  func reals(text: String, value: Double?) {
    let result = try? PropertyList(parsing: "<*R\"\(text)\">")
    #expect(result == value.map { .real($0) })
  }

  @Test("a float's text is rounded once, not by way of a double")
  func floatRounding() throws {
    // Halfway between two floats but for the last digit: a double drops that digit.
    let text = "1.00000005960464477540"
    #expect(Float(Double(text) ?? 0) != Float(text))
    #expect(try PropertyList(parsing: "\(text) /*float*/", options: .domainFile) == .float(Float(text) ?? 0))
  }
}
