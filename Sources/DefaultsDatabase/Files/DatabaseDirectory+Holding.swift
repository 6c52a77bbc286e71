import OpenStepPropertyList

/// The directory as a save works in it: the same one from the first look to the last step.
extension DatabaseDirectory {
  /// Runs a body that changes a database in the directory to which the path leads now, whatever takes the place of it, or
  /// of a directory on its path, meanwhile.
  ///
  /// In a directory in which other users may rename entries, such as a group's, they can exchange this one for a link:
  /// a save that looked up the path at each step could read one file and replace another.
  ///
  /// - Throws: what the body throws; an error of the kind `refused` if the directory was exchanged, or is not the user's.
  func held<Result>(
    _ body: (HeldDirectory?) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    // The directory was there a moment ago.
    guard let hold = try hold(orIfMissing: exchanged) else { return try body(nil) }
    defer { hold.letGo() }
    try refuseOtherOwner()
    let result = try body(hold)
    // What was saved in a directory that is now elsewhere would not be found.
    if hold.isMoved { throw moved }
    return result
  }

  /// Runs a body that works in the directory to which the path leads now, if there is one.
  ///
  /// - Throws: what the body throws; an error of the kind `refused` if the path leads through another user's link.
  func heldIfPresent<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    var isMissing = false
    func missing() -> DatabaseError {
      isMissing = true
      return exchanged
    }
    let hold: HeldDirectory?
    do throws(DatabaseError) {
      hold = try self.hold(orIfMissing: missing(), advice: "nothing was done")
    } catch {
      guard isMissing else { throw error }
      hold = nil
    }
    defer { hold?.letGo() }
    return try body()
  }

  /// Refuses an open directory of another user, which may have taken the place of the one that was looked at before.
  private func refuseOtherOwner() throws(DatabaseError) {
    do throws(SystemError) {
      let owner = try fileSystem.status(at: path, followingLinks: true).owner
      guard [0, owner].contains(CurrentProcess.effectiveUser) else {
        throw DatabaseDirectory.otherUsersDirectory
      }
    } catch DatabaseDirectory.otherUsersDirectory {
      throw otherUsersDirectoryError
    } catch {
      throw .inputOutput(error, path: path, "cannot be examined", advice: "the changes were not saved")
    }
  }

  /// Opens the directory for the calling thread, until the result is let go; nil where nothing is to be gained by it.
  ///
  /// The path was checked before it was opened, and what has been put there since may be another user's link. Therefore
  /// the place of the open directory is compared with where trusted links lead, if others could have exchanged anything.
  ///
  /// - Parameters:
  ///   - missing: What to throw if there is no directory.
  ///   - advice: What became of the files where the directory is refused.
  func hold(
    orIfMissing missing: @autoclosure () -> DatabaseError, advice: String = "the changes were not saved"
  ) throws(DatabaseError) -> HeldDirectory? {
    let hold: HeldDirectory?
    do throws(SystemError) {
      hold = if let temporary { try temporary.hold() } else { try fileSystem.hold(path) }
    } catch  where error == .notFound || error == .notADirectory {
      throw temporary == nil ? missing() : replaced
    } catch {
      throw .inputOutput(error, path: path, "the directory cannot be opened", advice: "nothing was changed")
    }
    guard let hold else { return nil }
    do throws(SystemError) {
      if let place = hold.place {
        if !haveEqualBytes(place, path) {
          let trusted = try trustedPlace(of: PathWalk.absolute(path))
          if trusted.entry == nil { throw SystemError.notFound }
          if trusted.isShared, !DatabaseDirectory.isSame(place, trusted.path) {
            throw DatabaseDirectory.unsafeLink
          }
        }
      } else {
        // Where the system does not tell the place, the path is looked at once more.
        try refuseUnsafeLinks()
      }
      return hold
    } catch {
      hold.letGo()
      if error == DatabaseDirectory.unsafeLink { throw unsafePathError(advice: advice) }
      throw .inputOutput(error, path: path, "cannot be found", advice: advice)
    }
  }

  /// The error of a directory whose place is empty, or has another one.
  var replaced: DatabaseError {
    DatabaseError(
      .refused, path: path, message: "was removed, or exchanged for something else",
      advice: "nothing was read or saved; the values are in memory alone")
  }

  var exchanged: DatabaseError {
    DatabaseError(
      .refused, path: path, message: "was moved away, or exchanged for something else, while it was used",
      advice: "the changes were not saved: try again")
  }

  var moved: DatabaseError {
    DatabaseError(
      .refused, path: path, message: "was moved away, or exchanged for another directory, while it was used",
      advice: "the changes were saved where it is now, if they were saved: try again")
  }

  /// Whether two paths without links name one directory; some file systems ignore case, or the form of characters, and
  /// give a name as it was first used.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    left.lowercased() == right.lowercased()
  }
}
