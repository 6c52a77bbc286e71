import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

/// `explain`: shows where a value comes from, and which others it shadows.
enum ExplainCommand: Subcommand {
  static let name = "explain"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-to json|value] domain key", "show where a program's value comes from",
      example: """
        $ defaults write -g Font Courier
        $ defaults explain App Font | head -n 1
        App Font Courier
        """)
  ]
  static let discussion = """
    The first line is the default that a program named after the domain finds. Then each domain that
    it searches is a line, in their order:

      >  managed               forced    Ohlfs      /etc/OpenStep/Managed/App.plist:2:12
         NSArgumentDomain      unknown
         App                   shadowed  Helvetica  /home/ann/.OpenStep/Defaults/App.plist:3:12
         NSGlobalDomain        absent
         English               absent
         NSRegistrationDomain  unknown

    The columns are a mark at the value that is found, the domain, its state, its value, and the
    value's file, line and column; one tab separates them where the output is no terminal. On a terminal a
    value that is too wide is cut, which a line of standard error says. “managed” is what
    the administrator sets, and only UserDefaults knows it. What is given in a program's arguments or
    registered by it exists only there, and is unknown here; so is what a damaged file has, which is reported.
    With -gnustep, GNUstep's two computed domains, GSPrimaryDomain and GSConfigDomain, are left out.
    The exit code is 2 if no file has the key, and 4 if one is damaged.
    -to json prints an array of objects with domain, state, value, file, line and column, and -to value
    the value alone.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var format: String?
    while let option = try words.option() {
      guard option == "-to" || option == "-format" else { throw words.unknown(option) }
      let name = try words.argument(of: option, "a format: json, value")
      guard name == "json" || name == "value" else {
        throw usageError("there is no format “\(name)”; use one of: json, value")
      }
      format = name
    }
    guard let operand = try words.domain(), let word = words.word() else {
      throw usageError("“explain” takes a domain and a key")
    }
    try words.end("a domain and a key")
    guard case .domain(let domain) = operand else {
      throw CommandError(
        .refused, "\(operand): is a file's path, and no program searches a file; nothing was done")
    }
    let key = try KeyArgument(word, of: self)
    let database = try context.openDatabase()
    var code = ExitCode.done
    let origins = try Origin.all(
      of: key, in: domain, database, managed: try managed(in: context),
      languages: languages(of: domain, database, context)
    ) { error, isManaged in
      let error = CommandError(error)
      try context.output.report(error)
      if !isManaged { code = max(code, error.code) }
    }
    guard let winner = origins.first(where: \.isWinner), let value = winner.value else {
      if format == "json" { try printJSON(origins, to: context.output) }
      // What could not be read may have it.
      guard code == .done else { return code }
      var error = CommandError(
        .absent, "there is no default “\(word)” in any file that the program “\(domain)” searches")
      error.hint = try domain.hintOfFileName ?? hint(for: key, in: domain, database)
      throw error
    }
    switch format {
    case "json": try printJSON(origins, to: context.output)
    case "value":
      try OutputFormat.value.print(value, style: context.style, fromFileOf: 0, to: context.output)
    default:
      let name = key.key ?? PropertyListKey(key.path.description)
      try context.output.print(context.output.line(of: domain, key: name, value: value))
      try printTable(of: origins, to: context.output)
    }
    return code
  }

  /// A line that asks which key, or which domain, was meant; nil if none is near.
  private static func hint(
    for key: KeyArgument, in domain: DomainName, _ database: UserDatabase
  ) throws -> String? {
    let own = try database.values(of: domain)
    let entries = (own ?? [:]).merging(try database.values(of: .global) ?? [:]) { own, _ in own }
    return key.hint(among: entries) ?? (own == nil ? database.absence(of: domain).hint : nil)
  }

  private static func managed(in context: CommandContext) throws -> UserDatabase? {
    guard !context.isGNUstep else { return nil }
    let directory = try ManagedDirectory.location(environment: context.environment)
    return UserDatabase(directory: directory, trustedUsers: ManagedDirectory.trustedUsers(of: directory))
  }

  /// The names of the language domains that such a program searches.
  private static func languages(
    of domain: DomainName, _ database: UserDatabase, _ context: CommandContext
  ) -> [String] {
    var preferred: [String]?
    for name in [domain, .global] where preferred == nil {
      // One that cannot be read is reported among the origins.
      guard let values = try? database.values(of: name), case .array(let elements)? = values["NSLanguages"]
      else { continue }
      preferred = elements.compactMap { element in
        if case .string(let language) = element { language } else { nil }
      }
    }
    return LanguagePreferences.names(preferred: preferred) { (try? context.environment($0)) ?? nil }
  }

  private static func printTable(of origins: [Origin], to output: CommandOutput) throws {
    var rows: [[String]] = []
    for origin in origins {
      let value = try origin.value.map { try DefaultLine.token(of: $0, escaping: output.escapes) } ?? ""
      rows.append([
        origin.isWinner ? ">" : " ", try DefaultLine.token(ofName: origin.domain, escaping: output.escapes),
        origin.state.rawValue, value, origin.place.onOneLine,
      ])
    }
    guard output.isOnTerminal else {
      for row in rows { try output.print(row.joined(separator: "\t")) }
      return
    }
    let isCut = output.width.map { fit(&rows, into: $0) } ?? false
    let widths = (0..<5).map { widest($0, of: rows) }
    for row in rows {
      var line = ""
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.unicodeScalars.count + 2)
        line += column == row.count - 1 ? cell : cell + padding
      }
      while line.last == " " { line.removeLast() }
      if row[0] == ">" { try output.print(line, in: .strong) } else { try output.print(line) }
    }
    if isCut {
      try output.report(
        CommandError(.done, "values were cut to the terminal's width, with “…”; “-to json” has them whole"))
    }
  }

  private static func widest(_ column: Int, of rows: [[String]]) -> Int {
    rows.map { $0[column].unicodeScalars.count }.max() ?? 0
  }

  /// Shortens the values for which the terminal has no room; the line above the table has the one that is found.
  ///
  /// - Returns: Whether one was shortened.
  private static func fit(_ rows: inout [[String]], into width: Int) -> Bool {
    let column = 3
    let others = (0..<5).reduce(0) { $0 + ($1 == column ? 0 : widest($1, of: rows) + 2) }
    let room = max(width - others, 8)
    let wide = rows.indices.filter { rows[$0][column].unicodeScalars.count > room }
    for index in wide {
      let start = rows[index][column].unicodeScalars.prefix(room - 1)
      rows[index][column] = String(String.UnicodeScalarView(start)) + "…"
    }
    return !wide.isEmpty
  }

  private static func printJSON(_ origins: [Origin], to output: CommandOutput) throws {
    let objects = origins.map { origin in
      var members = [
        "\"domain\":\(TaggedText.quoted(origin.domain))", "\"state\":\"\(origin.state.rawValue)\"",
      ]
      if let value = origin.value { members.append("\"value\":\(TaggedText.object(of: value))") }
      if let file = origin.file { members.append("\"file\":\(TaggedText.quoted(file))") }
      if let position = origin.position {
        members += ["\"line\":\(position.line)", "\"column\":\(position.column)"]
      }
      return "  {\(members.joined(separator: ","))}"
    }
    try output.print("[\n\(objects.joined(separator: ",\n"))\n]")
  }
}
