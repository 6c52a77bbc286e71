import Foundation

/// A user's pipe whose two ends a process has open, and in which nothing happens.
public struct SilentPipe {
  private let isOver = DispatchSemaphore(value: 0)

  /// Makes the pipe.
  public init(at path: String, of user: UInt32) throws {
    guard mkfifo(path, 0o600) == 0, chown(path, user, user) == 0 else {
      throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO)
    }
    let ends = open(path, O_RDWR | O_CLOEXEC)
    guard ends >= 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
    Thread.detachNewThread { [isOver] in
      // Ends a failing test, which waits for the other end.
      _ = isOver.wait(timeout: .now() + 60)
      close(ends)
    }
  }

  /// Has the ends closed.
  public func end() { isOver.signal() }
}
