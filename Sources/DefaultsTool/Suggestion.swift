/// The names that a misspelled one may have meant.
enum Suggestion {
  /// One line that asks whether some of the names were meant; nil if none is near.
  ///
  /// - Complexity: linear in the number of names, and in the product of the lengths of each and the word.
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
    for name in names where name.utf8.count <= 1600 && name != word {
      let other = Array(name.lowercased().unicodeScalars)
      guard abs(other.count - letters.count) <= limit else { continue }
      let distance = distance(letters, other)
      if distance <= limit { near.append((distance, name)) }
    }
    near.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
    return near.prefix(3).map(\.name)
  }

  /// How many letters have to be inserted, removed, replaced, or exchanged with their neighbour.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        var best = min(
          last[column + 1] + 1, current[column] + 1, last[column] + (left[row] == right[column] ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
