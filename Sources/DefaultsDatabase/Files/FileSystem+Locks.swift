/// A lock on a directory itself, which leaves no file behind.
extension FileSystem {
  /// Opens a directory, and waits until no other process holds its lock.
  ///
  /// - Throws: ``SystemError/tryAgain`` if another process holds it until the deadline.
  package func lockDirectory(
    _ path: String, until deadline: MonotonicTime
  ) throws(SystemError) -> Int32 {
    let descriptor = try open(path, for: .lockingDirectory)
    do throws(SystemError) {
      while try !tryLock(descriptor) {
        guard MonotonicTime.now < deadline else { throw .tryAgain }
        CurrentProcess.pause(microseconds: pollInterval)
      }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Releases the lock of a directory, and closes it.
  package func unlockDirectory(_ descriptor: Int32) {
    unlock(descriptor)
    close(descriptor)
  }
}

/// How long a waiter pauses between two attempts, in microseconds.
private let pollInterval = 1000
