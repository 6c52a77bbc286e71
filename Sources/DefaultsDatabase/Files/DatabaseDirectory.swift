import OpenStepPropertyList
import Synchronization

/// The directory in which a database's files lie.
///
/// It is a class because each file has one: to copy the structure would take the description of an optional error's
/// type (Architecture, “Start-up”).
final class DatabaseDirectory: Sendable {
  let path: String
  let fileSystem: any FileSystem
  let dialect: DatabaseDialect
  /// The account to which the database belongs, where the path does not tell it.
  let account: Account?
  /// The contents are trusted only if no user but these may write them; nil for no such check.
  let trustedUsers: [UInt32]?
  /// The temporary directory that it is, and nothing else that may stand at its path later; nil for whatever stands there.
  let temporary: TemporaryDirectory?
  /// Why the directory cannot be determined; every use of it throws this error.
  let refusal: DatabaseError?
  /// Whether it has the files of NEXTSPACE's programs, or copies of them (``DomainFile/isOpenedBare(_:in:)``).
  let isNEXTSPACE: Bool
  /// Whether the last check of the path found one that only the administrator can change.
  private let isAdministrators = Atomic(false)
  /// Whether a directory on that path is one in which others may make entries: then only the administrator can change the path
  /// as long as the entries are there, and anyone where one was removed.
  private let isInShared = Atomic(false)

  /// - Parameter original: The directory whose files lie here as copies, under the same names; nil for no such one.
  init(
    path: String, fileSystem: any FileSystem, dialect: DatabaseDialect = .openStep, account: Account? = nil,
    trustedUsers: [UInt32]? = nil, temporary: TemporaryDirectory? = nil, refusal: DatabaseError? = nil,
    copyOf original: DatabaseDirectory? = nil
  ) {
    isNEXTSPACE = original?.isNEXTSPACE ?? path.hasByteSuffix("/.NextSpace")
    self.path = path
    self.fileSystem = fileSystem
    self.dialect = dialect
    self.account = account
    self.trustedUsers = trustedUsers
    self.temporary = temporary
    self.refusal = refusal
  }

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
    if haveEqualBytes(parent, path) { throw .notFound }
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
      if haveEqualBytes(parent, child) { return }
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
    /// Whether that lies in a directory in which other users may replace it.
    var isExchangeable = false
    /// Whether a user who can change where the administrator's path leads may have made the directory in advance, in one
    /// in which all users may make entries.
    var isPlanted = false
  }

  /// Finds the rights to use in the directory: the process's own, but for the administrator those of the
  /// account that it acts for, or else those of the user who can change where the path leads.
  ///
  /// - Throws: an error of the kind `refused` where other users can change what has to be trusted, or what
  ///   the administrator would do with its own rights.
  func checkPath() throws(DatabaseError) -> CheckedPath {
    if let refusal { throw refusal }
    var isAdministrators = false
    defer { self.isAdministrators.store(isAdministrators, ordering: .relaxed) }
    // It is compared where it is open.
    if temporary != nil { return CheckedPath(rights: nil, status: nil) }
    if let trustedUsers {
      let walk = try PathWalk(along: path, trusting: trustedUsers, trustsGroup: false, fileSystem: fileSystem)
      if walk.owner != nil || walk.endsOpen { throw DatabaseDirectory.untrusted(path) }
      isAdministrators = trustedUsers.allSatisfy { $0 == 0 }
      isInShared.store(walk.isShared, ordering: .relaxed)
      return CheckedPath(rights: nil, status: walk.status)
    }
    guard CurrentProcess.effectiveUser == 0 else { return CheckedPath(rights: nil, status: nil) }
    if let account, account.user != 0 { return CheckedPath(rights: FileRights(of: account), status: nil) }
    var walk = try PathWalk(along: path, fileSystem: fileSystem)
    if let owner = walk.owner {
      let rights = FileRights(ofUser: owner)
      try rights.with(towards: path) { () throws(DatabaseError) in try walk.checkRest(fileSystem) }
      return CheckedPath(rights: rights, status: nil, isPlanted: walk.isPlanted)
    }
    // Any user may create the missing directory before this process does.
    let isPlantable = walk.status == nil && walk.endsOpen
    isAdministrators = !isPlantable
    isInShared.store(walk.isShared, ordering: .relaxed)
    return CheckedPath(
      rights: isPlantable ? .nobodys : nil,
      status: walk.hasLink ? nil : walk.status, missing: walk.missing, isExchangeable: walk.endsExchangeable)
  }

  /// Whether this process may look at a file of the directory, and follow no link there, with its own rights, and without
  /// another check of the path.
  ///
  /// So may every user but the administrator. The administrator may where the last check found a path that only the
  /// administrator can change: another user could exchange a directory for a link to where the look waits without end.
  var mayLookFreely: Bool { CurrentProcess.effectiveUser != 0 || isAdministrators.load(ordering: .relaxed) }

  /// The status of an entry, for which ``mayLookFreely`` holds; nil if there is none.
  ///
  /// - Throws: an error also where another user may have put a link in the place of a directory on the path.
  func freeStatus(at place: String) throws(SystemError) -> FileStatus? {
    guard CurrentProcess.effectiveUser == 0, isInShared.load(ordering: .relaxed) else {
      return try statusIfPresent(at: place)
    }
    return try FileRights.throughNoLink { () throws(SystemError) in try statusIfPresent(at: place) }
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
    if let temporary {
      let hold = try hold(orIfMissing: replaced)
      defer { hold?.letGo() }
      return try body(temporary.status)
    }
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
      // The next check would refuse it, and it would stay.
      if way.isExchangeable { throw PathWalk.liesInExchangeable(path) }
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
}
