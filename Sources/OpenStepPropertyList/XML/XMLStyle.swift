extension PropertyList {
  /// The forms of XML in which a property list is written.
  public enum XMLStyle: Hashable, Sendable {
    /// Apple's form: the bytes that Foundation writes on Linux, unless they would be
    /// read back as another value.
    case apple
    /// GNUstep's form, for its own directories: the bytes that GNUstep writes, unless
    /// a number would lose digits.
    case gnustep
  }
}
