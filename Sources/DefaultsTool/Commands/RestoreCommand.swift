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
    are named. A line tells of each domain that changes: “App restored”, “New removed”. “defaults undo”
    takes it back. -n shows the differences, and does nothing. A damaged file is kept under another
    name, which is printed. A domain with a key that the
    administrator sets, and that would change, stays as it is, exit code 3, and the others are restored.
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
    let snapshot = try SnapshotCommand.snapshot(name, in: History(of: database))
    let files = snapshot.files(of: database)
    let kept = try files.domainNames()
    if let missing = asked.first(where: { !kept.contains($0) }) {
      var error = CommandError(.absent, "there is no domain “\(missing)” in the snapshot “\(name)”")
      error.hint = missing.hintOfFileName ?? Suggestion.line(for: missing.text, among: kept.map(\.text))
      throw error
    }
    let managed = try context.managedKeys()
    context.output.finishFirst()
    var code = ExitCode.done
    /// The bytes that a domain gets; nil where its file is removed.
    func bytes(of domain: DomainName) throws -> [UInt8]? {
      guard kept.contains(domain) else { return nil }
      guard let bytes = try files.bytes(of: domain) else { return nil }
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
    for domain in try asked.isEmpty ? Set(kept).union(database.domainNames()).sorted() : asked {
      do {
        let bytes = try bytes(of: domain)
        var isChanged = false
        let replacement = try database.replaceFile(
          of: domain, managed, rehearsing: isRehearsal, onDamage: .moveAside,
          isBareIfNew: kept.contains(domain) && files.isBare(domain)
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
        let error = CommandError(error)
        try context.output.report(error)
        code = max(code, error.code)
      }
    }
    return code
  }
}
