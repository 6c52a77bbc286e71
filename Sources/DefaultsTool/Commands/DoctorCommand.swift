import DefaultsDatabase
import OpenStepPropertyList

/// `doctor`: looks for what is wrong with a database.
enum DoctorCommand: Subcommand {
  static let name = "doctor"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-repair] [domain …]", "look for what is wrong with the database, and mend it",
      example: """
        $ defaults write App Size 5
        $ defaults doctor
        well
        $ chmod 644 ~/.OpenStep/Defaults/App.plist
        $ defaults doctor -repair
        repaired: …
        well
        """)
  ]
  static let discussion = """
    Each finding is a line: error, warning or note, the file with the place, what is wrong, and what to
    do. The last line gives the number of errors and warnings, or “well”. The exit code is 4 if there is
    an error, and that of the most severe failure if a repair, or the look before it, has failed. Looked
    for are files that are no property lists or are too large to be read, notes of types that do not fit
    or are spelt otherwise, keys that stand in a dictionary twice, what Window Maker cannot read in its
    own files, files that others hide or that others may read, what is no file in the place of one,
    links to nothing, files of domains that exist only inside a program, a directory that cannot be
    written or lies on a network, what the administrator sets, the history, and what killed programs,
    editors and damaged files have left.

    Without -repair nothing is changed. With it, each thing that is done is a line that begins with
    “repaired:”, and then what is left is listed. Of a damaged text or XML file every entry is kept that is
    whole, as text outside of GNUstep's database, with a line each for the entries that are kept and for
    what is lost; the damaged file is kept beside it.
    Others' rights to files and to the history are taken away. Of equal keys the one is left that counts;
    the rest of the file stays as it is. What killed programs have left is removed if it is
    older than a day. “defaults undo” takes back what was done to domains.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var repairs = false
    while let option = try words.option() {
      guard option == "-repair" else { throw words.unknown(option) }
      repairs = true
    }
    let asked = try DomainOperand.domains(&words)
    let database = try context.openDatabase()
    let examination = Examination(of: database, in: context)
    var (code, failures): (ExitCode, [Finding]) = repairs ? try repair(examination, asked) : (.done, [])
    let findings = try findings(examination, asked)
    // A look that has failed before the repairs, and not again, has kept something from being repaired.
    let texts = Set(findings.map { PropertyListKey($0.text) })
    for failure in failures where !texts.contains(PropertyListKey(failure.text)) {
      guard let error = failure.failure else { continue }
      try context.output.report(error)
      code = max(code, error.code)
    }
    for finding in findings { try context.output.print(finding.line) }
    try context.output.print(findings.summary)
    return findings.contains { $0.weight == .error } ? max(code, .damaged) : code
  }

  private static func findings(_ examination: Examination, _ asked: [DomainName]) throws -> [Finding] {
    var findings = asked.isEmpty ? examination.managedFindings() : []
    var known: [DomainName]
    do throws(DatabaseError) {
      known = try examination.database.domainNames()
      let misplacements = try examination.database.misplacements(besides: known)
      // Another user can make any number of links: one finding tells of all, but for one that is asked for.
      let othersLinks = misplacements.filter(\.isOthersLink)
      if asked.isEmpty, !othersLinks.isEmpty {
        let text =
          "\(examination.database.directory): links of other users, which are not followed, lie in the place of "
          + "domains: \(othersLinks.count)"
        findings.append(Finding(.warning, text))
      }
      // Of links to no file the findings about the directory tell.
      let places = misplacements.filter { !$0.isLinkToNoFile && !($0.isOthersLink && asked.isEmpty) }
      known = (known + places.map(\.domain)).sorted()
    } catch {
      // Nothing else can be found out about the directory then.
      return [Finding(failure: error)] + findings
    }
    let existing = Set(known)
    for domain in asked where !existing.contains(domain) { throw examination.database.absence(of: domain) }
    if asked.isEmpty { findings = examination.directoryFindings() + findings }
    for domain in asked.isEmpty ? known : asked { findings += examination.findings(of: domain) }
    return findings
  }

  /// Carries out every repair; one that fails is reported, and its finding is left.
  ///
  /// - Returns: the code of the most severe failure of a repair, and the looks that have failed.
  private static func repair(
    _ examination: Examination, _ asked: [DomainName]
  ) throws -> (ExitCode, [Finding]) {
    let output = examination.context.output
    var code = ExitCode.done
    let findings = try findings(examination, asked)
    for finding in findings {
      guard let repair = finding.repair else { continue }
      do {
        let lines = try repair()
        if let first = lines.first { try output.print("repaired: \(first.messageLine)") }
        for line in lines.dropFirst() { try output.print(line.messageLine) }
      } catch let error where !(error is StreamError) {
        let error = CommandError(error)
        try output.report(error)
        code = max(code, error.code)
      }
    }
    return (code, findings.filter { $0.failure != nil })
  }
}
