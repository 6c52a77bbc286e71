import Foundation
import UserDefaultsCompat

/// A wrapper that encodes a value unchanged, but throws an error before the stack overflows.
///
/// A recursive type encodes its parts by recursion, as deep as the value nests, which the encoder cannot
/// know. So each part is wrapped when it is passed to the encoder, and checks the remaining stack first.
struct GuardedEncodable: Encodable {
  private let value: any Encodable

  init(_ value: any Encodable) {
    self.value = value
  }

  func encode(to encoder: any Encoder) throws {
    try CodingStack.check()
    if GuardedEncodable.isLeaf(value) {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    } else {
      try value.encode(to: GuardedEncoder(encoder))
    }
  }

  /// Whether a value has no parts of its own type; the encoder recognises some of these types and
  /// must see them unwrapped.
  private static func isLeaf(_ value: any Encodable) -> Bool {
    value is any StoredScalar || value is Decimal || value is any BinaryInteger
  }
}

private struct GuardedEncoder: Encoder {
  private let encoder: any Encoder

  init(_ encoder: any Encoder) {
    self.encoder = encoder
  }

  var codingPath: [any CodingKey] { encoder.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { encoder.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(GuardedKeyedContainer(container: encoder.container(keyedBy: type)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    GuardedUnkeyedContainer(container: encoder.unkeyedContainer())
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    GuardedSingleValueContainer(container: encoder.singleValueContainer())
  }
}

private struct GuardedKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var container: KeyedEncodingContainer<Key>

  var codingPath: [any CodingKey] { container.codingPath }

  mutating func encodeNil(forKey key: Key) throws {
    try container.encodeNil(forKey: key)
  }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try container.encode(GuardedEncodable(value), forKey: key)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(
      GuardedKeyedContainer<Nested>(container: container.nestedContainer(keyedBy: type, forKey: key)))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    GuardedUnkeyedContainer(container: container.nestedUnkeyedContainer(forKey: key))
  }

  mutating func superEncoder() -> any Encoder {
    GuardedEncoder(container.superEncoder())
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    GuardedEncoder(container.superEncoder(forKey: key))
  }
}

private struct GuardedUnkeyedContainer: UnkeyedEncodingContainer {
  var container: any UnkeyedEncodingContainer

  var codingPath: [any CodingKey] { container.codingPath }
  var count: Int { container.count }

  mutating func encodeNil() throws {
    try container.encodeNil()
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try container.encode(GuardedEncodable(value))
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(GuardedKeyedContainer<Nested>(container: container.nestedContainer(keyedBy: type)))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    GuardedUnkeyedContainer(container: container.nestedUnkeyedContainer())
  }

  mutating func superEncoder() -> any Encoder {
    GuardedEncoder(container.superEncoder())
  }
}

private struct GuardedSingleValueContainer: SingleValueEncodingContainer {
  var container: any SingleValueEncodingContainer

  var codingPath: [any CodingKey] { container.codingPath }

  mutating func encodeNil() throws {
    try container.encodeNil()
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try container.encode(GuardedEncodable(value))
  }
}
