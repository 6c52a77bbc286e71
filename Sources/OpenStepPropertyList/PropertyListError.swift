/// Why a text is no property list, or a value cannot be written, and where.
public struct PropertyListError: Error, Hashable, Sendable {
  /// What is wrong, as a clause: `found “;” where a value was expected`.
  public let message: String
  /// The line of the offending character, counted from 1; 0 where the trouble has no place in a text.
  ///
  /// Lines end at LF, CR, CRLF, U+2028 and U+2029.
  public let line: Int
  /// The column of the offending character in its line, counted from 1 in Unicode scalars.
  public let column: Int
  /// The offending character, or nil at the end of the text.
  public let character: Unicode.Scalar?
  /// The part of the source line around the offending character, and beneath it a caret; or nothing.
  public let excerpt: String

  init(
    message: String, line: Int = 0, column: Int = 0, character: Unicode.Scalar? = nil, excerpt: String = ""
  ) {
    self.message = message
    self.line = line
    self.column = column
    self.character = character
    self.excerpt = excerpt
  }
}

extension PropertyListError: CustomStringConvertible {
  /// One line: `3:14: found “;” where a value was expected`.
  public var description: String {
    line > 0 ? "\(line):\(column): \(message)" : message
  }
}
