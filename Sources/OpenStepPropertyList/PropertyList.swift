/// A property list: a string, data, an array or a dictionary, or one of the typed scalars.
///
/// OPENSTEP has only the first four kinds of values. Typed scalars come from GNUstep's text (`<*I5>`), from
/// XML, binary and JSON files, and from the type notes of this package's own files (`5 /*integer*/`). A
/// classic reader sees them as the string ``scalarText``.
///
/// Equality is exact, so that a program that writes only values that differ loses no change: strings are
/// equal if their UTF-8 bytes are equal (U+00E9 is not U+0065 U+0301), −0.0 is not 0.0, and NaN equals NaN.
public enum PropertyList: Sendable {
  /// A string.
  case string(String)
  /// A sequence of bytes.
  case data([UInt8])
  /// A sequence of values.
  case array([PropertyList])
  /// Values by key; keys are compared by their UTF-8 bytes.
  case dictionary([PropertyListKey: PropertyList])
  /// A whole number from −2^63 to 2^64−1.
  case integer(PropertyListInteger)
  /// A double-precision number.
  case real(Double)
  /// A single-precision number.
  case float(Float)
  /// A truth value.
  case boolean(Bool)
  /// A point in time.
  case date(PropertyListDate)
}

extension PropertyList {
  /// The maximum number of nested containers in values that this package reads and writes.
  ///
  /// Deeper values are refused with an error. Reading, writing, comparing and hashing take no stack for each
  /// level; the limit bounds the stack that is needed to free a value.
  public static let maximumDepth = 1000

  /// The maximum number of values and keys in a property list that this package writes, and by default in one
  /// that it reads (see ``Bounds``): 2^25, about 33 million. JSON is written without this limit.
  public static let maximumObjectCount = 33_554_432
}

extension PropertyList: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) {
    self = .string(text)
  }
}

extension PropertyList: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: PropertyList...) {
    self = .array(elements)
  }
}

extension PropertyList: ExpressibleByDictionaryLiteral {
  /// Makes a dictionary; the last of two equal keys wins, as in a text.
  public init(dictionaryLiteral entries: (PropertyListKey, PropertyList)...) {
    self = .dictionary([PropertyListKey: PropertyList](entries, uniquingKeysWith: { $1 }))
  }
}
