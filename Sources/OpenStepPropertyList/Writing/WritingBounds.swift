extension PropertyListError {
  /// Whether a text has more bytes than were asked for, and was not written to its end.
  package func isTooLong(for maximumCount: Int) -> Bool { self == WritingBounds.tooLong(maximumCount) }
}

/// What a writer may write, so that it can be read back: how many values and keys, and how deep.
struct WritingBounds {
  /// The number of values and keys so far, including the root.
  private var objectCount = 1
  private let objectBound: Int

  init(objectBound: Int) {
    self.objectBound = objectBound
  }

  /// The error for a text of more bytes than are asked for.
  static func tooLong(_ maximumCount: Int) -> PropertyListError {
    PropertyListError(message: "in this format the value takes more than \(maximumCount >> 20) MiB")
  }

  /// Refuses another container inside so many open ones.
  static func checkDepth(_ depth: Int) throws(PropertyListError) {
    guard depth < PropertyList.maximumDepth else {
      throw PropertyListError(
        message:
          "the value has more than \(PropertyList.maximumDepth) nested containers, too many to be read back")
    }
  }

  /// Counts the values and keys of a container inside so many open ones, or refuses it.
  mutating func add(_ count: Int, atDepth depth: Int) throws(PropertyListError) {
    try WritingBounds.checkDepth(depth)
    objectCount += count
    guard objectCount <= objectBound else {
      throw PropertyListError(
        message: "the value has more than \(objectBound) values and keys, too many to be read back")
    }
  }
}
