import BenchmarkKit
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

extension Contender {
  /// What a save is measured against: work on the disk that takes as long as the system needs for it.
  ///
  /// - Parameter folder: Where the save writes; in memory there is nothing to wait for, and no limit.
  static func onDisk(
    _ name: String, _ bench: Workbench, _ folder: URL, _ body: @escaping () throws -> Int
  ) -> Contender {
    bench.isOnDisk
      ? .limit(name) { count in try time(count) { try body() } }
      : Contender(name, .limit, .absent("\(folder.path) is in memory; -dir names another place"))
  }
}
