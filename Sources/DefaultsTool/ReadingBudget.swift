import DefaultsDatabase

/// How many bytes of a user's snapshots a command may still read to tell more than it was asked for.
///
/// A user can have any number of snapshots of files that consist of holes, and the administrator would read them for
/// hours.
final class ReadingBudget: Sendable {
  private let byteCount: Lock<Int>

  init(byteCount: Int = 256 << 20) {
    self.byteCount = Lock(byteCount)
  }

  /// Whether a domain's file may be read, which then counts.
  func allows(_ domain: DomainName, of database: UserDatabase) -> Bool {
    guard let size = try? database.byteCount(of: domain) else { return false }
    return byteCount.withLock { byteCount in
      guard size <= byteCount else { return false }
      byteCount -= size
      return true
    }
  }
}
