import DefaultsDatabase

/// How many bytes of a user's snapshots and of the history's copies a command may still read to tell more than it was
/// asked for.
///
/// A user can have any number of snapshots of files that consist of holes, and a log that names the same copies any
/// number of times, and the administrator would read them for hours.
final class ReadingBudget: Sendable {
  private let byteCount: Lock<Int>

  /// What a file counts for at least, since a look at one that is small or missing takes time as well.
  private static let smallestByteCount = 4096

  init(byteCount: Int = 256 << 20) {
    self.byteCount = Lock(byteCount)
  }

  /// Whether no file may be read any more.
  var isSpent: Bool { byteCount.withLock { $0 < ReadingBudget.smallestByteCount } }

  /// Whether a domain's file may be read, which then counts; so does the look at one that cannot be.
  func allows(_ domain: DomainName, of database: UserDatabase) -> Bool {
    guard !isSpent else { return false }
    guard let size = try? database.byteCount(of: domain) else {
      countLook()
      return false
    }
    return allows(size)
  }

  /// Counts a look at a file that is not read.
  func countLook() { _ = allows(0) }

  /// Whether a file of that many bytes may be read, which then counts; otherwise the look at it does.
  func allows(_ size: Int) -> Bool {
    byteCount.withLock { byteCount in
      let size = max(size, ReadingBudget.smallestByteCount)
      let isAllowed = size <= byteCount
      byteCount -= isAllowed ? size : min(byteCount, ReadingBudget.smallestByteCount)
      return isAllowed
    }
  }
}
