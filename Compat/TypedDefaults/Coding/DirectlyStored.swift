import Foundation
import OpenStepPropertyList
import UserDefaultsCompat

// Containers are stored as property lists, whatever form their elements have. A nil element, for which a
// property list has no value, is left out, as in sindresorhus/Defaults.

extension Optional: DirectlyStored where Wrapped: Defaults.Serializable {
  static func coder() -> ValueCoder<Self> {
    let wrapped = ValueCoder<Wrapped>()
    var coder = ValueCoder<Self>(
      encode: { (value) throws(CodingFailure) in
        guard let value else { return nil }
        return try wrapped.encode(value)
      },
      decode: { (stored) throws(CodingFailure) in try wrapped.decode(stored) })
    coder.isCostly = wrapped.isCostly
    return coder
  }
}

extension Array: DirectlyStored where Element: Defaults.Serializable {
  static func coder() -> ValueCoder<Self> {
    let element = ValueCoder<Element>()
    return ValueCoder(
      encode: { (value) throws(CodingFailure) in .array(try element.encodeAll(value)) },
      decode: { (stored) throws(CodingFailure) in try element.decodeAll(of: stored, as: Self.self) })
  }
}

extension Set: DirectlyStored where Element: Defaults.Serializable {
  static func coder() -> ValueCoder<Self> {
    let element = ValueCoder<Element>()
    return ValueCoder(
      encode: { (value) throws(CodingFailure) in
        let elements = try element.encodeAll(Array(value))
        // Sorted, because a set has another order in each process. A value that is too deep to be written as
        // text is refused later for that reason.
        let keyed = elements.map { ($0.scalarText ?? (try? $0.text(style: .oneLine)) ?? "", $0) }
        return .array(keyed.sorted { PropertyListKey($0.0) < PropertyListKey($1.0) }.map(\.1))
      },
      decode: { (stored) throws(CodingFailure) in
        Set(try element.decodeAll(of: stored, as: Self.self))
      })
  }
}

extension Dictionary: DirectlyStored where Value: Defaults.Serializable {
  static func coder() -> ValueCoder<Self> {
    let element = ValueCoder<Value>()
    let text = TextCoder<Key>()
    return ValueCoder(
      encode: { (value) throws(CodingFailure) in
        var entries = [PropertyListKey: PropertyList](minimumCapacity: value.count)
        for (key, value) in value {
          let key = try text.encode(key)
          do throws(CodingFailure) {
            guard let stored = try element.encode(value) else { continue }
            guard entries.updateValue(stored, forKey: PropertyListKey(key)) == nil else {
              throw CodingFailure("is the text of two different keys")
            }
          } catch {
            throw error.inside("[\"\(key)\"]")
          }
        }
        return .dictionary(entries)
      },
      decode: { (stored) throws(CodingFailure) in
        guard case .dictionary(let entries) = stored else {
          throw CodingFailure(expected: Self.self, found: stored)
        }
        var result = Self(minimumCapacity: entries.count)
        for (name, value) in entries {
          do throws(CodingFailure) {
            guard let key = text.decode(name.hashableText) else {
              throw CodingFailure("has a key that is no \(Key.self)")
            }
            result[key] = try element.decode(value)
          } catch {
            throw error.inside("[\"\(name.text)\"]")
          }
        }
        // To Swift, canonically equivalent keys are equal.
        guard result.count == entries.count else {
          throw CodingFailure("has two keys that are equal as \(Key.self)")
        }
        return result
      })
  }
}

extension ValueCoder {
  fileprivate func encodeAll(_ values: [Value]) throws(CodingFailure) -> [PropertyList] {
    var result: [PropertyList] = []
    result.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      do throws(CodingFailure) {
        if let stored = try encode(value) { result.append(stored) }
      } catch {
        throw error.inside("[\(index)]")
      }
    }
    return result
  }

  fileprivate func decodeAll(of stored: PropertyList, as type: Any.Type) throws(CodingFailure) -> [Value] {
    guard case .array(let elements) = stored else { throw CodingFailure(expected: type, found: stored) }
    var result: [Value] = []
    result.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do throws(CodingFailure) {
        result.append(try decode(element))
      } catch {
        throw error.inside("[\(index)]")
      }
    }
    return result
  }
}

// MARK: - Others

extension URL: DirectlyStored {
  /// Stores a URL as `UserDefaults` does; also reads the text of a URL, and JSON text,
  /// which other facades store.
  static func coder() -> ValueCoder<URL> {
    var coder = ValueCoder<URL>(
      encode: { (url) throws(CodingFailure) in url.stored },
      decode: { (stored) throws(CodingFailure) in
        let url =
          switch stored {
          case .string(let text) where text.utf8.first == UInt8(ascii: "\""):
            try JSONText.value(text, as: URL.self)
          case .string(let text) where isText(text): URL(string: text)
          default: URL(stored: stored)
          }
        guard let url else { throw CodingFailure(expected: URL.self, found: stored) }
        return url
      })
    coder.isCostly = true
    return coder
  }

  /// Whether a text is that of a URL, and not a path.
  private static func isText(_ text: String) -> Bool {
    // By bytes, in a time that does not grow with the square of combining marks.
    let bytes = Array(text.utf8)
    guard let first = bytes.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "~") else {
      return false
    }
    return bytes.indices.contains { bytes[$0] == UInt8(ascii: ":") && bytes[$0...].starts(with: "://".utf8) }
  }
}

extension Decimal: DirectlyStored {
  /// Stores the digits, which a number could not hold, and which are the JSON text; also reads a number.
  static func coder() -> ValueCoder<Decimal> {
    ValueCoder(
      encode: { (value) throws(CodingFailure) in .string(value.isNaN ? "nan" : value.description) },
      decode: { (stored) throws(CodingFailure) in
        guard let value = TypedValue.value(stored, as: Decimal.self) else {
          throw CodingFailure(expected: Decimal.self, found: stored)
        }
        return value
      })
  }
}

extension Locale: DirectlyStored {
  /// Stores the identifier, or JSON text if the locale has more, for example if it
  /// follows the user's settings.
  static func coder() -> ValueCoder<Locale> {
    ValueCoder(
      encode: { (value) throws(CodingFailure) in
        let isPlain = Locale(identifier: value.identifier) == value && !value.identifier.hasPrefix("{")
        return .string(isPlain ? value.identifier : try JSONText.text(value))
      },
      decode: { (stored) throws(CodingFailure) in
        guard case .string(let text) = stored else {
          throw CodingFailure(expected: Locale.self, found: stored)
        }
        guard text.utf8.first == UInt8(ascii: "{") else {
          // Foundation keeps each locale in a dictionary by its identifier.
          return Locale(identifier: PropertyListKey(text).hashableText)
        }
        return try JSONText.value(text, as: Locale.self)
      })
  }
}

extension Defaults.AnySerializable: DirectlyStored {
  static func coder() -> ValueCoder<Self> {
    ValueCoder(
      encode: { (value) throws(CodingFailure) in try value.checkedContent },
      decode: { (stored) throws(CodingFailure) in Self(content: .success(stored)) })
  }
}
