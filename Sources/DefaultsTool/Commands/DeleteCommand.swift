import DefaultsDatabase
import OpenStepPropertyList

/// `delete`: removes a default, a domain, or the defaults that standard input lists.
enum DeleteCommand: Subcommand {
  static let name = "delete"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-n] [-f] domain key", "delete one default",
      example: """
        $ defaults write App '{ a = 1; b = 2; }'
        $ defaults delete App a
        $ defaults read App
        App b 2
        """),
    CommandForm(
      "[-n] [-f] domain", "delete a domain with all its defaults",
      example: """
        $ defaults write App '{ a = 1; b = 2; }'
        $ defaults delete -n App
        -App a 1
        -App b 2
        $ defaults delete App
        $ defaults domains
        """),
    CommandForm(
      "[-n] [-f]", "delete what standard input lists",
      example: """
        $ defaults write App '{ a = 1; b = 2; }'
        $ defaults find 1 | defaults delete
        $ defaults read App
        App b 2
        """),
  ]
  static let discussion = """
    With -f, what is not there is no error, and the exit code is 0. -n shows what would be done, in
    the lines of “defaults diff”, and does nothing.
    A damaged domain can be deleted as a whole: its file is kept under another name, which is printed.
    A path removes a value inside another: defaults delete App '.Recent[0]'; the later elements of
    an array move up. A file's path that is a link loses the link, and not the file behind it.
    Each line of standard input is a domain and a key, quoted as “defaults read” does it; a
    value after them, as “read” prints it, is ignored. Domain and key are taken as they stand there:
    .a.b is a key and no path, and -g a domain's name. If one line is bad, nothing is deleted.
    The lines are held in memory, and take up to six times their size, besides one domain at a time.
    A default that does not exist is reported, and the others are deleted. A key that the
    administrator sets is refused, exit code 3, and so is a domain with such a key.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    let options = try DeletionOptions(&words)
    let operand = try words.domain()
    let key = try words.word().map { word throws(CommandError) in try KeyArgument(word, of: self) }
    try words.end("a domain and a key at most")
    guard let operand else { return try deleteBatch(options, in: context) }
    return try options.ignoringAbsence {
      let subject = try operand.subject(in: context)
      if let key {
        try delete(key, of: subject, options, context.output)
      } else {
        try delete(subject, options, context.output)
      }
    }
  }

  /// Removes a value.
  static func delete(
    _ key: KeyArgument, of subject: any Subject, _ options: DeletionOptions, _ output: CommandOutput
  ) throws {
    func removed(from root: PropertyList?) throws -> PropertyList {
      guard let root else { throw subject.absence }
      do throws(PropertyListPathError) {
        return try root.removed(at: key.path)
      } catch {
        if error.kind == .absent { throw subject.absence(of: key, in: root, error) }
        throw CommandError(.refused, "\(subject.name.onOneLine): \(error); nothing was changed")
      }
    }
    // Tried first without the lock, which makes a directory where there is none.
    _ = try removed(from: subject.load())
    let (old, new) = try subject.change(rehearsing: options.isRehearsal) { try removed(from: $0) }
    if options.isRehearsal { try output.printDifferences(from: old, to: new, domain: subject.column) }
  }

  /// Removes a domain or a file.
  static func delete(
    _ subject: any Subject, _ options: DeletionOptions, _ output: CommandOutput
  ) throws {
    if let domain = subject as? DomainSubject {
      let old = try domain.remove(rehearsing: options.isRehearsal)
      if let old { try output.printDifferences(from: old, to: nil, domain: subject.column) }
      return
    }
    guard try subject.load() != nil else { throw subject.absence }
    let (old, new) = try subject.change(rehearsing: options.isRehearsal) { _ in nil }
    if options.isRehearsal { try output.printDifferences(from: old, to: new, domain: subject.column) }
  }

  // MARK: Standard input

  private static func deleteBatch(
    _ options: DeletionOptions, in context: CommandContext
  ) throws -> ExitCode {
    let lines = try BatchLines(of: context.readLines(), in: context.dialect) { line in
      let words = line.words
      guard (2...3).contains(words.count) else {
        throw TokenLine.error(
          line: line.number, .usage,
          words.count == 1
            ? "a key is missing after the domain “\(words[0])”"
            : "there are \(words.count) words instead of a domain and a key")
      }
      do throws(DatabaseError) {
        return try DomainName(words[0], in: context.dialect)
      } catch {
        throw TokenLine.error(line: line.number, .refused, CommandError(error).message)
      }
    }
    let database = try context.openDatabase()
    let managed = try context.managedKeys()
    // All are read first: a domain that cannot be read cannot be written either, and is to be reported before
    // any other is written. They are read again later, because all together could fill the memory.
    try lines.forEachDomain { domain in
      let values: [PropertyListKey: PropertyList]
      do {
        values = try database.values(of: domain.name) ?? [:]
      } catch let error as DatabaseError {
        throw error.advisingRepair
      }
      let changes = try changes(of: domain, in: lines, over: values) { _, _ in }
      try managed.check(changes, of: domain.name, over: values)
    }
    var commits = BatchCommit(to: database, ofDomains: lines.domainCount, reportingTo: context.output)
    try lines.forEachDomain { domain in
      let values: [PropertyListKey: PropertyList]
      do {
        values = try database.values(of: domain.name) ?? [:]
      } catch let error as DatabaseError {
        return try commits.report(error, of: domain.name)
      }
      let changes = try changes(of: domain, in: lines, over: values) { line, key in
        guard !options.ignoresAbsence else { return }
        let absence = CommandError.absence(of: key, in: domain.name).message
        let note = KeyArgument.isPath(key.text) ? "; in a line of standard input a key is no path" : ""
        try commits.report(TokenLine.error(line: line.number, .absent, absence + note))
      }
      if options.isRehearsal {
        try context.output.printDifferences(
          from: .dictionary(values), to: .dictionary(changes.applied(to: values)), domain: domain.name.text)
        return
      }
      if !changes.isEmpty { try commits.commit(CommitRequest(changes, to: domain.name)) }
    }
    return commits.code
  }

  /// The removal of those keys of a domain's lines that it has.
  ///
  /// - Parameter absence: Called with each line whose key it does not have.
  private static func changes(
    of domain: BatchLines.Domain, in lines: BatchLines, over values: [PropertyListKey: PropertyList],
    absence: (TokenLine, PropertyListKey) throws -> Void
  ) throws -> DomainChanges {
    var changes = DomainChanges()
    try lines.forEachLine(of: domain) { line in
      let key = PropertyListKey(line.words[1])
      if values[key] != nil { changes.remove(key) } else { try absence(line, key) }
    }
    return changes
  }
}
