/// A lock under which one file of any directory is changed, by its path or as a domain whose file is a link to it.
///
/// If the directory is a database, this is the database's lock, and GNUstep's as well where its programs have locked
/// there before. Otherwise it is a lock on the file itself, which leaves nothing behind; a directory in which every
/// user may make files, such as `/tmp`, counts as no database.
///
/// Whoever may read a file can lock it for any time. Therefore the lock of a file is waited for only until the deadline,
/// or for ``patience`` if other users may read the file; then the change is made without it. For this reason, and because
/// some programs take no locks, the writer checks just before the rename that the file is still the one that was read,
/// and starts again if it is not.
struct ChangeLock {
  private let directory: DatabaseDirectory
  private let holder: Holder
  /// The lock that GNUstep's programs obey; nil where none of them has ever saved anything.
  private(set) var gnustepLock: GNUstepLock?
  /// Whether another process or thread held it first.
  private(set) var wasHeld: Bool

  private enum Holder {
    case database(FileLock)
    case file(Int32)
    /// There is no file, or it cannot be locked, or others hold its lock.
    case nobody
  }

  /// For how many seconds the lock of a file that other users may read is waited for.
  private static let patience = 0.5

  /// Once the lock of a file was waited for in vain, the next ones are not: a call about many files would otherwise wait
  /// for each of them.
  private static let sharedPatience = SharedPatience()

  /// How long a waiter pauses between two attempts, in microseconds.
  private static let pollInterval = 1000

  /// A wait for other processes.
  struct Wait {
    /// When it ends.
    var deadline: MonotonicTime
    /// Whether the lock of a file is not waited for any longer.
    var isVain = false
    /// Whether to wait at all; else a lock that is held is an error.
    let isAllowed: Bool
    /// Whether the caller itself waits until the lock of a file is free (``ChangeLock/waitUntilFree(_:in:_:)``): a lock
    /// that is held is an error then, as long as it is to be waited for.
    let isCallers: Bool

    init(until deadline: MonotonicTime, isAllowed: Bool = true, isCallers: Bool = false) {
      (self.deadline, self.isAllowed, self.isCallers) = (deadline, isAllowed, isCallers)
    }

    /// Whether the lock of a file, which is held, is waited for no longer.
    ///
    /// - Parameter start: Since when it has been waited for.
    fileprivate func isOver(since start: MonotonicTime, readableByOthers isReadable: Bool) -> Bool {
      if isVain { return true }
      let now = MonotonicTime.now
      let isOver = now >= deadline || isReadable && now >= start + patience
      if isOver, now >= start + patience { sharedPatience.noteRefusal() }
      return isOver || sharedPatience.isOver
    }
  }

  /// Takes the lock, waiting for other holders until the deadline; tries at least once.
  ///
  /// - Parameters:
  ///   - path: The path of the file, without a link at its end; the file need not exist.
  ///   - directory: The directory that contains it.
  /// - Throws: an error of the kind `locked` if another process holds the lock of the database until the deadline, or if
  ///   the caller does not wait here.
  init(of path: String, in directory: DatabaseDirectory, _ wait: Wait) throws(DatabaseError) {
    self.directory = directory
    let isGNUsteps = ChangeLock.has(GNUstepLock.folderName, .directory, in: directory)
    (holder, wasHeld) = try ChangeLock.take(path, in: directory, isDatabase: isGNUsteps, wait)
    guard isGNUsteps else { return }
    do throws(DatabaseError) {
      let lock = try GNUstepLock(of: directory, deadline: wait.deadline)
      (gnustepLock, wasHeld) = (lock, wasHeld || lock.wasHeld)
    } catch {
      releaseOwn()
      throw error
    }
  }

  /// Takes the lock where this user can, for a change that needs no lock of its own.
  ///
  /// - Returns: nil where this user may not take the lock of the database in the directory.
  /// - Throws: an error of the kind `locked` after the deadline, and an error if the system fails.
  static func ifPossible(
    of path: String, in directory: DatabaseDirectory, _ wait: Wait
  ) throws(DatabaseError) -> ChangeLock? {
    do throws(DatabaseError) {
      return try ChangeLock(of: path, in: directory, wait)
    } catch {
      switch error.kind {
      case .refused: return nil
      case .inputOutput(let code) where SystemError(code: code).deniesLock: return nil
      default: throw error
      }
    }
  }

  private static func take(
    _ path: String, in directory: DatabaseDirectory, isDatabase: Bool, _ wait: Wait
  ) throws(DatabaseError) -> (Holder, wasHeld: Bool) {
    var wasHeld = false
    if !isDatabase, !hasFileLock(directory) {
      let holder: Holder
      (holder, wasHeld) = try lockFile(path, in: directory, wait)
      guard hasFileLock(directory) else { return (holder, wasHeld) }
      // The directory has become a database's meanwhile.
      release(holder, directory.fileSystem)
    }
    let lock = try FileLock(of: directory, deadline: wait.deadline, mayOvertake: wait.isAllowed)
    return (.database(lock), wasHeld || lock.wasHeld)
  }

  private static func hasFileLock(_ directory: DatabaseDirectory) -> Bool {
    has(FileLock.fileName, .regular, in: directory)
  }

  /// Whether a directory has an entry that a lock of its owner leaves behind.
  ///
  /// Where every user may make files, and for the administrator where any other user may, such an entry says nothing:
  /// whoever has put it there could keep others from taking the lock, and it may be a file that must not be written to,
  /// under a second name or moved there.
  private static func has(_ name: String, _ kind: FileKind, in directory: DatabaseDirectory) -> Bool {
    do throws(SystemError) {
      let folder = try directory.fileSystem.status(at: directory.path, followingLinks: true)
      let others = FileRights.areAdministrators ? PathWalk.othersBits(folder) : 0o002
      guard folder.mode & others == 0, let entry = try directory.statusIfPresent(at: directory.path(of: name))
      else { return false }
      return entry.kind == kind && entry.owner == folder.owner
    } catch {
      return false
    }
  }

  // MARK: The lock of a file

  /// Locks the file itself.
  private static func lockFile(
    _ path: String, in directory: DatabaseDirectory, _ wait: Wait
  ) throws(DatabaseError) -> (Holder, wasHeld: Bool) {
    var wasHeld = false
    let start = MonotonicTime.now
    while true {
      switch try attempt(path, in: directory) {
      case .taken(let descriptor): return (.file(descriptor), wasHeld)
      case .impossible: return (.nobody, wasHeld)
      case .held(let isReadable):
        wasHeld = true
        if wait.isAllowed, wait.isOver(since: start, readableByOthers: isReadable) {
          return (.nobody, wasHeld)
        }
        if !wait.isAllowed || wait.isCallers { throw FileLock.locked(by: nil, path: path) }
        CurrentProcess.pause(microseconds: pollInterval)
      }
    }
  }

  /// Waits until a file's lock is free, or for as long as it is waited for.
  ///
  /// - Returns: Whether it is free, or cannot be taken.
  static func waitUntilFree(
    _ path: String, in directory: DatabaseDirectory, _ wait: Wait
  ) throws(DatabaseError) -> Bool {
    let start = MonotonicTime.now
    while case .held(let isReadable) = try attempt(path, in: directory, keeping: false) {
      if wait.isOver(since: start, readableByOthers: isReadable) { return false }
      CurrentProcess.pause(microseconds: pollInterval)
    }
    return true
  }

  /// - Parameter keeps: Whether to keep a lock that is taken.
  private static func attempt(
    _ path: String, in directory: DatabaseDirectory, keeping keeps: Bool = true
  ) throws(DatabaseError) -> Attempt {
    do throws(SystemError) {
      let attempt = try lockOnce(path, directory.fileSystem)
      if !keeps, case .taken(let descriptor) = attempt { release(.file(descriptor), directory.fileSystem) }
      return attempt
    } catch {
      throw .inputOutput(error, path: path, "cannot be locked", advice: "nothing was changed")
    }
  }

  private enum Attempt {
    case taken(Int32)
    case held(isReadableByOthers: Bool)
    case impossible
  }

  private static func lockOnce(
    _ path: String, _ fileSystem: any FileSystem
  ) throws(SystemError) -> Attempt {
    do throws(SystemError) {
      // Before it is opened, because that has an effect on pipes and some devices.
      guard try fileSystem.status(at: path, followingLinks: false).kind == .regular,
        !RemoteFileSystem.hasMandatoryLocks(path)
      else { return .impossible }
      let descriptor = try fileSystem.open(path, for: .lockingFile)
      var isTaken = false
      defer { if !isTaken { release(.file(descriptor), fileSystem) } }
      let status = try fileSystem.status(of: descriptor)
      if try fileSystem.tryLock(descriptor) {
        isTaken = try fileSystem.status(at: path, followingLinks: false).isSameFile(as: status)
        if isTaken { return .taken(descriptor) }
        // Another file has taken its place since it was opened, and a lock on this one would exclude nobody.
      }
      return .held(isReadableByOthers: status.mode & 0o044 != 0)
    } catch  where error == .notFound || error == .tooManyLinks || error == .tryAgain || error.deniesLock {
      // Removed meanwhile, or replaced by a link; or a file server does not let go of it.
      return .impossible
    }
  }

  // MARK: While it is held

  /// Makes sure that no program of GNUstep's has taken the lock away as stale.
  func check() throws(DatabaseError) { try gnustepLock?.check() }

  /// Whether it excludes nobody any more, because the directory has become a database's since it was taken.
  var isOutdated: Bool {
    if case .database = holder { return false }
    return ChangeLock.hasFileLock(directory)
  }

  /// Releases the lock with the rights that have to be used in its directory.
  func release(_ directory: DatabaseDirectory) {
    if gnustepLock != nil {
      do throws(DatabaseError) {
        return try directory.withOwnersRights { _ in release() }
      } catch {
        // GNUstep's lock becomes stale after twenty seconds.
      }
    }
    releaseOwn()
  }

  /// Releases the lock with the thread's present rights.
  func release() {
    gnustepLock?.release()
    releaseOwn()
  }

  private func releaseOwn() { ChangeLock.release(holder, directory.fileSystem) }

  private static func release(_ holder: Holder, _ fileSystem: any FileSystem) {
    switch holder {
    case .database(let lock): lock.release()
    case .file(let descriptor):
      // Closing is not enough where the program has forked meanwhile.
      fileSystem.unlock(descriptor)
      fileSystem.close(descriptor)
    case .nobody: break
    }
  }
}
