import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

/// `snapshot`: keeps copies of domains' files under a name.
enum SnapshotCommand: Subcommand {
  static let name = "snapshot"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "", "list the snapshots: name, time, domains, bytes",
      example: """
        $ defaults write App Size 5
        $ defaults snapshot before
        $ defaults snapshot
        before  …  1  18
        """),
    CommandForm(
      "name [domain …]", "keep the files of all domains, or of some",
      example: """
        $ defaults write App Size 5
        $ defaults snapshot before App
        $ defaults write App Size 6
        $ defaults diff @before/App
        --- @before/App
        +++ App
        -Size 5
        +Size 6
        """),
    CommandForm(
      "-delete name", "delete a snapshot",
      example: """
        $ defaults snapshot before
        $ defaults snapshot -delete before
        $ defaults snapshot
        """),
  ]
  static let discussion = """
    The files are copied byte for byte, also a damaged one, of which standard error tells, and which is not
    put back. Of all domains, one whose file is too large to be read is left out, and one whose file is a
    link to no file, or another user's link; standard error tells of them, too. “defaults restore” puts the
    others back, and “defaults diff @name” compares them with the database. The list tells of damage too,
    for which it reads 256 MB at most. A name has letters, digits, “_”, “.” and “-”, at most 64, begins with
    none of the last two, and is no number.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var deletes = false
    while let option = try words.option() {
      guard option == "-delete" else { throw words.unknown(option) }
      deletes = true
    }
    let database = try context.openDatabase()
    let history = History(of: database)
    guard let name = words.word() else {
      if deletes { throw usageError("“-delete” takes the name of a snapshot") }
      try list(history, of: database, context.output, reading: context.readingBudget)
      return .done
    }
    if deletes {
      try words.end("one name with “-delete”")
      try history.removeSnapshot(Self.snapshot(name, in: history).name)
      return .done
    }
    guard History.isSnapshotName(name) else {
      throw usageError(
        "“\(name)” cannot be the name of a snapshot: letters, digits, “_”, “.”, “-”, not “.” or “-” first, and no number"
      )
    }
    // Without its hyphen, the option would be the name of a new snapshot.
    if name == "delete", words.rest.count == 1, let word = words.rest.first,
      try history.allSnapshots().contains(where: { haveEqualBytes($0.name, word) })
    {
      var error = usageError("“delete” would be the name of a snapshot; nothing was done")
      error.hint = "did you mean “defaults snapshot -delete \(word)”?"
      throw error
    }
    let asked = try DomainOperand.domains(&words)
    // What lies in the place of a domain's file may be that domain again when the snapshot is restored.
    var isPartial = !asked.isEmpty
    let domains =
      try asked.isEmpty
      ? database.domainNames(reportingTo: context.output) { _, _ in isPartial = true } : asked
    // Before anything is made.
    for domain in asked where try database.bytes(of: domain) == nil { throw database.absence(of: domain) }
    let draft = try history.beginSnapshot(name)
    var fileCount = 0
    do {
      for domain in domains {
        let contents: [UInt8]?
        do throws(DatabaseError) {
          contents = try database.bytes(of: domain)
        } catch {
          guard asked.isEmpty, error.isTooLarge else { throw error }
          let advice = "it is left out of the snapshot"
          try context.output.report(CommandError(.done, error.with(advice: advice).description))
          isPartial = true
          continue
        }
        guard let bytes = contents else {
          // Of all domains, one may have been removed since they were listed.
          if asked.isEmpty { continue }
          throw database.absence(of: domain)
        }
        try history.add(bytes, named: PathNames.last(in: database.path(of: domain)), to: draft)
        fileCount += 1
      }
      try history.finish(draft, of: fileCount, isPartial: isPartial)
    } catch {
      history.discard(draft)
      throw error
    }
    let made = try Self.snapshot(name, in: history)
    // All of them have just been read.
    try context.output.tellOfDamage(
      in: made.files(of: database), named: name, domains, reading: ReadingBudget(byteCount: .max))
    return .done
  }

  private static func list(
    _ history: History, of database: UserDatabase, _ output: CommandOutput, reading budget: ReadingBudget
  ) throws {
    for snapshot in try history.allSnapshots() {
      guard let (fileCount, byteCount) = try history.size(of: snapshot) else { continue }
      try output.print("\(snapshot.name)  \(snapshot.time.date.text)  \(fileCount)  \(byteCount)")
      let files = snapshot.files(of: database)
      try output.tellOfDamage(
        in: files, named: snapshot.name, (try? files.domainNames()) ?? [], reading: budget)
    }
  }

  /// The snapshot of a name.
  ///
  /// - Throws: an error of the code `absent` if there is none.
  static func snapshot(_ name: String, in history: History) throws -> History.Snapshot {
    let snapshots = try history.allSnapshots()
    if let snapshot = snapshots.first(where: { haveEqualBytes($0.name, name) }) { return snapshot }
    var error = CommandError(.absent, "there is no snapshot “\(name)”")
    error.hint = Suggestion.line(for: name, among: snapshots.lazy.map(\.name))
    throw error
  }
}

extension History.Snapshot {
  /// The files as a database, which is reached with the same rights as the one that they are copies of.
  func files(of database: UserDatabase) -> UserDatabase { UserDatabase(copyOf: database, in: path) }
}

extension DomainOperand {
  /// The domains that the rest of the words name, each once.
  ///
  /// - Throws: a refusal of a file's path.
  static func domains(_ words: inout CommandWords) throws -> [DomainName] {
    var domains: [DomainName] = []
    while let operand = try words.domain() {
      guard case .domain(let domain) = operand else {
        throw CommandError(.refused, "\(operand): is a file's path where a domain is due; nothing was done")
      }
      domains.append(domain)
    }
    return domains.eachOnce
  }
}
