import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

/// `doctor`: looks for what is wrong with a database.
enum DoctorCommand: Subcommand {
  static let name = "doctor"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[domain …]", "look for what is wrong with the database",
      example: """
        $ defaults write App Size 5
        $ defaults doctor
        well
        """)
  ]
  static let discussion = """
    Each finding is a line: error, warning or note, the file with the place, what is wrong, and what to do.
    The last line gives the number of errors and warnings, or “well”. The exit code is 4 if there is
    an error. Nothing is changed. Looked for are files that are no property lists or are too large to be
    read, notes of types that do not fit, what Window Maker cannot read in its own files, files that others
    hide or that others may read, links to nothing, and what killed programs and damaged files have left.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    if let option = try words.option() { throw words.unknown(option) }
    let asked = try DomainOperand.domains(&words)
    let database = try context.openDatabase()
    var examination = Examination(database: database, context: context)
    let known = try database.domainNames(reportingTo: context.output)
    for domain in asked where !known.contains(domain) { throw CommandError.absence(of: domain) }
    if asked.isEmpty { try examination.examineDirectory() }
    for domain in asked.isEmpty ? known : asked { try examination.examine(domain) }
    try context.output.print(examination.summary)
    return examination.errorCount > 0 ? .damaged : .done
  }
}

/// The findings about a database so far.
private struct Examination {
  let database: UserDatabase
  let context: CommandContext
  private(set) var errorCount = 0
  private var warningCount = 0
  private let disk = DiskFileSystem()

  private enum Weight: String {
    case error, warning, note
  }

  init(database: UserDatabase, context: CommandContext) {
    self.database = database
    self.context = context
  }

  /// “2 errors, 1 warning”, or “well”.
  var summary: String {
    if errorCount == 0, warningCount == 0 { return "well" }
    func counted(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }
    return "\(counted(errorCount, "error")), \(counted(warningCount, "warning"))"
  }

  private mutating func find(_ weight: Weight, _ text: String) throws {
    switch weight {
    case .error: errorCount += 1
    case .warning: warningCount += 1
    case .note: break
    }
    try context.output.print("\(weight.rawValue): \(text.onOneLine)")
  }

  /// Looks at the directory itself, and at the files in it that are no domains'.
  mutating func examineDirectory() throws {
    let path = database.directory
    let status: FileStatus
    do throws(SystemError) {
      status = try disk.status(at: path, followingLinks: true)
    } catch SystemError.notFound {
      return try find(.note, "\(path): does not exist; the first write makes it")
    } catch {
      return try find(.error, "\(path): cannot be read: \(error)")
    }
    if status.mode & 0o077 != 0 {
      try find(
        .warning,
        "\(path): others may look into it, mode \(String(status.mode & 0o777, radix: 8)); “chmod 700” ends that"
      )
    }
    for name in try disk.names(inDirectory: path).sorted() where name != "." && name != ".." {
      let place = "\(path)/\(name)"
      if name.hasPrefix(".save-") {
        try find(
          .note, "\(place): was left behind by a save that was killed; the next save removes it after a while"
        )
      } else if name.contains(".damaged-") {
        try find(
          .note, "\(place): is a damaged file that a program has put aside; look what it holds, and remove it"
        )
      }
      guard (try? disk.status(at: place, followingLinks: false))?.kind == .symbolicLink else { continue }
      do throws(SystemError) {
        _ = try disk.status(at: place, followingLinks: true)
      } catch {
        try find(.error, "\(place): is a link that leads to no file: \(error); remove it, or make the file")
      }
    }
  }

  /// Looks at a domain's file.
  mutating func examine(_ domain: DomainName) throws {
    let path = database.path(of: domain)
    if let status = try? disk.status(at: path, followingLinks: true), status.mode & 0o077 != 0 {
      try find(
        .warning,
        "\(path): others may read it, mode \(String(status.mode & 0o777, radix: 8)); “chmod 600” or the next save ends that"
      )
    }
    if let hidden = try? database.hiddenPath(of: domain) {
      try find(.warning, "\(hidden): is hidden by \(path); “defaults delete-all” removes both")
    }
    let loaded: LoadedDomain
    do throws(DatabaseError) {
      loaded = try database.load(domain)
    } catch {
      return try find(.error, error.description)
    }
    if let damage = loaded.damage { return try find(.error, damage.description) }
    do {
      for warning in try SourceFile(path, in: context).warnings() {
        let place = warning.line > 0 ? "\(path):\(warning.line):\(warning.column)" : path
        // Window Maker refuses the whole file for what it cannot read.
        try find(database.isWindowMakers(domain) ? .error : .warning, "\(place): \(warning.message)")
      }
    } catch let error as CommandError {
      try find(.error, error.message)
    }
  }
}
