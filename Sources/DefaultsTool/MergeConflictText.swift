import OpenStepPropertyList

extension PropertyListMerge.Conflict {
  /// The place and both values: `.Window.x: ours 6, theirs 7`.
  ///
  /// - Parameters:
  ///   - owner: The domain or the file, which stands before the place.
  ///   - words: What the two sides are called.
  func text(of owner: String, _ words: (ours: String, theirs: String)) -> String {
    let place = KeyArgument.shortText(of: PropertyListPath(path))
    return "\(owner) \(place): \(words.ours) \(text(of: ours)), \(words.theirs) \(text(of: theirs))"
  }

  private func text(of value: PropertyList?) -> String {
    // Text holds every value; one that is nested too deeply for it was refused when it was read.
    value.flatMap { try? DefaultLine.text(of: $0) } ?? "nothing"
  }
}

extension CommandError {
  /// The line that tells of a place where two changes are in each other's way.
  static func conflict(_ text: String) -> CommandError { CommandError(.differs, "conflict: \(text)") }
}
