import CDefaultsFileRights

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("CurrentProcess+Input: name this platform's C library here.")
#endif

/// Files as the standard input whose paths are not UTF-8, so that no string can have them.
extension CurrentProcess {
  /// Whether the administrator finds no file by this path, since that of the working directory is not UTF-8.
  package static func cannotReach(_ path: String) -> Bool {
    guard effectiveUser == 0, path.utf8.first != UInt8(ascii: "/") else { return false }
    do throws(DatabaseError) {
      _ = try workingDirectory()
      return false
    } catch {
      return true
    }
  }

  /// Makes a regular file the standard input.
  ///
  /// The administrator opens it with the rights of the user who can change what lies in its directory, and through no link at
  /// the path's end.
  ///
  /// - Throws: an error if the file cannot be opened, or is no regular one.
  package static func readInput(fromFile path: UnsafePointer<CChar>) throws(DatabaseError) {
    let descriptor: Int32
    if effectiveUser == 0 {
      let whole = absolute(bytes(of: path))
      let (directory, byteCount) = decodableDirectory(of: whole)
      descriptor = try FileRights.reaching(entriesOf: directory) { () throws(DatabaseError) in
        if !FileRights.areTaken { try refuseOthersDirectories(whole, behind: byteCount, of: path) }
        return try openRegularFile(whole, O_NOFOLLOW, of: path)
      }
    } else {
      descriptor = try openRegularFile(bytes(of: path), 0, of: path)
    }
    defer { close(descriptor) }
    guard dup2(descriptor, standardInput) >= 0 else {
      throw .inputOutput(SystemError(code: errno), path: quoted(path), "cannot be read")
    }
  }

  private static func quoted(_ path: UnsafePointer<CChar>) -> String { "“\(escaped(path))”" }

  private static func bytes(of path: UnsafePointer<CChar>) -> [UInt8] {
    UnsafeBufferPointer(start: path, count: strlen(path)).map(UInt8.init(bitPattern:))
  }

  /// The path from the root; the same where the working directory was removed or cannot be told.
  private static func absolute(_ path: [UInt8]) -> [UInt8] {
    guard path.first != UInt8(ascii: "/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    let start = bytes(of: directory)
    return start.first == UInt8(ascii: "/") ? start + [UInt8(ascii: "/")] + path : path
  }

  /// The deepest directory on a path to which the path is UTF-8, and how many bytes lead there.
  private static func decodableDirectory(of bytes: [UInt8]) -> (text: String, byteCount: Int) {
    for end in bytes.indices.reversed() where bytes[end] == UInt8(ascii: "/") {
      if let text = String(validating: bytes[...end], as: UTF8.self) { return (text, end + 1) }
    }
    return (".", 0)
  }

  /// Refuses a path that leads, behind its first bytes, through a link or a directory that others than the administrator can
  /// change.
  ///
  /// Each look is at what only the administrator can exchange, since all before it was found to be so.
  ///
  /// - Parameter name: What errors call the path.
  private static func refuseOthersDirectories(
    _ bytes: [UInt8], behind byteCount: Int, of name: UnsafePointer<CChar>
  ) throws(DatabaseError) {
    for end in byteCount..<bytes.count where bytes[end] == UInt8(ascii: "/") {
      let directory = bytes[..<end].map(CChar.init(bitPattern:)) + [0]
      var status = stat()
      guard lstat(directory, &status) == 0 else {
        throw .inputOutput(SystemError(code: errno), path: quoted(name), "cannot be opened")
      }
      guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == 0,
        status.st_mode & 0o022 == 0
      else {
        throw DatabaseError(
          .refused, path: quoted(name),
          message: "does not lie in the administrator's own directories, and their names are not UTF-8",
          advice: "nothing was read; do it as the user whose directory it is")
      }
    }
  }

  /// - Parameter name: What errors call the path.
  private static func openRegularFile(
    _ bytes: [UInt8], _ flags: Int32, of name: UnsafePointer<CChar>
  ) throws(DatabaseError) -> Int32 {
    let path = bytes.map(CChar.init(bitPattern:)) + [0]
    let descriptor = cfilerights_open(path, DiskFileSystem.flags(for: .readingThrough) | flags, 0)
    do throws(SystemError) {
      guard descriptor >= 0 else { throw SystemError(code: errno) }
      if try DiskFileSystem().status(of: descriptor).kind == .regular { return descriptor }
    } catch {
      if descriptor >= 0 { close(descriptor) }
      throw .inputOutput(error, path: quoted(name), "cannot be opened")
    }
    close(descriptor)
    throw DatabaseError(
      .refused, path: quoted(name), message: "is no regular file", advice: "nothing was read")
  }
}
