package import OpenStepPropertyList

/// A moment as a file system records it.
package struct FileTime: Hashable, Sendable {
  /// Seconds since the first instant of 1970 in UTC.
  package var seconds: Int64
  /// Nanoseconds after that.
  package var nanoseconds: Int64

  package init(seconds: Int64, nanoseconds: Int64) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }
}

extension FileTime {
  /// The date of the whole second.
  package var date: PropertyListDate {
    // Computed as floating point, because a file system may keep any time, and integers could overflow.
    PropertyListDate(secondsSinceReferenceDate: Double(seconds) - FileTime.referenceDate)
  }

  /// The start of 2001 in UTC, from which a date counts.
  private static let referenceDate: Double = 978_307_200
}

/// What kind of file a path names.
package enum FileKind: Hashable, Sendable {
  case regular, directory, symbolicLink, pipe, socket, device

  /// Whether it is nothing that lies on a disk: a pipe, a socket or a device.
  package var isSpecial: Bool {
    switch self {
    case .pipe, .socket, .device: true
    case .regular, .directory, .symbolicLink: false
    }
  }
}

extension FileKind: CustomStringConvertible {
  /// What it is, with its article.
  package var description: String {
    switch self {
    case .regular: "a file"
    case .directory: "a directory"
    case .symbolicLink: "a symbolic link"
    case .pipe: "a pipe"
    case .socket: "a socket"
    case .device: "a device"
    }
  }
}

/// What the operating system records about a file.
package struct FileStatus: Hashable, Sendable {
  package var kind: FileKind
  package var owner: UInt32
  package var group: UInt32
  /// The permission bits.
  package var mode: UInt32
  package var device: UInt64
  package var inode: UInt64
  package var size: Int64
  package var modified: FileTime
  package var changed: FileTime
  /// Whether an access control list decides who may write, and not the group in the mode; looked up for a
  /// directory of the administrator's group alone, which is trusted otherwise.
  package var hasAccessList = false
  /// How many names the file has: hard links.
  package var linkCount = 1

  package init(
    kind: FileKind, owner: UInt32, group: UInt32, mode: UInt32 = 0o600, device: UInt64, inode: UInt64,
    size: Int64,
    modified: FileTime, changed: FileTime
  ) {
    self.kind = kind
    self.owner = owner
    self.group = group
    self.mode = mode
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }

  /// Whether both describe the same file, whatever it contains.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }

  /// Whether both describe the same file, and tell of no change of its bytes between them.
  ///
  /// The time of the last change of any kind does not count: backups and programs that mark files set it.
  package func isSameState(as other: FileStatus) -> Bool {
    isSameFile(as: other) && size == other.size && modified == other.modified
  }
}
