extension FileSystem {
  /// Reads a regular file at a path whose last component is no symbolic link.
  package func contents(ofRegularFile path: String) throws(SystemError) -> [UInt8] {
    let descriptor = try open(path, for: .reading)
    defer { close(descriptor) }
    let status = try status(of: descriptor)
    guard status.kind == .regular else { throw .notSupported }
    return try contents(of: descriptor, size: status.size)
  }

  /// Reads an open file to its end.
  ///
  /// - Parameter size: what the file is known to hold; more of it is read where there is more.
  func contents(of descriptor: Int32, size: Int64) throws(SystemError) -> [UInt8] {
    // More than any set of preferences; a larger file is a mistake that would fill the memory.
    let maximumSize = 1 << 30
    if size > maximumSize { throw .tooLarge }
    var bytes: [UInt8] = []
    while true {
      // One byte more than there should be: a read that gets no more than there should be has found the end.
      let part = try read(from: descriptor, upTo: max(Int(size) + 1 - bytes.count, 4096))
      if part.isEmpty { return bytes }
      // The first part is taken as it is; a copy of a large file would be in memory beside it.
      if bytes.isEmpty { bytes = part } else { bytes += part }
      if bytes.count == size { return bytes }
      if bytes.count > maximumSize { throw .tooLarge }
    }
  }

  /// Where a path leads once links are followed, as many of them as Linux follows.
  package func followingLinks(_ path: String) throws(SystemError) -> String {
    var path = path
    for _ in 0...DatabaseDirectory.maximumLinkCount {
      guard try status(at: path, followingLinks: false).kind == .symbolicLink else { return path }
      let destination = try destination(ofLink: path)
      let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
      path = destination.utf8.first == UInt8(ascii: "/") ? destination : folder + destination
    }
    throw .tooManyLinks
  }
}
