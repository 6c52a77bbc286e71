/// What identifies one state of a file, and whether it proves that the file was not written since.
///
/// Like an index entry of Git: a file that was examined too soon after it was written is *racy*, and its
/// identity proves nothing. A file that this process wrote and gave a time of its own is not.
///
/// Two identities are equal if they are of the same state, whether they prove anything or not.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  /// The file's length in bytes.
  package let size: Int64
  private let modified: FileTime
  private let changed: FileTime
  /// Whether the file's times were old enough when it was examined: whether it is not *racy*.
  ///
  /// A second write within one tick of the file system's clock may leave the same times, and in a new file
  /// even the same inode number, which is used again at once. The coarsest clock in use, that of FAT, ticks
  /// every two seconds.
  package let isConclusive: Bool

  private static let coarsestTick: Double = 2

  /// Makes the identity of a file that was examined at the given time.
  ///
  /// - Parameter ownTime: The time that this process gave the file after it wrote it, by a clock that is finer than
  ///   the one from which the file system takes its times. A later write in the same tick sets the file's time to
  ///   the tick's beginning, which is another time, or to a later one. If the file system keeps times less exactly,
  ///   the file has another time than it was given, which then proves nothing.
  package init(_ status: FileStatus, at time: FileTime, ownTime: FileTime? = nil) {
    device = status.device
    inode = status.inode
    size = status.size
    modified = status.modified
    changed = status.changed
    // A time in the future proves nothing about the past.
    let latest = max(modified.seconds, changed.seconds)
    // As floating point: the difference of two integers could overflow.
    let isOld = Double(time.seconds) - Double(latest) > FileIdentity.coarsestTick
    // Where the tick began at this very nanosecond, the two times are the same.
    isConclusive = isOld || (modified == ownTime && modified != changed)
  }

  package static func == (left: FileIdentity, right: FileIdentity) -> Bool {
    left.device == right.device && left.inode == right.inode && left.size == right.size
      && left.modified == right.modified && left.changed == right.changed
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(inode)
    hasher.combine(changed)
  }

  /// Whether a file with this status is certainly the identified one, unwritten since.
  func proves(_ status: FileStatus) -> Bool {
    isConclusive && device == status.device && inode == status.inode && size == status.size
      && modified == status.modified && changed == status.changed
  }
}
