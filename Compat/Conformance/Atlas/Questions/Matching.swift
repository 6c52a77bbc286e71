import Foundation
import OpenStepPropertyList

extension JSON {
  /// Whether an outcome is the expected one.
  ///
  /// Strings are compared by their UTF-8 bytes, numbers by value, each read with its own precision.
  func matches(expected: JSON) -> Bool {
    if let (tag, _) = expected.tagged, tag == "refused" {
      return [PropertyListKey("raises"), "aborts"].contains { self[$0] != nil }
    }
    return isEqual(to: expected)
  }

  /// Whether the outcome of a text is the expected one: the same value, or any error where one is expected.
  func matchesText(expected: JSON) -> Bool {
    if expected["error"] != nil { return self["error"] != nil }
    return unfolded.isEqual(to: expected.unfolded)
  }

  /// The value of the form of deep values, `{"nested": …}`; any other outcome as it is.
  private var unfolded: JSON {
    guard let nested = self["nested"], let steps = nested["outer_to_inner"]?.elements?.compactMap(\.text),
      !steps.isEmpty, case .number(let number)? = nested["repeat"], let count = Int(exactly: number),
      (1...JSON.deepestUnfolded).contains(count), count * steps.count <= JSON.deepestUnfolded,
      let leaf = nested["leaf"]
    else { return self }
    var value: JSON? = if case .null = leaf { nil } else { leaf }
    for _ in 0..<count {
      for step in steps.reversed() {
        if step == "a" {
          value = .tagged("a", .array(value.map { [$0] } ?? []))
        } else {
          let key = PropertyListKey(String(step.dropFirst("o:".count)))
          value = .tagged("o", .object(value.map { [key: $0] } ?? [:]))
        }
      }
    }
    return .tagged("value", value ?? .null)
  }

  /// The containers of a value in that form which are compared with a value that is written out.
  private static let deepestUnfolded = 700

  /// Whether an outcome is another: any error is the same as any other.
  func isSame(as other: JSON) -> Bool {
    if self["error"] != nil, other["error"] != nil { return true }
    return isEqual(to: other)
  }

  private func isEqual(to other: JSON) -> Bool {
    switch (self, other) {
    case (.null, .null): return true
    case (.boolean(let left), .boolean(let right)): return left == right
    case (.number(let left), .number(let right)): return left == right
    case (.string(let left), .string(let right)): return PropertyListKey(left) == PropertyListKey(right)
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.isEqual(to: $1) }
    case (.object(let left), .object(let right)):
      if let left = Scalar(self), let right = Scalar(other) { return left == right }
      return left.count == right.count
        && left.allSatisfy { key, value in right[key].map { value.isEqual(to: $0) } ?? false }
    default: return false
    }
  }

  /// A typed value that has two notations.
  private enum Scalar: Equatable {
    case integer(PropertyListInteger)
    case real(Double)
    case date(Date)

    init?(_ json: JSON) {
      guard let (tag, content) = json.tagged, let text = content.text else { return nil }
      switch tag {
      case "i", "int":
        guard let value = PropertyListInteger(text) else { return nil }
        self = .integer(value)
      case "r", "f", "real":
        // A Float is first read as a Float: 0.1 as a Float is not 0.1 as a Double.
        guard let value = tag != "f" ? Double(text) : Float(text).map(Double.init) else { return nil }
        self = .real(value)
      case "t", "date":
        guard let value = Values.date(text) else { return nil }
        self = .date(value)
      default: return nil
      }
    }

    static func == (left: Scalar, right: Scalar) -> Bool {
      switch (left, right) {
      case (.integer(let left), .integer(let right)): left == right
      case (.real(let left), .real(let right)): left == right || (left.isNaN && right.isNaN)
      case (.integer(let integer), .real(let real)), (.real(let real), .integer(let integer)):
        integer.isEqual(to: real)
      case (.date(let left), .date(let right)): left == right
      default: false
      }
    }
  }
}

extension PropertyListInteger {
  fileprivate func isEqual(to real: Double) -> Bool {
    if let signed = Int64(exactly: real) { return self == PropertyListInteger(signed) }
    return UInt64(exactly: real).flatMap { PropertyListInteger(exactly: $0) } == self
  }
}
