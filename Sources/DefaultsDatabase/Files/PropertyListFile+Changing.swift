import OpenStepPropertyList

/// How a file outside of any database is changed.
extension PropertyListFile {
  /// What becomes of a file.
  package enum NewFile {
    /// It stays as it is.
    case keep
    /// It gets these bytes.
    case bytes([UInt8])
    /// It is removed; where the path is a link, only the link.
    case none
  }

  /// The bytes of a regular file; nil if nothing exists at the path.
  ///
  /// - Parameters:
  ///   - maximum: The most bytes that are read; of a larger file none is, and it is an error.
  ///   - account: The user for whom the administrator acts, whose rights are used.
  /// - Throws: an error if it cannot be read, or is no regular file.
  package static func bytes(
    at path: String, upTo maximum: Int = FileSize.maximum, actingFor account: Account? = nil,
    fileSystem: any FileSystem = DiskFileSystem()
  ) throws(DatabaseError) -> [UInt8]? {
    try check(path)
    return try FileRights.reaching(path, actingFor: account, fileSystem: fileSystem) {
      () throws(DatabaseError) in
      do throws(SystemError) {
        // Before it is opened, because that has an effect on some devices.
        guard try fileSystem.status(at: path, followingLinks: true).kind == .regular else {
          throw .notSupported
        }
        let descriptor = try fileSystem.open(path, for: .readingThrough)
        defer { fileSystem.close(descriptor) }
        // Another process may have put a pipe here since, which it never writes to.
        guard try fileSystem.status(of: descriptor).kind == .regular else { throw .notSupported }
        return try fileSystem.contents(of: descriptor, upTo: maximum)
      } catch SystemError.notFound {
        return nil
      } catch SystemError.tooLarge {
        throw .inputOutput(
          .tooLarge, path: path, "cannot be read: it is larger than \(maximum) bytes")
      } catch SystemError.notSupported {
        throw .inputOutput(
          .notSupported, path: path, "is no regular file, as a file that is changed must be")
      } catch {
        throw fileSystem.failure(reading: path, error)
      }
    }
  }

  /// How often a change is tried where programs that know no lock change the file meanwhile.
  private static let attemptCount = 3

  /// Changes a file as a whole, while no other caller of this function changes it, and no domain that has the file or a
  /// link to it is saved (``ChangeLock``).
  ///
  /// The new file takes the place of the old one in one step, and has its permissions. Where this user cannot take the
  /// lock, the file is changed without it (``ChangeLock/ifPossible(of:in:_:)``).
  ///
  /// - Parameters:
  ///   - deadline: When to stop waiting for another process.
  ///   - account: The user for whom the administrator acts, whose rights are used.
  ///   - change: Gives what becomes of the file; its bytes are nil if there is none. Called again where another program
  ///     has changed the file meanwhile.
  /// - Throws: what the closure throws; an error of the kind `locked` after the deadline, and another one if the
  ///   file cannot be read or written. The file keeps its bytes then.
  package static func change(
    _ path: String, deadline: MonotonicTime = .now + UserDatabase.patience, actingFor account: Account? = nil,
    fileSystem: any FileSystem = DiskFileSystem(), _ change: (_ bytes: [UInt8]?) throws -> NewFile
  ) throws {
    try check(path)
    let start = try DatabaseLocation.absolute(path)
    var deadline = deadline
    for _ in 0..<attemptCount {
      if try tryToChange(start, &deadline, account, fileSystem, change) { return }
    }
    throw DatabaseError.changedMeanwhile(path)
  }

  /// - Parameters:
  ///   - start: The absolute path.
  ///   - deadline: Moved on by the time in which this process worked.
  /// - Returns: false if another program has changed the file meanwhile, and nothing was done.
  private static func tryToChange(
    _ start: String, _ deadline: inout MonotonicTime, _ account: Account?, _ fileSystem: any FileSystem,
    _ change: (_ bytes: [UInt8]?) throws -> NewFile
  ) throws -> Bool {
    func directory(of path: String) -> DatabaseDirectory {
      DatabaseDirectory(path: DatabaseDirectory.parent(of: path), fileSystem: fileSystem, account: account)
    }
    func presentEnd() throws(DatabaseError) -> String {
      try directory(of: start).withOwnersRights { _ throws(DatabaseError) in
        try directory(of: start).end(of: start)
      }
    }
    let end = try presentEnd()
    let folder = directory(of: end)
    // What is read and what is replaced lie in one directory, whatever takes its place meanwhile.
    let hold = try folder.withOwnersRights { _ throws(DatabaseError) in
      try folder.hold(orIfMissing: noDirectory(folder.path))
    }
    defer { hold?.letGo() }
    let (lock, status) = try folder.withOwnersRights { _ throws(DatabaseError) in
      let lock = try ChangeLock.ifPossible(of: end, in: folder, ChangeLock.Wait(until: deadline))
      do throws(SystemError) {
        return (lock, try folder.statusIfPresent(at: end))
      } catch {
        lock?.release()
        throw .inputOutput(error, path: end, "cannot be examined", advice: "nothing was changed")
      }
    }
    let workStart = MonotonicTime.now
    defer {
      lock?.release(folder)
      deadline = deadline + MonotonicTime.now.seconds(since: workStart)
    }
    let file = try change(bytes(at: end, actingFor: account, fileSystem: fileSystem))
    if case .keep = file { return true }
    if hold?.isMoved ?? false { throw folder.exchanged }
    let isGood = try folder.withOwnersRights { _ throws(DatabaseError) in
      try lock?.check()
      return lock?.isOutdated != true
    }
    guard try haveEqualBytes(presentEnd(), end), isGood else { return false }
    let isDone =
      switch file {
      case .keep: true
      case .bytes(let bytes):
        try ExportFile(atEndOf: end, actingFor: account, fileSystem: fileSystem).replacing(only: status)
          .write(bytes, replacing: true)
      case .none where !haveEqualBytes(start, end) || status != nil:
        try remove(start, in: directory(of: start), ifStill: haveEqualBytes(start, end) ? status : nil)
      case .none: true
      }
    if hold?.isMoved ?? false { throw folder.moved }
    return isDone
  }

  /// Runs a body while no caller of ``change(_:deadline:actingFor:fileSystem:_:)`` changes a file, and no domain that has
  /// it is saved.
  ///
  /// The caller has the rights that have to be used in the directory, which exists.
  ///
  /// Where this user cannot take the lock, the body runs without it (``ChangeLock/ifPossible(of:in:_:)``).
  ///
  /// - Parameter patience: How long to wait for another process.
  /// - Throws: what the body throws, and an error of the kind `locked` if another process holds the lock too long.
  static func locking(
    _ path: String, in folder: DatabaseDirectory, sharing patience: SharedPatience,
    _ body: () throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let start = MonotonicTime.now
    let lock = try ChangeLock.ifPossible(of: path, in: folder, ChangeLock.Wait(until: patience.deadline))
    if lock?.wasHeld == true { patience.noteWait(since: start) }
    defer { lock?.release(folder) }
    try body()
  }

  private static func noDirectory(_ path: String) -> DatabaseError {
    DatabaseError(
      .inputOutput(code: SystemError.notFound.code), path: path, message: "there is no such directory",
      advice: "nothing was changed: make it first")
  }

  /// Whether this process may put another file in the place of the one at a path.
  ///
  /// - Throws: an error if there is no directory for it.
  package static func isChangeable(
    _ path: String, fileSystem: any FileSystem = DiskFileSystem()
  ) throws(DatabaseError) -> Bool {
    try check(path)
    let start = try DatabaseLocation.absolute(path)
    let directory = DatabaseDirectory(path: DatabaseDirectory.parent(of: start), fileSystem: fileSystem)
    let end = try directory.withOwnersRights { _ throws(DatabaseError) in try directory.end(of: start) }
    let folder = DatabaseDirectory(path: DatabaseDirectory.parent(of: end), fileSystem: fileSystem)
    return try folder.withOwnersRights { _ throws(DatabaseError) in
      if fileSystem.mayAccess(folder.path, for: .writing) { return true }
      do throws(SystemError) {
        _ = try fileSystem.status(at: folder.path, followingLinks: true)
        return false
      } catch SystemError.notFound {
        throw noDirectory(folder.path)
      } catch {
        // The attempt to write will report the reason.
        return true
      }
    }
  }

  /// Removes a file, or a link.
  ///
  /// - Parameter status: What it has to be; nil for anything.
  /// - Returns: false if it is something else now.
  private static func remove(
    _ path: String, in folder: DatabaseDirectory, ifStill status: FileStatus?
  ) throws(DatabaseError) -> Bool {
    var isRemoved = false
    return try folder.withOwnersRights { _ throws(DatabaseError) in
      do throws(SystemError) {
        let descriptor = try folder.fileSystem.open(folder.path, for: .directory)
        defer { folder.fileSystem.close(descriptor) }
        if let status, try !folder.isStill(status, at: path) { return false }
        try folder.fileSystem.remove(path)
        isRemoved = true
        try folder.synchronize(descriptor)
        return true
      } catch SystemError.notFound {
        // Another process has removed it first.
        return true
      } catch  where isRemoved {
        throw .inputOutput(error, path: path, "its removal may not survive a loss of power")
      } catch {
        throw .inputOutput(error, path: path, "cannot be removed", advice: "nothing was changed")
      }
    }
  }
}
