import DefaultsDatabase
import OpenStepPropertyList

/// `write`: sets one default, replaces a domain, or reads the lines of `read`.
enum WriteCommand: Subcommand {
  static let name = "write"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-n] domain key value", "set one default",
      example: """
        $ defaults write App '.Window.frames[+]' -int 5
        $ defaults read App
        App Window '{frames = (5 /*integer*/); }'
        """),
    CommandForm(
      "[-n] domain '{…}'", "replace a domain by a dictionary",
      example: """
        $ defaults write App '{ a = 1; b = (x, y); }'
        $ defaults read App
        App a 1
        App b '(x, y)'
        """),
    CommandForm(
      "[-n]", "set what standard input lists",
      example: #"""
        $ printf 'App a 1\nOther b 2\n' | defaults write
        $ defaults read
        App a 1
        Other b 2
        """#),
  ]
  static let discussion = """
    A value is a property list in single quotes: '(1, 2)', '{ a = b; }', '<0fbd>', or XML.
    A value that begins like one but is not valid is refused; to write it as a string, put it in
    double quotes as well: '"(1, 2"'. Any other value is a string, unless a note of its type
    follows it, in exactly this spelling:

      5 /*integer*/        a whole number, -9223372036854775808 to 18446744073709551615
      1.5 /*real*/         a number of double precision; also 1e9, inf, -inf, nan
      1.5 /*float*/        a number of single precision
      YES /*boolean*/      YES or NO
      2026-11-20 15:16:00 +0000 /*date*/
                           a day, a time and the zone's distance from UTC; the seconds may
                           have a fraction: 15:16:00.125; or the seconds since 2001 alone

    A flag before a value gives its type, too, and takes a string as it stands:

      -string TEXT         -int NUMBER          -float NUMBER        -bool yes|no|true|false|1|0
      -data HEX            -date DATE: 2026-11-20 (midnight in UTC), 2026-11-20T15:16:00Z or with
                           +02:00, '2026-11-20 15:16:00 +0000'; a time needs its zone
      -array [value …]     -array-add [value …] behind the elements that are there
      -dict [key value …]  -dict-add [key value …] into the dictionary that is there

    Each value of an array and a dictionary may have its own flag. The flag words are flags
    wherever a value is due; as a string, one is written -string -int.
    A key that begins with . or [ is a path into dictionaries and arrays, which are made where
    they are missing: defaults write App '.Recent[+]' a.txt
    -n shows what would be done, in the lines of “defaults diff”, and does nothing. “defaults undo”
    takes a write back, but not one into a file by its path, as ./App.plist.
    A damaged domain is replaced as a whole only; its file is kept under another name, which is printed.

    In a file of Window Maker's, octal escapes are the bytes of UTF-8, as that program writes them:
    '"caf\\303\\251"'. Elsewhere they are characters of NeXT's set.

    Put the value and its note in single quotes, '5 /*integer*/'; without them, words that end
    with such a note are joined. A value that does not fit its note is refused, and so is a number
    that its type would turn into another: 1e999 /*real*/, 16777217 /*float*/.

    Each line of standard input is a domain, a key and a value, or a domain and a dictionary, quoted as
    “defaults read” does it. What “read” prints comes back, so that a domain and a key are taken as they
    stand there: .a.b is a key and no path, -g a domain's name, and -int a string. If one line is bad,
    nothing is written. The lines are held in memory, besides one domain at a time. Those of short
    values take up to seven times their size, in any number of domains; with -n, which makes the new
    values too, up to forty times. Values of many levels or elements take up to fifteen times the text
    into which they are laid out, with up to 128 blanks in a line. Into a domain with comments, of XML
    or of another encoding, lines are written by way of values, and take up to forty times their size. A
    value in a line may have 1048576 values and keys in it; “defaults import” reads larger ones from a
    file. A key that the administrator sets is refused, exit code 3, unless the lines leave its stored
    value as it is.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var isRehearsal = false
    while let option = try words.option() {
      guard option == "-n" || option == "-dry-run" else { throw words.unknown(option) }
      isRehearsal = true
    }
    guard let operand = try words.domain() else {
      return try writeBatch(rehearsing: isRehearsal, in: context)
    }
    let rest = words.all()
    guard !rest.isEmpty else { throw usageError("a key and a value are missing after “\(operand)”") }
    let subject = try operand.subject(in: context)
    if let domain = subject as? DomainSubject {
      try context.tellIfFileName(domain.domain, in: domain.database)
    }
    let (before, after) =
      rest.count == 1
      ? try replace(subject, by: rest[0], rehearsing: isRehearsal)
      : try set(rest[0], of: subject, to: Array(rest[1...]), rehearsing: isRehearsal, context.output)
    if isRehearsal {
      try context.output.printDifferences(from: before, to: after, domain: subject.column)
    }
    return .done
  }

  /// Replaces all by a dictionary.
  private static func replace(
    _ subject: any Subject, by text: String, rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    if ValueArgument.isFlag(text) {
      throw usageError("a key stands before “\(text)”")
    }
    let value = try DefaultLine.value(of: text, octalEscapes: subject.octalEscapes)
    guard case .dictionary(let entries) = value else { throw notDictionary(text) }
    if let domain = subject as? DomainSubject {
      return try domain.replaceAll(with: entries, rehearsing: isRehearsal)
    }
    return try subject.change(rehearsing: isRehearsal) { _ in value }
  }

  /// Sets the value of one key, or the value to which a path leads.
  private static func set(
    _ word: String, of subject: any Subject, to words: [String], rehearsing isRehearsal: Bool,
    _ output: CommandOutput
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    guard !ValueArgument.isFlag(word) else {
      throw usageError("a key stands before “\(word)”; a key of that name is written .\(word)")
    }
    let key = try KeyArgument(word, of: self)
    var strings: [String] = []
    let value = try ValueArgument(
      joiningTypedScalar(words), octalEscapes: subject.octalEscapes, strings: &strings)
    try hintAtNotes(in: strings, output)
    if let domain = subject as? DomainSubject, let key = key.key, case .value(let value) = value {
      return try domain.set(value, for: key, rehearsing: isRehearsal)
    }
    return try subject.change(rehearsing: isRehearsal) { root in
      let base = root ?? key.path.emptyRoot
      do {
        return try base.changed(at: key.path) { try value.applied(to: $0, of: word) }
      } catch let error as PropertyListPathError {
        throw CommandError(.refused, "\(subject.name.onOneLine): \(error); nothing was changed")
      }
    }
  }

  /// Tells a person of strings that were probably meant to have a type.
  private static func hintAtNotes(in strings: [String], _ output: CommandOutput) throws {
    for word in strings {
      guard let meant = PropertyList.typedScalar(meantBy: word) else { continue }
      try output.hint("“\(word)” is written as a string; with its type it is '\(meant)'")
    }
  }

  static func notDictionary(_ word: String) -> CommandError {
    usageError(
      "“\(word)” is no dictionary and no key with a value; a whole domain is written as '{ key = value; }'")
  }

  /// The words of a value, with those of an unquoted scalar and its type note joined: `5`, `/*integer*/`.
  static func joiningTypedScalar(_ words: [String]) -> [String] {
    guard words.count > 1, !ValueArgument.isFlag(words[0]),
      PropertyList.isTypeNote(words[words.count - 1])
    else { return words }
    return [words.joined(separator: " ")]
  }
}

extension PropertyListPath {
  /// The empty container with which a new file begins: an array only where the path says so.
  fileprivate var emptyRoot: PropertyList {
    switch steps.first {
    case .index?, .insertion?: []
    case .key?, nil: [:]
    }
  }
}
