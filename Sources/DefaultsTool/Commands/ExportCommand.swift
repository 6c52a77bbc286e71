import DefaultsDatabase
import OpenStepPropertyList

/// `export`: writes domains into files, one for each.
enum ExportCommand: Subcommand {
  static let name = "export"
  static let takesDomain = true
  static let forms = [
    CommandForm(
      "[-to FORMAT] [-replace] domain PATH", "write a domain as one file; - prints it",
      example: """
        $ defaults write App Size 5
        $ defaults export App -
        {
            Size = 5;
        }
        """),
    CommandForm(
      "[-to FORMAT] [-replace] -into DIR [domain …]", "write domains, or all, as files there",
      example: """
        $ defaults write App Size 5
        $ defaults export -into backup
        $ defaults diff ./backup
        """),
  ]
  static let discussion = """
    FORMAT is one of
      openstep  text with notes after typed values, the default; it holds every value
      gnustep   GNUstep's text: pure ASCII, typed values as <*I5>
      xml       Apple's XML; also xml1, as plutil has it
      binary    Apple's binary format; also binary1. It is not printed on a terminal
    “defaults import domain PATH” reads a file back unchanged, and “defaults import DIR” the
    files DIR/domain.plist. Missing directories are made. A file that exists already stays, and
    is reported; with -replace it is replaced, and a device, a pipe or a terminal is written to.
    A symbolic link to a file is refused. A domain with a value that the format cannot hold
    exactly is refused, exit code 3, and the others are written.
    With -gnustep, a domain with control characters, which Apple's XML has no form for, is
    written as GNUstep's XML, which spells them \\U001B, and this is reported.
    Under -macos, the default is binary, - gets XML, and a file that exists is replaced.
    A file is put into its place under the lock of the directory, so that an export into another
    database is not lost beside its programs' saves; exit code 3 where that is held for two seconds.
    A domain's file that is too large to be read is copied byte for byte, in its own format, if
    no FORMAT is given; the copy has a hole where the file has one, but a pipe, and a file to which
    it is appended, get zeros. A file that would be too large to be read is not written, exit code 5:
    data takes twice its size as text.
    All arguments after -- are domains, even if they begin with a hyphen.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    let request = try Request(arguments, in: context)
    let database = try context.openDatabase()
    let managed = try context.managedKeys()
    switch request.target {
    case .standardOutput(let domain):
      if request.isBinary { try context.output.refuseTerminal("“export” with a path writes it into a file") }
      if let file = try request.largeFile(of: domain, in: database) {
        defer { file.close() }
        try context.output.write(file)
        try context.output.tellOfCopy(of: file)
        return .done
      }
      let values = try database.existingValues(of: domain)
      try context.output.write(
        request.bytes(of: values, in: domain, of: database, reportingTo: context.output))
      try managed.tell(of: values.keys, in: domain)
      return .done
    case .file(let domain, let path):
      let file = ExportFile(try DatabaseLocation.resolve(argument: path))
      guard !database.lies(in: file.directory) else {
        throw CommandError(.refused, "\(path): lies in the database itself; nothing was done")
      }
      try write(domain, of: database, to: file, request, managed, context.output)
      return .done
    case .directory(let path, let domains):
      return try write(
        domains.isEmpty ? try database.domainNames(reportingTo: context.output) : domains, of: database,
        into: path, request, managed, context)
    }
  }

  /// For how many absent domains of one command names are suggested.
  private static let maximumSuggestionCount = 20

  /// Writes domains into a directory; a domain that cannot be written is reported, and the others are
  /// written.
  private static func write(
    _ domains: [DomainName], of database: UserDatabase, into path: String, _ request: Request,
    _ managed: ManagedKeys, _ context: CommandContext
  ) throws -> ExitCode {
    guard !database.lies(in: path) else {
      throw CommandError(.refused, "\(path): is the database itself; nothing was done")
    }
    let directory = try DatabaseLocation.resolve(argument: path)
    let present = UserDatabase(directory: directory, fileSystem: context.fileSystem)
    var code = ExitCode.done
    var absentCount = 0
    for (index, domain) in domains.enumerated() {
      do {
        // A name is compared with all others for a suggestion, which is made for the first ones alone.
        if absentCount >= maximumSuggestionCount, !database.hasFile(of: domain),
          try database.status(at: database.path(of: domain), followingLinks: false) == nil
        {
          throw CommandError(.absent, "there is no domain “\(domain)”")
        }
        if !request.replaces, present.hasFile(of: domain), present.isBare(domain) {
          throw CommandError(
            .refused,
            "\(present.path(of: domain)): is there already; it keeps every byte: “-replace” writes a file beside it, which hides it"
          )
        }
        let file = ExportFile(
          of: domain, in: directory, fileSystem: context.fileSystem, patience: context.patience)
        try write(domain, of: database, to: file, request, managed, context.output)
      } catch {
        let error = CommandError(error)
        try context.output.report(error)
        code = max(code, error.code)
        if error.code == .absent { absentCount += 1 }
      }
      if domains.count >= 50, index % 10 == 0 {
        try context.output.showProgress("\(index) of \(domains.count) domains")
      }
    }
    return code
  }

  private static func write(
    _ domain: DomainName, of database: UserDatabase, to target: ExportFile, _ request: Request,
    _ managed: ManagedKeys, _ output: CommandOutput
  ) throws {
    if let file = try request.largeFile(of: domain, in: database) {
      defer { file.close() }
      try target.write(copyOf: file, replacing: request.replaces)
      return try output.tellOfCopy(of: file)
    }
    let values = try database.existingValues(of: domain)
    let bytes = try request.bytes(of: values, in: domain, of: database, reportingTo: output)
    try target.write(bytes, replacing: request.replaces)
    try managed.tell(of: values.keys, in: domain)
  }

  /// The domains to write, and the destination.
  private enum Target {
    case standardOutput(DomainName)
    case file(DomainName, path: String)
    /// An empty list means all domains.
    case directory(path: String, [DomainName])
  }

  /// The parsed arguments.
  private struct Request {
    /// The format that `-to` names; nil without that option.
    private let askedFormat: OutputFormat?
    private var format: OutputFormat { askedFormat ?? .openstep }
    private var fileFormat: DomainFileFormat { format.fileFormat ?? .openStep }
    var isBinary: Bool { format == .binary }
    let replaces: Bool
    let target: Target

    init(_ arguments: [String], in context: CommandContext) throws {
      let (style, dialect) = (context.style, context.dialect)
      var format: OutputFormat?
      var replaces = false
      var directory: String?
      var words: [DomainWord] = []
      var rest = arguments[...]
      while let argument = rest.popFirst() {
        switch argument {
        case "-to", "-format":
          format = try OutputFormat(
            named: rest.popFirst(), of: ExportCommand.self, among: OutputFormat.exported)
        case "-replace":
          replaces = true
        case "-into":
          guard let name = rest.popFirst(), !name.isEmpty else {
            throw usageError("“-into” takes a directory")
          }
          directory = name
        case "--":
          words += rest.map { DomainWord($0, isLiteral: true) }
          rest = []
        case _ where argument.hasPrefix("-") && argument != "-":
          if let word = try DomainWord(option: argument, &rest, of: ExportCommand.self, in: dialect) {
            words.append(word)
            continue
          }
          throw unknownOption(
            argument, "write a domain of that name after “--”, a file as “./\(argument)”")
        default:
          words.append(DomainWord(argument))
        }
      }
      target = try Request.target(words, directory, in: dialect)
      if case .standardOutput = target {
        guard !replaces else { throw usageError("“-replace” goes with a file or with “-into”") }
        askedFormat = format ?? (style == .macos ? .xml : nil)
      } else {
        askedFormat = format ?? (style == .macos ? .binary : nil)
      }
      self.replaces = replaces || style == .macos
    }

    private static func target(
      _ words: [DomainWord], _ directory: String?, in dialect: DatabaseDialect
    ) throws -> Target {
      if let directory {
        return .directory(path: directory, try words.map { try $0.domain(in: dialect) }.eachOnce)
      }
      guard words.count == 2, !words[1].text.isEmpty else {
        throw usageError("“export” takes a domain and a file, or - to print it; or “-into” and a directory")
      }
      let domain = try words[0].domain(in: dialect)
      let path = try words[1].path(of: ExportCommand.self)
      if path == "-" { return .standardOutput(domain) }
      guard path.utf8.last != UInt8(ascii: "/") else {
        throw usageError("“\(path)” names no file; “-into” writes into a directory")
      }
      return .file(domain, path: path)
    }

    /// A domain's file that is too large to be read, which is copied; nil for a smaller one, and if a format
    /// is requested.
    func largeFile(of domain: DomainName, in database: UserDatabase) throws(DatabaseError) -> LargeFile? {
      askedFormat == nil ? try database.openIfTooLarge(domain) : nil
    }

    /// The contents of a domain's file.
    ///
    /// GNUstep's own domains have control characters in the keys of moved menus. If these are all that Apple's XML
    /// cannot hold, such a domain is written as GNUstep has it, and this is reported.
    func bytes(
      of values: [PropertyListKey: PropertyList], in domain: DomainName, of database: UserDatabase,
      reportingTo output: CommandOutput
    ) throws -> [UInt8] {
      let bytes: [UInt8]
      do throws(FormatError) {
        bytes = try fileFormat.exactBytes(of: .dictionary(values))
      } catch {
        guard !error.isTooLong else {
          throw CommandError(
            .refused,
            "the domain “\(domain)” was not exported: it would take more than \(FileSize.maximum) bytes, and no larger "
              + "file is read; “-to binary” takes less")
        }
        let reason = reason(error, in: values)
        if format == .xml, database.dialect == .gnustep,
          let bytes = DomainFileFormat.exactGNUstepXML(of: .dictionary(values))
        {
          try output.report(
            CommandError(
              .done,
              "the domain “\(domain)” was written as GNUstep's XML, which spells such characters \\U001B: \(reason)"
            ))
          return bytes
        }
        throw CommandError(
          .refused, "the domain “\(domain)” was not exported: \(reason); “-to openstep” holds every value")
      }
      // Another process may have removed the file, whose values were read before.
      if PropertyList.dictionary(values).holdsReplacementCharacter, let file = try database.bytes(of: domain)
      {
        try output.tellOfLostCharacter(
          in: file, called: database.path(of: domain), writing: .dictionary(values), as: bytes)
      }
      return bytes
    }

    /// The first key whose value the format cannot represent, and the reason.
    private func reason(_ error: FormatError, in values: [PropertyListKey: PropertyList]) -> String {
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
        do throws(FormatError) {
          _ = try fileFormat.exactBytes(of: [key: value])
        } catch {
          return "the key “\(key)”: \(error)"
        }
      }
      return error.description
    }
  }
}
