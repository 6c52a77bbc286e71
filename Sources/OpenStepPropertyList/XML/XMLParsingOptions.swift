extension PropertyList {
  /// How an XML property list is to be read.
  public struct XMLParsingOptions: Hashable, Sendable {
    /// What is taken at most.
    public var bounds = Bounds()
    /// Whether `\U001B` stands for U+001B, as GNUstep writes characters that XML cannot carry; false at first.
    ///
    /// Only escapes of such characters, and of surrogate pairs, are undone: `\U0041` stays as it is, and so does
    /// half a pair. In other programs' files they are text: of a pattern such as `\U0001F600`, which is how many
    /// languages write a character, U+0001 and `F600` would be left.
    public var undoesGNUstepEscapes = false

    /// Makes the options for a file of Apple's form.
    public init() {}
  }
}
