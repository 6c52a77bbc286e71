import OpenStepPropertyList

/// The names that a misspelled one may have meant.
enum Suggestion {
  /// One line that asks whether some of the names were meant; nil if none is near.
  ///
  /// - Complexity: linear in the number of names and their lengths.
  static func line(for word: String, among names: some Sequence<String>) -> String? {
    let near = self.names(near: word, among: names)
    guard !near.isEmpty else { return nil }
    return "did you mean \(near.map { "“\($0)”" }.joined(separator: ", "))?"
  }

  /// The names at a distance of at most two edits, or one from a word of fewer than five letters; the nearest
  /// first, at most three.
  static func names(near word: String, among names: some Sequence<String>) -> [String] {
    // A very long one is no word that a person mistypes.
    guard word.utf8.count <= 800 else { return [] }
    let letters = Array(word.lowercased().unicodeScalars)
    let limit = min(letters.count - 1, letters.count < 5 ? 1 : 2)
    // Every name of one letter is near another.
    guard limit > 0, letters.count <= 200 else { return [] }
    var near: [(distance: Int, name: String)] = []
    for name in names where name.utf8.count <= 1600 && !haveEqualBytes(name, word) {
      let other = Array(name.lowercased().unicodeScalars)
      guard abs(other.count - letters.count) <= limit else { continue }
      let distance = distance(letters, other, upTo: limit)
      if distance <= limit { near.append((distance, name)) }
    }
    near.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
    return near.prefix(3).map(\.name)
  }

  /// How many letters have to be inserted, removed, replaced, or exchanged with their neighbour; more than the limit stands
  /// for any number above it.
  private static func distance(
    _ left: [Unicode.Scalar], _ right: [Unicode.Scalar], upTo limit: Int
  ) -> Int {
    var beforeLast: [Int] = []
    var last = (0...right.count).map { min($0, limit + 1) }
    var lastMinimum = 0
    for row in 0..<left.count {
      var current = Array(repeating: limit + 1, count: right.count + 1)
      current[0] = min(row + 1, limit + 1)
      var minimum = current[0]
      // Farther from the diagonal the distance is above the limit.
      for column in max(0, row - limit)..<max(0, row - limit, min(right.count, row + limit + 1)) {
        var best = min(
          last[column + 1] + 1, current[column] + 1, last[column] + (left[row] == right[column] ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current[column + 1] = min(best, limit + 1)
        minimum = min(minimum, best)
      }
      // No later row has a smaller one; an exchange looks back two rows.
      if min(minimum, lastMinimum) > limit { return limit + 1 }
      (beforeLast, last, lastMinimum) = (last, current, minimum)
    }
    return last[right.count]
  }
}
