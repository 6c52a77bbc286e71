package import OpenStepPropertyList

/// Why bytes are not a property list, or a value cannot be written in a format.
package struct FormatError: Error, Hashable, Sendable {
  /// What is wrong, as a clause.
  package let message: String
  /// The parser's error, which in a text has the place and the source line.
  package let propertyListError: PropertyListError?
  /// Whether the text has git's marks of a merge, of which a person has to choose the sides.
  package let isMergeConflict: Bool

  package init(_ message: String) {
    self.message = message
    propertyListError = nil
    isMergeConflict = false
  }

  package init(_ error: PropertyListError) {
    message = error.message
    propertyListError = error
    isMergeConflict = false
  }

  /// Makes the error of a text that could not be parsed; where git has left marks in it, they are the error.
  package init(_ error: PropertyListError, in bytes: [UInt8]) {
    let conflict = PropertyListError.mergeConflict(in: bytes)
    message = (conflict ?? error).message
    propertyListError = conflict ?? error
    isMergeConflict = conflict != nil
  }

  /// Whether a file in a format would be too large to be read, and was not written.
  package var isTooLong: Bool { propertyListError?.isTooLong(for: FileSize.maximum) == true }

  /// What is to be done about git's marks.
  package static let conflictAdvice =
    "choose a side or bring both together, and remove the marks, by “git mergetool”, “defaults edit” or an editor"
}

extension FormatError: CustomStringConvertible {
  /// One line: `3:14: found “;” where a value was expected`.
  package var description: String {
    propertyListError?.description ?? message
  }
}
