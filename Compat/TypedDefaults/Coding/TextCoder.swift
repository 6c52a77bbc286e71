import OpenStepPropertyList

/// Converts the values of a type to text, for the keys of a stored dictionary.
///
/// A `LosslessStringConvertible` type provides the text itself; another type with raw values uses the text of
/// these, and another type that can be stored uses its stored form, if that is a scalar.
struct TextCoder<Value> {
  let encode: (Value) throws(CodingFailure) -> String
  /// The value of a text; nil if there is none.
  let decode: (String) -> Value?

  init() {
    if let type = Value.self as? any LosslessStringConvertible.Type, let coder = TextCoder.lossless(type) {
      self = coder
    } else if let type = Value.self as? any RawRepresentable.Type, let coder = TextCoder.raw(type) {
      self = coder
    } else if let type = Value.self as? any Defaults.Serializable.Type, let coder = TextCoder.stored(type) {
      self = coder
    } else {
      self.init(
        encode: { (_) throws(CodingFailure) in
          throw CodingFailure(
            "has keys of the type \(Value.self), which have no text: make it LosslessStringConvertible")
        },
        decode: { _ in nil })
    }
  }

  private init(
    encode: @escaping (Value) throws(CodingFailure) -> String, decode: @escaping (String) -> Value?
  ) {
    self.encode = encode
    self.decode = decode
  }

  private static func lossless<Lossless: LosslessStringConvertible>(_ type: Lossless.Type) -> Self? {
    TextCoder<Lossless>(
      encode: { (value) throws(CodingFailure) in String(value) }, decode: { Lossless($0) }) as? Self
  }

  private static func raw<Raw: RawRepresentable>(_ type: Raw.Type) -> Self? {
    let raw = TextCoder<Raw.RawValue>()
    return TextCoder<Raw>(
      encode: { (value) throws(CodingFailure) in try raw.encode(value.rawValue) },
      decode: { text in raw.decode(text).flatMap { Raw(rawValue: $0) } }) as? Self
  }

  private static func stored<Stored: Defaults.Serializable>(_ type: Stored.Type) -> Self? {
    let coder = ValueCoder<Stored>()
    return TextCoder<Stored>(
      encode: { (value) throws(CodingFailure) in
        guard let stored = try coder.encode(value), let text = stored.scalarText else {
          throw CodingFailure("has a key, a \(Stored.self), that is not stored as text or a number")
        }
        return text
      },
      decode: { try? coder.decode(.string($0)) }) as? Self
  }
}
