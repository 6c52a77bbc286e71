import Foundation
import TestSupport

@testable import DefaultsDatabase

/// Looks at a directory that take a tenth of a second each, and the pauses between them.
final class SlowLooks: Sendable {
  private let looks = Lock<[(start: MonotonicTime, end: MonotonicTime)]>([])

  /// The disk, whose directories take so long to list.
  var fileSystem: any FileSystem {
    FaultyFileSystem { [self] operation in
      guard operation.name == "names" else { return nil }
      let start = MonotonicTime.now
      CurrentProcess.pause(microseconds: 100_000)
      looks.withLock { $0.append((start, .now)) }
      return nil
    }
  }

  /// The pauses so far, in seconds, the first one first.
  var pauses: [Double] {
    looks.withLock { looks in zip(looks, looks.dropFirst()).map { $1.start.seconds(since: $0.end) } }
  }
}
