/// A property list: strings, data, arrays and dictionaries, and the typed scalars of files of other programs.
///
/// OPENSTEP knows the first four kinds of value. The typed scalars come from GNUstep's text
/// (`<*I5>`), from XML and binary files, and from the type notes of this package's own files
/// (`5 /*integer*/`). ``scalarText`` gives the string by which a classic reader sees them.
///
/// Equality is exact, so that writing a value back only when it differs never loses one: strings
/// are equal when their UTF-8 bytes are (U+00E9 is not U+0065 U+0301), −0.0 is not 0.0, and NaN
/// equals NaN.
public enum PropertyList: Sendable {
  /// A string.
  case string(String)
  /// Bytes without a meaning of their own.
  case data([UInt8])
  /// Values in order.
  case array([PropertyList])
  /// Values by key; keys are told apart by their UTF-8 bytes.
  case dictionary([PropertyListKey: PropertyList])
  /// A whole number from −2^63 to 2^64−1.
  case integer(PropertyListInteger)
  /// A double-precision number.
  case real(Double)
  /// A single-precision number.
  case float(Float)
  /// A truth value.
  case boolean(Bool)
  /// A moment in time.
  case date(PropertyListDate)
}

extension PropertyList {
  /// How many containers may be nested in what this package reads and writes.
  ///
  /// A text that nests deeper is refused with an error. Reading, writing, comparing and hashing work without
  /// recursion; the limit bounds the stack that freeing a value takes.
  public static let maximumDepth = 1000

  /// How many values and keys one property list may have that this package writes, and that it reads unless
  /// ``Bounds`` say otherwise: 2^25, about 33 million.
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
  /// Makes a dictionary; of two equal keys the last one wins, as in the text.
  public init(dictionaryLiteral entries: (PropertyListKey, PropertyList)...) {
    self = .dictionary([PropertyListKey: PropertyList](entries, uniquingKeysWith: { $1 }))
  }
}
