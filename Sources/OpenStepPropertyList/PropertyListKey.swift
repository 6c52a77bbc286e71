/// A dictionary's key: a string that is compared by its UTF-8 bytes.
///
/// Swift's own string equality is canonical equivalence: it takes U+00E9 and U+0065 U+0301 for one
/// key, and a save would then drop one of the two entries. OPENSTEP, GNUstep and CoreFoundation
/// keep them apart, and so does this type. A string literal serves as a key.
@frozen
public struct PropertyListKey: Sendable {
  /// The key's text.
  public let text: String

  /// Makes a key of a text, as it stands.
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
    // Hashing the string itself would normalize it first.
    hasher.combine(bytesOf: text)
    hasher.combine(0xFF as UInt8)
  }

  /// What dictionaries and sets ask for where they would else make a hasher; see `KeyHash` for the reason.
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
