import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
import OpenStepPropertyList
import UserDefaultsCompat

/// Reads the values of one key, decodes each stored value once, and tells of one that cannot be decoded once.
final class ValueReader<Value: Defaults.Serializable>: Sendable {
  let coder = ValueCoder<Value>()
  private let last = Lock(Last())

  // Unchecked, because the value is the program's: it is given to whoever reads the key, on any thread.
  private struct Last: @unchecked Sendable {
    var stored: PropertyList?
    var value: Value?
    /// What was stored for the value that was set last.
    var own: PropertyList?
    /// What was told of, because it could not be decoded.
    var unreadable: PropertyList?
  }

  /// What is stored for a value.
  func encode(_ value: Value) throws(CodingFailure) -> PropertyList? {
    let stored = try coder.encode(value)
    if coder.isCostly, let stored, stored.depth > ObjectConversion.maximumDepth {
      throw CodingFailure("nests more than \(ObjectConversion.maximumDepth) arrays and dictionaries")
    }
    return stored
  }

  /// The value for which something was stored.
  func value(of stored: PropertyList) throws(CodingFailure) -> Value {
    guard coder.isCostly else { return try coder.decode(stored) }
    let known: Value? = last.withLock { $0.stored == stored ? $0.value : nil }
    if let known { return known }
    let value = try coder.decode(stored)
    guard !SharedReferences.may(beIn: value) else { return value }
    // The old one is let go of outside the lock, since its end may run the program's code.
    let old = last.withLock { last in
      let old = last
      last.stored = stored
      last.value = value
      return old
    }
    withExtendedLifetime(old) {}
    return value
  }

  /// Tells of a stored value that cannot be decoded, unless it did so before.
  func report(_ failure: CodingFailure, of stored: PropertyList, name: String) {
    let isNew = last.withLock { last in
      defer { last.unreadable = stored }
      return last.unreadable != stored
    }
    guard isNew else { return }
    ErrorReports.shared.add(Defaults.ValueError(.read, key: name, type: Value.self, failure: failure))
  }

  /// Tells of a value that cannot be stored.
  func report(_ failure: CodingFailure, name: String) {
    ErrorReports.shared.add(Defaults.ValueError(.set, key: name, type: Value.self, failure: failure))
  }

  /// Whether something that is stored cannot be decoded, which it tells of.
  func isUnreadable(_ stored: PropertyList, name: String) -> Bool {
    let known: Bool? = last.withLock { last in
      if last.unreadable == stored { return true }
      return last.stored == stored || last.own == stored ? false : nil
    }
    if let known { return known }
    do throws(CodingFailure) {
      _ = try value(of: stored)
      return false
    } catch {
      report(error, of: stored, name: name)
      return true
    }
  }

  /// Notes what is stored for a value of this type, which need not be decoded to know that.
  func noteOwn(_ stored: PropertyList?) {
    // What scalars cost to decode, comparing costs too.
    if coder.isCostly { last.withLock { $0.own = stored } }
  }
}
