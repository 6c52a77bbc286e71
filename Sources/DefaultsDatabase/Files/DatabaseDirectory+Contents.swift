import OpenStepPropertyList

/// The contents of a database's directory: what lies at its files' paths, after all links.
extension DatabaseDirectory {
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
        if !haveEqualBytes(path, start) { try refuseUnsafeDestination(path) }
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
  /// A link to a device or a pipe is not followed: the links in `/dev/fd` name no path in that case.
  ///
  /// - Throws: also an error for a link of the system that leads to a file that has been removed.
  func end(of place: String) throws(DatabaseError) -> String {
    let target: FileStatus?
    do throws(SystemError) {
      guard try statusIfPresent(at: place)?.kind == .symbolicLink else { return place }
      do throws(SystemError) {
        target = try statusBehindLink(at: place)
      } catch  where error == .notFound || error == DatabaseDirectory.unsafeLink {
        // The link is refused below.
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

  /// Whether a path still has what was found there, unchanged; for nil, nothing.
  ///
  /// Any change counts, also that of a backup that marks the file: a program such as rsync can restore the time at which
  /// the bytes last changed, but not that of the last change of any kind.
  func isStill(_ status: FileStatus?, at path: String) throws(SystemError) -> Bool {
    switch (try statusIfPresent(at: path), status) {
    case (nil, nil): true
    case (let now?, let status?): now.isSameState(as: status) && now.changed == status.changed
    default: false
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

  /// The names in the directory.
  ///
  /// - Parameter mustExist: Whether a directory that does not exist is an error; else it has no names.
  func fileNames(mustExist: Bool = false) throws(DatabaseError) -> [String] {
    do throws(SystemError) {
      try refuseUnsafeLinks()
      return try fileSystem.names(inDirectory: path)
    } catch SystemError.notFound where !mustExist {
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
        if status.changed.seconds < limit, [FileRights.presentUser, 0].contains(status.owner) {
          try? fileSystem.remove(path)
        }
      }
    } catch {
      // The files only cost space; the next process tries again.
    }
  }
}
