import CDefaultsFileRights

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("FileRights: name this platform's C library here.")
#endif

/// A user's rights to files: the user, its group and its supplementary groups.
///
/// In a directory of another user, that user can replace anything by a link at any moment. A process that
/// uses that user's own rights there cannot be led to a file that the user could not reach.
package struct FileRights: Hashable, Sendable {
  let user: UInt32
  let group: UInt32
  let groups: [UInt32]

  /// The number of the user `nobody` and of its group.
  private static let noGroup: UInt32 = 65534

  /// The rights that every user has.
  static let nobodys = FileRights(user: noGroup, group: noGroup, groups: [])

  private init(user: UInt32, group: UInt32, groups: [UInt32]) {
    (self.user, self.group, self.groups) = (user, group, groups)
  }

  /// The rights of an account.
  package init(of account: Account) {
    (user, group, groups) = (account.user, account.group, account.groups)
  }

  /// The rights of a user's number; without any group if the password database does not contain the user.
  ///
  /// The group of a file that belongs to the user does not count: the user need not be a member of it.
  init(ofUser user: UInt32) {
    // Fewer rights are safe where the account cannot be looked up.
    if let account = try? Account(user: user) {
      self.init(of: account)
    } else {
      self.init(user: user, group: FileRights.noGroup, groups: [])
    }
  }

  /// Runs a body of the administrator with these rights only.
  ///
  /// Only the calling thread has them, until the body returns, and not the threads that ``SystemThread`` starts. What the
  /// body calls of the program's runs in ``withOwn(towards:_:)``.
  ///
  /// - Parameter path: The path for the error's message.
  /// - Throws: what the body throws, and an error of the kind `refused` if the thread cannot change its
  ///   rights; the body does not run then.
  func with<Result>(
    towards path: String, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    var saved = cfilerights_saved()
    let code = cfilerights_take(user, group, groups, Int32(groups.count), &saved)
    guard code == 0 else {
      throw DatabaseError(
        .refused, path: path,
        message:
          "is reached with the rights of user \(user) only, which this thread cannot take on: \(SystemError(code: code))",
        advice: "nothing was read or changed; do it as that user")
    }
    defer { cfilerights_give_back(&saved) }
    return try body()
  }

  /// Runs a body of the program's with the process's own rights, where the calling thread has taken a user's, and takes
  /// these again behind it.
  ///
  /// - Parameter path: The path for the error's message.
  /// - Throws: what the body throws, and an error of the kind `refused` if the thread cannot change its rights.
  static func withOwn<Result>(
    towards path: String, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    var suspended = cfilerights_suspended()
    var code = cfilerights_suspend(&suspended)
    guard code == 0 else { throw unchangeable(path, code) }
    let result = Swift.Result { () throws(DatabaseError) in try body() }
    code = cfilerights_resume(&suspended)
    guard code == 0 else { throw unchangeable(path, code) }
    return try result.get()
  }

  private static func unchangeable(_ path: String, _ code: Int32) -> DatabaseError {
    DatabaseError(
      .refused, path: path,
      message:
        "is reached with a user's rights, which this thread cannot give back and take again: \(SystemError(code: code))",
      advice: "nothing was changed; do it as that user")
  }

  /// Runs a body with the process's own rights, where the calling thread has taken a user's, and takes these again behind
  /// it; for what the C library does with threads and accounts.
  ///
  /// A thread that the body starts has the process's own rights, and the body may wait for the C library's lock on the
  /// list of threads, which a call of `setuid` by another thread holds while it waits for threads with a user's rights.
  /// If the rights cannot be taken again, every later operation of the thread on a file fails until it has given them
  /// back.
  static func withOwn<Result>(_ body: () -> Result) -> Result {
    guard areTaken else { return body() }
    var suspended = cfilerights_suspended()
    let code = cfilerights_suspend(&suspended)
    precondition(code == 0, "a thread cannot give a user's rights back: \(SystemError(code: code))")
    defer { _ = cfilerights_resume(&suspended) }
    return body()
  }

  /// The user whose rights to files the calling thread has.
  static var presentUser: UInt32 { cfilerights_user() }

  /// Whether the calling thread has a user's rights in place of its own; a thread that the program starts would keep
  /// them.
  package static var areTaken: Bool { cfilerights_are_taken() != 0 }

  /// Whether the calling thread reaches files with the administrator's own rights.
  static var areAdministrators: Bool { CurrentProcess.effectiveUser == 0 && !areTaken }

  /// Runs a body that reaches a directory and what is in it through no link, and through no directory of another
  /// user, whoever may exchange them meanwhile; such an operation fails with `EPERM` or `ENOTDIR`.
  ///
  /// The caller holds the directory that contains it (``HeldDirectory``); otherwise nothing is found there.
  ///
  /// - Parameter path: The path of the directory, with which the body's paths begin.
  package static func withPrivateDirectory<Result, Failure: Error>(
    _ path: String, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(path.utf8.contains(UInt8(ascii: "/")), "the path has no parent")
    guard let name = strdup(path) else { preconditionFailure("there is no memory for a path") }
    let before = cfilerights_make_private(name)
    defer {
      _ = cfilerights_make_private(before)
      free(name)
    }
    return try body()
  }

  /// Runs a body whose looks at files, without following a link at the end, fail where the path leads through a link.
  static func throughNoLink<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let before = cfilerights_go_through_no_link(1)
    defer { _ = cfilerights_go_through_no_link(before) }
    return try body()
  }

  /// Refuses a directory's path that another user can redirect, and a directory in which other users may
  /// replace entries; for the administrator's actions that cannot run with that user's rights, such as those
  /// of child processes.
  ///
  /// A missing directory is refused too if any user may make it.
  ///
  /// - Parameter isForAll: Whether to refuse these to every user, and not only to the administrator.
  /// - Throws: an error of the kind `refused`, and an error if the path cannot be examined.
  package static func refuseOtherUsersPath(
    _ path: String, forAllUsers isForAll: Bool = false, fileSystem: any FileSystem = DiskFileSystem()
  ) throws(DatabaseError) {
    let user = CurrentProcess.effectiveUser
    guard user == 0 || isForAll else { return }
    let walk = try PathWalk(along: path, trusting: user == 0 ? [0] : [0, user], fileSystem: fileSystem)
    if walk.status == nil, walk.owner == nil, walk.endsOpen {
      throw DatabaseError(
        .refused, path: path, message: "does not exist, and any user may make it",
        advice: "nothing was done; make it first")
    }
    if walk.endsExchangeable {
      throw DatabaseError(
        .refused, path: path, message: "is a directory in which other users may replace files",
        advice: "nothing was done; let only its owner write there, or set its sticky bit")
    }
    guard let owner = walk.owner else { return }
    throw DatabaseError(
      .refused, path: path, message: "is under the control of user \(owner)",
      advice: "nothing was done; do it as that user, or elsewhere")
  }

  /// Whether no other user can change where the path of a directory leads, and what is in the directory: then a command
  /// that names a file in it is safe, whichever program runs it. The administrator is no other user.
  ///
  /// - Returns: false also where that cannot be found out.
  package static func isOwn(_ path: String, fileSystem: any FileSystem = DiskFileSystem()) -> Bool {
    do throws(SystemError) {
      return try PathWalk.isAlone(path, of: [0, CurrentProcess.effectiveUser], fileSystem: fileSystem)
    } catch {
      return false
    }
  }

  /// Runs a body with the rights of the user who can change where a path leads, if this process is the
  /// administrator's and there is such a user; otherwise with the process's own.
  ///
  /// That user is the owner of the first directory, link or file on the path that is not the administrator's;
  /// no other user can change the path up to there. A file that only the administrator can replace, as in an unpacked
  /// backup, is reached with the administrator's rights. A relative path begins in the working directory.
  ///
  /// - Parameter account: The user for whom the administrator acts, whose rights are used instead.
  /// - Throws: what the body throws; an error of the kind `refused` if any user can change where the path
  ///   leads, and an error if the path cannot be examined.
  package static func reaching<Result>(
    _ path: String, actingFor account: Account? = nil, fileSystem: any FileSystem = DiskFileSystem(),
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard CurrentProcess.effectiveUser == 0 else { return try body() }
    if let account { return try FileRights(of: account).with(towards: path, body) }
    var walk = try PathWalk(along: path, fileSystem: fileSystem)
    guard let owner = walk.owner, !walk.endsOwned else {
      // Any user may create the missing directory before this process does.
      return walk.status == nil && walk.endsOpen ? try nobodys.with(towards: path, body) : try body()
    }
    return try FileRights(ofUser: owner).with(towards: path) { () throws(DatabaseError) in
      try walk.checkRest(fileSystem)
      return try body()
    }
  }

  /// The same for whatever lies in a directory, under any name, and is reached through no link there.
  ///
  /// Where any user may make files in the directory, these are reached with nobody's rights.
  static func reaching<Result>(
    entriesOf directory: String, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard CurrentProcess.effectiveUser == 0 else { return try body() }
    var walk = try PathWalk(along: directory, fileSystem: DiskFileSystem())
    if let owner = walk.owner {
      return try FileRights(ofUser: owner).with(towards: directory) { () throws(DatabaseError) in
        try walk.checkRest(DiskFileSystem())
        return try body()
      }
    }
    return walk.endsOpen ? try nobodys.with(towards: directory, body) : try body()
  }
}
