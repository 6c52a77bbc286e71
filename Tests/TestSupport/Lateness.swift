import DefaultsDatabase
import Foundation

/// How late the machine and its disk are while a test runs, by which a bound in seconds is widened.
///
/// A bound that a promise names holds on a machine that is not late; beside other tests, a thread may be woken late
/// and a write may wait for the writes of others.
public final class Lateness: Sendable {
  private let state = Lock((sleeps: Duration.zero, longestWrite: Duration.zero))

  /// What has been late altogether for a thread that sleeps a hundredth of a second at a time, and four times the longest
  /// write of a few bytes to the disk: a save writes that often.
  public var total: Duration { state.withLock { $0.sleeps + $0.longestWrite * 4 } }

  /// - Parameter folder: Where the disk is measured; on the disk of what is tested. Nothing is left there.
  public init(in folder: String) {
    let path = "\(folder)/.lateness-\(UUID().uuidString)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    unlink(path)
    Thread.detachNewThread { [weak self] in
      defer { close(descriptor) }
      let clock = ContinuousClock()
      while self != nil {
        let sleep = clock.measure { usleep(10_000) }
        let write = clock.measure { if pwrite(descriptor, "x", 1, 0) == 1 { fsync(descriptor) } }
        self?.state.withLock { state in
          state.sleeps += sleep - .milliseconds(10)
          state.longestWrite = max(state.longestWrite, write)
        }
      }
    }
  }
}
