/// A lock under which one file of any directory is changed, by its path or as a domain whose file is a link to it.
///
/// It is on the directory itself, and leaves no file behind. In a directory of a database it is the database's, and where
/// GNUstep's programs have locked it before, theirs as well. A directory in which every user may make files, as in `/tmp`,
/// counts as none of these.
struct DirectoryLock {
  private let fileSystem: any FileSystem
  private let holder: Holder
  /// The lock that GNUstep's programs obey; nil where none of them has ever saved anything.
  private(set) var gnustepLock: GNUstepLock?

  private enum Holder {
    case database(FileLock)
    case directory(Int32)
  }

  /// Takes the lock, waiting for other holders until the deadline; tries at least once.
  ///
  /// - Throws: an error of the kind `locked` after the deadline.
  init(of directory: DatabaseDirectory, deadline: MonotonicTime) throws(DatabaseError) {
    fileSystem = directory.fileSystem
    let isGNUsteps = DirectoryLock.has(GNUstepLock.folderName, .directory, in: directory)
    holder = try DirectoryLock.take(of: directory, isDatabase: isGNUsteps, deadline: deadline)
    guard isGNUsteps else { return }
    do throws(DatabaseError) {
      gnustepLock = try GNUstepLock(of: directory, deadline: deadline)
    } catch {
      releaseOwn()
      throw error
    }
  }

  /// Takes the lock where this user can, for a change that needs no lock of its own.
  ///
  /// - Returns: nil where this user may not lock the directory, and where another process that is perhaps another user's
  ///   holds the directory itself for more than a second: whoever may read a directory could keep this user from writing
  ///   there.
  /// - Throws: an error of the kind `locked` after the deadline otherwise, and an error if the system fails.
  static func ifPossible(
    of directory: DatabaseDirectory, deadline: MonotonicTime
  ) throws(DatabaseError) -> DirectoryLock? {
    let start = MonotonicTime.now
    do throws(DatabaseError) {
      return try DirectoryLock(of: directory, deadline: deadline)
    } catch {
      switch error.kind {
      case .refused: return nil
      case .inputOutput(let code) where SystemError(code: code).deniesLock: return nil
      case .locked where error.path == directory.path && start + DirectoryLock.patience < .now:
        if isOpenToOthers(directory) { return nil }
        throw error
      default: throw error
      }
    }
  }

  /// For how many seconds the lock of a directory that other users may read is waited for where it is not necessary;
  /// changes of files by their paths are done sooner.
  static let patience = 1.0

  /// Whether other users may read the directory, and so lock it.
  private static func isOpenToOthers(_ directory: DatabaseDirectory) -> Bool {
    do throws(SystemError) {
      return try directory.fileSystem.status(at: directory.path, followingLinks: true).mode & 0o044 != 0
    } catch {
      return false
    }
  }

  private static func take(
    of directory: DatabaseDirectory, isDatabase: Bool, deadline: MonotonicTime
  ) throws(DatabaseError) -> Holder {
    if isDatabase || hasFileLock(directory) {
      return .database(try FileLock(of: directory, deadline: deadline))
    }
    let descriptor = try lock(directory, deadline: deadline)
    // Whoever makes the first lock of a database holds the directory's meanwhile.
    guard hasFileLock(directory) else { return .directory(descriptor) }
    directory.fileSystem.unlockDirectory(descriptor)
    return .database(try FileLock(of: directory, deadline: deadline))
  }

  private static func hasFileLock(_ directory: DatabaseDirectory) -> Bool {
    has(FileLock.fileName, .regular, in: directory)
  }

  /// Makes sure that no program of GNUstep's has taken the lock away as stale.
  func check() throws(DatabaseError) { try gnustepLock?.check() }

  /// Opens the directory, and locks it.
  private static func lock(
    _ directory: DatabaseDirectory, deadline: MonotonicTime
  ) throws(DatabaseError) -> Int32 {
    do throws(SystemError) {
      return try directory.fileSystem.lockDirectory(directory.path, until: deadline)
    } catch SystemError.tryAgain {
      throw FileLock.locked(by: nil, path: directory.path)
    } catch SystemError.notFound {
      throw noDirectory(directory.path)
    } catch {
      throw .inputOutput(
        error, path: directory.path, "the directory cannot be locked", advice: "nothing was changed")
    }
  }

  static func noDirectory(_ path: String) -> DatabaseError {
    DatabaseError(
      .inputOutput(code: SystemError.notFound.code), path: path, message: "there is no such directory",
      advice: "nothing was changed: make it first")
  }

  /// Whether a directory has an entry that a lock of its owner leaves behind.
  ///
  /// Where every user may make files, such an entry says nothing: whoever has made it could keep others from taking the
  /// lock, and it may be a second name of a file that must not be written to.
  private static func has(_ name: String, _ kind: FileKind, in directory: DatabaseDirectory) -> Bool {
    do throws(SystemError) {
      let folder = try directory.fileSystem.status(at: directory.path, followingLinks: true)
      guard folder.mode & 0o002 == 0, let entry = try directory.statusIfPresent(at: directory.path(of: name))
      else { return false }
      return entry.kind == kind && entry.owner == folder.owner
    } catch {
      return false
    }
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

  private func releaseOwn() {
    switch holder {
    case .database(let lock): lock.release()
    case .directory(let descriptor): fileSystem.unlockDirectory(descriptor)
    }
  }
}
