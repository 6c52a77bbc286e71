/// A container that is being written as text: its opening bracket or tag and its first entries are written.
struct OpenContainer {
  /// The elements of an array; nil for a dictionary.
  let elements: [PropertyList]?
  /// The index of a dictionary's first entry in the stack.
  let firstEntry: Int
  /// The number of elements or entries that are written or begun.
  var begun = 0

  /// An estimate of the length of a value's text, with a maximum, so that a wrong estimate does no harm.
  ///
  /// - Parameters:
  ///   - root: The value.
  ///   - outermost: The value as far as it is written; nil if all of it is.
  ///   - count: The length of what is written.
  ///   - tail: The length of what follows the value.
  static func expectedCount(
    of root: PropertyList, _ outermost: OpenContainer?, written count: Int, tail: Int
  ) -> Int {
    guard let begun = outermost?.begun, begun >= 16 else { return count + tail }
    let total =
      switch root {
      case .array(let elements): elements.count
      case .dictionary(let entries): entries.count
      case .string, .data, .integer, .real, .float, .boolean, .date: begun
      }
    // A little more than proportional, since entries differ.
    return Int(min(1.05 * Double(count) / Double(begun) * Double(total) + 4096, 67_108_864))
  }
}
