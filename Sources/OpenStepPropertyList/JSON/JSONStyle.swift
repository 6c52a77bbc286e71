extension PropertyList {
  /// How JSON is laid out.
  public enum JSONStyle: Hashable, Sendable {
    /// One value a line, four spaces a level, a space behind each colon, and a line end behind the last line.
    case indented
    /// Everything in one line, without a space and without a line end.
    case compact
  }
}
