/// The reason why bytes are not a property list, or why a value cannot be written, with the position.
///
/// In a text, and in XML and JSON, the position is a line and a column; in a binary property list it is the
/// number of an object and the offset of a byte.
public struct PropertyListError: Error, Hashable, Sendable {
  /// What is wrong, as a clause: `found “;” where a value was expected`.
  public let message: String
  /// The line of the offending character, counted from 1; 0 if the error has no position in a text.
  ///
  /// Lines end at LF, CR, CRLF, U+2028 and U+2029.
  public let line: Int
  /// The column of the offending character in its line, counted from 1 in Unicode scalars.
  public let column: Int
  /// The offending character; nil at the end of the text.
  public let character: Unicode.Scalar?
  /// The source line around the offending character, with a caret below it; empty without a position.
  public let excerpt: String
  /// The number of the offending object in a binary property list, counted from 0; nil if no object is wrong.
  public let object: Int?
  /// The offset of the offending byte in a binary property list; nil in a text.
  public let offset: Int?
  /// Whether the error is that there are more values and keys than the bounds allow.
  package internal(set) var exceedsObjectCount = false

  init(
    message: String, line: Int = 0, column: Int = 0, character: Unicode.Scalar? = nil, excerpt: String = "",
    object: Int? = nil, offset: Int? = nil
  ) {
    self.message = message
    self.line = line
    self.column = column
    self.character = character
    self.excerpt = excerpt
    self.object = object
    self.offset = offset
  }
}

extension PropertyListError: CustomStringConvertible {
  /// One line: `3:14: found “;” where a value was expected`, or `object 5, byte 120: …`.
  public var description: String {
    if line > 0 { return "\(line):\(column): \(message)" }
    let place = [object.map { "object \($0)" }, offset.map { "byte \($0)" }].compactMap { $0 }
    return place.isEmpty ? message : "\(place.joined(separator: ", ")): \(message)"
  }
}
