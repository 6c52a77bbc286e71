extension PropertyList: Hashable {
  public static func == (left: PropertyList, right: PropertyList) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)):
      PropertyListKey(left) == PropertyListKey(right)
    case (.data(let left), .data(let right)):
      left == right
    case (.array, .array), (.dictionary, .dictionary):
      containersAreEqual(left, right)
    case (.integer(let left), .integer(let right)):
      left == right
    case (.real(let left), .real(let right)):
      left.bitPattern == right.bitPattern || (left.isNaN && right.isNaN)
    case (.float(let left), .float(let right)):
      left.bitPattern == right.bitPattern || (left.isNaN && right.isNaN)
    case (.boolean(let left), .boolean(let right)):
      left == right
    case (.date(let left), .date(let right)):
      left == right
    default:
      false
    }
  }

  /// Compares containers in the order of their elements, so that different ones are told apart at the first difference, down
  /// to sixteen levels. Deeper ones are compared after that, without recursion, which would overflow a small thread's stack
  /// at some hundred levels.
  private static func containersAreEqual(_ left: PropertyList, _ right: PropertyList) -> Bool {
    var deeper: [(PropertyList, PropertyList)] = []
    guard areEqual(left, right, levels: 16, &deeper) else { return false }
    while let (left, right) = deeper.popLast() {
      guard areEqual(left, right, levels: 16, &deeper) else { return false }
    }
    return true
  }

  /// Compares so many levels of containers.
  ///
  /// - Parameter deeper: The pairs of containers below them are added to it.
  private static func areEqual(
    _ left: PropertyList, _ right: PropertyList, levels: Int, _ deeper: inout [(PropertyList, PropertyList)]
  ) -> Bool {
    switch (left, right) {
    case (.array(let left), .array(let right)):
      guard left.count == right.count else { return false }
      if left.sharesStorage(with: right) { return true }
      for index in left.indices {
        guard elementsAreEqual(left[index], right[index], levels: levels, &deeper) else { return false }
      }
      return true
    case (.dictionary(let left), .dictionary(let right)):
      guard left.count == right.count else { return false }
      if left.sharesStorage(with: right) { return true }
      for (key, value) in left {
        guard let other = right[key], elementsAreEqual(value, other, levels: levels, &deeper) else {
          return false
        }
      }
      return true
    default:
      return false
    }
  }

  @inline(__always)
  private static func elementsAreEqual(
    _ left: PropertyList, _ right: PropertyList, levels: Int, _ deeper: inout [(PropertyList, PropertyList)]
  ) -> Bool {
    guard left.isContainer && right.isContainer else { return left == right }
    if levels > 1 { return areEqual(left, right, levels: levels - 1, &deeper) }
    deeper.append((left, right))
    return true
  }

  /// Whether the value is an array or a dictionary.
  package var isContainer: Bool {
    switch self {
    case .array, .dictionary: true
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    hash(into: &hasher, levels: 16)
  }

  /// Hashes so many levels of containers, and of the containers below them only the number of elements.
  ///
  /// Equal values have equal hashes in spite of this, and the recursion takes a bounded amount of stack.
  private func hash(into hasher: inout Hasher, levels: Int) {
    switch self {
    case .string(let text):
      hasher.combine(0)
      hasher.combine(PropertyListKey(text))
    case .data(let bytes):
      hasher.combine(1)
      hasher.combine(bytes)
    case .array(let elements):
      hasher.combine(2)
      hasher.combine(elements.count)
      if levels > 0 {
        for element in elements { element.hash(into: &hasher, levels: levels - 1) }
      }
    case .dictionary(let entries):
      hasher.combine(3)
      hasher.combine(entries.count)
      if levels > 0 {
        // Combined by exclusive or, so that the order of the entries does not matter.
        var sum = 0
        for (key, value) in entries {
          var entry = Hasher()
          entry.combine(key)
          value.hash(into: &entry, levels: levels - 1)
          sum ^= entry.finalize()
        }
        hasher.combine(sum)
      }
    case .integer(let value):
      hasher.combine(4)
      hasher.combine(value)
    case .real(let value):
      hasher.combine(5)
      hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
    case .float(let value):
      hasher.combine(6)
      hasher.combine(value.isNaN ? Float.nan.bitPattern : value.bitPattern)
    case .boolean(let value):
      hasher.combine(7)
      hasher.combine(value)
    case .date(let value):
      hasher.combine(8)
      hasher.combine(value)
    }
  }
}
