import DefaultsDatabase
import OpenStepPropertyList

/// `read`: prints defaults, in the form that batch `write` reads or in another one.
enum ReadCommand: Subcommand {
  static let name = "read"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-to FORMAT]", "print all defaults of all domains",
      example: """
        $ defaults write App Name 'two words'
        $ defaults read
        App Name 'two words'
        """),
    CommandForm(
      "[-to FORMAT] domain", "print all defaults of a domain",
      example: """
        $ defaults write App '{ Name = Ann; Size = 5 /*integer*/; }'
        $ defaults read App
        App Name Ann
        App Size '5 /*integer*/'
        """),
    CommandForm(
      "[-to FORMAT] [-default TEXT] domain key", "print one default",
      example: """
        $ defaults write App Size -int 5
        $ defaults read -to value App Size
        5
        $ defaults read -default none App Font
        none
        """),
  ]
  static let discussion = """
    Each default is one line: domain, key, value, as in

      App Count 5
      App Name 'two words'
      App Sizes '(1, 2)'

    A word that is empty or holds white space or a quote is in single quotes, with '' for a
    single quote. A value is a property list; a string that would be read as another value, and a
    name or string with a line end in it, is a quoted string with escapes: App Note '"a\\nb"'. A
    comment after a value gives its type: App Count '5 /*integer*/'.
    “defaults write” without arguments reads these lines. The lines of a file have no domain.
    FORMAT is one of
      lines     these lines, the default
      value     the value alone, and for the default in a value that a path leads to
      flat      a path and a value a line, down to the last one: .Window.frames[2].x 10
      openstep  text with notes after typed values
      gnustep   GNUstep's text
      xml, json, tagged
                as “defaults convert” prints them; all domains are one value, of files of 256 MiB at most
    -default gives the text to print where there is no such domain or key; exit code 0.
    With -macos, the format is “value”, and values are spelled as macOS's tool spells them: truth values
    are 1 and 0, data is {length = 2, bytes = 0x0fbd}, an array or dictionary takes a line for each
    entry, and no value has a note. What is absent is reported in that tool's words, exit code 2.
    The stored values are printed. If the administrator sets a key for all users, which takes
    precedence, a line of standard error names the file.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var format: OutputFormat?
    var fallback: String?
    while let option = try words.option() {
      switch option {
      case "-to", "-format":
        format = try OutputFormat(named: words.word(), of: self, among: OutputFormat.printed)
      case "-default": fallback = try words.argument(of: option, "a text")
      default: throw words.unknown(option)
      }
    }
    let operand = try words.domain()
    let key = try words.word().map { word throws(CommandError) in try KeyArgument(word, of: self) }
    try words.end("a domain and a key at most")
    guard let operand else {
      guard fallback == nil else { throw usageError("“-default” goes with a domain") }
      return try readAll(as: format ?? (context.style == .macos ? .value : .lines), in: context)
    }
    do {
      try read(operand, key, as: format, in: context)
    } catch let error as CommandError where error.code == .absent {
      guard let fallback else { throw error }
      try context.output.print(fallback)
    }
    return .done
  }

  private static func read(
    _ operand: DomainOperand, _ key: KeyArgument?, as format: OutputFormat?, in context: CommandContext
  ) throws {
    let output = context.output
    let subject = try operand.subject(in: context)
    let (root, byteCount) = try subject.existing()
    let usual = format ?? (context.style == .macos ? .value : .lines)
    guard let key else {
      if usual == .lines, case .dictionary(let entries) = root {
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
          try output.print(line(of: subject, key, value, output))
        }
      } else {
        try print(root, as: usual, fromFileOf: byteCount, in: context)
      }
      return try subject.tellOfManagedKeys(nil, in: root)
    }
    let value: PropertyList
    do {
      value = try subject.value(of: key, in: root)
    } catch {
      if let top = key.topKey { try subject.tellOfManagedKeys([top], in: root) }
      throw error
    }
    if usual == .lines, let key = key.key {
      try output.print(line(of: subject, key, value, output))
    } else {
      try print(value, as: usual, fromFileOf: byteCount, in: context)
    }
    if let top = key.topKey { try subject.tellOfManagedKeys([top], in: root) }
  }

  /// The line of a default, with the domain's name if it is in one.
  private static func line(
    of subject: any Subject, _ key: PropertyListKey, _ value: PropertyList, _ output: CommandOutput
  ) throws -> String {
    let line = try DefaultLine.text(key: key.text, value: value, escaping: output.escapes)
    guard let column = subject.column else { return line }
    return "\(try DefaultLine.token(ofName: column, escaping: output.escapes)) \(line)"
  }

  private static func print(
    _ value: PropertyList, as format: OutputFormat, fromFileOf byteCount: Int, in context: CommandContext
  ) throws {
    do {
      try format.print(value, style: context.style, fromFileOf: byteCount, to: context.output)
    } catch let error as PropertyListError where format == .json {
      throw CommandError(.refused, "\(error); “-to tagged” holds every value")
    }
  }

  private static func readAll(as format: OutputFormat, in context: CommandContext) throws -> ExitCode {
    let database = try context.openDatabase()
    let isOneText = format != .lines && format != .flat
    let byteCount = isOneText ? try checkedByteCount(of: database) : 0
    let managed = try context.managedKeys()
    var domains: [PropertyListKey: PropertyList] = [:]
    let isMacOS = format == .value && context.style == .macos
    let code = try database.forEachDomain(reportingTo: context.output) { domain, values in
      switch format {
      case .lines: try context.output.print(values, of: domain)
      case .flat:
        let name = try DefaultLine.token(ofName: domain.text, escaping: context.output.escapes)
        try context.output.printLeaves(of: .dictionary(values), behind: "\(name) ")
      default:
        let name = isMacOS ? domain.nameInMacOS : domain.text
        domains[PropertyListKey(name)] = .dictionary(values)
      }
      try managed.tell(of: values.keys, in: domain)
    }
    if isOneText { try print(.dictionary(domains), as: format, fromFileOf: byteCount, in: context) }
    return code
  }

  /// How many bytes the files may have whose domains are printed as one value.
  private static let maximumByteCount = 256 << 20

  /// How many bytes all files have; refuses to have all domains in memory at once if they are very large: a user can have any
  /// number of files, or one under any number of names.
  private static func checkedByteCount(of database: UserDatabase) throws -> Int {
    var byteCount = 0
    for domain in try database.domainNames() {
      // What cannot be read is told later.
      guard let size = try? database.byteCount(of: domain), size <= FileSize.maximum else { continue }
      byteCount += size
      guard byteCount <= maximumByteCount else {
        throw CommandError(
          .refused,
          "\(database.directory): all domains have more than \(maximumByteCount >> 20) MiB together, which do not "
            + "fit into one value; nothing was printed; name a domain, or use “-to lines”")
      }
    }
    return byteCount
  }
}
