import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
import OpenStepPropertyList
import UserDefaultsCompat

/// Reads the values of one key; decodes each stored value once, and reports once if it cannot be decoded.
final class ValueReader<Value: Defaults.Serializable>: Sendable {
  let coder = ValueCoder<Value>()
  private let last = Lock(Last())

  // Unchecked, because the value is the program's: any thread that reads the key receives it.
  private struct Last: @unchecked Sendable {
    var stored: PropertyList?
    var value: Value?
    /// The stored form of the value that was set last.
    var own: PropertyList?
    /// The stored value that was reported because it could not be decoded.
    var unreadable: PropertyList?
  }

  /// The stored form of a value.
  func encode(_ value: Value) throws(CodingFailure) -> PropertyList? {
    try coder.encodeWithRoom(value)
  }

  /// The value of a stored form.
  func value(of stored: PropertyList) throws(CodingFailure) -> Value {
    guard coder.isCostly else { return try coder.decode(stored) }
    let known: Value? = last.withLock { $0.stored == stored ? $0.value : nil }
    if let known { return known }
    let value = try coder.decodeWithRoom(stored)
    guard !SharedReferences.may(beIn: value) else { return value }
    // The old value is released outside the lock, because its deinitializer may run the program's code, and may
    // nest deeper than this thread's stack can release.
    var old = Last(stored: stored, value: value)
    last.withLock { last in
      (old.own, old.unreadable) = (last.own, last.unreadable)
      swap(&old, &last)
    }
    LargeStack.runWithStackToRelease { old = Last() }
    return value
  }

  /// Reports a stored value that cannot be decoded, unless it was reported before.
  func report(_ failure: CodingFailure, of stored: PropertyList, name: String) {
    var old = PropertyList?.some(stored)
    last.withLock { swap(&old, &$0.unreadable) }
    let isNew = old != stored
    LargeStack.runWithStackToRelease { old = nil }
    guard isNew else { return }
    ErrorReports.shared.add(Defaults.ValueError(.read, key: name, type: Value.self, failure: failure))
  }

  /// Reports a value that cannot be stored.
  func report(_ failure: CodingFailure, name: String) {
    ErrorReports.shared.add(Defaults.ValueError(.set, key: name, type: Value.self, failure: failure))
  }

  /// Whether a stored value cannot be decoded, which is reported.
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

  /// Records the stored form of a value of this type, which therefore need not be decoded as a check.
  func noteOwn(_ stored: PropertyList?) {
    // For scalars a comparison costs as much as decoding.
    guard coder.isCostly else { return }
    var old = stored
    last.withLock { swap(&old, &$0.own) }
    LargeStack.runWithStackToRelease { old = nil }
  }
}
