import CFileRights

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("FileRights: name this platform's C library here.")
#endif

/// A user's rights towards files: the user, its group and its supplementary groups.
///
/// In a directory that belongs to another user, that user can put a link in the place of anything at any
/// moment. Whoever goes there with the user's own rights can be led nowhere that the user could not go.
package struct FileRights: Hashable, Sendable {
  let user: UInt32
  let group: UInt32
  let groups: [UInt32]

  /// The number of the user and of the group that own nothing.
  private static let noGroup: UInt32 = 65534

  /// Those of no user, who can do what everybody can.
  static let nobodys = FileRights(user: noGroup, group: noGroup, groups: [])

  private init(user: UInt32, group: UInt32, groups: [UInt32]) {
    (self.user, self.group, self.groups) = (user, group, groups)
  }

  /// The rights of an account.
  package init(of account: Account) {
    (user, group, groups) = (account.user, account.group, account.groups)
  }

  /// The rights of a user's number; of one whom the password database does not know they are those of no group.
  ///
  /// The group of a file that belongs to the user does not count: the user need not be a member of it.
  init(ofUser user: UInt32) {
    if let account = Account(user: user) {
      self.init(of: account)
    } else {
      self.init(user: user, group: FileRights.noGroup, groups: [])
    }
  }

  /// Runs a body of the administrator's with these rights, and with no others.
  ///
  /// Only the calling thread has them, and only until the body returns; the body must not start what outlives it.
  ///
  /// - Parameter path: For the message.
  /// - Throws: what the body throws, and an error of the kind `refused` where the thread cannot give up its own
  ///   rights; the body is not run then.
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

  /// Whether the calling thread has a user's rights in place of its own, which every thread that it starts would keep.
  package static var areTaken: Bool { cfilerights_are_taken() != 0 }

  /// Refuses to go with the administrator's rights where another user can change where a path leads; for what cannot be
  /// done with that user's, as what child processes do.
  ///
  /// - Throws: an error of the kind `refused`, and one where the way cannot be looked at.
  package static func refuseForeignWay(_ path: String) throws(DatabaseError) {
    guard CurrentProcess.effectiveUser == 0 else { return }
    guard let owner = try PathWalk(along: path, fileSystem: DiskFileSystem()).owner else { return }
    throw DatabaseError(
      .refused, path: path, message: "is in the hands of user \(owner)",
      advice: "nothing was done; do it as that user, or elsewhere")
  }

  /// Runs a body with the rights of the user who can change where a path leads, if this is the administrator and
  /// somebody else can; else with those of the process.
  ///
  /// That is the owner of the first directory, link or file on the way that is not the administrator's; nobody
  /// else has a say in what comes before. A relative path begins in the working directory.
  ///
  /// - Parameter account: The user for whom the administrator acts, whose rights count in place of those.
  /// - Throws: what the body throws; an error of the kind `refused` where anybody can change where the path leads,
  ///   and one where the way cannot be looked at.
  package static func reaching<Result>(
    _ path: String, actingFor account: Account? = nil, fileSystem: any FileSystem = DiskFileSystem(),
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard CurrentProcess.effectiveUser == 0 else { return try body() }
    if let account { return try FileRights(of: account).with(towards: path, body) }
    let walk = try PathWalk(along: path, fileSystem: fileSystem)
    guard let owner = walk.owner else {
      // Anybody may make what is missing there, before it is looked for.
      return walk.status == nil && walk.endsOpen ? try nobodys.with(towards: path, body) : try body()
    }
    return try FileRights(ofUser: owner).with(towards: path, body)
  }
}
