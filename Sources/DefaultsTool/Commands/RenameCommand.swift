import OpenStepPropertyList

/// `rename`: gives a value another key.
enum RenameCommand: Subcommand {
  static let name = "rename"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-n] [-replace] domain old new", "give a default another key",
      example: """
        $ defaults write App Colour red
        $ defaults rename App Colour Color
        $ defaults read App
        App Color red
        """)
  ]
  static let discussion = """
    The value stays as it is. In a text it keeps its place and its comments; in one that only this
    tool has written, which is sorted, it moves to where its new key belongs.
    If there is a default of the new name, nothing is done, exit code 3, unless -replace is given.
    A value inside another is named by its path, and gets a key of the same dictionary:
    defaults rename App .Window.x left
    -n shows what would be done, in the lines of “defaults diff”, and does nothing.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var (isRehearsal, replaces) = (false, false)
    while let option = try words.option() {
      switch option {
      case "-n", "-dry-run": isRehearsal = true
      case "-replace": replaces = true
      default: throw words.unknown(option)
      }
    }
    guard let operand = try words.domain(), let oldWord = words.word(), let newWord = words.word() else {
      throw usageError("“rename” takes a domain, a key and its new name")
    }
    try words.end("a domain, a key and its new name")
    let old = try KeyArgument(oldWord, of: self)
    guard case .key? = old.path.steps.last else {
      throw usageError("“\(oldWord)” names no key; an element of an array has none")
    }
    let subject = try operand.subject(in: context)
    let root = try subject.existing().value
    // Reported as “read” does it, with the names that may have been meant.
    _ = try subject.value(of: old, in: root)
    let (before, after) = try subject.rename(
      old.path, to: newKey(newWord, for: old), replacing: replaces, rehearsing: isRehearsal)
    if isRehearsal {
      try context.output.printDifferences(from: before, to: after, domain: subject.column)
    }
    return .done
  }

  /// The new key: the word as it stands, or the last step of a path in the same dictionary.
  private static func newKey(_ word: String, for old: KeyArgument) throws(CommandError) -> PropertyListKey {
    guard KeyArgument.isPath(word) else { return PropertyListKey(word) }
    let new = try KeyArgument(word, of: self)
    guard case .key(let key)? = new.path.steps.last, new.path.steps.dropLast() == old.path.steps.dropLast()
    else {
      throw usageError("“\(word)” is no key of the dictionary in which “\(old.text)” is")
    }
    return key
  }
}
