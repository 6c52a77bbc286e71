import OpenStepPropertyList

/// The locks under which a domain's file is changed.
extension UserDatabase {
  /// The error for a domain that cannot be saved, because another thread of this process, whose turn it is, waits
  /// for the lock or runs the program's code; it names the lock's holder.
  package var lockedWhileAnotherThreadWaits: DatabaseError {
    let holder = home.looking(or: CurrentProcess.identifier) { FileLock.recordedHolder(in: home) }
    return FileLock.locked(by: holder, path: lockPath)
  }

  /// Whether an error says that another process holds a lock under which every domain of the database is changed.
  package func isHeld(accordingTo error: DatabaseError) -> Bool {
    guard case .locked = error.kind else { return false }
    return [lockPath, GNUstepLock.path(in: home)].contains { haveEqualBytes($0, error.path) }
  }

  /// How many seconds are left for the database's lock, at least, after a wait for the lock of the file behind a link.
  private static let shortPatience = 0.25

  /// Runs a body under the lock, with a domain's file as it is then.
  ///
  /// - Parameters:
  ///   - isPathChecked: Whether the directory's path was checked a moment ago.
  ///   - deadline: When to stop waiting for another process; nil to take the lock only if it is free, and no other
  ///     process waits for it.
  ///   - isBareIfNew: Whether the file is made without an extension where there is none; nil if its name decides.
  func withLock<Result>(
    on name: DomainName, isPathChecked: Bool, deadline: MonotonicTime?, isBareIfNew: Bool? = nil,
    _ body: (DomainFile) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    // The lock of the file behind a link is waited for below, without the database's lock, so that no other save of this
    // database waits for it too.
    var wait = ChangeLock.Wait(until: deadline ?? .now, isAllowed: deadline != nil, isCallers: true)
    var (isPathChecked, deadline) = (isPathChecked, deadline)
    while true {
      var held: DomainFile?
      let result = try withFileLock(until: deadline) { (lock, deadline) throws(DatabaseError) -> Result? in
        wait.deadline = deadline
        let gnustepLock = try home.dialect == .gnustep ? lockOfGNUstep(until: deadline) : nil
        defer { gnustepLock?.release() }
        // The path is checked again only if another process had time to change it: each check takes two
        // hundredths of the time of a save.
        var file = try DomainFile(
          of: name, in: home, isPathChecked: isPathChecked && !lock.wasHeld && gnustepLock == nil,
          isBareIfNew: isBareIfNew)
        let endLock: ChangeLock?
        do throws(DatabaseError) {
          endLock = try lockEnd(of: name, &file, isBareIfNew: isBareIfNew, wait)
        } catch {
          guard case .locked = error.kind, haveEqualBytes(error.path, file.resolvedPath), wait.isAllowed
          else {
            throw error
          }
          held = file
          return nil
        }
        defer { endLock?.release() }
        (file.gnustepLock, file.endLock) = (gnustepLock, endLock)
        return try body(file)
      }
      if let result { return result }
      if let held {
        // Moved on by the time in which threads of this process worked.
        (isPathChecked, deadline) = (false, wait.deadline)
        let folder = DatabaseDirectory(path: held.folder, fileSystem: fileSystem)
        let start = MonotonicTime.now
        let isFree = try ChangeLock.waitUntilFree(held.resolvedPath, in: folder, wait)
        patience?.noteWait(since: start)
        // The time may be over, and the database's lock is another one: its holder has had no time yet to release it.
        let end = MonotonicTime.now + UserDatabase.shortPatience
        if !isFree || end > wait.deadline {
          wait.isVain = true
          deadline = max(wait.deadline, end)
        }
      }
    }
  }

  /// Notes that this thread, whose turn it is, has taken a lock.
  private func note(wasHeld: Bool, since start: MonotonicTime) {
    if wasHeld { patience?.noteWait(since: start) } else { queue.lockWasFree() }
  }

  /// Runs a body that waits for other processes besides those that change domains, within the same patience.
  ///
  /// - Parameter body: Receives the time when to stop waiting, and throws ``SystemError/tryAgain`` then.
  package func waitingForOthers<Result>(
    _ body: (_ deadline: MonotonicTime) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    let start = MonotonicTime.now
    do throws(SystemError) {
      let result = try body(start + (patience?.left(at: start) ?? UserDatabase.patience))
      patience?.noteWait(since: start)
      return result
    } catch {
      if error == .tryAgain { patience?.noteRefusal() }
      throw error
    }
  }

  private func lockOfGNUstep(until deadline: MonotonicTime) throws(DatabaseError) -> GNUstepLock {
    try queue.waitingForProcesses { () throws(DatabaseError) in
      let start = MonotonicTime.now
      let lock = try GNUstepLock(of: home, deadline: deadline)
      note(wasHeld: lock.wasHeld, since: start)
      return lock
    }
  }

  /// Takes the lock of the file to which a link in a domain's place leads; nil where the file lies in the database.
  ///
  /// Whoever changes the file by its path, or as a domain of another database, takes this lock too.
  ///
  /// - Parameter file: The domain's file, which is found again under the lock: what it was before has perhaps been
  ///   replaced while this thread waited.
  private func lockEnd(
    of name: DomainName, _ file: inout DomainFile, isBareIfNew: Bool?, _ wait: ChangeLock.Wait
  ) throws(DatabaseError) -> ChangeLock? {
    while file.isLink {
      let end = file.resolvedPath
      let folder = DatabaseDirectory(path: file.folder, fileSystem: fileSystem)
      if try needsNoLock(folder) { return nil }
      let lock = try queue.waitingForProcesses { () throws(DatabaseError) in
        let start = MonotonicTime.now
        let lock = try ChangeLock.ifPossible(of: end, in: folder, wait)
        note(wasHeld: lock?.wasHeld == true, since: start)
        return lock
      }
      do throws(DatabaseError) {
        file = try DomainFile(of: name, in: home, isBareIfNew: isBareIfNew)
      } catch {
        lock?.release()
        throw error
      }
      if haveEqualBytes(file.resolvedPath, end) { return lock }
      // The link leads elsewhere now.
      lock?.release()
      if MonotonicTime.now >= wait.deadline { throw FileLock.locked(by: nil, path: end) }
    }
    return nil
  }

  /// Whether a directory is the database's own, whose lock is held already, under whatever name, or does not exist.
  private func needsNoLock(_ folder: DatabaseDirectory) throws(DatabaseError) -> Bool {
    do throws(SystemError) {
      let status = try fileSystem.status(at: folder.path, followingLinks: true)
      return try fileSystem.status(at: directory, followingLinks: true).isSameFile(as: status)
    } catch SystemError.notFound {
      return true
    } catch {
      throw .inputOutput(
        error, path: folder.path, "the directory cannot be locked", advice: "nothing was changed")
    }
  }

  /// Runs a body under the lock that excludes the processes and threads of this package, but not GNUstep's programs.
  ///
  /// - Parameters:
  ///   - deadline: When to stop waiting for another process; nil to take the lock only if it is free, and no other
  ///     process waits for it.
  ///   - body: Receives the lock, and the deadline as it is then.
  func withFileLock<Result>(
    until deadline: MonotonicTime?, _ body: (FileLock, MonotonicTime) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let mayOvertake = deadline != nil
    let turn = try queue.turn(until: deadline ?? .now) { (deadline) throws(DatabaseError) -> Result in
      let lock = try queue.waitingForProcesses { () throws(DatabaseError) in
        let start = MonotonicTime.now
        let lock = try FileLock(of: home, deadline: deadline, mayOvertake: mayOvertake)
        note(wasHeld: lock.wasHeld, since: start)
        return lock
      }
      defer { lock.release() }
      return try body(lock, deadline)
    }
    guard let turn else { throw lockedWhileAnotherThreadWaits }
    return turn
  }
}
