/// The few file operations that reading and saving a domain need.
///
/// Every disk access of this module goes through this protocol, so that tests can make each one fail.
package protocol FileSystem: Sendable {
  /// The temporary files that could not be removed from it.
  var unremoved: UnremovedFiles { get }
  /// Opens a file without following a symbolic link in the path's last component, unless the purpose says so.
  func open(_ path: String, for purpose: OpenPurpose) throws(SystemError) -> Int32
  /// Closes a descriptor, which cannot fail: only ``synchronize(_:)`` makes sure that the data is stored.
  func close(_ descriptor: Int32)
  /// Reads up to a number of bytes; none at the end of the file.
  func read(from descriptor: Int32, upTo count: Int) throws(SystemError) -> [UInt8]
  /// Waits until a pipe has bytes, or has had its last writer; false at the deadline. True at once for all else.
  func waitForWriter(of descriptor: Int32, until deadline: MonotonicTime) throws(SystemError) -> Bool
  /// Writes bytes and returns how many were written.
  func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) -> Int
  /// Writes a few bytes at an offset of the file, and does not use the descriptor's own position.
  func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws(SystemError)
  /// Moves the position at which a file is read and written next, and gives it; nil if there is no such place.
  func seek(in descriptor: Int32, to place: FilePlace) throws(SystemError) -> Int?
  /// Ends a file at an offset; what it did not reach before is a hole.
  func setSize(_ size: Int, of descriptor: Int32) throws(SystemError)
  /// Begins to bring a file's contents to the disk, so that ``synchronize(_:)``, which has to follow, waits less.
  func beginSynchronizing(_ descriptor: Int32)
  /// Waits until a file's contents, or a directory's entries, are on stable storage.
  func synchronize(_ descriptor: Int32) throws(SystemError)
  /// Takes an exclusive lock that the kernel releases when its holder ends; false if another has it.
  func tryLock(_ descriptor: Int32) throws(SystemError) -> Bool
  /// Releases the lock, also where a child process has the file open.
  func unlock(_ descriptor: Int32)
  /// The status of an open file.
  func status(of descriptor: Int32) throws(SystemError) -> FileStatus
  /// The status of the file at a path; of a symbolic link itself unless links are followed.
  func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus
  /// Whether this process may read, or write, the file at a path.
  func mayAccess(_ path: String, for access: FileAccess) -> Bool
  /// Sets a file's permissions, independently of the process's umask.
  func setMode(_ mode: UInt32, of descriptor: Int32) throws(SystemError)
  /// Sets when a file was modified, and last read.
  func setModified(_ time: FileTime, of descriptor: Int32) throws(SystemError)
  /// Sets a file's owner and group.
  func setOwner(_ owner: UInt32, group: UInt32, of descriptor: Int32) throws(SystemError)
  /// Gives an open file the access control list of another one, or none if that one has none.
  func copyAccessList(of source: Int32, to descriptor: Int32) throws(SystemError)
  /// Renames a file, replacing a file of the new name.
  func rename(_ path: String, to newPath: String) throws(SystemError)
  /// Makes a hard link, whose name must not exist yet; of a symbolic link itself, not of its destination.
  func link(_ path: String, to newPath: String) throws(SystemError)
  /// Removes a file.
  func remove(_ path: String) throws(SystemError)
  /// Removes an empty directory.
  func removeDirectory(_ path: String) throws(SystemError)
  /// Makes a directory that only its owner can enter.
  func makeDirectory(_ path: String) throws(SystemError)
  /// Where a symbolic link points.
  func destination(ofLink path: String) throws(SystemError) -> String
  /// The names in a directory, in no order; names that are not UTF-8 are left out.
  func names(inDirectory path: String) throws(SystemError) -> [String]
  /// How many names in a directory are not UTF-8, and so left out of ``names(inDirectory:)``.
  func undecodableNameCount(inDirectory path: String) throws(SystemError) -> Int
  /// Opens a directory, through which the calling thread reaches it and its entries; nil where there is nothing to be
  /// gained by it.
  func hold(_ directory: String) throws(SystemError) -> HeldDirectory?
  /// The present time, by the clock that gives files their times.
  var now: FileTime { get }
}

extension FileSystem {
  package func hold(_ directory: String) throws(SystemError) -> HeldDirectory? { nil }
}

/// The purpose of opening a file.
package enum OpenPurpose: Hashable, Sendable {
  /// To read it; opening a FIFO does not wait for a writer.
  case reading
  /// To create it, readable and writable by its owner only; it must not exist yet.
  case creating
  /// To create it with the permissions that the process's umask leaves to others; it must not exist yet.
  case creatingShared
  /// To read what a person named to its end: a file, a device, or a pipe; links are followed. Opening a FIFO does
  /// not wait for a writer.
  case readingThrough
  /// To write into what exists already, such as a device or a pipe; it is not truncated, and links are
  /// followed.
  case writingThrough
  /// To add to the end of a file that exists.
  case appending
  /// To hold a lock on it.
  case locking
  /// To synchronize a directory's entries.
  case directory
  /// To hold a lock on a directory.
  case lockingDirectory
  /// To hold a lock on a file of any program's; nothing is written to it.
  case lockingFile
}

/// A place in a file.
package enum FilePlace: Hashable, Sendable {
  case offset(Int)
  /// The first byte from an offset on that lies in no hole.
  ///
  /// A file system that does not know where its files have holes throws ``SystemError/invalidArgument``.
  case data(from: Int)
  /// The start of the first hole from an offset on; the end of the file counts as one.
  case hole(from: Int)
}

/// A way to use a file.
package enum FileAccess: Hashable, Sendable {
  case reading, writing
}
