extension PropertyList {
  /// The layouts of JSON.
  public enum JSONStyle: Hashable, Sendable {
    /// One value per line, four spaces per level, a space after each colon, and a
    /// line end after the last line.
    case indented
    /// Everything on one line, without spaces and line ends.
    case compact
  }
}
