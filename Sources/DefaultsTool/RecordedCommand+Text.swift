import DefaultsHistory

extension RecordedCommand {
  /// The words as a shell takes them; of an undo with the number of the command that it has taken back.
  func text(escaping isEscaped: (Unicode.Scalar) -> Bool) -> String {
    var words = self.words
    if let undone = parts.lazy.compactMap(\.record.undone).first {
      let number = String(undone)
      let place = words.indices.dropFirst().first { words[$0] != "-force" } ?? words.endIndex
      if place == words.endIndex || words[place] != number { words.insert(number, at: place) }
    }
    return words.map { ShellWord.text($0, escaping: isEscaped) }.joined(separator: " ")
  }
}
