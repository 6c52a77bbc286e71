import Foundation

/// The limit of a save: the least calls that bring bytes safely into a file's place.
struct SameBytes {
  private let bytes: [UInt8]
  private let directory: String

  init(_ bytes: [UInt8], in directory: URL) {
    self.bytes = bytes
    self.directory = directory.path
  }

  /// Writes a temporary file, flushes it, renames it and flushes the directory.
  func write() throws -> Int {
    let (temporary, place) = (directory + "/temporary", directory + "/file")
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer {
      close(file)
      close(folder)
    }
    let count = Foundation.write(file, bytes, bytes.count)
    guard count == bytes.count, fsync(file) == 0, rename(temporary, place) == 0, fsync(folder) == 0 else {
      throw Absence("cannot write in \(directory): \(String(cString: strerror(errno)))")
    }
    return count
  }
}
