/// The directory in which a database's files lie.
struct DatabaseDirectory: Sendable {
  let path: String
  let fileSystem: any FileSystem
  var dialect = DatabaseDialect.openStep
  /// Whose database it is, where that is not to be told by the path.
  var account: Account?

  /// How many symbolic links may lead from one to the next, as on Linux.
  static let maximumLinkCount = 40

  /// The path of a file in the directory.
  func path(of fileName: String) -> String {
    path.utf8.last == UInt8(ascii: "/") ? path + fileName : "\(path)/\(fileName)"
  }

  /// The directory in which a path lies.
  static func parent(of path: String) -> String {
    let bytes = path.utf8
    guard let slash = bytes.dropLast().lastIndex(of: UInt8(ascii: "/")) else { return "." }
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

  /// Runs a body, of the administrator's, with the rights of the user who can change what the path leads to.
  ///
  /// That is the owner of the first directory or link on the way that is not the administrator's; nobody else can
  /// have a say in what comes before.
  ///
  /// - Parameter body: Is told what is known of the directory, where it is there and there is no link on the way.
  func withOwnersRights<Result>(
    _ body: (_ checked: FileStatus?) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard CurrentProcess.effectiveUser == 0 else { return try body(nil) }
    if let account {
      return try FileRights.with(user: account.user, group: account.group) { () throws(DatabaseError) in
        try body(nil)
      }
    }
    guard path.utf8.first == UInt8(ascii: "/") else { return try body(nil) }
    var owner: FileStatus?
    var checked: FileStatus?
    do throws(SystemError) {
      var hasLink = false
      let directory = try forEachPlaceOnTheWay { (_, status) throws(SystemError) in
        if status.owner != 0 { owner = status }
        hasLink = hasLink || status.kind == .symbolicLink
        return owner == nil
      }
      if !hasLink, !path.utf8.contains(0) { checked = directory }
    } catch {
      // What cannot be looked at is refused by the body, which says how.
    }
    guard let owner else { return try body(checked) }
    return try FileRights.with(user: owner.owner, group: owner.group) { () throws(DatabaseError) in
      try body(nil)
    }
  }

  /// Whether symbolic links in it are followed: only the user's own can be trusted.
  private func isOwn() throws(SystemError) -> Bool {
    try fileSystem.status(at: path, followingLinks: true).owner == CurrentProcess.effectiveUser
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
        .refused, path: start, message: "is a symbolic link in another user's directory, and is not followed")
    } catch {
      throw .inputOutput(error, path: start, "cannot be found", advice: "nothing was changed")
    }
  }

  /// Stands for a link that must not be followed, inside this type only.
  private static let foreignLink = SystemError(code: -1)

  /// Stands for a directory that must not be written, inside this type only.
  private static let foreignDirectory = SystemError(code: -2)

  func statusIfPresent(at path: String) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try fileSystem.status(at: path, followingLinks: false)
    } catch SystemError.notFound {
      return nil
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
