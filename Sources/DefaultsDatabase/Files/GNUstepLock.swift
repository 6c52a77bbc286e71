/// GNUstep's lock of a directory, the one that its programs obey: a directory that only one can make.
///
/// It outlives a holder that is killed; for that, one whose time is more than twenty seconds away from now counts as
/// left behind, and anybody may remove it: in the past, as GNUstep has it, and in the future, where a clock was wrong
/// and GNUstep's programs would wait until that time comes.
final class GNUstepLock {
  private let path: String
  private let fileSystem: any FileSystem
  /// The lock as it was made, by which it is known again.
  private let own: FileStatus

  private static let folderName = ".lck"
  private static let name = ".GNUstepDefaults.lck"
  /// In seconds.
  private static let lifetime = 20.0
  /// In milliseconds; GNUstep looks ten times a second, and would have the lock most of the time if this did too.
  private static let pollInterval = 10

  /// Takes the lock, waiting for GNUstep's programs until a time; tries at least once.
  ///
  /// The directory's own lock must be held: of this package's processes, one at a time comes here.
  ///
  /// - Throws: an error of the kind `locked` after the time is up.
  init(of directory: DatabaseDirectory, deadline: MonotonicTime) throws(DatabaseError) {
    fileSystem = directory.fileSystem
    let folder = directory.path(of: GNUstepLock.folderName)
    path = "\(folder)/\(GNUstepLock.name)"
    while true {
      do throws(SystemError) {
        guard let age = try GNUstepLock.attempt(path, in: folder, fileSystem) else {
          own = try GNUstepLock.statusOfOwn(path, fileSystem)
          return
        }
        if GNUstepLock.isStale(age) {
          try GNUstepLock.removeStale(path, in: folder, fileSystem)
          continue
        }
        if MonotonicTime.now >= deadline { throw GNUstepLock.timeIsUp }
        CurrentProcess.pause(microseconds: 1000 * GNUstepLock.pollInterval)
      } catch GNUstepLock.timeIsUp {
        throw DatabaseError(
          .locked(holder: nil), path: path, message: "a GNUstep program has held the lock for two seconds",
          advice:
            "nothing was changed; try again when it is done, or twenty seconds after it took the lock and was killed"
        )
      } catch {
        throw .inputOutput(error, path: path, "GNUstep's lock cannot be had", advice: "nothing was changed")
      }
    }
  }

  /// Makes sure that the lock is still this one.
  ///
  /// A process that is stopped while it holds it, or sleeps with the whole machine, may find that a GNUstep program took it for one
  /// that was left behind, and has saved something meanwhile.
  ///
  /// - Throws: an error of the kind `locked` where it is not.
  func check() throws(DatabaseError) {
    do throws(SystemError) {
      if try isOwn() { return }
    } catch {
      throw .inputOutput(
        error, path: path, "GNUstep's lock cannot be looked at", advice: "nothing was changed")
    }
    throw DatabaseError(
      .locked(holder: nil), path: path,
      message: "a GNUstep program took the lock of this save for one that was left behind",
      advice: "nothing was changed; save again")
  }

  /// Gives the lock back, unless it is another's by now.
  func release() {
    do throws(SystemError) {
      if try isOwn() { try fileSystem.removeDirectory(path) }
    } catch {
      // Twenty seconds later anybody may remove it.
    }
  }

  private func isOwn() throws(SystemError) -> Bool {
    do throws(SystemError) {
      let status = try fileSystem.status(at: path, followingLinks: false)
      // A new directory may have the old one's number.
      return status.isSameFile(as: own) && status.modified == own.modified
    } catch SystemError.notFound {
      return false
    }
  }

  /// The lock that was just made; where it cannot be looked at, it is given back.
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

  /// Stands for the end of the waiting, inside this type only.
  private static let timeIsUp = SystemError(code: -1)

  /// Makes the lock; gives the age in seconds of one that is there already, and nil when it is ours.
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

  private static func makeFolder(_ folder: String, _ fileSystem: any FileSystem) throws(SystemError) {
    do throws(SystemError) {
      try fileSystem.makeDirectory(folder)
    } catch SystemError.alreadyExists {
      // Another process was faster; or a link that leads nowhere is in the way, and the next step says so.
    }
  }

  /// Whether a lock of an age was left behind.
  private static func isStale(_ age: Double) -> Bool {
    age.magnitude > lifetime
  }

  /// How many seconds ago the lock was taken; negative where a clock was wrong, 0 where it is gone.
  private static func age(of path: String, _ fileSystem: any FileSystem) throws(SystemError) -> Double {
    do throws(SystemError) {
      let taken = try fileSystem.status(at: path, followingLinks: false).modified
      let now = fileSystem.now
      // Times may be anything that the file system can keep.
      return Double(now.seconds) - Double(taken.seconds)
        + Double(now.nanoseconds - taken.nanoseconds) / 1_000_000_000
    } catch SystemError.notFound {
      return 0
    }
  }

  /// Removes a lock that was left behind, with whatever is in it.
  ///
  /// It gets another name first: removed where it is, it might be a new one by then.
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
      // A new one after all: its holder has it back, unless somebody has made the next already.
      return try fileSystem.rename(aside, to: path)
    }
    do throws(SystemError) {
      guard try fileSystem.status(at: aside, followingLinks: false).kind == .directory else {
        return try fileSystem.remove(aside)
      }
      for name in try fileSystem.names(inDirectory: aside) { try fileSystem.remove("\(aside)/\(name)") }
      try fileSystem.removeDirectory(aside)
    } catch {
      // Somebody else's, or something lies deep in it: it stays, and under this name it locks nothing.
    }
  }
}
