extension PropertyList: CustomStringConvertible {
  /// The property list as a text of one line, for messages and debuggers (``Style/oneLine``).
  ///
  /// It takes no stack for each level. A value that no text represents, such as one of more than ``maximumDepth`` nested
  /// containers, is described by the reason.
  public var description: String {
    do throws(PropertyListError) {
      return try text(style: .oneLine)
    } catch {
      return "(\(error.message))"
    }
  }
}
