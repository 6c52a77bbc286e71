import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

/// Property lists as objects, in both models of values.
@Suite
struct PropertyListObjectsTests {
  private static let date = Date(timeIntervalSinceReferenceDate: 0)
  private let object: [String: Any] = [
    "text": "x", "data": Data([1, 2]), "five": 5, "real": 0.1, "single": Float(0.1), "on": true,
    "date": PropertyListObjectsTests.date,
    "list": [1, ["k": false]] as [Any], "largest": UInt64.max,
  ]

  @Test("the typed model keeps every type, both ways")
  func typed() throws {
    let list = try PropertyList(object: object)
    let expected: PropertyList = [
      "text": "x", "data": .data([1, 2]), "five": .integer(5), "real": .real(0.1), "single": .float(0.1),
      "on": .boolean(true), "date": .date(PropertyListDate(secondsSinceReferenceDate: 0)),
      "list": [.integer(1), ["k": .boolean(false)]],
      "largest": .integer(try #require(PropertyListInteger(exactly: UInt64.max))),
    ]
    #expect(list == expected)
    let shown = try #require(list.object() as? [String: Any])
    #expect(shown["five"] as? Int == 5 && shown["on"] as? Bool == true && shown["date"] is Date)
    #expect(try PropertyList(object: shown) == list)
  }

  @Test("in the classic model numbers, truth values and dates are strings, both ways")
  func classic() throws {
    let list = try PropertyList(object: object, model: .classic)
    let expected: PropertyList = [
      "text": "x", "data": .data([1, 2]), "five": "5", "real": "0.1", "single": "0.1", "on": "YES",
      "date": "2001-01-01 00:00:00 +0000", "list": ["1", ["k": "NO"]], "largest": "18446744073709551615",
    ]
    #expect(list == expected)
    let typed = try PropertyList(object: object)
    let shown = try #require(typed.object(model: .classic) as? [String: Any])
    #expect(shown["five"] as? String == "5" && shown["on"] as? String == "YES")
    #expect(try PropertyList(object: shown) == expected)
  }

  @Test(
    "what is no property list is refused with its path",
    arguments: [PropertyList.ValueModel.classic, .typed])
  func refused(model: PropertyList.ValueModel) {
    let error = #expect(throws: InvalidArgumentError.self) {
      try PropertyList(object: ["a": [1, NSNull()] as [Any]], model: model)
    }
    #expect(error?.reason.hasPrefix("the object[\"a\"][1] is of type NSNull") == true)
    let missing: String? = nil
    #expect(throws: InvalidArgumentError.self) { try PropertyList(object: missing as Any, model: model) }
    #expect(throws: InvalidArgumentError.self) { try PropertyList(object: nested(501), model: model) }
    #expect(throws: Never.self) { try PropertyList(object: nested(500), model: model) }
  }

  private func nested(_ depth: Int) -> Any {
    (0..<depth).reduce("x" as Any) { value, _ in [value] }
  }
}
