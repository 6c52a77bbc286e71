import OpenStepPropertyList

extension FileSystem {
  /// Reads a regular file at a path whose last component is no symbolic link.
  ///
  /// - Parameter maximum: The most bytes that are read; of a larger file none is.
  package func contents(
    ofRegularFile path: String, upTo maximum: Int = FileSize.maximum
  ) throws(SystemError) -> [UInt8] {
    let descriptor = try open(path, for: .reading)
    defer { close(descriptor) }
    let status = try status(of: descriptor)
    guard status.kind == .regular else { throw .notSupported }
    return try contents(of: descriptor, size: status.size, upTo: maximum)
  }

  /// Reads a descriptor (a file, a pipe, a device) to its end.
  ///
  /// - Parameter maximum: The most bytes that are read; more than that is an error.
  package func contents(
    of descriptor: Int32, upTo maximum: Int = FileSize.maximum
  ) throws(SystemError) -> [UInt8] {
    let status = try status(of: descriptor)
    return try contents(of: descriptor, size: status.kind == .regular ? status.size : 0, upTo: maximum)
  }

  /// Reads what a path leads to, to its end: a file, a device, or a pipe into which a process writes.
  ///
  /// A pipe that no process has opened to write is not waited for longer than ``UserDatabase/patience``, in which a
  /// shell starts the process that writes. With a user's rights the administrator reads no pipe, socket or device: that user
  /// could have the reader wait for ever.
  ///
  /// - Parameters:
  ///   - takesPipes: Whether anything but a regular file is read.
  ///   - maximum: The most bytes that are read; more than that is an error.
  /// - Throws: ``SystemError/noWriter`` for such a pipe; ``SystemError/notSupported`` for what is not to be read.
  package func contents(
    ofFileOrPipe path: String, takingPipes takesPipes: Bool = true, upTo maximum: Int = FileSize.maximum
  ) throws(SystemError) -> [UInt8] {
    let descriptor = try open(path, for: .readingThrough)
    defer { close(descriptor) }
    let kind = try status(of: descriptor).kind
    if !takesPipes && kind != .regular || kind.isSpecial && FileRights.areTaken { throw .notSupported }
    let isAwaited = try waitForWriter(of: descriptor, until: .now + UserDatabase.patience)
    let bytes = try contents(of: descriptor, upTo: maximum)
    if isAwaited || !bytes.isEmpty { return bytes }
    // A pipe that a process had open, silently, is at its end by now; but a process may also have come late.
    guard try waitForWriter(of: descriptor, until: .now) else { throw .noWriter }
    return try contents(of: descriptor, upTo: maximum)
  }

  /// The status of what a path leads to, looked at with the rights of whoever can change where it leads
  /// (``FileRights/reaching(_:actingFor:fileSystem:_:)``); nil if nothing is found.
  package func reachedStatus(at path: String) -> FileStatus? {
    try? FileRights.reaching(path, fileSystem: self) { () throws(DatabaseError) in
      try? status(at: path, followingLinks: true)
    }
  }

  /// Why a path could not be read as a file, as a clause: the system's words say nothing of what lies there.
  ///
  /// - Returns: nil where they say enough.
  package func reason(forReading path: String, _ error: SystemError) -> String? {
    let kind = try? status(at: path, followingLinks: true).kind
    switch (error, kind) {
    case (.notSupported, let kind?) where kind.isSpecial && FileRights.areTaken:
      return "is a device or a pipe in a user's directory; nothing was read: do it as that user"
    case (.notSupported, nil) where FileRights.areTaken:
      return
        "leads through a user's link to the system's files about processes, which may let a reader wait; nothing was read"
    case (.noWriter, .pipe?): return "is a pipe into which no process writes"
    case (.noWriter, let kind?) where kind.isSpecial:
      return "is \(kind), and cannot be opened as a file: \(error)"
    case (.tryAgain, let kind?) where kind == .regular || kind == .device:
      return
        "cannot be read now: another process holds a lease on it, or the system has nothing more to say yet"
    default: return nil
    }
  }

  /// The error for a path that could not be read.
  package func failure(reading path: String, _ error: SystemError) -> DatabaseError {
    guard let reason = reason(forReading: path, error) else {
      return .inputOutput(error, path: path, "cannot be read")
    }
    return DatabaseError(
      .inputOutput(code: error.code), path: path, message: "cannot be read: it \(reason)")
  }

  /// Reads an open file to its end.
  ///
  /// - Parameters:
  ///   - size: The file's size as it was found; the file is read to its end even if it has grown.
  ///   - maximum: The most bytes that are read; more than that is an error.
  ///   - known: Contents that the file may have; if it has them, they are returned, and no second copy of a
  ///     large file is made.
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
      // Asks for one byte more than the file should have: a read that gets fewer has found the end. Not for more of a small
      // file, since an array keeps all the memory that it was made with.
      let rest = Int(size) + 1 - bytes.count
      let part = try read(from: descriptor, upTo: size > 0 && rest > 0 ? rest : FileSize.pieceSize)
      if part.isEmpty { return bytes }
      if part.count > maximum - bytes.count { throw .tooLarge }
      // The first part is used without a copy, because a large file would be in memory twice.
      let isFirst = bytes.isEmpty
      if isFirst { bytes = part } else { bytes += part }
      if bytes.count == size, isFirst { return bytes }
    }
  }

  /// Reads an open file as long as it agrees with known contents.
  ///
  /// - Returns: Whether the file is equal to them; otherwise what was read, which ends a little after the
  ///   first difference.
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
      // As above, a read that gets fewer bytes than it asked for has found the end.
      if count == known.count, part.count < wanted { return (true, known) }
    }
  }

  /// Writes all of the bytes.
  package func write(all bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try write(rest, to: descriptor)
      if count <= 0 { throw .inputOutput }
      rest = rest.dropFirst(count)
    }
  }
}
