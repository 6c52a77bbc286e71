/// A text of the help: lines of prose, which may be broken anew, and lines that begin with a space, which stay as they
/// are.
struct HelpText {
  /// Lines that follow each other and are of one kind.
  struct Part {
    let isProse: Bool
    fileprivate(set) var lines: [Substring]
  }

  let parts: [Part]

  init(_ text: String) {
    var parts: [Part] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let isProse = !line.isEmpty && !line.hasPrefix(" ")
      if parts.last?.isProse == isProse {
        parts[parts.count - 1].lines.append(line)
      } else {
        parts.append(Part(isProse: isProse, lines: [line]))
      }
    }
    self.parts = parts
  }

  /// The text in lines of at most so many characters, as far as its words allow.
  ///
  /// - Parameter width: The number of columns; nil for as many as the longest line needs.
  func fitted(to width: Int?) -> String {
    parts.flatMap { part -> [String] in
      guard let width, part.isProse, part.lines.contains(where: { $0.count > width }) else {
        return part.lines.map { String($0) }
      }
      return HelpText.broken(part.lines.joined(separator: " "), width: width)
    }.joined(separator: "\n")
  }

  /// The lines of a text, each as long as a number of columns allows.
  static func broken(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
