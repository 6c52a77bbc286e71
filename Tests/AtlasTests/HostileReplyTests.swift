import TestSupport
import Testing

@testable import DefaultsAtlas

/// Replies that a driver should not make: none of them ends the runner, or keeps it busy.
@Suite
struct HostileReplyTests {
  private func json(_ text: String) throws -> JSON { try JSONReader.value(of: text.utf8) }

  @Test(
    "a date that no calendar has is no date",
    arguments: [
      "1e300-01-01T00:00:00Z", "inf-01-01T00:00:00Z", "nan-01-01T00:00:00Z", "2001-1e300-01T00:00:00Z",
      "2001-01-01T00:00:1e300Z", "2001-01-01T00:00:infZ", "9999999999999999999-01-01T00:00:00Z", "Z", "",
      "2001-01-01T00:00Z", "2001-01-01T00:00:00",
    ])
  func dates(text: String) throws {
    #expect(Values.date(text) == nil)
    let outcome = try json("{\"t\": \"\(text)\"}")
    #expect(OutcomeForm.fault(in: outcome) != nil)
    #expect(!outcome.matches(expected: try json(#"{"t": "2001-01-01T00:00:00Z"}"#)))
  }

  @Test(
    "a deep value is unfolded only as far as it is compared",
    arguments: [
      #""outer_to_inner": [], "repeat": 1e300"#, #""outer_to_inner": [], "repeat": 1e18"#,
      #""outer_to_inner": [], "repeat": 1"#, #""outer_to_inner": ["a"], "repeat": 1e300"#,
      #""outer_to_inner": ["a"], "repeat": 1.5"#, #""outer_to_inner": ["a"], "repeat": -1"#,
      #""outer_to_inner": ["a"], "repeat": 9223372036854775807"#,
    ])
  func deepValues(members: String) throws {
    let outcome = try json("{\"nested\": {\(members), \"leaf\": null}}")
    #expect(!outcome.matchesText(expected: try json(#"{"value": {"a": []}}"#)))
  }

  @Test(
    "a number is written as JSON writes it",
    arguments: [
      "nan", "inf", "-inf", "0x1p3", "1e999", "+1", ".5", "01", "-01", "-", "1.", "1.e3", "1e", "1e+", "1E-",
      "1x", "1.5.5", "٣",
    ])
  func wrongNumbers(word: String) throws {
    #expect(throws: JSONError.self) { try json(word) }
  }

  @Test(
    "a number is read in every form that JSON has",
    arguments: [
      ("0", 0), ("-0", -0.0), ("10", 10), ("-12.50", -12.5), ("1e5", 1e5), ("2E-3", 2e-3), ("0.25e+1", 2.5),
      ("0e0", 0),
    ] as [(String, Double)])
  func numbers(word: String, number: Double) throws {
    guard case .number(let found) = try json(word) else {
      Issue.record("“\(word)” is no number")
      return
    }
    #expect(found == number)
  }

  @Test("the fault in the innermost of a thousand arrays is found")
  func deepFault() throws {
    let (open, close) = (String(repeating: "[", count: 1000), String(repeating: "]", count: 1000))
    let outcome = try json("{\"d\": {\"k\": \(open)true\(close)}}")
    #expect(OutcomeForm.fault(in: outcome) == "a truth value is written {\"b\": true}")
  }
}
