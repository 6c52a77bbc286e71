import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

/// `restore`: puts the files of a snapshot back.
enum RestoreCommand: Subcommand {
  static let name = "restore"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-n] name [domain …]", "put the files of a snapshot back",
      example: """
        $ defaults write App Size 5
        $ defaults snapshot before
        $ defaults write App Size 6
        $ defaults restore before
        App restored
        $ defaults read App
        App Size 5
        """)
  ]
  static let discussion = """
    Every file is as it was, byte for byte; domains that were made since are removed, unless domains
    are named, or the snapshot has only some of the domains that there were. A line tells of each
    domain that changes: “App restored”, “New removed”. “defaults undo” takes it back. -n shows the
    differences, and does nothing. A damaged file is kept under another name, which is printed. A
    domain with a key that the administrator sets, and that would change, stays as it is, exit code 3,
    and the others are restored; so does one that was made since and whose file is a link, which may
    lead out of the database.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var isRehearsal = false
    while let option = try words.option() {
      guard option == "-n" || option == "-dry-run" else { throw words.unknown(option) }
      isRehearsal = true
    }
    guard let name = words.word() else { throw usageError("“restore” takes the name of a snapshot") }
    let asked = try DomainOperand.domains(&words)
    let database = try context.openDatabase()
    let history = History(of: database)
    let snapshot = try SnapshotCommand.snapshot(name, in: history)
    let files = snapshot.files(of: database)
    let (kept, isPartial) = try domains(in: files) { try history.isPartial(snapshot) }
    if let missing = asked.first(where: { !kept.contains($0) }) {
      var error = CommandError(.absent, "there is no domain “\(missing)” in the snapshot “\(name)”")
      error.hint = missing.hintOfFileName ?? Suggestion.line(for: missing.text, among: kept.map(\.text))
      throw error
    }
    let managed = try context.managedKeys()
    // What a snapshot of some domains lacks was not made since.
    let removed = isPartial ? [] : Set(try database.domainNames())
    context.output.finishFirst()
    var code = ExitCode.done
    /// The bytes that a domain gets; nil where its file is removed.
    func bytes(of domain: DomainName) throws -> [UInt8]? {
      guard kept.contains(domain) else { return nil }
      guard let bytes = try files.bytes(of: domain) else {
        throw DatabaseError(
          .inputOutput(code: SystemError.notFound.code), path: files.path(of: domain),
          message: "is there no longer", advice: "the domain “\(domain)” stays as it is")
      }
      do throws(FormatError) {
        guard case .dictionary = try database.propertyList(from: bytes, of: domain) else {
          throw FormatError("holds a single value where a dictionary was expected")
        }
      } catch {
        throw DatabaseError.damaged(path: files.path(of: domain), error).with(
          advice: "the domain “\(domain)” stays as it is")
      }
      return bytes
    }
    let domains = asked.isEmpty ? kept.union(removed).sorted() : asked
    for domain in domains {
      do {
        let bytes = try bytes(of: domain)
        if bytes == nil, try database.isLink(domain) {
          throw CommandError(
            .refused,
            "\(database.path(of: domain)): is a link to a file that the snapshot does not have; it stays as it is"
          )
        }
        var isChanged = false
        let replacement = try database.replaceFile(
          of: domain, managed, rehearsing: isRehearsal, onDamage: .moveAside,
          isBareIfNew: kept.contains(domain) ? files.isBare(domain) : nil
        ) { now, _ in
          isChanged = now != bytes
          if !isChanged { return .keep }
          return bytes.map { .bytes($0) } ?? .none
        }
        if isRehearsal {
          try context.output.printDifferences(
            from: replacement.old, to: replacement.new, domain: domain.text)
        } else if isChanged {
          let token = try DefaultLine.token(ofName: domain.text, escaping: context.output.escapes)
          try context.output.print("\(token) \(bytes == nil ? "removed" : "restored")")
          try context.output.reportMovedAside(replacement.commit, of: domain, in: database)
        }
      } catch let error where !(error is StreamError) {
        let error = CommandError(error, of: domain, among: domains.count)
        try context.output.report(error)
        code = max(code, error.code)
      }
    }
    return code
  }

  /// The domains that a snapshot has, also those whose copy is no file any more, which is told when it is read; and whether
  /// there were others.
  ///
  /// - Throws: an error if the snapshot is removed meanwhile: all domains would pass for new ones.
  private static func domains(
    in files: UserDatabase, isPartial: () throws -> Bool
  ) throws -> (Set<DomainName>, isPartial: Bool) {
    func identity() throws -> FileStatus? { try files.status(at: files.directory, followingLinks: false) }
    let before = try identity()
    let names = try files.domainNames(mustExist: true)
    let all = try names + files.misplacements(besides: names).map(\.domain)
    let isPartial = try isPartial()
    // A snapshot gets another name before its files are removed.
    guard let before, let after = try identity(), after.isSameFile(as: before) else {
      throw CommandError(.absent, "\(files.directory): the snapshot was removed meanwhile; nothing was done")
    }
    return (Set(all), isPartial)
  }
}
