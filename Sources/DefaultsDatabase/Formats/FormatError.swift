package import OpenStepPropertyList

/// Why bytes are not a property list, or a value cannot be written in a format.
package struct FormatError: Error, Hashable, Sendable {
  /// What is wrong, as a clause.
  package let message: String
  /// The parser's error, which in a text has the place and the source line.
  package let propertyListError: PropertyListError?

  package init(_ message: String) {
    self.message = message
    propertyListError = nil
  }

  package init(_ error: PropertyListError) {
    message = error.message
    propertyListError = error
  }
}

extension FormatError: CustomStringConvertible {
  /// One line: `3:14: found “;” where a value was expected`.
  package var description: String {
    propertyListError?.description ?? message
  }
}
