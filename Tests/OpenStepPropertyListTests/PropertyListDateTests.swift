import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Dates as text, against the C library's calendar and examples worked out by hand.
@Suite
struct PropertyListDateTests {
  private func text(_ seconds: Double) -> String {
    PropertyListDate(secondsSinceReferenceDate: seconds).text
  }

  @Test("a whole second of the years 1 to 9999 is written as the calendar has it")
  func calendar() {
    var generator = SystemRandomNumberGenerator()
    let range: Range<Int64> = -63_113_904_000..<252_423_993_600
    // Every first of March and last of December around the rules for leap years, and random days.
    var moments = (0..<20_000).map { _ in Int64.random(in: range, using: &generator) }
    moments += stride(from: range.lowerBound, to: range.upperBound, by: 86_400 * 73).flatMap {
      [$0, $0 + 86_399]
    }
    for seconds in moments where range.contains(seconds) {
      var time = time_t(seconds + 978_307_200)
      var parts = tm()
      gmtime_r(&time, &parts)
      let expected = [
        padded(Int(parts.tm_year) + 1900, 4), "-", padded(Int(parts.tm_mon) + 1, 2), "-",
        padded(Int(parts.tm_mday), 2),
        " ", padded(Int(parts.tm_hour), 2), ":", padded(Int(parts.tm_min), 2), ":",
        padded(Int(parts.tm_sec), 2),
        " +0000",
      ].joined()
      let date = PropertyListDate(secondsSinceReferenceDate: Double(seconds))
      guard date.text == expected, PropertyListDate(text: expected) == date else {
        Issue.record("\(seconds): \(date.text), expected \(expected)")
        return
      }
    }
  }

  private func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  @Test("Foundation's formatter writes the same text for today's dates")
  func foundation() {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss xx"
    for seconds in stride(from: -3e9, to: 3e9, by: 12_345_678) {
      #expect(text(seconds) == formatter.string(from: Date(timeIntervalSinceReferenceDate: seconds)))
    }
  }

  @Test("a fraction has as many digits as the value needs, and counts forward before 2001 too")
  func fractions() {
    #expect(text(0.125) == "2001-01-01 00:00:00.125 +0000")
    #expect(text(-0.25) == "2000-12-31 23:59:59.75 +0000")
    #expect(text(-0.9) == "2000-12-31 23:59:59.1 +0000")
    #expect(text(-1) == "2000-12-31 23:59:59 +0000")
    #expect(text(816_880_560.125) == "2026-11-20 15:16:00.125 +0000")
    #expect(text(0.001) == "2001-01-01 00:00:00.001 +0000")
    #expect(text(-63_113_904_000) == "0001-01-01 00:00:00 +0000")
    #expect(text(252_423_993_599.5) == "9999-12-31 23:59:59.5 +0000")
  }

  @Test("a date that no calendar form holds is written as its seconds")
  func seconds() {
    #expect(text(-0.0) == "-0")
    #expect(text(252_423_993_600) == "252423993600")
    #expect(text(-63_113_904_001) == "-63113904001")
    #expect(text(1e300) == "1e+300")
    #expect(text(1e-5) == "1e-05")
    #expect(text(.infinity) == "inf")
    #expect(text(.nan) == "nan")
  }

  @Test("every date comes back bit for bit")
  func roundTrip() {
    var random = RandomValues(seed: 10)
    for _ in 0..<20_000 {
      let number = random.double()
      for seconds in [number, number.remainder(dividingBy: 1e12), number.remainder(dividingBy: 10)] {
        let date = PropertyListDate(secondsSinceReferenceDate: seconds)
        if PropertyListDate(text: date.text) != date { Issue.record("\(seconds): \(date.text)") }
      }
    }
  }

  @Test(
    "a zone is taken off, and a long fraction is rounded once",
    arguments: [
      ("2001-01-01 01:00:00 +0100", 0.0), ("2000-12-31 18:30:00 -0530", 0),
      ("2001-01-01 00:00:00.50 +0000", 0.5),
      ("2001-01-01 00:00:00.000 +0000", 0), ("2000-12-31 23:59:59.000 +0000", -1),
      ("2001-01-01 00:00:00.1000000000000000055511151231257827 +0000", 0.1),
      ("2004-02-29 00:00:00 +0000", 99_705_600),
      ("2000-02-29 00:00:00 +0000", -26_524_800), ("0", 0), ("-0.5", -0.5),
    ])
  func reading(text: String, seconds: Double) {
    #expect(PropertyListDate(text: text)?.secondsSinceReferenceDate == seconds)
  }

  @Test(
    "a date that the calendar does not have, or without a zone, is none",
    arguments: [
      "2001-02-29 00:00:00 +0000", "1900-02-29 00:00:00 +0000", "2001-13-01 00:00:00 +0000",
      "2001-00-01 00:00:00 +0000",
      "2001-01-00 00:00:00 +0000", "2001-04-31 00:00:00 +0000", "2001-01-01 24:00:00 +0000",
      "2001-01-01 00:60:00 +0000",
      "2001-01-01 00:00:60 +0000", "0000-01-01 00:00:00 +0000", "2001-01-01 00:00:00",
      "2001-01-01 00:00:00 UTC",
      "2001-01-01 00:00:00 +000", "2001-01-01 00:00:00 0000", "2001-01-01 00:00:00 +2400",
      "2001-01-01 00:00:00. +0000",
      "2001-01-01  00:00:00 +0000", "01-01-01 00:00:00 +0000", "2001-1-01 00:00:00 +0000",
      "2001-01-01T00:00:00Z",
      "-001-01-01 00:00:00 +0000", "2001-01-01 00:00:00.5.5 +0000", "2001-01-01 +1:00:00 +0000", "", " ",
      "today", "2000-01-01 00:00:00.5\u{301} +0000", "2000-01-01 00:00:00.5\u{20DD} +0000",
    ])
  func noDates(text: String) {
    #expect(PropertyListDate(text: text) == nil)
  }
}
