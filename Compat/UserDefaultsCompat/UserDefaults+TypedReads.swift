import DefaultsDomains
import OpenStepPropertyList

extension UserDefaultsAdditions {
  /// The value for a key as a type; unlike the other getters, it distinguishes a
  /// missing value from a wrong one.
  ///
  /// ```swift
  /// let columns = try defaults.value(forKey: "Columns", as: Int.self) ?? 80
  /// ```
  ///
  /// If it returns nil, it is certain that there is no value: all files that may contain it were read. If it
  /// throws, there is a value of another type, or its existence cannot be determined; the program then must
  /// not set the key as if it had never been set.
  ///
  /// A value is of a type if ``UserDefaults/object(forKey:)`` gives an object that casts to it by `as?`: a
  /// number is of each type named there that holds it exactly, a truth value too, and an array of numbers is
  /// an `[Int]`; a number that is not in a container is also a `Decimal`. A string, the only
  /// type of the classic class and the command line, is also a number, a truth value (`YES`, `true`, `1` and
  /// their opposites, in any case) or a date if the whole string reads as one; a number alone is a date so many seconds
  /// after 2001-01-01 00:00 UTC. A `URL` is every value that
  /// ``UserDefaults/url(forKey:)`` accepts. Nothing is truncated or rounded.
  ///
  /// - Parameters:
  ///   - key: The default's name.
  ///   - type: The type to read it as.
  /// - Returns: The first value for the key along the search; nil if there is none.
  /// - Throws: ``WrongTypeError`` if the value is not of that type, and the error of a damaged or unreadable
  ///   file that is searched earlier, as in ``lastError``.
  @_disfavoredOverload
  public func value<Value>(forKey key: String, as type: Value.Type) throws -> Value? {
    var found = try store.certainValue(for: PropertyListKey(key))
    if !isExact { found = stored(key).map { ($0, store.application.name) } }
    guard let found else { return nil }
    guard let value = TypedValue.value(found.value, as: type) else {
      throw WrongTypeError(key: key, domain: found.domain, expectedType: type, found: found.value)
    }
    return value
  }
}
