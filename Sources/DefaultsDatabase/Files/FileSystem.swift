/// The few operations that reading and saving a domain need.
///
/// Every disk access of this module goes through it, so that tests can make each one fail.
package protocol FileSystem: Sendable {
  /// Opens a file without following a symbolic link in the path's last component, unless the purpose says so.
  func open(_ path: String, for purpose: OpenPurpose) throws(SystemError) -> Int32
  /// Closes a descriptor; what was written is safe only after ``synchronize(_:)``, so nothing can fail here.
  func close(_ descriptor: Int32)
  /// Reads up to a number of bytes; none at the end of the file.
  func read(from descriptor: Int32, upTo count: Int) throws(SystemError) -> [UInt8]
  /// Writes bytes and returns how many of them were.
  func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) -> Int
  /// Writes a few bytes at a place in the file, wherever the descriptor stands.
  func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws(SystemError)
  /// Waits until a file's contents, or a directory's entries, are on stable storage.
  func synchronize(_ descriptor: Int32) throws(SystemError)
  /// Takes an exclusive lock that dies with its holder; false where another has it.
  func tryLock(_ descriptor: Int32) throws(SystemError) -> Bool
  /// Gives the lock back, also where a child process has the file open.
  func unlock(_ descriptor: Int32)
  /// What is known of an open file.
  func status(of descriptor: Int32) throws(SystemError) -> FileStatus
  /// What is known of the file at a path; of a symbolic link itself unless links are followed.
  func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus
  /// Whether this process may read, or write, the file at a path.
  func mayAccess(_ path: String, for access: FileAccess) -> Bool
  /// Sets a file's permissions, whatever the process's mask.
  func setMode(_ mode: UInt32, of descriptor: Int32) throws(SystemError)
  /// Sets a file's owner and group.
  func setOwner(_ owner: UInt32, group: UInt32, of descriptor: Int32) throws(SystemError)
  /// Renames a file, replacing what has the new name.
  func rename(_ path: String, to newPath: String) throws(SystemError)
  /// Gives a file a second name that must be free; a symbolic link gets it itself.
  func link(_ path: String, to newPath: String) throws(SystemError)
  /// Removes a file.
  func remove(_ path: String) throws(SystemError)
  /// Removes a directory with nothing in it.
  func removeDirectory(_ path: String) throws(SystemError)
  /// Makes a directory that only its owner can enter.
  func makeDirectory(_ path: String) throws(SystemError)
  /// Where a symbolic link points.
  func destination(ofLink path: String) throws(SystemError) -> String
  /// The names in a directory, in no order; those that are not UTF-8 are left out.
  func names(inDirectory path: String) throws(SystemError) -> [String]
  /// How many names in a directory are not UTF-8, and so left out of ``names(inDirectory:)``.
  func foreignNameCount(inDirectory path: String) throws(SystemError) -> Int
  /// The present time, by the clock that dates files.
  var now: FileTime { get }
}

/// What a file is opened for.
package enum OpenPurpose: Hashable, Sendable {
  /// To be read; opening a FIFO does not wait for a writer.
  case reading
  /// A file that must not exist yet, readable and writable by its owner only.
  case creating
  /// What somebody named, to be read to its end: a file, a device, or a pipe, for whose writer opening waits; links
  /// are followed.
  case readingThrough
  /// What is there already and takes bytes, such as a device or a pipe; it is not emptied, and links are followed.
  case writingThrough
  /// A file to hold a lock on.
  case locking
  /// A directory, to synchronize its entries.
  case directory
}

/// A way to use a file.
package enum FileAccess: Hashable, Sendable {
  case reading, writing
}
