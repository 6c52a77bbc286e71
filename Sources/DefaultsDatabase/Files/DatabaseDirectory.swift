/// The directory in which a database's files lie.
struct DatabaseDirectory: Sendable {
  let path: String
  let fileSystem: any FileSystem
  var dialect = DatabaseDialect.openStep
  /// Whose database it is, where that is not to be told by the path.
  var account: Account?
  /// Who alone may write to it, for its contents to be believed; nil where that does not matter.
  var trustedUsers: [UInt32]?
  /// Why there is no such directory, where what should name it cannot; the error of every use of it.
  var refusal: DatabaseError?

  /// How many symbolic links may lead from one to the next, as on Linux.
  static let maximumLinkCount = 40

  /// The path of a file in the directory.
  func path(of fileName: String) -> String {
    path.utf8.last == UInt8(ascii: "/") ? path + fileName : "\(path)/\(fileName)"
  }

  /// The directory in which a path lies.
  static func parent(of path: String) -> String {
    let bytes = path.utf8
    guard let slash = bytes.dropLast().lastIndex(of: UInt8(ascii: "/")) else {
      return bytes.first == UInt8(ascii: "/") ? "/" : "."
    }
    return slash == bytes.startIndex ? "/" : String(path[..<slash])
  }

  // MARK: Making it

  /// Makes the directory with its parents where they are missing, open to nobody else.
  ///
  /// When this returns, the directory outlives a loss of power, also if another process made it and
  /// was killed at once.
  ///
  /// - Parameter checked: What is known of it where it was there a moment ago, with no link on the way to it.
  /// - Throws: also where what is saved would belong to another than the directory's owner, who could
  ///   neither read nor replace it.
  func make(_ checked: FileStatus? = nil) throws(DatabaseError) {
    do throws(SystemError) {
      let status = if let checked { checked } else { try refuseForeignLinks() }
      let user = CurrentProcess.effectiveUser
      // What the administrator left in a user's directory is nothing that was checked.
      let isMade = status?.kind == .directory && (checked != nil || user != 0)
      let owner = if isMade { status?.owner } else { try make(path).owner }
      guard owner == user || user == 0 else { throw DatabaseDirectory.foreignDirectory }
      // Made only where all this was done: with a lock, the parents are on stable storage.
      if try statusIfPresent(at: path(of: FileLock.fileName)) == nil { try synchronizeParents() }
    } catch DatabaseDirectory.foreignDirectory {
      throw DatabaseError(
        .refused, path: path, message: "belongs to another user, who could not read what you save there",
        advice: "the changes were not saved; save them as that user")
    } catch DatabaseDirectory.foreignLink {
      throw foreignPath(advice: "the changes were not saved")
    } catch {
      throw .inputOutput(
        error, path: path, "the directory cannot be made", advice: "the changes were not saved")
    }
  }

  /// Makes a directory with its parents, where they are missing, and gives what is known of it.
  private func make(_ path: String) throws(SystemError) -> FileStatus {
    do throws(SystemError) {
      let status = try fileSystem.status(at: path, followingLinks: true)
      guard status.kind == .directory else { throw .notADirectory }
      guard try removeLeftover(path, status) else { return status }
    } catch SystemError.notFound {
      // Made below.
    }
    let parent = DatabaseDirectory.parent(of: path)
    if parent == path { throw .notFound }
    _ = try make(parent)
    do throws(SystemError) {
      try fileSystem.makeDirectory(path)
    } catch SystemError.alreadyExists {
      // Another process was faster; or a dangling link is in the way, and that is told here.
      _ = try fileSystem.status(at: path, followingLinks: true)
    }
    // Through no link: the owner of the parent may put one here, for the administrator to give away.
    let descriptor = try fileSystem.open(path, for: .reading)
    defer { fileSystem.close(descriptor) }
    guard try fileSystem.status(of: descriptor).kind == .directory else { throw .notADirectory }
    try handOver(descriptor, madeIn: parent)
    try synchronize(parent)
    return try fileSystem.status(of: descriptor)
  }

  /// Waits until the directory's name is on stable storage, and those of all above it that have the same owner.
  ///
  /// What may not be looked into is left out, as a sandbox hides the user's home.
  private func synchronizeParents() throws(SystemError) {
    let owner = try fileSystem.status(at: path, followingLinks: true).owner
    var child = path
    while try fileSystem.status(at: child, followingLinks: true).owner == owner {
      let parent = DatabaseDirectory.parent(of: child)
      if parent == child { return }
      do throws(SystemError) {
        try synchronize(parent)
      } catch  where error == .notPermitted || error == .notAllowed {
        return
      }
      child = parent
    }
  }

  /// Waits until the entries of a directory are on stable storage.
  private func synchronize(_ directory: String) throws(SystemError) {
    let descriptor = try fileSystem.open(directory, for: .directory)
    defer { fileSystem.close(descriptor) }
    try synchronize(descriptor)
  }

  /// Waits until the entries of a directory are on stable storage.
  func synchronize(_ directory: Int32) throws(SystemError) {
    do throws(SystemError) {
      try fileSystem.synchronize(directory)
    } catch SystemError.invalidArgument {
      // This file system keeps no directories in memory that could be written out.
    }
  }

  // MARK: Whose it is

  /// What is known of the way to the directory, good for a moment.
  struct CheckedWay: Sendable {
    /// Whose rights to use; nil for the process's own.
    let rights: FileRights?
    /// What lies at its end, where it is there, and there is no link on the way that must not be followed.
    let status: FileStatus?
    /// The first directory of it that is missing, which the administrator may make.
    var missing: String?
  }

  /// Finds whose rights to use in the directory: the process's own, but for the administrator those of the account
  /// that it acts for, or else those of the user who can change where the path leads.
  ///
  /// - Throws: an error of the kind `refused` where others can change what must be believed, or what the administrator
  ///   would do with its own rights.
  func checkWay() throws(DatabaseError) -> CheckedWay {
    if let refusal { throw refusal }
    if let trustedUsers {
      let walk = try PathWalk(along: path, trusting: trustedUsers, trustsGroup: false, fileSystem: fileSystem)
      if walk.owner != nil || walk.endsOpen { throw DatabaseDirectory.unbelievable(path) }
      return CheckedWay(rights: nil, status: walk.status)
    }
    guard CurrentProcess.effectiveUser == 0 else { return CheckedWay(rights: nil, status: nil) }
    if let account, account.user != 0 { return CheckedWay(rights: FileRights(of: account), status: nil) }
    let walk = try PathWalk(along: path, fileSystem: fileSystem)
    if let owner = walk.owner { return CheckedWay(rights: FileRights(ofUser: owner), status: nil) }
    return CheckedWay(
      // Anybody may make what is missing there, before it is looked for.
      rights: walk.status == nil && walk.endsOpen ? .nobodys : nil,
      status: walk.hasLink ? nil : walk.status, missing: walk.missing)
  }

  /// Runs a body with the rights that are to be used in the directory.
  ///
  /// A link that another user puts in the way of the administrator leads only where that user could go as well.
  ///
  /// - Parameters:
  ///   - way: What was found of it a moment ago, for another file; filled in where it is nil.
  ///   - body: Is told what is known of the directory, where it is there and no link is on the way.
  func withOwnersRights<Result>(
    along way: inout CheckedWay?,
    _ body: (_ checked: FileStatus?) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let checked: CheckedWay
    if let way { checked = way } else { checked = try checkWay() }
    way = checked
    guard let rights = checked.rights else { return try body(checked.status) }
    return try rights.with(towards: path) { () throws(DatabaseError) in try body(nil) }
  }

  /// The same, for one file.
  func withOwnersRights<Result>(
    _ body: (_ checked: FileStatus?) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    var way: CheckedWay?
    return try withOwnersRights(along: &way, body)
  }

  /// Runs a body that looks into the directory, with the rights that are to be used there; gives something else where
  /// those cannot be had.
  func looking<Result>(or fallback: Result, _ body: () -> Result) -> Result {
    do throws(DatabaseError) {
      return try withOwnersRights { _ in body() }
    } catch {
      return fallback
    }
  }

  /// Makes what is missing of the way as the administrator, step by step, each in a directory that was found to be its own.
  ///
  /// Where another user is faster, that user's rights are to be used from there on.
  func makeAsAdministrator() throws(DatabaseError) -> CheckedWay {
    var way = try checkWay()
    // Somebody may remove what was made, but hardly so often.
    for _ in 0..<100 {
      guard let missing = way.missing else { break }
      do throws(SystemError) {
        try makeIfMissing(missing)
        try synchronize(DatabaseDirectory.parent(of: missing))
      } catch {
        throw .inputOutput(
          error, path: path, "the directory cannot be made", advice: "the changes were not saved")
      }
      way = try checkWay()
    }
    return way
  }

  private func makeIfMissing(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      try fileSystem.makeDirectory(path)
    } catch SystemError.alreadyExists {
      // Another process was faster; whose it is shows when it is looked at next.
    }
  }

  static func unbelievable(_ path: String) -> DatabaseError {
    DatabaseError(
      .refused, path: path, message: "is not believed, since others than the administrator may write to it",
      advice: "nothing was read; give it to the administrator, and let nobody else write there")
  }

  /// Whether nobody may write a file but those who are to be believed.
  func believes(_ status: FileStatus) -> Bool {
    guard let trustedUsers else { return true }
    return trustedUsers.contains(status.owner) && status.mode & 0o022 == 0
  }

  /// Whether symbolic links in it are followed: only the user's own can be trusted.
  private func isOwn() throws(SystemError) -> Bool {
    let (status, user) = (try fileSystem.status(at: path, followingLinks: true), CurrentProcess.effectiveUser)
    // Nor can the administrator trust those in a directory of its own in which others make them.
    return status.owner == user && (user != 0 || status.mode & PathWalk.othersBits(status) == 0)
  }

  /// Refuses a file to which a link of the administrator's leads, where another user could lead the administrator on.
  private func refuseForeignDestination(_ path: String) throws(SystemError) {
    guard CurrentProcess.effectiveUser == 0 else { return }
    let folder = DatabaseDirectory.parent(of: path)
    guard try PathWalk.isAdministrators(folder, fileSystem: fileSystem) else {
      throw DatabaseDirectory.foreignLink
    }
  }

  /// Refuses a path that the owner of some directory on the way can lead anywhere by a link.
  ///
  /// - Returns: what lies at the path's end, a link or not; nil where nothing does, and for a path from elsewhere
  ///   than the root.
  @discardableResult
  private func refuseForeignLinks() throws(SystemError) -> FileStatus? {
    // The system would take the part before it for the path.
    guard !path.utf8.contains(0) else { throw .invalidArgument }
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    return try forEachPlaceOnTheWay { (place, status) throws(SystemError) in
      if status.kind == .symbolicLink {
        let parent = try fileSystem.status(at: DatabaseDirectory.parent(of: place), followingLinks: true)
        // Who owns the directory could exchange the link, and anyone may make one where all may write.
        for owner in [status.owner, parent.owner] {
          guard [CurrentProcess.effectiveUser, 0].contains(owner) else {
            throw DatabaseDirectory.foreignLink
          }
        }
      }
      return true
    }
  }

  /// Calls a body with each directory and link on the way that an absolute path goes, from the root's on, and
  /// the path itself, as far as they are there; until it gives false.
  ///
  /// - Returns: what is known of the path itself, if it came there.
  private func forEachPlaceOnTheWay(
    _ body: (_ place: String, FileStatus) throws(SystemError) -> Bool
  ) throws(SystemError) -> FileStatus? {
    // Bytes, not characters: a combining mark after the slash would make one character with it.
    let bytes = path.utf8
    let slash = UInt8(ascii: "/")
    var start = bytes.startIndex
    var last: FileStatus?
    while true {
      while start < bytes.endIndex, bytes[start] == slash { start = bytes.index(after: start) }
      guard start < bytes.endIndex else { return last }
      start = bytes[start...].firstIndex(of: slash) ?? bytes.endIndex
      let place = String(Substring(bytes[..<start]))
      guard let status = try statusIfPresent(at: place), try body(place, status) else { return nil }
      last = status
    }
  }

  private func foreignPath(advice: String) -> DatabaseError {
    DatabaseError(
      .refused, path: path, message: "leads through a symbolic link of another user, which is not followed",
      advice: advice)
  }

  /// Gives what the administrator made in a user's directory to that user, who could not read it otherwise.
  ///
  /// The descriptor must be of a file that this process made itself.
  func handOver(_ descriptor: Int32, madeIn directory: String) throws(SystemError) {
    guard CurrentProcess.effectiveUser == 0 else { return }
    let parent = try fileSystem.status(at: directory, followingLinks: true)
    guard parent.owner != 0, try fileSystem.status(of: descriptor).owner != parent.owner else { return }
    try fileSystem.setOwner(parent.owner, group: parent.group, of: descriptor)
  }

  /// Removes a directory that the administrator made in a user's, and was killed before handing it over.
  ///
  /// Made anew, and not just handed over, so that nobody is given what lies in it.
  ///
  /// - Returns: false for any other, and for one that is in use.
  private func removeLeftover(_ path: String, _ status: FileStatus) throws(SystemError) -> Bool {
    guard status.owner == 0, CurrentProcess.effectiveUser == 0 else { return false }
    let parent = DatabaseDirectory.parent(of: path)
    guard try fileSystem.status(at: parent, followingLinks: true).owner != 0 else { return false }
    do throws(SystemError) {
      try fileSystem.removeDirectory(path)
      return true
    } catch {
      // Something lies in it, or it is a link.
      return false
    }
  }

  // MARK: What lies in it

  /// A file's place, and what is known of what lies there; nil for nothing.
  struct FoundFile {
    let path: String
    let status: FileStatus?
  }

  /// Where a file of the directory really lies once links are followed, and what lies there.
  ///
  /// - Parameter isPathChecked: Whether the way to the directory was found good a moment ago.
  func resolve(
    _ fileName: String, isPathChecked: Bool = false
  ) throws(DatabaseError) -> FoundFile {
    let start = path(of: fileName)
    do throws(SystemError) {
      if !isPathChecked { try refuseForeignLinks() }
    } catch DatabaseDirectory.foreignLink {
      throw foreignPath(advice: "nothing was read or changed")
    } catch {
      throw .inputOutput(error, path: path, "cannot be found", advice: "nothing was changed")
    }
    do throws(SystemError) {
      var path = start
      for _ in 0...DatabaseDirectory.maximumLinkCount {
        if path != start { try refuseForeignDestination(path) }
        let status = try statusIfPresent(at: path)
        guard status?.kind == .symbolicLink else { return FoundFile(path: path, status: status) }
        if try !isOwn() {
          throw DatabaseDirectory.foreignLink
        }
        let destination = try fileSystem.destination(ofLink: path)
        let isAbsolute = destination.utf8.first == UInt8(ascii: "/")
        path = isAbsolute ? destination : "\(DatabaseDirectory.parent(of: path))/\(destination)"
      }
      throw .tooManyLinks
    } catch DatabaseDirectory.foreignLink {
      throw DatabaseError(
        .refused, path: start,
        message: "is a symbolic link in a directory of another user, or into one, and is not followed")
    } catch {
      throw .inputOutput(error, path: start, "cannot be found", advice: "nothing was changed")
    }
  }

  /// Stands for a link that must not be followed, inside this type only.
  private static let foreignLink = SystemError(code: -1)

  /// Stands for a file that others may write than those who are to be believed.
  static let othersMayWrite = SystemError(code: -3)

  /// Stands for a directory that must not be written, inside this type only.
  private static let foreignDirectory = SystemError(code: -2)

  func statusIfPresent(at path: String) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try fileSystem.status(at: path, followingLinks: false)
    } catch SystemError.notFound {
      return nil
    }
  }

  /// What is known of what a path leads to.
  func status(at path: String) throws(DatabaseError) -> FileStatus {
    do throws(SystemError) {
      return try fileSystem.status(at: path, followingLinks: true)
    } catch {
      throw .inputOutput(error, path: path, "cannot be found")
    }
  }

  /// Whether the calling thread can neither read nor write it.
  var isOutOfReach: Bool {
    do throws(SystemError) {
      _ = try fileSystem.names(inDirectory: path)
      return false
    } catch .notFound {
      return false
    } catch {
      return !fileSystem.mayAccess(path, for: .writing)
    }
  }

  /// The names in the directory; none where it does not exist.
  func fileNames() throws(DatabaseError) -> [String] {
    do throws(SystemError) {
      try refuseForeignLinks()
      return try fileSystem.names(inDirectory: path)
    } catch SystemError.notFound {
      return []
    } catch DatabaseDirectory.foreignLink {
      throw foreignPath(advice: "nothing was read")
    } catch {
      throw .inputOutput(error, path: path, "the domains cannot be listed")
    }
  }

  /// Removes what saves left behind that were killed, in a directory into which one saves.
  ///
  /// Only what is this user's, or the administrator's who saved for this user, and some minutes old:
  /// a save through a link from another database may be under way.
  func removeStaleFiles(in directory: String) {
    let limit = fileSystem.now.seconds - 300
    do throws(SystemError) {
      for name in try fileSystem.names(inDirectory: directory) where TemporaryFile.isName(name) {
        let path = "\(directory)/\(name)"
        let status = try fileSystem.status(at: path, followingLinks: false)
        if status.changed.seconds < limit, [CurrentProcess.effectiveUser, 0].contains(status.owner) {
          try fileSystem.remove(path)
        }
      }
    } catch {
      // They cost some space and nothing else; the next process tries again.
    }
  }
}
