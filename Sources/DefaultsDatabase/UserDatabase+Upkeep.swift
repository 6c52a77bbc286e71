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
    try home.withOwnersRights { _ throws(DatabaseError) in try home.fileNames().sorted() }
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
      return try home.fileSystem.status(at: path, followingLinks: followingLinks)
    } catch SystemError.notFound {
      return nil
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
      for name in try home.fileNames().sorted() where TemporaryFile.isName(name) {
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
      do throws(SystemError) {
        switch leftOver.kind {
        case .save: try home.fileSystem.remove(leftOver.path)
        case .gnustepLock: try GNUstepLock.removeStale(in: home)
        }
      } catch SystemError.notFound {
        // Another process was first.
      } catch {
        throw .inputOutput(error, path: leftOver.path, "cannot be removed")
      }
    }
  }

  /// Takes the rights of all others to the directory away, or those to a domain's file.
  package func makePrivate(_ domain: DomainName?) throws(DatabaseError) {
    let path = domain.map { self.path(of: $0) } ?? directory
    try home.withOwnersRights { _ throws(DatabaseError) in
      do throws(SystemError) {
        let descriptor = try home.fileSystem.open(path, for: domain == nil ? .directory : .readingThrough)
        defer { home.fileSystem.close(descriptor) }
        let mode = try home.fileSystem.status(of: descriptor).mode
        try home.fileSystem.setMode(mode & 0o700, of: descriptor)
      } catch {
        throw .inputOutput(error, path: path, "its permissions cannot be changed")
      }
    }
  }

  /// Runs a body with the rights that have to be used in the directory, for what lies there besides domains.
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
      return try body()
    }
  }

  /// Whether this process, with the rights that it uses there, may write the directory.
  package func isWritable() throws(DatabaseError) -> Bool {
    try home.withOwnersRights { _ in home.fileSystem.mayAccess(directory, for: .writing) }
  }
}
