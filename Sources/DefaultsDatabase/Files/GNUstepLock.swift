/// GNUstep's lock of a directory, which its programs obey: a directory that only one process can create.
///
/// It remains when its holder is killed. Therefore a lock whose time is more than twenty seconds from now is
/// stale, and any process may remove it. GNUstep applies this to times in the past; here it applies to times
/// in the future too, because GNUstep's programs would wait until then.
final class GNUstepLock {
  private let path: String
  private let fileSystem: any FileSystem
  /// The status of the lock as it was created, to recognise it again.
  private let own: FileStatus
  /// Whether another process held it first.
  private(set) var wasHeld = false

  /// The folder of the lock, which programs that have locked a directory leave behind.
  static let folderName = ".lck"
  private static let name = ".GNUstepDefaults.lck"
  /// The age in seconds at which a lock is stale.
  private static let lifetime = 20.0
  /// In milliseconds. GNUstep tries ten times a second; at that rate its programs would have the lock most of
  /// the time.
  private static let pollInterval = 10

  /// Takes the lock, waiting for GNUstep's programs until the deadline; tries at least once, and once more in the place of a
  /// stale lock that was removed.
  ///
  /// The caller must hold the directory's ``FileLock``, so that only one process of this package tries at a
  /// time.
  ///
  /// - Throws: an error of the kind `locked` after the deadline.
  init(of directory: DatabaseDirectory, deadline: MonotonicTime) throws(DatabaseError) {
    fileSystem = directory.fileSystem
    let folder = directory.path(of: GNUstepLock.folderName)
    path = GNUstepLock.path(in: directory)
    try GNUstepLock.refuseOtherUsersFolder(in: directory)
    var isLast = false
    while true {
      do throws(SystemError) {
        guard let age = try GNUstepLock.attempt(path, in: folder, fileSystem) else {
          own = try GNUstepLock.statusOfOwn(path, fileSystem)
          return
        }
        if GNUstepLock.isStale(age) {
          // Another process may put a stale lock in its place each time.
          if isLast { throw GNUstepLock.timeIsUp }
          isLast = MonotonicTime.now >= deadline
          try GNUstepLock.removeStale(path, in: folder, fileSystem)
          continue
        }
        if MonotonicTime.now >= deadline { throw GNUstepLock.timeIsUp }
        wasHeld = true
        CurrentProcess.pause(microseconds: 1000 * GNUstepLock.pollInterval)
      } catch GNUstepLock.timeIsUp {
        throw DatabaseError(
          .locked(holder: nil), path: path, message: "a GNUstep program has held the lock for two seconds",
          advice:
            "nothing was changed; try again when it is done, or twenty seconds after it took the lock and was killed"
        )
      } catch {
        throw .inputOutput(
          error, path: path, "GNUstep's lock cannot be taken", advice: "nothing was changed")
      }
    }
  }

  /// The path of the lock of a directory.
  static func path(in directory: DatabaseDirectory) -> String {
    "\(directory.path(of: folderName))/\(name)"
  }

  /// Makes sure that this process still holds the lock.
  ///
  /// While a holder is stopped, or the machine sleeps, a GNUstep program may remove the lock as stale and
  /// save something.
  ///
  /// - Throws: an error of the kind `locked` if another process has replaced the lock.
  func check() throws(DatabaseError) {
    do throws(SystemError) {
      if try isOwn() { return }
    } catch {
      throw .inputOutput(
        error, path: path, "GNUstep's lock cannot be examined", advice: "nothing was changed")
    }
    throw DatabaseError(
      .locked(holder: nil), path: path,
      message: "a GNUstep program removed the lock of this save as stale",
      advice: "nothing was changed; save again")
  }

  /// Releases the lock, unless another process holds it by now.
  func release() {
    do throws(SystemError) {
      if try isOwn() { try fileSystem.removeDirectory(path) }
    } catch {
      // It becomes stale after twenty seconds.
    }
  }

  private func isOwn() throws(SystemError) -> Bool {
    do throws(SystemError) {
      let status = try fileSystem.status(at: path, followingLinks: false)
      // A new directory may have the inode number of the old one.
      return status.isSameFile(as: own) && status.modified == own.modified
    } catch SystemError.notFound {
      return false
    }
  }

  /// The status of the lock that was just created; removes the lock if that fails.
  private static func statusOfOwn(
    _ path: String, _ fileSystem: any FileSystem
  ) throws(SystemError) -> FileStatus {
    do throws(SystemError) {
      return try fileSystem.status(at: path, followingLinks: false)
    } catch {
      try fileSystem.removeDirectory(path)
      throw error
    }
  }

  /// Marks the end of the waiting; never leaves this type.
  private static let timeIsUp = SystemError(code: -1)

  /// Creates the lock; gives nil on success, and the age in seconds of a lock that exists already.
  private static func attempt(
    _ path: String, in folder: String, _ fileSystem: any FileSystem
  ) throws(SystemError) -> Double? {
    do throws(SystemError) {
      do throws(SystemError) {
        try fileSystem.makeDirectory(path)
      } catch SystemError.notFound {
        try makeFolder(folder, fileSystem)
        try fileSystem.makeDirectory(path)
      }
      return nil
    } catch SystemError.alreadyExists {
      return try age(of: path, fileSystem)
    }
  }

  /// Refuses the administrator a lock in a folder that another user can exchange: that user would choose where
  /// directories are made and removed.
  ///
  /// The folder is made first, since another user could make it after the check.
  static func refuseOtherUsersFolder(in directory: DatabaseDirectory) throws(DatabaseError) {
    guard FileRights.areAdministrators else { return }
    let (folder, fileSystem) = (directory.path(of: folderName), directory.fileSystem)
    do throws(SystemError) {
      try makeFolder(folder, fileSystem)
    } catch {
      throw .inputOutput(error, path: folder, "cannot be made", advice: "nothing was changed")
    }
    try FileRights.refuseOtherUsersPath(folder, fileSystem: fileSystem)
  }

  private static func makeFolder(_ folder: String, _ fileSystem: any FileSystem) throws(SystemError) {
    do throws(SystemError) {
      try fileSystem.makeDirectory(folder)
    } catch SystemError.alreadyExists {
      // Another process has made it first, or a dangling link is in the way, which the next step reports.
    }
  }

  /// Whether a lock of this age is stale.
  private static func isStale(_ age: Double) -> Bool {
    age.magnitude > lifetime
  }

  /// The path of the lock of a directory, and how many seconds ago it was taken, which is negative for a time in the
  /// future; nil without a stale lock.
  static func stale(in directory: DatabaseDirectory) -> (path: String, age: Double)? {
    let path = GNUstepLock.path(in: directory)
    guard let age = try? age(of: path, directory.fileSystem), isStale(age) else { return nil }
    return (path, age)
  }

  /// Removes the lock of a directory if it is stale; the caller must hold the directory's ``FileLock``, as for taking it.
  static func removeStale(in directory: DatabaseDirectory) throws(SystemError) {
    guard let stale = stale(in: directory) else { return }
    try removeStale(stale.path, in: directory.path(of: folderName), directory.fileSystem)
  }

  /// How many seconds ago the lock was taken; negative if its time lies in the future, 0 if it no longer
  /// exists.
  private static func age(of path: String, _ fileSystem: any FileSystem) throws(SystemError) -> Double {
    do throws(SystemError) {
      let taken = try fileSystem.status(at: path, followingLinks: false).modified
      let now = fileSystem.now
      // Computed as floating point, because a file system may keep any time, and integers could overflow.
      return Double(now.seconds) - Double(taken.seconds)
        + Double(now.nanoseconds - taken.nanoseconds) / 1_000_000_000
    } catch SystemError.notFound {
      return 0
    }
  }

  /// Removes a stale lock.
  ///
  /// The lock is renamed first: removed under its own name, it might be the new lock of another process. What a
  /// lock contains is not removed: GNUstep's is empty, and the directory of another user could be exchanged
  /// with a link to any other at the same moment.
  private static func removeStale(
    _ path: String, in folder: String, _ fileSystem: any FileSystem
  ) throws(SystemError) {
    let aside = "\(folder)/.stale-\(String(UInt64.random(in: .min ... .max), radix: 16))"
    do throws(SystemError) {
      try fileSystem.rename(path, to: aside)
    } catch SystemError.notFound {
      return
    }
    if try !isStale(age(of: aside, fileSystem)) {
      // It was a new lock, which its holder gets back. If a GNUstep program has made the next one in this moment,
      // that one is replaced, and both programs go on as its holder.
      return try fileSystem.rename(aside, to: path)
    }
    do throws(SystemError) {
      guard try fileSystem.status(at: aside, followingLinks: false).kind == .directory else {
        return try fileSystem.remove(aside)
      }
      try fileSystem.removeDirectory(aside)
    } catch {
      // It belongs to another user, or is not empty. It stays: under this name it locks nothing.
    }
  }
}
