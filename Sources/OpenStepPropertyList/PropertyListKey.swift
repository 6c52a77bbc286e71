/// A dictionary's key: a string that is compared by its UTF-8 bytes.
///
/// Swift compares strings by canonical equivalence: U+00E9 and U+0065 U+0301 would be one key, and a save
/// would drop one of the two entries. OPENSTEP, GNUstep and CoreFoundation distinguish such keys, and so does
/// this type. A string literal can be used as a key.
@frozen
public struct PropertyListKey: Sendable {
  /// The key's text.
  public let text: String

  /// Makes a key from a text, which is not changed.
  @inlinable
  public init(_ text: String) {
    self.text = text
  }
}

extension PropertyListKey: Hashable {
  @inlinable
  public static func == (left: PropertyListKey, right: PropertyListKey) -> Bool {
    haveEqualBytes(left.text, right.text)
  }

  @inlinable
  public func hash(into hasher: inout Hasher) {
    // Hashing the string itself would normalise it first.
    hasher.combine(bytesOf: text)
    hasher.combine(0xFF as UInt8)
  }

  /// Dictionaries and sets call this, and then need no hasher; `KeyHash` explains why that is faster.
  public func _rawHashValue(seed: Int) -> Int {
    text.withBytes { KeyHash.hash($0, seed: seed) }
  }
}

extension PropertyListKey: Comparable {
  /// Orders keys by code point, which is the order of their UTF-8 bytes.
  public static func < (left: PropertyListKey, right: PropertyListKey) -> Bool {
    left.text.withBytes { left in right.text.withBytes { left.precedes($0) } }
  }
}

extension PropertyListKey: ExpressibleByStringLiteral {
  @inlinable
  public init(stringLiteral text: String) {
    self.text = text
  }
}

extension PropertyListKey: CustomStringConvertible {
  public var description: String { text }
}
