/// `edit`: has a person edit the text of a domain.
enum EditCommand: Subcommand {
  static let name = "edit"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "domain", "edit a domain's text with an editor",
      example: """
        $ defaults write App Size 5
        $ EDITOR='sed -i.old s/5/6/' defaults edit App
        $ defaults read App
        App Size 6
        """)
  ]
  static let discussion = """
    The editor is what VISUAL or EDITOR names, else vi. A text is edited as it stands, with its comments,
    and is written byte for byte. But in GNUstep's directories notes of types become GNUstep's typed
    values, and if GNUstep would not read the text with these, its values alone are written. Of an XML
    or binary file the values are edited as text, and the file keeps its format; damaged XML is edited as
    it stands. Nothing is written if the text was not changed or is empty (exit code 0), and if the editor
    fails (3); otherwise a domain that does not exist is made. There is no -n: to see a text and write
    nothing, leave the editor without a change. Where the directory cannot be written, no editor is
    started; which of the keys the administrator sets is told before.

    If the text cannot be written, the terminal shows the place of the mistake and asks whether to edit
    it again or to keep it and stop. What another program has changed meanwhile stays, its comments where
    git can merge the lines; where both have changed the same key, the keys are listed with both values,
    and the terminal also offers to write your values, (m)ine, or those of the others, (t)heirs. Without
    a terminal the exit code is 4 for a mistake and 6 for such keys. The text is a file in a private
    directory below XDG_RUNTIME_DIR, TMPDIR or /tmp, and stays there whatever happens, until it was
    written or given up.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    if let option = try words.option() { throw words.unknown(option) }
    guard let operand = try words.domain() else { throw usageError("“edit” takes a domain") }
    try words.end("one domain")
    if case .domain(let domain) = operand {
      try context.tellIfFileName(domain, in: context.openDatabase())
    }
    var session = try EditSession(of: EditedFile(operand, in: context), in: context)
    return try session.run()
  }
}
