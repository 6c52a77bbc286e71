extension PropertyList {
  /// Whose form of XML a property list is written in.
  public enum XMLStyle: Hashable, Sendable {
    /// Apple's: the bytes that Foundation writes on Linux, but where those would be read back as another value.
    case apple
    /// GNUstep's, for its own directories: the bytes that GNUstep writes, but where it would lose digits of a number.
    case gnustep
  }
}
