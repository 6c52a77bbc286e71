public import Foundation

extension Defaults {
  /// Makes a class that is also `Codable` be stored as an archive, not as JSON text.
  public protocol PreferNSSecureCoding: NSObject, NSSecureCoding {}

  /// The bridge of classes that archive themselves, stored as such archives.
  ///
  /// Data that is not an archive, or an archive of another class, is reported as an error. How a damaged
  /// archive of the class itself is treated depends on the class.
  public struct NSSecureCodingBridge<Value: NSObject & NSSecureCoding>: Bridge, ExplainingBridge, Sendable {
    /// Makes the bridge, which has no state of its own.
    public init() {}

    public func serialize(_ value: Value?) -> Data? {
      value.flatMap { try? explain(serializing: $0) as? Data }
    }

    public func deserialize(_ object: Data?) -> Value? {
      object.flatMap { try? unarchived($0) }
    }

    func explain(serializing value: Any) throws(CodingFailure) -> Any? {
      try KeyedArchive.checkName(of: type(of: value))
      do {
        return try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
      } catch {
        throw CodingFailure("cannot be archived: \(error)")
      }
    }

    func explain(deserializing object: Any) throws(CodingFailure) -> Any? {
      try (object as? Data).map(unarchived)
    }

    private func unarchived(_ data: Data) throws(CodingFailure) -> Value {
      try KeyedArchive.check(data, holds: Value.self)
      do {
        if let value = try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data) {
          return value
        }
        throw CodingFailure("is an archive without an object")
      } catch {
        throw error as? CodingFailure ?? CodingFailure("is an archive that cannot be read: \(error)")
      }
    }
  }
}
