import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Other readers take what we write for the same value.
@Suite
struct InteroperationTests {
  @Test("Foundation reads our files", arguments: [PropertyList.Style.openStep, .ascii])
  func foundation(style: PropertyList.Style) throws {
    var random = RandomValues(seed: 6)
    for _ in 0..<300 {
      let value = random.dictionary()
      if value.hasCanonicallyEqualKeys { continue }
      let bytes = try value.bytes(style: style)
      let object = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
      guard try PropertyList(foundation: object) == value.classic else {
        Issue.record("\(String(decoding: bytes, as: UTF8.self))\n\(object)")
        return
      }
    }
  }

  @Test(
    "GNUstep reads our files, and types in its own format",
    .enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)),
    arguments: [PropertyList.Style.openStep, .ascii, .gnustep])
  func gnustep(style: PropertyList.Style) throws {
    var random = RandomValues(seed: 7, range: .gnustep)
    let values = (0..<300).map { _ in random.dictionary() }
    let results = try GNUstepReader().read(values.map { try $0.bytes(style: style) })
    for (value, result) in zip(values, results) {
      let expected = style == .gnustep ? value.floatsAsReals : value.classic
      guard result == expected else {
        Issue.record("\(try value.text(style: style))\n\(result?.taggedText ?? "an error")")
        return
      }
    }
  }
}

extension PropertyList {
  /// A value as Foundation gives it for a text without types.
  fileprivate init(foundation object: Any) throws {
    switch object {
    case let text as String: self = .string(text)
    case let data as Data: self = .data(Array(data))
    case let elements as [Any]: self = .array(try elements.map(PropertyList.init(foundation:)))
    case let entries as [String: Any]:
      let pairs = try entries.map { (PropertyListKey($0.key), try PropertyList(foundation: $0.value)) }
      self = .dictionary([PropertyListKey: PropertyList](uniqueKeysWithValues: pairs))
    default: throw NotationError(description: "unexpected \(type(of: object))")
    }
  }
}
