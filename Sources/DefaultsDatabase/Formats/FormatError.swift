package import OpenStepPropertyList

/// Why bytes are no property list, or a value cannot be written in a format.
package struct FormatError: Error, Hashable, Sendable {
  /// What is wrong, as a clause.
  package let message: String
  /// For a text: where, with the source line around it.
  package let propertyListError: PropertyListError?

  /// Whether the bytes are whole, but hold what no property list of this package has: an archive's references,
  /// keys that are no strings.
  package let isForeign: Bool

  /// Whether neither the bytes nor the value are at fault, so that the same may succeed another time.
  package let isTransient: Bool

  init(_ message: String, isForeign: Bool = false, isTransient: Bool = false) {
    self.message = message
    self.isForeign = isForeign
    self.isTransient = isTransient
    propertyListError = nil
  }

  package init(_ error: PropertyListError) {
    message = error.message
    isForeign = false
    isTransient = false
    propertyListError = error
  }
}

extension FormatError: CustomStringConvertible {
  /// One line: `3:14: found “;” where a value was expected`.
  package var description: String {
    propertyListError?.description ?? message
  }
}
