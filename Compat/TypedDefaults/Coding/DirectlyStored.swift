import Foundation
import OpenStepPropertyList
import UserDefaultsCompat

// Containers are stored as the property lists that they are, whatever their elements take to be stored.

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
        // A set has its elements in another order in each process. What is too deep to be written as text
        // will be refused for that when it is set.
        let keyed = elements.map { ($0.scalarText ?? (try? $0.text(style: .oneLine)) ?? "", $0) }
        return .array(keyed.sorted { PropertyListKey($0.0) < PropertyListKey($1.0) }.map(\.1))
      },
      decode: { (stored) throws(CodingFailure) in
        Set(try element.decodeAll(of: stored, as: Self.self))
      })
  }
}

extension Dictionary: DirectlyStored
where Key: LosslessStringConvertible & Hashable, Value: Defaults.Serializable {
  static func coder() -> ValueCoder<Self> {
    let element = ValueCoder<Value>()
    return ValueCoder(
      encode: { (value) throws(CodingFailure) in
        var entries = [PropertyListKey: PropertyList](minimumCapacity: value.count)
        for (key, value) in value {
          let key = String(key)
          do throws(CodingFailure) {
            entries[PropertyListKey(key)] = try element.encodeElement(value)
          } catch {
            throw error.inside("[\"\(key)\"]")
          }
        }
        guard entries.count == value.count else { throw CodingFailure("has two keys of the same text") }
        return .dictionary(entries)
      },
      decode: { (stored) throws(CodingFailure) in
        guard case .dictionary(let entries) = stored else {
          throw CodingFailure(expected: Self.self, found: stored)
        }
        var result = Self(minimumCapacity: entries.count)
        for (name, value) in entries {
          do throws(CodingFailure) {
            guard let key = Key(name.text) else { throw CodingFailure("has a key that is no \(Key.self)") }
            result[key] = try element.decode(value)
          } catch {
            throw error.inside("[\"\(name.text)\"]")
          }
        }
        // Swift takes canonically equivalent keys for one.
        guard result.count == entries.count else {
          throw CodingFailure("has two keys that are one \(Key.self)")
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
        result.append(try encodeElement(value))
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
  /// As `UserDefaults` stores it; read from the text of a URL as well, and from JSON text, which other facades store.
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
    !text.hasPrefix("/") && !text.hasPrefix("~") && text.contains("://")
  }
}

extension Defaults.AnySerializable: DirectlyStored {
  static func coder() -> ValueCoder<Self> {
    ValueCoder(
      encode: { (value) throws(CodingFailure) in try value.checkedContent },
      decode: { (stored) throws(CodingFailure) in Self(content: .success(stored)) })
  }
}
