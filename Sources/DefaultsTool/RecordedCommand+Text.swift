import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

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

extension RecordedCommand {
  /// Whether it has changed a domain; nil stands for any.
  func hasChanged(_ domain: DomainName?) -> Bool {
    domain == nil || parts.contains { $0.record.domain == domain }
  }
}

extension [RecordedCommand] {
  /// The command of a number, if it has changed a domain; nil stands for any.
  ///
  /// - Throws: an error of the code `absent` if there is none.
  func command(numbered text: String, in domain: DomainName?) throws(CommandError) -> RecordedCommand {
    guard let number = Int(text), let command = first(where: { $0.identifier == number }) else {
      var message = "there is no command \(text) in the history"
      if let first, let last { message += ", which has \(first.identifier) to \(last.identifier)" }
      throw CommandError(.absent, message)
    }
    guard let domain, !command.hasChanged(domain) else { return command }
    var error = CommandError(.absent, "the command \(number) has not changed the domain “\(domain)”")
    error.hint = [command].hint(for: domain)
    throw error
  }

  /// A line that asks which of the domains that they have changed was meant; nil if none is near.
  func hint(for domain: DomainName) -> String? {
    let names = Set(flatMap(\.parts).map { PropertyListKey($0.record.domain.text) })
    return domain.hintOfFileName ?? Suggestion.line(for: domain.text, among: names.sorted().map(\.text))
  }
}
