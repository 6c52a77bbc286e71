import DefaultsDatabase

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
    Each finding is a line: error, warning or note, the file with the place, what is wrong, and what to do.
    The last line gives the number of errors and warnings, or “well”. The exit code is 4 if there is
    an error. Looked for are files that are no property lists or are too large to be read, notes of types
    that do not fit or are misspelt, keys that stand in a dictionary twice, what Window Maker cannot read in its own files,
    files that others hide or that others may read, links to nothing, a directory that cannot be written
    or lies on a network, what the administrator sets, the history, and what killed programs, editors and
    damaged files have left.

    Without -repair nothing is changed. With it, each thing that is done is a line that begins with
    “repaired:”, and then what is left is listed. Of a damaged text or XML file every entry is kept that is
    whole, as text outside of GNUstep's database, with a line each for the entries that are kept and for what is lost; the damaged file is kept beside it.
    Others' rights to files are taken away, of equal keys the one is left that counts, and what killed
    programs have left is removed if it is older than a day. “defaults undo” takes back what was done to
    domains.
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
    if repairs { try repair(examination, asked) }
    let findings = try findings(examination, asked)
    for finding in findings { try context.output.print(finding.line) }
    try context.output.print(findings.summary)
    return findings.contains { $0.weight == .error } ? .damaged : .done
  }

  private static func findings(_ examination: Examination, _ asked: [DomainName]) throws -> [Finding] {
    let known = try examination.database.domainNames(reportingTo: examination.context.output)
    for domain in asked where !known.contains(domain) { throw examination.database.absence(of: domain) }
    var findings: [Finding] = []
    if asked.isEmpty {
      findings += try examination.directoryFindings()
      findings += try examination.managedFindings()
    }
    for domain in asked.isEmpty ? known : asked { findings += try examination.findings(of: domain) }
    return findings
  }

  /// Carries out every repair; one that fails is reported, and its finding is left.
  private static func repair(_ examination: Examination, _ asked: [DomainName]) throws {
    let output = examination.context.output
    for finding in try findings(examination, asked) {
      guard let repair = finding.repair else { continue }
      do {
        let lines = try repair()
        if let first = lines.first { try output.print("repaired: \(first.onOneLine)") }
        for line in lines.dropFirst() { try output.print(line.onOneLine) }
      } catch let error where !(error is StreamError) {
        try output.report(CommandError(error))
      }
    }
  }
}
