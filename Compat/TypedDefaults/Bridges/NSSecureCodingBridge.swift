public import Foundation

extension Defaults {
  /// Makes a class that is also `Codable` be stored as an archive, not as JSON text.
  public protocol PreferNSSecureCoding: NSObject, NSSecureCoding {}

  /// The bridge of classes that archive themselves, stored as such archives.
  ///
  /// Data that is not an archive, or an archive of another class, is reported as an error, and so is an archive
  /// with references that lead nowhere, with more than 512 objects inside each other, with an object of a class that
  /// does not allow secure coding or, except on Apple's systems, with an object that is part of itself, or with an array
  /// or a dictionary in a set or as a key. How an object with missing or wrong parts is treated
  /// depends on its class.
  public struct NSSecureCodingBridge<Value: NSObject & NSSecureCoding>: Bridge, ExplainingBridge, Sendable {
    /// Makes the bridge, which has no state of its own.
    public init() {}

    public func serialize(_ value: Value?) -> Data? {
      value.flatMap { value in
        try? CodingStack.run { () throws(CodingFailure) in try explain(serializing: value) as? Data }
      }
    }

    public func deserialize(_ object: Data?) -> Value? {
      object.flatMap { data in try? CodingStack.run { () throws(CodingFailure) in try unarchived(data) } }
    }

    func explain(serializing value: Any) throws(CodingFailure) -> Any? {
      try KeyedArchive.checkName(of: type(of: value))
      let data: Data
      do {
        data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
      } catch {
        throw CodingFailure("cannot be archived: \(error)")
      }
      // What cannot be read again is refused.
      try KeyedArchive(data).check(holds: Value.self)
      return data
    }

    func explain(deserializing object: Any) throws(CodingFailure) -> Any? {
      try (object as? Data).map(unarchived)
    }

    /// The object in an archive of which all classes were checked.
    private static func object(in data: Data) throws -> Value? {
      #if canImport(ObjectiveC)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data)
      #else
        // With secure coding, Foundation on Linux ends the process where a part is of another class than its object asks
        // for. Without it, the object gets nil.
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        defer { unarchiver.finishDecoding() }
        let object = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        return object as? Value
      #endif
    }

    private func unarchived(_ data: Data) throws(CodingFailure) -> Value {
      let archive = try KeyedArchive(data)
      try archive.check(holds: Value.self)
      let data = try archive.data()
      do {
        guard let value = try NSSecureCodingBridge.object(in: data) else {
          throw CodingFailure("is an archive without an object")
        }
        return value
      } catch {
        throw error as? CodingFailure ?? CodingFailure("is an archive that cannot be read: \(error)")
      }
    }
  }
}
