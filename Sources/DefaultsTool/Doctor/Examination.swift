import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

/// Looks for what is wrong with a database.
struct Examination {
  let database: UserDatabase
  let context: CommandContext
  private let disk = DiskFileSystem()

  /// What a killed program has left is removed when it is older, in seconds.
  private static let leftOverAge = 86_400.0

  init(of database: UserDatabase, in context: CommandContext) {
    self.database = database
    self.context = context
  }

  // MARK: - The directory

  /// The findings about the directory, and about the files in it that are no domains'.
  func directoryFindings() throws -> [Finding] {
    let path = database.directory
    let status: FileStatus
    do throws(SystemError) {
      status = try disk.status(at: path, followingLinks: true)
    } catch SystemError.notFound {
      return [Finding(.note, "\(path): does not exist; the first write makes it")]
    } catch {
      return [Finding(.error, "\(path): cannot be read: \(error)")]
    }
    var findings: [Finding] = []
    if status.mode & 0o077 != 0 {
      findings.append(
        Finding(
          .warning,
          "\(path): others may look into it, mode \(String(status.mode & 0o777, radix: 8)); “chmod 700” ends that"
        ) {
          try database.makePrivate(nil)
          return ["\(path): is its owner's alone"]
        })
    }
    if try !database.isWritable() {
      findings.append(Finding(.warning, "\(path): cannot be written, so that no program can save anything"))
    }
    if RemoteFileSystem.holds(path) {
      findings.append(
        Finding(
          .note,
          "\(path): lies on a network file system; what other machines change is seen at a synchronize only"))
    }
    let lock = "\(path)/.lock"
    if let status = try? disk.status(at: lock, followingLinks: false), status.kind != .regular {
      findings.append(Finding(.error, "\(lock): is no regular file, as the lock must be; move it away"))
    }
    return try findings + leftOverFindings() + nameFindings() + historyFindings()
  }

  private func leftOverFindings() throws -> [Finding] {
    try database.leftOvers().map { leftOver in
      let (text, weight): (String, Finding.Weight) =
        switch leftOver.kind {
        case .save:
          ("was left behind by a save that was killed; the next save removes it after a while", .note)
        case .gnustepLock:
          ("is a lock that a GNUstep program has left; the next program that needs it removes it", .note)
        }
      guard leftOver.age > Examination.leftOverAge else {
        return Finding(weight, "\(leftOver.path): \(text)")
      }
      return Finding(weight, "\(leftOver.path): \(text)") {
        try database.remove(leftOver)
        return ["\(leftOver.path): is removed"]
      }
    }
  }

  /// The findings that a file's name tells of, and those about texts that were left by an editor.
  private func nameFindings() throws -> [Finding] {
    var findings: [Finding] = []
    for name in try disk.names(inDirectory: database.directory).sorted() where name != "." && name != ".." {
      let place = "\(database.directory)/\(name)"
      if name.contains(".damaged-") {
        findings.append(
          Finding(
            .note,
            "\(place): is a damaged file that a program has put aside; look what it holds, and remove it")
        )
      }
      guard (try? disk.status(at: place, followingLinks: false))?.kind == .symbolicLink else { continue }
      do throws(SystemError) {
        _ = try disk.status(at: place, followingLinks: true)
      } catch {
        findings.append(
          Finding(.error, "\(place): is a link that leads to no file: \(error); remove it, or make the file"))
      }
    }
    for leftOver in try EditDirectory.leftOvers(environment: context.environment)
    where leftOver.file.hasPrefix("\(database.directory)/") {
      findings.append(
        Finding(
          .note, "\(leftOver.path): is left of an edit of \(leftOver.file); look what it holds, and remove it"
        ))
    }
    return findings
  }

  private func historyFindings() -> [Finding] {
    let history = History(of: database)
    var findings: [Finding] = []
    let status = try? disk.status(at: history.path, followingLinks: false)
    if let status, status.kind == .directory, status.mode & 0o077 != 0 {
      findings.append(
        Finding(.warning, "\(history.path): others may look into it; “chmod 700” ends that"))
    }
    do throws(DatabaseError) {
      _ = try history.records()
    } catch {
      findings.append(
        Finding(
          .error, error.kind == .damaged ? "\(error); the next command begins a new one" : error.description))
    }
    // The newest command may take as much as all others.
    guard let size = try? history.byteCount(), size > 2 * History.maximumByteCount else { return findings }
    findings.append(
      Finding(.warning, "\(history.path): takes \(size) bytes, more than it should") {
        try history.prune()
        return ["\(history.path): takes \(try history.byteCount()) bytes"]
      })
    return findings
  }

  // MARK: - What the administrator sets

  /// The findings about the administrator's directory, which no command changes.
  func managedFindings() throws -> [Finding] {
    guard !context.isGNUstep else { return [] }
    let directory = try ManagedDirectory.location(environment: context.environment)
    let managed = UserDatabase(
      directory: directory, trustedUsers: ManagedDirectory.trustedUsers(of: directory))
    do throws(DatabaseError) {
      return try managed.domainNames().compactMap { name in
        do throws(DatabaseError) {
          return try managed.load(name).damage.map { Finding(.error, $0.description) }
        } catch {
          return Finding(.error, error.description)
        }
      }
    } catch {
      return [Finding(.error, error.description)]
    }
  }

  // MARK: - Domains

  /// The findings about a domain's file.
  func findings(of domain: DomainName) throws -> [Finding] {
    let path = database.path(of: domain)
    var findings = rightsFindings(of: domain, at: path)
    if let hidden = try? database.hiddenPath(of: domain) {
      findings.append(
        Finding(.warning, "\(hidden): is hidden by \(path); “defaults delete-all” removes both"))
    }
    let damage: DatabaseError?
    do throws(DatabaseError) {
      damage = try database.load(domain).damage
    } catch {
      return findings + [Finding(.error, error.description)]
    }
    if let damage { return findings + [try damageFinding(of: domain, damage)] }
    do {
      for warning in try SourceFile(path, in: context).warnings() {
        let place = warning.line > 0 ? "\(path):\(warning.line):\(warning.column)" : path
        var finding = Finding(warning.isError ? .error : .warning, "\(place): \(warning.message)")
        if warning.kind == .equalKeys {
          finding.repair = { try DomainRepair(domain: domain, database: database).removeEqualKeys() }
        }
        findings.append(finding)
      }
    } catch let error as CommandError {
      findings.append(Finding(.error, error.message))
    }
    return findings
  }

  private func rightsFindings(of domain: DomainName, at path: String) -> [Finding] {
    guard let status = try? disk.status(at: path, followingLinks: true) else { return [] }
    var findings: [Finding] = []
    if status.mode & 0o077 != 0 {
      let mode = String(status.mode & 0o777, radix: 8)
      findings.append(
        Finding(
          .warning, "\(path): others may read it, mode \(mode); “chmod 600” or the next save ends that"
        ) {
          try database.makePrivate(domain)
          return ["\(path): is its owner's alone"]
        })
    }
    if let owner = try? disk.status(at: database.directory, followingLinks: true).owner, status.owner != owner
    {
      findings.append(
        Finding(
          .warning,
          "\(path): belongs to user \(status.owner), and the directory to user \(owner); “chown” ends that"
        ))
    }
    return findings
  }

  private func damageFinding(of domain: DomainName, _ damage: DatabaseError) throws -> Finding {
    let repair = DomainRepair(domain: domain, database: database)
    guard let rescued = try repair.rescued() else {
      return Finding(.error, "\(damage); nothing of it can be rescued")
    }
    return Finding(
      .error,
      "\(damage); \(rescued.keptCount) of \(rescued.parts.count) entries can be rescued by “defaults doctor -repair”"
    ) { try repair.rescue() }
  }
}
