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
    let isEqual = left.text.utf8.withContiguousStorageIfAvailable { left in
      right.text.utf8.withContiguousStorageIfAvailable { right in
        left.count == right.count
          && haveEqualBytes(
            UnsafeRawPointer(left.baseAddress), UnsafeRawPointer(right.baseAddress), count: left.count)
      }
    }
    // Only strings that Objective-C made have no bytes to look at.
    return isEqual.flatMap { $0 } ?? left.text.utf8.elementsEqual(right.text.utf8)
  }

  @inlinable
  public func hash(into hasher: inout Hasher) {
    // Hashing the string itself would normalize it first.
    let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isHashed == nil { Array(text.utf8).withUnsafeBytes { hasher.combine(bytes: $0) } }
    hasher.combine(0xFF as UInt8)
  }

  /// What dictionaries and sets ask for where they would else make a hasher; see `KeyHash` for the reason.
  public func _rawHashValue(seed: Int) -> Int {
    withBytes { KeyHash.hash($0, seed: seed) }
  }

  /// Runs a body with the key's bytes.
  @inline(__always)
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
    // Only strings that Objective-C made have no bytes to look at.
    return Array(text.utf8).withUnsafeBufferPointer(body)
  }
}

extension PropertyListKey: Comparable {
  /// Orders keys by code point, which is the order of their UTF-8 bytes.
  public static func < (left: PropertyListKey, right: PropertyListKey) -> Bool {
    let isLess = left.text.utf8.withContiguousStorageIfAvailable { left in
      right.text.utf8.withContiguousStorageIfAvailable { right in bytesPrecede(left, right) }
    }
    return isLess.flatMap { $0 } ?? left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
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
