import DefaultsDomains
import OpenStepPropertyList

extension UserDefaultsAdditions {
  /// The value for a key as a type, where the getters of one name each answer 0, false or nil to everything else.
  ///
  /// ```swift
  /// let columns = try defaults.value(forKey: "Columns", as: Int.self) ?? 80
  /// ```
  ///
  /// nil says for certain that there is no value: not in the files either, which were all read. An error
  /// says that there is one and it is another, or that nobody can tell; the program knows then that
  /// it must not set the key anew as if it had never been set.
  ///
  /// A value is of a type if ``UserDefaults/object(forKey:)`` casts to it by `as?`: a number to the types named there
  /// that hold it exactly, a truth value to those as well, an array of numbers to `[Int]`; a number by itself
  /// is also a `CGFloat` and a `Decimal`. Text, which is all that the classic class and the command line
  /// have, is also a number, a truth value (`YES`, `true`, `1` and their opposites, in any case) or a date if
  /// all of it reads as one. To `URL`, everything casts that ``UserDefaults/url(forKey:)`` takes. Nothing is cut off or
  /// rounded.
  ///
  /// - Parameters:
  ///   - key: The default's name.
  ///   - type: What to read it as.
  /// - Returns: The first value for the key in the order of the search; nil where there is none.
  /// - Throws: ``WrongTypeError`` where the value is not of that type, and what ``lastError`` is of a
  ///   damaged or unreadable file that comes first in the search.
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
