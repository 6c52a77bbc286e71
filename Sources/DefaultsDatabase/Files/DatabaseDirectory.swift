/// The directory in which a database's files lie.
struct DatabaseDirectory: Sendable {
  let path: String
  let fileSystem: any FileSystem
  var dialect = DatabaseDialect.openStep
  /// The account to which the database belongs, where the path does not tell it.
  var account: Account?
  /// The contents are trusted only if no user but these may write them; nil for no such check.
  var trustedUsers: [UInt32]?
  /// Why the directory cannot be determined; every use of it throws this error.
  var refusal: DatabaseError?

  /// How many symbolic links one path may lead through, as on Linux.
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

  // MARK: Creating it

  /// Creates the directory and its missing parents, accessible to the owner only.
  ///
  /// When this returns, the directory survives a loss of power, even if another process created it and was
  /// killed immediately.
  ///
  /// - Parameters:
  ///   - checked: The directory's status if it was found a moment ago, through no symbolic link.
  ///   - isDatabase: Whether a saved file has to belong to the directory's owner, who could neither read nor
  ///     replace it otherwise. A single file of the user's own may lie in a directory such as `/tmp`.
  /// - Throws: also if the directory has another owner, where that matters.
  func make(_ checked: FileStatus? = nil, isDatabase: Bool = true) throws(DatabaseError) {
    do throws(SystemError) {
      let status = if let checked { checked } else { try refuseUnsafeLinks() }
      let user = CurrentProcess.effectiveUser
      // A killed process of the administrator may have left its own directory in a
      // user's; make(_:) replaces it.
      let isMade = status?.kind == .directory && (checked != nil || user != 0)
      let owner = if isMade { status?.owner } else { try make(path).owner }
      guard owner == user || user == 0 || !isDatabase else { throw DatabaseDirectory.otherUsersDirectory }
      // The lock's file is created after this step; where it exists, the parents are on stable storage.
      if try statusIfPresent(at: path(of: FileLock.fileName)) == nil { try synchronizeParents() }
    } catch DatabaseDirectory.otherUsersDirectory {
      throw otherUsersDirectoryError
    } catch DatabaseDirectory.unsafeLink {
      throw unsafePathError(advice: "the changes were not saved")
    } catch {
      throw .inputOutput(
        error, path: path, "the directory cannot be made", advice: "the changes were not saved")
    }
  }

  var otherUsersDirectoryError: DatabaseError {
    DatabaseError(
      .refused, path: path, message: "belongs to another user, who could not read what you save there",
      advice: "the changes were not saved; save them as that user")
  }

  /// Creates a directory and its missing parents, and gives its status.
  private func make(_ path: String) throws(SystemError) -> FileStatus {
    do throws(SystemError) {
      let status = try fileSystem.status(at: path, followingLinks: true)
      guard status.kind == .directory else { throw .notADirectory }
      guard try removeLeftover(path, status) else { return status }
    } catch SystemError.notFound {
      // Created below.
    }
    let parent = DatabaseDirectory.parent(of: path)
    if parent == path { throw .notFound }
    _ = try make(parent)
    do throws(SystemError) {
      try fileSystem.makeDirectory(path)
    } catch SystemError.alreadyExists {
      // Another process has made it first, or a dangling link is in the way, which this reports.
      _ = try fileSystem.status(at: path, followingLinks: true)
    }
    // Opened without following links: the parent's owner could put one here to get its destination handed
    // over.
    let descriptor = try fileSystem.open(path, for: .reading)
    defer { fileSystem.close(descriptor) }
    guard try fileSystem.status(of: descriptor).kind == .directory else { throw .notADirectory }
    try handOver(descriptor, madeIn: parent)
    try synchronize(parent)
    return try fileSystem.status(of: descriptor)
  }

  /// Waits until the entries of the directory, and of all directories above it with the same owner, are on
  /// stable storage.
  ///
  /// A directory that may not be opened ends the loop, as a sandbox denies access to the user's home.
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

  /// Waits until the entries of the directory at a path are on stable storage.
  private func synchronize(_ directory: String) throws(SystemError) {
    let descriptor = try fileSystem.open(directory, for: .directory)
    defer { fileSystem.close(descriptor) }
    try synchronize(descriptor)
  }

  /// Waits until the entries of an open directory are on stable storage.
  func synchronize(_ directory: Int32) throws(SystemError) {
    do throws(SystemError) {
      try fileSystem.synchronize(directory)
    } catch SystemError.invalidArgument {
      // This file system has nothing to write out for a directory.
    }
  }

  // MARK: Ownership and trust

  /// The result of a check of the directory's path, valid for a moment.
  struct CheckedPath: Sendable {
    /// The rights to use; nil for the process's own.
    let rights: FileRights?
    /// The directory's status, if it exists and the path has no link that must not be followed.
    let status: FileStatus?
    /// The first missing directory of the path, which the administrator may create.
    var missing: String?
  }

  /// Finds the rights to use in the directory: the process's own, but for the administrator those of the
  /// account that it acts for, or else those of the user who can change where the path leads.
  ///
  /// - Throws: an error of the kind `refused` where other users can change what has to be trusted, or what
  ///   the administrator would do with its own rights.
  func checkPath() throws(DatabaseError) -> CheckedPath {
    if let refusal { throw refusal }
    if let trustedUsers {
      let walk = try PathWalk(along: path, trusting: trustedUsers, trustsGroup: false, fileSystem: fileSystem)
      if walk.owner != nil || walk.endsOpen { throw DatabaseDirectory.untrusted(path) }
      return CheckedPath(rights: nil, status: walk.status)
    }
    guard CurrentProcess.effectiveUser == 0 else { return CheckedPath(rights: nil, status: nil) }
    if let account, account.user != 0 { return CheckedPath(rights: FileRights(of: account), status: nil) }
    let walk = try PathWalk(along: path, fileSystem: fileSystem)
    if let owner = walk.owner { return CheckedPath(rights: FileRights(ofUser: owner), status: nil) }
    return CheckedPath(
      // Any user may create the missing directory before this process does.
      rights: walk.status == nil && walk.endsOpen ? .nobodys : nil,
      status: walk.hasLink ? nil : walk.status, missing: walk.missing)
  }

  /// Runs a body with the rights that have to be used in the directory.
  ///
  /// If another user replaces a directory on the administrator's path by a link, it leads only where that
  /// user could go as well.
  ///
  /// - Parameters:
  ///   - way: The result of a check that was made a moment ago; filled in if it is nil.
  ///   - body: Receives the directory's status, if it exists and the path has no link.
  func withOwnersRights<Result>(
    along way: inout CheckedPath?,
    _ body: (_ checked: FileStatus?) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let checked: CheckedPath
    if let way { checked = way } else { checked = try checkPath() }
    way = checked
    guard let rights = checked.rights else { return try body(checked.status) }
    return try rights.with(towards: path) { () throws(DatabaseError) in try body(nil) }
  }

  /// Runs a body with the rights that have to be used in the directory, after a check of its own.
  func withOwnersRights<Result>(
    _ body: (_ checked: FileStatus?) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    var way: CheckedPath?
    return try withOwnersRights(along: &way, body)
  }

  /// Runs a body that only reads, with the rights that have to be used in the directory; gives a fallback
  /// value if these cannot be obtained.
  func looking<Result>(or fallback: Result, _ body: () -> Result) -> Result {
    do throws(DatabaseError) {
      return try withOwnersRights { _ in body() }
    } catch {
      return fallback
    }
  }

  /// Creates the missing directories of the path as the administrator, one by one, each in a directory that
  /// was found to be the administrator's.
  ///
  /// If another user creates one of them first, that user's rights have to be used from there on.
  func makeAsAdministrator() throws(DatabaseError) -> CheckedPath {
    var way = try checkPath()
    // Another process may remove what was created, but hardly so often.
    for _ in 0..<100 {
      guard let missing = way.missing else { break }
      do throws(SystemError) {
        try makeIfMissing(missing)
        try synchronize(DatabaseDirectory.parent(of: missing))
      } catch {
        throw .inputOutput(
          error, path: path, "the directory cannot be made", advice: "the changes were not saved")
      }
      way = try checkPath()
    }
    return way
  }

  private func makeIfMissing(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      try fileSystem.makeDirectory(path)
    } catch SystemError.alreadyExists {
      // Another process has made it first; the next check finds its owner.
    }
  }

  static func untrusted(_ path: String) -> DatabaseError {
    DatabaseError(
      .refused, path: path,
      message: "is not trusted, since users other than the administrator may write to it",
      advice: "nothing was read; make the administrator its owner, and let no other user write there")
  }

  /// Whether only trusted users may write to the file.
  func trusts(_ status: FileStatus) -> Bool {
    guard let trustedUsers else { return true }
    return PathWalk.trusts(status.owner, trustedUsers) && status.mode & 0o022 == 0
  }

  /// Whether symbolic links in the directory are followed: only the user's own can be trusted.
  private func isOwn() throws(SystemError) -> Bool {
    let (status, user) = (try fileSystem.status(at: path, followingLinks: true), CurrentProcess.effectiveUser)
    // The administrator cannot trust links in its own directory if other users may create them there.
    return status.owner == user && (user != 0 || status.mode & PathWalk.othersBits(status) == 0)
  }

  /// Refuses the destination of an administrator's link if another user could replace a directory on its
  /// path.
  private func refuseUnsafeDestination(_ path: String) throws(SystemError) {
    guard CurrentProcess.effectiveUser == 0 else { return }
    let folder = DatabaseDirectory.parent(of: path)
    guard try PathWalk.isAdministrators(folder, fileSystem: fileSystem) else {
      throw DatabaseDirectory.unsafeLink
    }
  }

  /// Whether the owner of a link, or of the directory in which it lies, may say where it leads.
  func mayLink(_ status: FileStatus) -> Bool {
    [CurrentProcess.effectiveUser, 0].contains(status.owner)
  }

  /// Whether a link on a path is followed, by its owner and the directory in which it lies.
  ///
  /// In a user namespace the administrator of the machine, whose link `/home` may be, has the same number as all others
  /// without one there. A link of such a user counts where no other one may write, unlike in `/tmp`.
  func mayLead(_ link: FileStatus, in parent: FileStatus) -> Bool {
    if mayLink(link), mayLink(parent) { return true }
    let trusted = [CurrentProcess.effectiveUser, 0]
    return PathWalk.trusts(link.owner, trusted) && PathWalk.trusts(parent.owner, trusted)
      && parent.mode & PathWalk.othersBits(parent) == 0
  }

  /// Refuses a path through a symbolic link that another user made or could replace.
  ///
  /// - Returns: the status of the path's end, without following a link there; nil if it does not exist, and
  ///   for a relative path.
  @discardableResult
  func refuseUnsafeLinks() throws(SystemError) -> FileStatus? {
    // The system would end the path at the NUL.
    guard !path.utf8.contains(0) else { throw .invalidArgument }
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    return try forEachPlaceOnTheWay { (place, status) throws(SystemError) in
      if status.kind == .symbolicLink {
        let parent = try fileSystem.status(at: DatabaseDirectory.parent(of: place), followingLinks: true)
        // The owner of the directory could replace the link, and where all users may write, anyone may make
        // one.
        guard mayLead(status, in: parent) else { throw DatabaseDirectory.unsafeLink }
      }
      return true
    }
  }

  /// Calls a body with each prefix of an absolute path that exists, from the topmost directory to the path
  /// itself, until the body gives false.
  ///
  /// - Returns: the status of the path itself, if it was reached.
  private func forEachPlaceOnTheWay(
    _ body: (_ place: String, FileStatus) throws(SystemError) -> Bool
  ) throws(SystemError) -> FileStatus? {
    // Split as bytes: a combining mark after a slash would form one character with it.
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

  func unsafePathError(advice: String) -> DatabaseError {
    DatabaseError(
      .refused, path: path, message: "leads through a symbolic link of another user, which is not followed",
      advice: advice)
  }

  /// Gives a file that the administrator created in a user's directory to that user, who could not read it
  /// otherwise.
  ///
  /// The descriptor must be of a file that this process created itself.
  func handOver(_ descriptor: Int32, madeIn directory: String) throws(SystemError) {
    guard CurrentProcess.effectiveUser == 0 else { return }
    let parent = try fileSystem.status(at: directory, followingLinks: true)
    guard parent.owner != 0, try fileSystem.status(of: descriptor).owner != parent.owner else { return }
    try fileSystem.setOwner(parent.owner, group: parent.group, of: descriptor)
  }

  /// Removes an empty directory that the administrator created in a user's directory without handing it over,
  /// because its process was killed.
  ///
  /// It is created again, and not just handed over, so that the user does not get the files of others in it.
  ///
  /// - Returns: false for any other directory, and for one that is not empty.
  private func removeLeftover(_ path: String, _ status: FileStatus) throws(SystemError) -> Bool {
    guard status.owner == 0, CurrentProcess.effectiveUser == 0 else { return false }
    let parent = DatabaseDirectory.parent(of: path)
    guard try fileSystem.status(at: parent, followingLinks: true).owner != 0 else { return false }
    do throws(SystemError) {
      try fileSystem.removeDirectory(path)
      return true
    } catch {
      // It is not empty, or it is a link.
      return false
    }
  }

  // MARK: Contents

  /// A file's path after all links, and its status; nil if there is no file.
  struct FoundFile {
    let path: String
    let status: FileStatus?
  }

  /// Finds a file of the directory, following symbolic links as far as they can be trusted.
  ///
  /// - Parameter isPathChecked: Whether the directory's path was checked a moment ago.
  func resolve(
    _ fileName: String, isPathChecked: Bool = false
  ) throws(DatabaseError) -> FoundFile {
    let start = path(of: fileName)
    do throws(SystemError) {
      // A directory that is held is the one that was checked.
      if !isPathChecked, !HeldDirectory.isHeld(path) { try refuseUnsafeLinks() }
    } catch DatabaseDirectory.unsafeLink {
      throw unsafePathError(advice: "nothing was read or changed")
    } catch {
      throw .inputOutput(error, path: path, "cannot be found", advice: "nothing was changed")
    }
    // An administrator who acts for a user follows no link of that user's: it may lead into `/proc`, to what only the
    // administrator's process may read.
    var isActingUsers = false
    do throws(SystemError) {
      var path = start
      for _ in 0...DatabaseDirectory.maximumLinkCount {
        if path != start { try refuseUnsafeDestination(path) }
        let status = try statusIfPresent(at: path)
        guard let link = status, link.kind == .symbolicLink else {
          return FoundFile(path: path, status: status)
        }
        // Another user can have made the link while that user could write to the directory.
        if try !isOwn() || !mayLink(link) {
          isActingUsers = FileRights.areTaken && link.owner == FileRights.presentUser
          throw DatabaseDirectory.unsafeLink
        }
        let destination = try fileSystem.destination(ofLink: path)
        let isAbsolute = destination.utf8.first == UInt8(ascii: "/")
        path = isAbsolute ? destination : "\(DatabaseDirectory.parent(of: path))/\(destination)"
      }
      throw .tooManyLinks
    } catch DatabaseDirectory.unsafeLink where isActingUsers {
      throw DatabaseError(
        .refused, path: start,
        message: "is a symbolic link, which the administrator does not follow for its user",
        advice: "do it as that user")
    } catch DatabaseDirectory.unsafeLink {
      throw DatabaseError(
        .refused, path: start,
        message:
          "is a symbolic link of another user, or in or into another user's directory, and is not followed")
    } catch {
      throw .inputOutput(error, path: start, "cannot be found", advice: "nothing was changed")
    }
  }

  /// Where a path leads that lies in the directory; a link is followed as ``resolve(_:isPathChecked:)`` does.
  ///
  /// A link to a device or a pipe is not followed: the links in `/dev/fd` say no path then.
  ///
  /// - Throws: also an error for a link of the system that leads to a file that has been removed.
  func end(of place: String) throws(DatabaseError) -> String {
    let target: FileStatus?
    do throws(SystemError) {
      guard try statusIfPresent(at: place)?.kind == .symbolicLink else { return place }
      do throws(SystemError) {
        target = try fileSystem.status(at: place, followingLinks: true)
      } catch SystemError.notFound {
        target = nil
      }
      if target?.kind.isSpecial == true { return place }
    } catch SystemError.notADirectory {
      // The caller finds this again, and reports it.
      return place
    } catch {
      throw .inputOutput(error, path: place, "cannot be found")
    }
    let name = String(Substring(place.utf8.dropFirst(path == "/" ? 1 : path.utf8.count + 1)))
    let end = try resolve(name)
    if target != nil, end.status == nil {
      throw DatabaseError(
        .refused, path: place, message: "leads to a file that has been removed", advice: "nothing was changed"
      )
    }
    return end.path
  }

  /// Marks a link that must not be followed; never leaves this type.
  static let unsafeLink = SystemError(code: -1)

  /// Marks a file that untrusted users may write to.
  static let writableByOthers = SystemError(code: -3)

  /// Marks a directory that must not be written to; never leaves this type.
  static let otherUsersDirectory = SystemError(code: -2)

  func statusIfPresent(at path: String) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try fileSystem.status(at: path, followingLinks: false)
    } catch SystemError.notFound {
      return nil
    }
  }

  /// The status of the file to which a path leads.
  func status(at path: String) throws(DatabaseError) -> FileStatus {
    do throws(SystemError) {
      return try fileSystem.status(at: path, followingLinks: true)
    } catch {
      throw .inputOutput(error, path: path, "cannot be found")
    }
  }

  /// Whether the calling thread can neither list the directory nor write to it.
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
      try refuseUnsafeLinks()
      return try fileSystem.names(inDirectory: path)
    } catch SystemError.notFound {
      return []
    } catch DatabaseDirectory.unsafeLink {
      throw unsafePathError(advice: "nothing was read")
    } catch {
      throw .inputOutput(error, path: path, "the domains cannot be listed")
    }
  }

  /// Removes the temporary files of killed saves from a directory into which domains are saved.
  ///
  /// A file must belong to this user, or to the administrator, who saves for this user too, and be some
  /// minutes old: another database's save through a link may be under way.
  func removeStaleFiles(in directory: String) {
    let limit = fileSystem.now.seconds - 300
    do throws(SystemError) {
      for name in try fileSystem.names(inDirectory: directory) where TemporaryFile.isName(name) {
        let path = "\(directory)/\(name)"
        // One that another process has renamed or removed meanwhile, or that cannot be removed, hides no other.
        guard let status = try? fileSystem.status(at: path, followingLinks: false) else { continue }
        if status.changed.seconds < limit, [CurrentProcess.effectiveUser, 0].contains(status.owner) {
          try? fileSystem.remove(path)
        }
      }
    } catch {
      // The files only cost space; the next process tries again.
    }
  }
}
