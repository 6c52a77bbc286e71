import DefaultsDatabase
import DefaultsImport
import OpenStepPropertyList

/// `import`: imports the domains of another program's store into the database.
enum ImportCommand: Subcommand {
  static let name = "import"
  static let takesDomain = true
  static let forms = [
    CommandForm(
      "[-from KIND] [-merge|-replace] [-into DIR] [-encoding SET] PATH",
      "import the domains of another program's store",
      example: """
        $ mkdir old
        $ echo '{ Size = 5; }' > old/App.plist
        $ defaults import old
        domains: 1, keys: 1, not carried: 0
        """),
    CommandForm(
      "… domain PATH", "import one file, or - for standard input",
      example: """
        $ echo '{ Size = 5; }' | defaults import App -
        domains: 1, keys: 1, not carried: 0
        $ defaults read App
        App Size 5
        """),
    CommandForm(
      "-n …", "show what would be done, as -dry-run does",
      example: """
        $ echo '{ Size = 5; }' > old.plist
        $ defaults import -n App old.plist
        would make App: keys: 1, from old.plist, OPENSTEP's text
        dry run: domains: 1, keys: 1, not carried: 0
        """),
  ]
  static let discussion = """
    PATH is a directory of domains, or one file. With a domain it is one file, whatever its name,
    or - for standard input. KIND is one of
      auto            each file is recognised by its contents; the default
      gnustep         GNUstep's directory: XML, text, typed text, binary
      gnustep-single  GNUstep's single file from before 2011, .GNUstepDefaults
      openstep        OPENSTEP's text, and NeXT's in its own character set
      windowmaker     Window Maker's text, with UTF-8 in octal escapes
      macos           Library/Preferences: XML and binary, ByHost, .GlobalPreferences.plist
      json            JSON, of one file or standard input, for the domain that is named;
                      null is refused, since property lists have no null
      tagged          the same, as “-to tagged” prints it: every value names its type. Without this
                      it is plain JSON, of other values, and a line of standard error says so
    Each of them but auto refuses files that are certainly of another kind. Window Maker's menus, such as
    WMRootMenu, are no domains; they are left out and reported.
    A domain that exists already with other values stays as it is, and is reported. With
    -merge the values of PATH replace those of the same keys, and other keys stay; with
    -replace they replace the whole domain, and a damaged file of it is kept under another name. PATH
    itself is only read.
    Under -macos, -merge is the default, and no totals are printed.
    -into names another database's directory; what is imported there is not in the history.
    -encoding names the character set of text that is not Unicode, nextstep or latin1; the
    default is latin1 for GNUstep's files and nextstep for others.
    Keys that the administrator sets stay as they are.
    What cannot be imported, or not exactly, is reported in lines of standard error, and so is a file
    with comments, which no import carries; the exit code is that of the most severe line. Of a
    directory, a domain of which one file cannot be read is not imported in part. The last line of
    the output gives the totals.
    The arguments after -- are a domain and PATH, even if they begin with a hyphen.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    let request = try Request(arguments, in: context)
    let (database, isUsual) = try target(of: request, in: context)
    guard !database.lies(in: request.path) else {
      throw CommandError(.refused, "\(request.path): is the database itself; nothing was done")
    }
    context.output.finishFirst()
    let store = ImportedStore(at: request.displayName, as: request.kind, encoding: request.encoding)
    let action = DomainImport(into: database, policy: request.policy, isRehearsal: request.isRehearsal)
    var tally = Tally()
    let managed = isUsual ? try context.managedKeys() : nil
    func carry(_ found: ImportedDomain) throws {
      func report(_ error: DatabaseError) throws {
        let error = request.domain == nil ? error.ofOneDomain(found.name) : error
        try tally.report(ImportRemark(error), to: context.output)
      }
      let domain: ImportedDomain
      do {
        domain = try withoutManagedKeys(found, managed, database) { try tally.report($0, to: context.output) }
      } catch let error as DatabaseError {
        return try report(error)
      }
      let effect: DomainImport.Effect
      do throws(DatabaseError) {
        try database.refuseUnread(domain.name)
        effect = try action.carry(domain)
      } catch {
        return try report(error)
      }
      tally.count(domain)
      if case .movedAside(let notice) = effect {
        let remark = ImportRemark(.note, path: database.path(of: domain.name), notice)
        try tally.report(remark, to: context.output)
      }
      if request.isRehearsal, effect != .nothing || !domain.values.isEmpty {
        try context.output.print(line(for: effect, of: domain))
      }
      for remark in action.remarks(on: domain) { try tally.report(remark, to: context.output) }
    }
    if let name = request.domain {
      try context.tellIfFileName(name, in: database)
      let bytes = request.isPiped ? try context.readInput() : nil
      let domain = try store.domain(named: name, bytes: bytes) { try tally.report($0, to: context.output) }
      if let domain { try carry(domain) }
    } else {
      try store.forEachDomain(
        carry, report: { try tally.report($0, to: context.output) },
        progress: { done, count in try context.output.showProgress("\(done) of \(count) files") })
    }
    if tally.isEmpty { throw CommandError(.absent, "\(request.path): there is no domain in it") }
    if request.isRehearsal || context.style != .macos {
      try context.output.print("\(request.isRehearsal ? "dry run: " : "")\(tally.text)")
    }
    return tally.code
  }

  /// The domain, with the stored values for the keys that the administrator sets; each value that is
  /// therefore not imported is reported.
  private static func withoutManagedKeys(
    _ domain: ImportedDomain, _ managed: ManagedKeys?, _ database: UserDatabase,
    report: (ImportRemark) throws -> Void
  ) throws -> ImportedDomain {
    guard let managed else { return domain }
    let keys = try managed.keys(deciding: domain.name)
    guard !keys.isEmpty else { return domain }
    var stored: [PropertyListKey: PropertyList] = [:]
    do {
      stored = try database.values(of: domain.name) ?? [:]
    } catch let error as DatabaseError where error.kind == .damaged {
      // It is reported when the domain is to be written.
    }
    var values = domain.values
    for key in keys.sorted() where values[key] != stored[key] {
      if values[key] != nil, let file = try managed.file(deciding: key, in: domain.name) {
        try report(
          ImportRemark(
            .loss, path: file,
            "the administrator sets “\(key)” of the domain “\(domain.name)” here; it was not carried"))
      }
      values[key] = stored[key]
    }
    return ImportedDomain(
      name: domain.name, values: values, kind: domain.kind, path: domain.path, isNamed: domain.isNamed)
  }

  /// The database that receives the domains, and whether it is the one that other commands use.
  private static func target(
    of request: Request, in context: CommandContext
  ) throws -> (UserDatabase, isUsual: Bool) {
    guard let name = request.directory else { return (try context.openDatabase(), isUsual: true) }
    guard context.user == nil else {
      throw usageError("“-u” and “-into” both name a database")
    }
    let directory = try DatabaseLocation.resolve(argument: name)
    // Also under its path it has a history, and values that the administrator sets.
    if let usual = try? context.openDatabase(),
      haveEqualBytes(usual.directory, directory) || usual.lies(in: directory)
    {
      return (usual, isUsual: true)
    }
    let database = UserDatabase(
      directory: directory, dialect: context.isGNUstep ? .gnustep : .openStep, patience: context.patience)
    return (database, isUsual: false)
  }

  /// What would be done with a domain.
  private static func line(for effect: DomainImport.Effect, of domain: ImportedDomain) -> String {
    let action =
      switch effect {
      case .nothing: "would leave"
      case .made: "would make"
      case .merged: "would merge"
      case .replaced, .movedAside: "would replace"
      }
    return
      "\(action) \(domain.name): keys: \(domain.values.count), from \(domain.path), \(domain.kind.fileDescription)"
      .onOneLine
  }

  /// The counts of what was imported and reported, and the exit code.
  private struct Tally {
    var code = ExitCode.done
    private var domains = 0
    private var keys = 0
    private var losses = 0
    private var isTouched = false

    /// Whether there was nothing to import or to report.
    var isEmpty: Bool { !isTouched }

    var text: String { "domains: \(domains), keys: \(keys), not carried: \(losses)" }

    mutating func count(_ domain: ImportedDomain) {
      isTouched = true
      if !domain.values.isEmpty || domain.isNamed { domains += 1 }
      keys += domain.values.count
    }

    mutating func report(_ remark: ImportRemark, to output: CommandOutput) throws {
      let weight: ExitCode =
        switch remark.weight {
        case .note: .done
        case .loss, .failure(.refused), .failure(.refusedName), .failure(.hidden), .failure(.locked): .refused
        case .failure(.damaged): .damaged
        case .failure(.inputOutput): .inputOutput
        }
      code = max(code, weight)
      if remark.weight != .note {
        losses += 1
        isTouched = true
      }
      try output.report(CommandError(weight, remark.text))
    }
  }

  /// The parsed arguments.
  private struct Request {
    let path: String
    /// The file's domain; nil if the store determines the domains.
    let domain: DomainName?
    /// The required kind of store; nil for any.
    let kind: StoreKind?
    let policy: DomainImport.Policy
    let isRehearsal: Bool
    let directory: String?
    let encoding: PropertyList.ParsingOptions.EightBitEncoding?
    /// Whether the file is the standard input.
    var isPiped: Bool { path == "-" }
    /// The store's path; for standard input, its name in messages.
    var displayName: String { SourceFile.displayName(path) }

    init(_ arguments: [String], in context: CommandContext) throws {
      var kind: StoreKind?
      var policy = DomainImport.Policy.keep
      var isRehearsal = false
      var directory: String?
      var encoding: PropertyList.ParsingOptions.EightBitEncoding?
      var words: [DomainWord] = []
      var rest = arguments[...]
      while let argument = rest.popFirst() {
        switch argument {
        case "-from":
          kind = try Request.kind(named: rest.popFirst())
        case "-merge", "-replace":
          guard policy == .keep else { throw usageError("“-merge” and “-replace” exclude each other") }
          policy = argument == "-merge" ? .merge : .replace
        case "-dry-run", "-n":
          isRehearsal = true
        case "-into":
          guard let name = rest.popFirst(), !name.isEmpty else {
            throw usageError("“-into” takes the directory of a database")
          }
          directory = name
        case "-encoding":
          encoding = try EightBitSet.encoding(named: rest.popFirst(), for: ImportCommand.self)
        case "--":
          words += rest.map { DomainWord($0, isLiteral: true) }
          rest = []
        case _ where argument.hasPrefix("-") && argument != "-":
          if let word = try DomainWord(
            option: argument, &rest, of: ImportCommand.self, in: context.dialect)
          {
            words.append(word)
            continue
          }
          throw unknownOption(argument, "a file of that name is “./\(argument)”")
        default:
          words.append(DomainWord(argument))
        }
      }
      guard let path = try words.last?.path(of: ImportCommand.self), !path.isEmpty, words.count <= 2 else {
        throw usageError("“import” takes the path of one directory or file, and a domain before it at most")
      }
      domain = try words.dropLast().first?.domain(in: context.dialect)
      if domain == nil, path == "-" { throw usageError("“import -” needs a domain before the hyphen") }
      if domain != nil, kind == .gnustepSingle {
        throw usageError("“-from gnustep-single” is a file of all domains, and takes none")
      }
      if domain == nil, let kind, kind == .json || kind == .tagged {
        throw usageError("“-from \(kind.rawValue)” takes one file, and needs a domain before it")
      }
      self.path = path
      self.kind = kind
      self.policy = context.style == .macos && policy == .keep ? .merge : policy
      self.isRehearsal = isRehearsal
      self.directory = directory
      self.encoding = encoding
    }

    private static func kind(named name: String?) throws(CommandError) -> StoreKind? {
      let kinds = (["auto"] + StoreKind.allCases.map(\.rawValue)).joined(separator: ", ")
      guard let name else { throw usageError("“-from” takes a kind of store: \(kinds)") }
      if name == "auto" { return nil }
      guard let kind = StoreKind(rawValue: name) else {
        throw usageError("there is no kind of store “\(name)”; use one of: \(kinds)")
      }
      return kind
    }
  }
}
