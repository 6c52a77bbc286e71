/// An option that stands behind an operand, or behind the verb, where it is an ordinary word.
enum MisplacedOption {
  /// The options that stand before the verb only.
  private static let beforeVerb = ["-u", "-gnustep", "-macos", "-openstep"]

  /// Where the first one among a verb's arguments belongs; nil if there is none.
  static func hint(in arguments: [String], of command: any Subcommand.Type) -> String? {
    let options = command.takesWordsInOrder ? command.options : [:]
    var isBehindOperand = false
    var index = 0
    while index < arguments.count, arguments[index] != "--" {
      let word = arguments[index]
      if beforeVerb.contains(word) {
        return "“\(word)” is an option only before the command: “defaults \(word) \(command.name) …”"
      }
      if let takesWord = options[word] {
        guard !isBehindOperand else {
          return "“\(word)” is an option only before the operands: “defaults \(command.name) \(word) …”"
        }
        index += takesWord ? 2 : 1
      } else {
        isBehindOperand = true
        index += ["-domain", "-app"].contains(word) ? 2 : 1
      }
    }
    return nil
  }
}
