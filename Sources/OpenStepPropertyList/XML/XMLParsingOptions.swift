extension PropertyList {
  /// The options for parsing an XML property list.
  public struct XMLParsingOptions: Hashable, Sendable {
    /// The bounds of the parser.
    public var bounds = Bounds()
    /// Whether `\U001B` is read as U+001B, which is how GNUstep writes characters that XML does not have;
    /// false by default.
    ///
    /// Only the escapes of such characters and of surrogate pairs are undone: `\U0041` is not changed, and
    /// neither is the escape of a lone surrogate. `\U005CU0041`, which ``XMLStyle/gnustep`` has for the text
    /// `\U0041`, is read as that text, as GNUstep reads it. In other programs' files, such escapes are text:
    /// `\U0001F600`, which many languages write for one character, would become U+0001 and `F600`.
    public var undoesGNUstepEscapes = false
    /// Whether a real number is an error if a Double would make another number of it, such as an infinity of `1e999`.
    package var refusesOtherNumbers = false
    /// Whether the bytes are those of a string, whose encoding is UTF-8 whatever the document declares.
    package var isOfString = false

    /// Makes the options for a file in Apple's form.
    public init() {}
  }
}
