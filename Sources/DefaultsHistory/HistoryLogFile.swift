import DefaultsDatabase

/// The file of a history's log, open to read.
///
/// As long as it is open, no other file has its identity.
final class HistoryLogFile: Sendable {
  private let fileSystem: any FileSystem
  private let descriptor: Int32

  /// Opens the log of a history, in whose directory the rights have to be used; nil if there is none.
  init?(of history: History) throws(SystemError) {
    fileSystem = history.fileSystem
    do throws(SystemError) {
      descriptor = try fileSystem.open(history.logPath, for: .reading)
    } catch SystemError.notFound {
      return nil
    }
    guard try status.kind == .regular else { throw .notSupported }
  }

  deinit {
    fileSystem.close(descriptor)
  }

  /// What the file system tells of the file.
  var status: FileStatus {
    get throws(SystemError) { try fileSystem.status(of: descriptor) }
  }

  /// What the file has from a place on. Of a file that is too large there are so many bytes that it counts as damaged.
  func bytes(from start: Int) throws(SystemError) -> [UInt8] {
    _ = try fileSystem.seek(in: descriptor, to: .offset(start))
    var bytes: [UInt8] = []
    while bytes.count <= HistoryLog.maximumByteCount {
      let part = try fileSystem.read(from: descriptor, upTo: HistoryLog.maximumByteCount + 1 - bytes.count)
      if part.isEmpty { break }
      bytes += part
    }
    return bytes
  }
}
