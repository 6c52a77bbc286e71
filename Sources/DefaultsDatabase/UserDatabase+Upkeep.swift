import OpenStepPropertyList

/// What keeps a database's directory in order.
extension UserDatabase {
  /// What a program that was killed has left in the directory.
  package struct LeftOver: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      /// The temporary file of a save.
      case save
      /// GNUstep's lock.
      case gnustepLock
    }

    package let kind: Kind
    package let path: String
    /// How old it is, in seconds; negative for a time in the future.
    package let age: Double
  }

  /// The names of all that lies in the directory, also of what is no domain's, sorted.
  package func names() throws(DatabaseError) -> [String] {
    try home.withOwnersRights { _ throws(DatabaseError) in try home.fileNames().sortedByBytes() }
  }

  /// The status of the directory or of what lies in it, nil if there is nothing; of a symbolic link itself unless
  /// links are followed.
  package func status(
    at path: String, followingLinks: Bool
  ) throws(DatabaseError) -> FileStatus? {
    try home.withOwnersRights { _ throws(DatabaseError) in
      try presentStatus(at: path, followingLinks: followingLinks)
    }
  }

  private func presentStatus(
    at path: String, followingLinks: Bool
  ) throws(DatabaseError) -> FileStatus? {
    do throws(SystemError) {
      // The path of the directory itself is checked already.
      if followingLinks, !haveEqualBytes(path, directory) { return try home.statusBehindLink(at: path) }
      return try home.fileSystem.status(at: path, followingLinks: followingLinks)
    } catch SystemError.notFound {
      return nil
    } catch DatabaseDirectory.unsafeLink {
      throw DatabaseError(
        .refused, path: path,
        message: "is a symbolic link of another user, or into another user's directory, and is not followed")
    } catch {
      throw .inputOutput(error, path: path, "cannot be looked at")
    }
  }

  /// What killed programs have left in the directory, sorted by path.
  ///
  /// A temporary file may also belong to a save that is being made.
  package func leftOvers() throws(DatabaseError) -> [LeftOver] {
    try home.withOwnersRights { _ throws(DatabaseError) in
      var found: [LeftOver] = []
      let now = home.fileSystem.now.seconds
      for name in try home.fileNames().filter(TemporaryFile.isName).sorted() {
        let path = home.path(of: name)
        // Its save may have removed it meanwhile.
        guard let status = try presentStatus(at: path, followingLinks: false), status.kind == .regular else {
          continue
        }
        found.append(LeftOver(kind: .save, path: path, age: Double(now) - Double(status.changed.seconds)))
      }
      if let lock = GNUstepLock.stale(in: home) {
        found.append(LeftOver(kind: .gnustepLock, path: lock.path, age: lock.age))
      }
      return found
    }
  }

  /// Removes what a killed program has left; a lock only if it is stale still.
  package func remove(_ leftOver: LeftOver) throws(DatabaseError) {
    try home.withOwnersRights { _ throws(DatabaseError) in
      switch leftOver.kind {
      case .save: try remove(leftOver) { () throws(SystemError) in try fileSystem.remove(leftOver.path) }
      case .gnustepLock:
        try GNUstepLock.refuseOtherUsersFolder(in: home)
        let deadline = patience?.deadline ?? .now + UserDatabase.patience
        try withFileLock(until: deadline) { (_, _) throws(DatabaseError) in
          try remove(leftOver) { () throws(SystemError) in try GNUstepLock.removeStale(in: home) }
        }
      }
    }
  }

  private func remove(
    _ leftOver: LeftOver, by removal: () throws(SystemError) -> Void
  ) throws(DatabaseError) {
    do throws(SystemError) {
      try removal()
    } catch SystemError.notFound {
      // Another process was first.
    } catch {
      throw .inputOutput(error, path: leftOver.path, "cannot be removed")
    }
  }

  /// Takes the rights of all others to the directory away, or those to a domain's file.
  ///
  /// - Throws: an error of the kind `refused` for what another user may have put there: a link that is not followed, a
  ///   file that has another owner than the directory, and one that has a second name.
  package func makePrivate(_ domain: DomainName?) throws(DatabaseError) {
    try home.withOwnersRights { (checked) throws(DatabaseError) in
      guard let domain else {
        return try makePrivate(directory, opening: .directory) { !UserDatabase.isShared($0) }
      }
      let owner = try home.status(at: directory).owner
      let file = try DomainFile(of: domain, in: home, isPathChecked: checked != nil)
      try makePrivate(file.resolvedPath, opening: .reading) { status in
        status.kind == .regular && status.owner == owner && status.linkCount == 1
      }
    }
  }

  /// Whether a directory is meant for all users, such as `/tmp`; nobody's rights to it are taken away.
  package static func isShared(_ status: FileStatus) -> Bool {
    status.mode & 0o1002 == 0o1002
  }

  /// Takes the rights of all others to what lies at a path away.
  ///
  /// - Parameter isMeant: Whether the file that was opened, and so is changed, is one that may be.
  private func makePrivate(
    _ path: String, opening purpose: OpenPurpose, if isMeant: (FileStatus) -> Bool
  ) throws(DatabaseError) {
    do throws(SystemError) {
      let descriptor = try fileSystem.open(path, for: purpose)
      defer { fileSystem.close(descriptor) }
      let status = try fileSystem.status(of: descriptor)
      if isMeant(status) { return try fileSystem.setMode(status.mode & 0o700, of: descriptor) }
    } catch SystemError.tooManyLinks {
      // A link has taken the place of the file.
    } catch {
      throw .inputOutput(error, path: path, "its permissions cannot be changed")
    }
    throw DatabaseError(
      .refused, path: path, message: "is no regular file of the directory's owner with a single name",
      advice: "its permissions were not changed; look what it is")
  }

  /// Runs a body with the rights that have to be used in the directory, for what lies there besides domains.
  ///
  /// The body works in one directory, whatever takes its place meanwhile.
  ///
  /// - Parameter makesDirectory: Whether a directory that does not exist is made first, as the first commit does.
  /// - Throws: what the body throws; an error of the kind `refused` if the process cannot take these rights, and if
  ///   it is the administrator and other users may replace what lies in the directory.
  package func withOwnersRights<Result>(
    makingDirectory makesDirectory: Bool = false, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    var way: DatabaseDirectory.CheckedPath? = makesDirectory ? try home.makeAsAdministrator() : nil
    return try home.withOwnersRights(along: &way) { (checked) throws(DatabaseError) in
      if makesDirectory { try home.make(checked) }
      if !FileRights.areTaken {
        try FileRights.refuseOtherUsersPath(directory, fileSystem: fileSystem)
      }
      return try home.heldIfPresent(body)
    }
  }

  /// Whether this process, with the rights that it uses there, may write the directory.
  package func isWritable() throws(DatabaseError) -> Bool {
    try home.withOwnersRights { _ in home.fileSystem.mayAccess(directory, for: .writing) }
  }
}
