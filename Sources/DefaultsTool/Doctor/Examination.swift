import DefaultsDatabase

/// Looks for what is wrong with a database.
///
/// What cannot be looked at is a finding too, so that one failure does not end the examination.
struct Examination {
  let database: UserDatabase
  let context: CommandContext

  /// What a killed program has left is removed when it is older, in seconds.
  private static let leftOverAge = 86_400.0

  /// What the history has of the domains.
  let history: ExaminedHistory
  /// Whether no other user can change what the paths in the directory lead to.
  private let isOwn: Bool

  init(of database: UserDatabase, in context: CommandContext) {
    self.database = database
    self.context = context
    history = ExaminedHistory(of: database)
    isOwn = FileRights.isOwn(database.directory, fileSystem: database.fileSystem)
  }

  /// A command to be run on a path in the directory, or something else where another user could lead it to any file of
  /// the person who runs it.
  func advised(_ command: String, or other: String) -> String { isOwn ? command : other }

  /// The findings of a check; an error that ends it is one of them.
  func findings(_ check: () throws -> [Finding]) -> [Finding] {
    do {
      return try check()
    } catch {
      return [Finding(failure: error)]
    }
  }

  // MARK: - The directory

  /// The findings about the directory, and about the files in it that are no domains'.
  func directoryFindings() -> [Finding] {
    let path = database.directory
    let status: FileStatus?
    do throws(DatabaseError) {
      status = try database.status(at: path, followingLinks: true)
    } catch {
      return [Finding(failure: error)]
    }
    guard let status else {
      return [Finding(.note, "\(path): does not exist; the first write makes it")]
    }
    var found = rightsFindings(status)
    if (try? database.withOwnersRights { RemoteFileSystem.holds(path) }) == true {
      found.append(
        Finding(
          .note,
          "\(path): lies on a network file system; what other machines change is seen at a synchronize only"))
    }
    found += findings {
      let count = try database.undecodableNameCount()
      guard count > 0 else { return [] }
      return [
        Finding(.note, "\(path): files that belong to no domain, since their names are not UTF-8: \(count)")
      ]
    }
    found += findings {
      let lock = "\(path)/.lock"
      guard let status = try database.status(at: lock, followingLinks: false), status.kind != .regular else {
        return []
      }
      return [Finding(.error, "\(lock): is no regular file, as the lock must be; move it away")]
    }
    return found + findings(leftOverFindings) + nameFindings() + findings(editFindings) + historyFindings()
  }

  /// How others' rights to a directory are taken away.
  var advisedPrivacy: String { advised("“chmod 700”", or: "“defaults doctor -repair”") }

  private func rightsFindings(_ status: FileStatus) -> [Finding] {
    let path = database.directory
    var found: [Finding] = []
    if UserDatabase.isShared(status) {
      found.append(
        Finding(.warning, "\(path): is a directory for all users, such as /tmp; use one of your own"))
    } else if status.mode & 0o077 != 0 {
      let mode = String(status.mode & 0o777, radix: 8)
      found.append(
        Finding(.warning, "\(path): others may look into it, mode \(mode); \(advisedPrivacy) ends that") {
          try database.makePrivate(nil)
          return ["\(path): is its owner's alone"]
        })
    }
    return found
      + findings {
        try database.isWritable()
          ? [] : [Finding(.warning, "\(path): cannot be written, so that no program can save anything")]
      }
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
      // A lock whose time lies in the future was left behind as well.
      guard leftOver.age.magnitude > Examination.leftOverAge else {
        return Finding(weight, "\(leftOver.path): \(text)")
      }
      return Finding(weight, "\(leftOver.path): \(text)") {
        try database.remove(leftOver)
        return ["\(leftOver.path): is removed"]
      }
    }
  }

  /// The findings that a file's name tells of, and those about links that lead nowhere.
  private func nameFindings() -> [Finding] {
    let names: [String]
    do throws(DatabaseError) {
      names = try database.names()
    } catch {
      return [Finding(failure: error)]
    }
    var found: [Finding] = []
    for name in names {
      let place = "\(database.directory)/\(name)"
      if name.contains(".damaged-") {
        found.append(
          Finding(
            .note,
            "\(place): is a damaged file that a program has put aside; look what it holds, and remove it")
        )
      }
      found += findings {
        guard try database.status(at: place, followingLinks: false)?.kind == .symbolicLink else { return [] }
        do throws(DatabaseError) {
          guard try database.status(at: place, followingLinks: true) == nil else { return [] }
        } catch  where error.kind == .refused {
          // Another user's link; of these one line tells the number.
          return []
        } catch {
          // Of a domain's file that cannot be looked at, such as a link in a cycle, the domain's findings tell.
          if try database.hasDomain(ofFileNamed: name) { return [] }
          throw error
        }
        return [Finding(.error, "\(place): is a link that leads to no file; remove it, or make the file")]
      }
    }
    return found
  }

  /// The findings about texts that were left by an editor.
  private func editFindings() throws -> [Finding] {
    try EditDirectory.leftOvers(environment: context.environment)
      .filter { $0.file.hasBytePrefix("\(database.directory)/") }
      .map { leftOver in
        Finding(
          .note, "\(leftOver.path): is left of an edit of \(leftOver.file); look what it holds, and remove it"
        )
      }
  }

  // MARK: - What the administrator sets

  /// The findings about the administrator's directory, which no command changes.
  func managedFindings() -> [Finding] {
    guard !context.isGNUstep else { return [] }
    return findings {
      let directory = try ManagedDirectory.location(
        environment: context.environment, fileSystem: context.fileSystem)
      let managed = UserDatabase(
        directory: directory, trustedUsers: ManagedDirectory.trustedUsers(of: directory),
        fileSystem: context.fileSystem)
      return try managed.domainNames().flatMap { name in
        findings { try managed.load(name).damage.map { [Finding(.error, $0.description)] } ?? [] }
      }
    }
  }
}
