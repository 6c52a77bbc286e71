import OpenStepPropertyList

/// How large a property list's file may be.
package enum FileSize {
  /// The most bytes that are read, and so the most that are written.
  ///
  /// More than any set of preferences; a larger file is a mistake that would fill the memory.
  package static let maximum = 1 << 30

  /// How many bytes are read at once of what has no known size.
  static let pieceSize = 1 << 14

  /// How many bytes are read at once of what may hold what is known already: few enough to stay in a cache.
  static let comparedSize = 1 << 16
}

extension FileSystem {
  /// Reads a regular file at a path whose last component is no symbolic link.
  package func contents(ofRegularFile path: String) throws(SystemError) -> [UInt8] {
    let descriptor = try open(path, for: .reading)
    defer { close(descriptor) }
    let status = try status(of: descriptor)
    guard status.kind == .regular else { throw .notSupported }
    return try contents(of: descriptor, size: status.size)
  }

  /// Reads whatever is open to its end: a file, a pipe, a device.
  ///
  /// - Parameter maximum: how much it may hold; where it holds more, no more is read.
  package func contents(
    of descriptor: Int32, upTo maximum: Int = FileSize.maximum
  ) throws(SystemError) -> [UInt8] {
    let status = try status(of: descriptor)
    return try contents(of: descriptor, size: status.kind == .regular ? status.size : 0, upTo: maximum)
  }

  /// Reads an open file to its end.
  ///
  /// - Parameters:
  ///   - size: what the file is known to hold; more of it is read where there is more.
  ///   - maximum: how much it may hold.
  ///   - known: what it may hold; where it does, a large file is not brought into memory a second time.
  func contents(
    of descriptor: Int32, size: Int64, upTo maximum: Int = FileSize.maximum, knowing known: [UInt8] = []
  ) throws(SystemError) -> [UInt8] {
    if size > maximum { throw .tooLarge }
    var bytes: [UInt8] = []
    if !known.isEmpty, known.count == size {
      let beginning = try beginning(of: descriptor, knowing: known)
      if beginning.isAll { return known }
      bytes = beginning.bytes
    }
    while true {
      // One byte more than there should be: a read that gets no more than there should be has found the end.
      let part = try read(from: descriptor, upTo: max(Int(size) + 1 - bytes.count, FileSize.pieceSize))
      if part.isEmpty { return bytes }
      if part.count > maximum - bytes.count { throw .tooLarge }
      // The first part is taken as it is; a copy of a large file would be in memory beside it.
      let isFirst = bytes.isEmpty
      if isFirst { bytes = part } else { bytes += part }
      if bytes.count == size, isFirst { return bytes }
    }
  }

  /// Reads an open file for as long as it holds what is known.
  ///
  /// - Returns: Whether the file is just that; else what was read, up to where it differs and a little more.
  private func beginning(
    of descriptor: Int32, knowing known: [UInt8]
  ) throws(SystemError) -> (isAll: Bool, bytes: [UInt8]) {
    var count = 0
    while true {
      let left = known.count - count
      let wanted = min(FileSize.comparedSize, left + 1)
      let part = try read(from: descriptor, upTo: wanted)
      if part.isEmpty, left > 0 { return (false, Array(known[..<count])) }
      let isKnown =
        part.count <= left
        && part.withUnsafeBytes { part in
          known.withUnsafeBytes {
            haveEqualBytes(part, UnsafeRawBufferPointer(rebasing: $0[count..<count + part.count]))
          }
        }
      if !isKnown { return (false, known[..<count] + part) }
      count += part.count
      // As above, a read that gets no more than there should be has found the end.
      if count == known.count, part.count < wanted { return (true, known) }
    }
  }

  /// Writes bytes to their end.
  package func write(all bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try write(rest, to: descriptor)
      if count <= 0 { throw .inputOutput }
      rest = rest.dropFirst(count)
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
