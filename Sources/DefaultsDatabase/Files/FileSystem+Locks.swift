/// A lock on a directory itself, which leaves no file behind.
extension FileSystem {
  /// Opens a directory, and waits until no other process holds its lock.
  ///
  /// The path leads to the locked directory when this returns: one that was removed meanwhile excludes nobody.
  ///
  /// - Throws: ``SystemError/tryAgain`` if another process holds it until the deadline.
  package func lockDirectory(
    _ path: String, until deadline: MonotonicTime
  ) throws(SystemError) -> Int32 {
    while true {
      let descriptor = try open(path, for: .lockingDirectory)
      do throws(SystemError) {
        while try !tryLock(descriptor) {
          guard MonotonicTime.now < deadline else { throw .tryAgain }
          CurrentProcess.pause(microseconds: pollInterval)
        }
        if try leads(path, to: descriptor) { return descriptor }
        guard MonotonicTime.now < deadline else { throw .tryAgain }
      } catch {
        close(descriptor)
        throw error
      }
      close(descriptor)
    }
  }

  /// Whether a path leads to an open directory.
  package func leads(_ path: String, to descriptor: Int32) throws(SystemError) -> Bool {
    try status(at: path, followingLinks: false).isSameFile(as: status(of: descriptor))
  }

  /// Releases the lock of a directory, and closes it.
  package func unlockDirectory(_ descriptor: Int32) {
    unlock(descriptor)
    close(descriptor)
  }
}

/// How long a waiter pauses between two attempts, in microseconds.
private let pollInterval = 1000
