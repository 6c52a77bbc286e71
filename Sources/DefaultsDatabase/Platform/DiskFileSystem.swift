import CDefaultsFileRights

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("DiskFileSystem: name this platform's C library here, and check the fields of stat below.")
#endif

/// The disk: each operation is one call of the operating system.
///
/// While the thread has taken a user's rights (``FileRights``), each directory on a path is opened by itself,
/// so that no path leads through the links of `/proc`, which bypass permissions.
package struct DiskFileSystem: FileSystem {
  package init() {}

  package var unremoved: UnremovedFiles { .shared }

  /// The corresponding C function is `open`.
  package func open(_ path: String, for purpose: OpenPurpose) throws(SystemError) -> Int32 {
    let mode: mode_t = purpose == .creatingShared ? 0o666 : 0o600
    let flags = DiskFileSystem.flags(for: purpose)
    while true {
      func open() throws(SystemError) -> Int32 {
        try DiskFileSystem.waitingForLease { () throws(SystemError) in
          try checked { posixOpen(path, flags, mode) }
        }
      }
      let isLock = [.locking, .lockingDirectory, .lockingFile].contains(purpose)
      let descriptor = isLock ? try LockDescriptors.opening(open, close: close) : try open()
      if descriptor > STDERR_FILENO {
        if purpose == .creating { try giveOwnersRights(to: descriptor, at: path) }
        // Only the opening must not wait: what is written waits for the reader.
        if purpose == .writingThrough { _ = fcntl(descriptor, F_SETFL, O_WRONLY) }
        return descriptor
      }
      // The number is that of a standard stream: what the program prints at this moment goes into the file.
      close(descriptor)
      if purpose == .creating || purpose == .creatingShared { try remove(path) }
      try DiskFileSystem.occupyClosedStreams()
    }
  }

  /// Opens a file, also if another process holds a lease on it, as file servers do: the system tells that process,
  /// which lets go of the file in a moment.
  ///
  /// - Throws: ``SystemError/tryAgain`` if it does not in time (``LeasePatience``).
  private static func waitingForLease(
    _ open: () throws(SystemError) -> Int32
  ) throws(SystemError) -> Int32 {
    var wait: LeasePatience.Wait?
    defer { if let wait { LeasePatience.shared.end(wait) } }
    while true {
      do throws(SystemError) {
        return try open()
      } catch SystemError.tryAgain {
        let present = wait ?? LeasePatience.shared.begin()
        wait = present
        guard .now < present.deadline else { throw .tryAgain }
        // The system has no event for the end of a lease.
        CurrentProcess.pause(microseconds: 1000)
      }
    }
  }

  /// Lets the owner read and write a new file, also under a umask that restricts the owner.
  private func giveOwnersRights(to descriptor: Int32, at path: String) throws(SystemError) {
    do throws(SystemError) {
      if try status(of: descriptor).mode & 0o600 != 0o600 { try setMode(0o600, of: descriptor) }
    } catch {
      close(descriptor)
      try remove(path)
      throw error
    }
  }

  /// The flags with which a path is opened.
  ///
  /// Whatever the path leads to, no terminal becomes the process's controlling one: its owner could end the
  /// process by ^C.
  static func flags(for purpose: OpenPurpose) -> Int32 {
    let own: Int32 =
      switch purpose {
      case .reading, .lockingFile: O_RDONLY | O_NOFOLLOW | O_NONBLOCK
      case .creating, .creatingShared: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      case .readingThrough: O_RDONLY | O_NONBLOCK
      case .writingThrough: O_WRONLY | O_NONBLOCK
      case .appending: O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK
      case .locking: O_RDWR | O_NOFOLLOW | O_NONBLOCK
      case .directory, .lockingDirectory: O_RDONLY | O_DIRECTORY
      }
    return own | O_CLOEXEC | O_NOCTTY
  }

  /// Makes sure that no file gets the number of a standard stream that the program has closed.
  ///
  /// Such a file would receive all that the program prints from then on. The root directory, which cannot be
  /// written to, takes the free numbers.
  static func occupyClosedStreams() throws(SystemError) {
    while true {
      let descriptor = try checked { posixOpen("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
      if descriptor > STDERR_FILENO {
        _ = posixClose(descriptor)
        return
      }
    }
  }

  /// The corresponding C function is `close`.
  package func close(_ descriptor: Int32) {
    LockDescriptors.forget(descriptor)
    // Not repeated after an interruption: the descriptor is closed already, and its number
    // may belong to another file.
    _ = posixClose(descriptor)
  }

  /// The corresponding C function is `read`. It waits for a pipe's writer, and for a person at a terminal, also where
  /// the descriptor would not.
  ///
  /// Some devices and files of the system wait without end for what they may have later, such as `/proc/kmsg`: then it
  /// throws ``SystemError/tryAgain``.
  package func read(from descriptor: Int32, upTo count: Int) throws(SystemError) -> [UInt8] {
    while true {
      do throws(SystemError) {
        return try readAtOnce(from: descriptor, upTo: count)
      } catch SystemError.tryAgain {
        try waitAfterRefusal(for: POLLIN, of: descriptor)
      }
    }
  }

  private func readAtOnce(from descriptor: Int32, upTo count: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      do throws(SystemError) {
        initializedCount = try checked { posixRead(descriptor, buffer.baseAddress, count) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// The corresponding C function is `poll`.
  package func waitForWriter(of descriptor: Int32, until deadline: MonotonicTime) throws(SystemError) -> Bool
  {
    var result = stat()
    _ = try checked { fstat(descriptor, &result) }
    guard result.st_mode & S_IFMT == S_IFIFO else { return true }
    let seconds = deadline.seconds(since: .now)
    return try wait(for: POLLIN, of: descriptor, milliseconds: Int32(min(seconds * 1000, 1e9).rounded(.up)))
  }

  /// Waits for input, or for room for output, where the system has said that there is none now.
  ///
  /// - Throws: ``SystemError/tryAgain`` for a file or a device, which may say so without end.
  private func waitAfterRefusal(for event: Int32, of descriptor: Int32) throws(SystemError) {
    switch try status(of: descriptor).kind {
    case .regular: throw .tryAgain
    case .device: if isatty(descriptor) == 0 { throw .tryAgain }
    case .directory, .symbolicLink, .pipe, .socket: break
    }
    _ = try wait(for: event, of: descriptor, milliseconds: -1)
  }

  /// Waits for input, or for room for output, for some time, or without a limit for −1.
  private func wait(
    for event: Int32, of descriptor: Int32, milliseconds: Int32
  ) throws(SystemError) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return try checked { poll(&request, 1, milliseconds) } > 0
  }

  /// The corresponding C function is `write`; waits for room, also where the descriptor would not.
  package func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) -> Int {
    while true {
      do throws(SystemError) {
        return try withoutSizeSignal { () throws(SystemError) in
          try checked { bytes.withUnsafeBytes { posixWrite(descriptor, $0.baseAddress, $0.count) } }
        }
      } catch SystemError.tryAgain {
        try waitAfterRefusal(for: POLLOUT, of: descriptor)
      }
    }
  }

  /// The corresponding C function is `pwrite`.
  package func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws(SystemError) {
    _ = try withoutSizeSignal { () throws(SystemError) in
      try checked { bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) } }
    }
  }

  /// The corresponding C function is `lseek`.
  package func seek(in descriptor: Int32, to place: FilePlace) throws(SystemError) -> Int? {
    let (offset, origin) =
      switch place {
      case .offset(let offset): (offset, SEEK_SET)
      case .data(let offset): (offset, seekData)
      case .hole(let offset): (offset, seekHole)
      }
    do throws(SystemError) {
      return Int(try checked { lseek(descriptor, off_t(offset), origin) })
    } catch SystemError(code: ENXIO) {
      return nil
    }
  }

  /// The corresponding C function is `ftruncate`.
  package func setSize(_ size: Int, of descriptor: Int32) throws(SystemError) {
    _ = try withoutSizeSignal { () throws(SystemError) in
      try checked { ftruncate(descriptor, off_t(size)) }
    }
  }

  /// The corresponding C function is `sync_file_range`; only Linux has it.
  package func beginSynchronizing(_ descriptor: Int32) {
    cfilerights_begin_synchronizing(descriptor)
  }

  /// The corresponding C function is `fsync`; on Apple's systems the drive's cache is flushed too.
  package func synchronize(_ descriptor: Int32) throws(SystemError) {
    #if canImport(Darwin)
      // Not every file system supports it; then fsync has to suffice.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    _ = try checked { fsync(descriptor) }
  }

  /// The corresponding C function is `flock`.
  package func tryLock(_ descriptor: Int32) throws(SystemError) -> Bool {
    do throws(SystemError) {
      _ = try checked { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch SystemError(code: EWOULDBLOCK) {
      return false
    }
  }

  /// The corresponding C function is `flock`.
  package func unlock(_ descriptor: Int32) {
    // Fails only for a descriptor that is not open; closing it releases the lock as well.
    flock(descriptor, LOCK_UN)
  }

  /// The corresponding C function is `fstat`.
  package func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    var result = stat()
    _ = try checked { fstat(descriptor, &result) }
    return FileStatus(result)
  }

  /// The corresponding C functions are `stat` and `lstat`.
  package func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus {
    var result = stat()
    if followingLinks {
      _ = try atEnd(of: path) { fstatat($0, $1, &result, $2) }
    } else {
      _ = try inParent(of: path) { fstatat($0, $1, &result, AT_SYMLINK_NOFOLLOW) }
    }
    var status = FileStatus(result)
    if status.kind == .directory, status.group == 0, status.mode & 0o020 != 0 {
      status.hasAccessList = DiskFileSystem.hasAccessList(path, followingLinks: followingLinks)
    }
    return status
  }

  /// Whether a directory has an access control list; true also where that cannot be found out.
  static func hasAccessList(_ path: String, followingLinks: Bool) -> Bool {
    cfilerights_has_access_list(path, followingLinks ? 1 : 0) != 0
  }

  /// The corresponding C function is `faccessat`, asked about the effective user.
  package func mayAccess(_ path: String, for access: FileAccess) -> Bool {
    do throws(SystemError) {
      return try atEnd(of: path) { faccessat($0, $1, access == .reading ? R_OK : W_OK, AT_EACCESS | $2) } == 0
    } catch {
      return false
    }
  }

  /// The corresponding C function is `fchmod`.
  package func setMode(_ mode: UInt32, of descriptor: Int32) throws(SystemError) {
    _ = try checked { fchmod(descriptor, mode_t(mode)) }
  }

  /// The corresponding C function is `futimens`.
  package func setModified(_ time: FileTime, of descriptor: Int32) throws(SystemError) {
    let time = timespec(tv_sec: time_t(time.seconds), tv_nsec: Int(time.nanoseconds))
    _ = try checked { [time, time].withUnsafeBufferPointer { futimens(descriptor, $0.baseAddress) } }
  }

  /// The corresponding C function is `fchown`.
  package func setOwner(_ owner: UInt32, group: UInt32, of descriptor: Int32) throws(SystemError) {
    _ = try checked { fchown(descriptor, owner, group) }
  }

  /// The corresponding C functions are `fgetxattr` and `fsetxattr`.
  package func copyAccessList(of source: Int32, to descriptor: Int32) throws(SystemError) {
    let code = cfilerights_copy_access_list(source, descriptor)
    if code != 0 { throw SystemError(code: code) }
  }

  /// The corresponding C function is `rename`.
  package func rename(_ path: String, to newPath: String) throws(SystemError) {
    _ = try inParent(of: path) { (old, oldName) throws(SystemError) in
      try inParent(of: newPath) { (new, newName) in renameat(old, oldName, new, newName) }
    }
  }

  /// The corresponding C function is `linkat`; unlike `link`, it follows symbolic links nowhere.
  package func link(_ path: String, to newPath: String) throws(SystemError) {
    _ = try inParent(of: path) { (old, oldName) throws(SystemError) in
      try inParent(of: newPath) { (new, newName) in linkat(old, oldName, new, newName, 0) }
    }
  }

  /// The corresponding C function is `unlink`.
  package func remove(_ path: String) throws(SystemError) {
    _ = try inParent(of: path) { unlinkat($0, $1, 0) }
  }

  /// The corresponding C function is `rmdir`.
  package func removeDirectory(_ path: String) throws(SystemError) {
    _ = try inParent(of: path) { unlinkat($0, $1, AT_REMOVEDIR) }
  }

  /// The corresponding C functions are `mkdir` and `fchmodat`.
  package func makeDirectory(_ path: String) throws(SystemError) {
    // With a slash at its end the path would be that of a directory that exists.
    var path = path
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    _ = try inParent(of: path) { mkdirat($0, $1, 0o700) }
    var result = stat()
    _ = try inParent(of: path) { fstatat($0, $1, &result, AT_SYMLINK_NOFOLLOW) }
    // A umask can restrict the owner, too.
    if result.st_mode & 0o700 != 0o700 {
      _ = try inParent(of: path) { fchmodat($0, $1, 0o700, AT_SYMLINK_NOFOLLOW) }
    }
  }

  /// The corresponding C function is `readlink`.
  package func destination(ofLink path: String) throws(SystemError) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try inParent(of: path) { readlinkat($0, $1, &buffer, buffer.count) }
    let bytes = buffer[..<count].map(UInt8.init(bitPattern:))
    let destination = String(decoding: bytes, as: UTF8.self)
    // A path that is not UTF-8 cannot be a string; with replaced characters it would name another file.
    guard destination.utf8.elementsEqual(bytes) else { throw .notUTF8 }
    return destination
  }

  package func names(inDirectory path: String) throws(SystemError) -> [String] {
    try entries(ofDirectory: path).compactMap { $0 }.filter { $0 != "." && $0 != ".." }
  }

  package func undecodableNameCount(inDirectory path: String) throws(SystemError) -> Int {
    try entries(ofDirectory: path).count { $0 == nil }
  }

  /// The names in a directory; nil for each that is not UTF-8.
  ///
  /// The corresponding C functions are `fdopendir` and `readdir`.
  private func entries(ofDirectory path: String) throws(SystemError) -> [String?] {
    let descriptor = try open(path, for: .directory)
    guard let directory = fdopendir(descriptor) else {
      let error = SystemError(code: errno)
      close(descriptor)
      throw error
    }
    defer { closedir(directory) }
    var names: [String?] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else { break }
      names.append(DiskFileSystem.name(of: entry))
    }
    if errno != 0 { throw SystemError(code: errno) }
    return names
  }

  /// A directory entry's name, or nil where it is not UTF-8.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
    // The C array is as long as the longest name; the pointer is valid until the next readdir, and used
    // inside the closure only.
    withUnsafePointer(to: &entry.pointee.d_name) { field in
      field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
        String(validatingCString: $0)
      }
    }
  }

  package func hold(_ directory: String) throws(SystemError) -> HeldDirectory? {
    try HeldDirectory(directory)
  }

  /// The corresponding C function is `clock_gettime`.
  package var now: FileTime {
    var time = timespec()
    // It cannot fail: the clock exists and the address is valid.
    clock_gettime(CLOCK_REALTIME, &time)
    return FileTime(time)
  }
}

// MARK: - Paths

#if canImport(Darwin)
  private let (seekData, seekHole) = (SEEK_DATA, SEEK_HOLE)
#else
  /// Linux's `SEEK_DATA` and `SEEK_HOLE`, which Swift does not see in the C library's header.
  private let (seekData, seekHole): (Int32, Int32) = (3, 4)
#endif

// The C functions that the methods above shadow.
private func posixOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  cfilerights_open(path, flags, UInt32(mode))
}
private func posixClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func posixRead(_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}
private func posixWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, buffer, count)
}

extension FileTime {
  fileprivate init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    let kind: FileKind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      default: .device
      }
    self.init(
      kind: kind, owner: status.st_uid, group: status.st_gid, mode: UInt32(status.st_mode & 0o7777),
      device: UInt64(truncatingIfNeeded: status.st_dev),
      inode: UInt64(status.st_ino), size: Int64(status.st_size), modified: FileTime(modified),
      changed: FileTime(changed))
    linkCount = Int(status.st_nlink)
  }
}
