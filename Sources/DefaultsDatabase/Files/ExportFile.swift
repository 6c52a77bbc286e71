/// A file outside of any database into which a domain is exported, or a property list is written.
package struct ExportFile: Sendable {
  private let path: String
  private let home: DatabaseDirectory
  /// Whether it is a file of the program's own, whose permissions count, and no copy of somebody's defaults.
  private let isOwn: Bool
  /// The patience that all files of one export share.
  private let patience: SharedPatience
  /// What has to be at the path when the new file gets its name.
  private var former = Former.anything
  private var fileSystem: any FileSystem { home.fileSystem }

  private enum Former {
    case anything
    /// The file that was read, unchanged since; nil for nothing.
    case only(FileStatus?)
  }

  /// Whether anything may be at the path.
  private var mayReplaceAnything: Bool {
    if case .anything = former { true } else { false }
  }

  /// The path of its directory.
  package var directory: String { home.path }

  /// Names a file by its absolute path; a missing directory is created.
  package init(_ path: String, fileSystem: any FileSystem = DiskFileSystem()) {
    self.init(path, isOwn: false, fileSystem: fileSystem)
  }

  private init(_ path: String, isOwn: Bool, actingFor account: Account? = nil, fileSystem: any FileSystem) {
    self.path = path
    self.isOwn = isOwn
    patience = SharedPatience()
    home = DatabaseDirectory(
      path: DatabaseDirectory.parent(of: path), fileSystem: fileSystem, account: account)
  }

  /// Names a file of the program's own by any path.
  ///
  /// A symbolic link in a directory of the user's own is followed, so that it stays a link. A file that is
  /// replaced passes its permissions on to the new one, and its owner and group as far as this process may
  /// set them. A new file has the permissions that the umask leaves.
  ///
  /// - Throws: an error for an empty path, and for a link that is not to be trusted.
  package init(
    atEndOf path: String, actingFor account: Account? = nil, fileSystem: any FileSystem = DiskFileSystem()
  ) throws(DatabaseError) {
    try PropertyListFile.check(path)
    let start = try DatabaseLocation.absolute(path)
    let home = DatabaseDirectory(
      path: DatabaseDirectory.parent(of: start), fileSystem: fileSystem, account: account)
    let end = try home.withOwnersRights { _ throws(DatabaseError) in try home.end(of: start) }
    self.init(end, isOwn: true, actingFor: account, fileSystem: fileSystem)
  }

  /// The same file, which is written only where its path still has what was found there.
  ///
  /// - Parameter status: The status of what was read; nil if there was nothing.
  func replacing(only status: FileStatus?) -> ExportFile {
    var file = self
    file.former = .only(status)
    return file
  }

  /// Names the file of a domain in a directory, as a database does.
  ///
  /// - Parameter patience: The patience that all domains of one export share.
  package init(
    of domain: DomainName, in directory: String, fileSystem: any FileSystem = DiskFileSystem(),
    patience: SharedPatience = SharedPatience()
  ) {
    home = DatabaseDirectory(path: directory, fileSystem: fileSystem)
    path = DomainFile.usualPath(of: domain, in: home)
    isOwn = false
    self.patience = patience
  }

  /// Writes the file as a whole, and returns when it is on stable storage.
  ///
  /// A device, a pipe or a terminal is written into, and not replaced.
  ///
  /// - Parameter replaces: Whether to write where something exists already: a regular file is replaced, a
  ///   device or a pipe is written into.
  /// - Returns: Whether it was written: false where the path has no longer what ``replacing(only:)`` was given.
  /// - Throws: an error of the kind `refused` where something exists and must not be replaced, and for a
  ///   symbolic link to a file, because the caller may mean either of the two; and an error for more bytes than are read.
  @discardableResult
  package func write(_ bytes: [UInt8], replacing replaces: Bool) throws(DatabaseError) -> Bool {
    guard bytes.count <= FileSize.maximum else {
      throw .inputOutput(
        .tooLarge, path: path,
        "is not written: \(bytes.count) bytes are more than the \(FileSize.maximum) that are read")
    }
    return try write(replacing: replaces) { (descriptor, _) throws(SystemError) in
      try fileSystem.write(all: bytes, to: descriptor)
    }
  }

  /// Writes a copy of a file in the same way; a new file has holes where the original has.
  package func write(copyOf original: LargeFile, replacing replaces: Bool) throws(DatabaseError) {
    _ = try write(replacing: replaces) { (descriptor, isNew) throws(SystemError) in
      if isNew {
        try original.copyWithHoles(into: descriptor, of: fileSystem)
      } else {
        try original.copy(into: descriptor, of: fileSystem)
      }
    }
  }

  /// Has a closure write the contents, either into a new file, or into a device or a pipe.
  private func write(
    replacing replaces: Bool, _ contents: (_ descriptor: Int32, _ isNew: Bool) throws(SystemError) -> Void
  ) throws(DatabaseError) -> Bool {
    let found = try home.makeAsAdministrator()
    if found.isPlanted { throw plantedDirectory }
    var way: DatabaseDirectory.CheckedPath? = found
    return try home.withOwnersRights(along: &way) { (checked) throws(DatabaseError) in
      let kind = try home.heldIfPresent { () throws(DatabaseError) in
        try writeIfSpecial(replacing: replaces) { (descriptor) throws(SystemError) in
          try contents(descriptor, false)
        }
      }
      if kind?.isSpecial == true { return mayReplaceAnything }
      try home.make(checked, isDatabase: false)
      // The new file and the one that it replaces lie in one directory, whatever takes its place meanwhile.
      let hold = try home.hold(orIfMissing: home.exchanged, advice: "nothing was written")
      defer { hold?.letGo() }
      let file = try refusing { () throws(SystemError) in
        try newFile { (descriptor) throws(SystemError) in try contents(descriptor, true) }
      }
      defer { file.close() }
      do throws(DatabaseError) {
        if hold?.isMoved ?? false { throw home.exchanged }
        // A domain is not exported over what has appeared since; of two writers of a file the last one wins.
        guard try name(file, replacing: replaces && (kind != nil || isOwn)) else {
          file.discard()
          return false
        }
      } catch {
        file.discard()
        throw error
      }
      do throws(SystemError) {
        let folder = try fileSystem.open(home.path, for: .directory)
        defer { fileSystem.close(folder) }
        try home.synchronize(folder)
      } catch {
        throw .inputOutput(
          error, path: path, "may not survive a loss of power",
          advice: "the file is complete; write it again")
      }
      if hold?.isMoved ?? false { throw home.moved }
      return true
    }
  }

  private var plantedDirectory: DatabaseError {
    DatabaseError(
      .refused, path: path,
      message:
        "would be another user's, who may have made its directory for that in one in which all users may make entries",
      advice: "nothing was written: do it as that user, or write into a directory of your own")
  }

  /// Runs a body that makes the file, and gives its errors their words.
  private func refusing<Result>(
    _ body: () throws(SystemError) -> Result
  ) throws(DatabaseError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch SystemError.alreadyExists {
      throw DatabaseError(
        .refused, path: path, message: "is there already",
        advice: "it keeps every byte: “-replace” replaces it")
    } catch ExportFile.plantedFile {
      throw DatabaseError(
        .refused, path: path,
        message:
          "is another user's, in a directory in which all users may make files, and would stay that user's",
        advice: "nothing was written: remove it, or write into a directory of your own")
    } catch {
      throw .inputOutput(error, path: path, "cannot be written", advice: "nothing was changed")
    }
  }

  /// What exists at the path, or behind a link to a device or a pipe; nil for nothing.
  private func kindOfTarget() throws(DatabaseError) -> FileKind? {
    do throws(SystemError) {
      guard let status = try home.statusIfPresent(at: path) else { return nil }
      guard status.kind == .symbolicLink else { return status.kind }
      let target = try home.statusBehindLink(at: path).kind
      if target.isSpecial { return target }
    } catch  where error == .notFound || error == DatabaseDirectory.unsafeLink {
      // A dangling link and another user's are refused like a link to a file.
    } catch {
      throw .inputOutput(error, path: path, "cannot be written", advice: "nothing was changed")
    }
    throw DatabaseError(
      .refused, path: path, message: "is a symbolic link",
      advice: "it was left as it is: name the file to which it leads, or remove the link")
  }

  /// Refuses a device, a pipe or a link that another user may have put into a directory like `/tmp`, and any in a
  /// directory in which other users may replace it: that user would choose who reads what is written, or what
  /// is overwritten. With a user's rights the administrator writes into none, since that user could have it wait for ever.
  ///
  /// The kernel's settings `protected_fifos` and `protected_symlinks` have the same rule, where they are set.
  private func refuseOtherUsersEntry() throws(DatabaseError) {
    if FileRights.areTaken {
      throw DatabaseError(
        .refused, path: path, message: "is a device or a pipe in a user's directory",
        advice: "nothing was written: do it as that user")
    }
    do throws(SystemError) {
      let entry = try fileSystem.status(at: path, followingLinks: false)
      let folder = try fileSystem.status(at: home.path, followingLinks: true)
      guard folder.mode & PathWalk.othersBits(folder) != 0 else { return }
      let isSticky = folder.mode & 0o1000 != 0
      if isSticky, entry.owner == 0 || entry.owner == CurrentProcess.effectiveUser { return }
    } catch {
      throw .inputOutput(error, path: path, "cannot be written", advice: "nothing was changed")
    }
    throw DatabaseError(
      .refused, path: path, message: "may be another user's, since other users may write in its directory",
      advice: "nothing was written: remove it, or export into a directory of your own")
  }

  /// Marks a file that another user may have made in advance, to be given what is written; never leaves this type.
  private static let plantedFile = SystemError(code: -1)

  /// Whether a file that the administrator replaces, and that would keep its owner, is another user's in a directory
  /// like `/tmp`: that user may have made it there to be able to read what is written.
  private func isPlanted(_ old: FileStatus) throws(SystemError) -> Bool {
    guard FileRights.areAdministrators, old.owner != 0 else { return false }
    let folder = try fileSystem.status(at: home.path, followingLinks: true)
    return folder.mode & PathWalk.othersBits(folder) != 0
  }

  /// Has a closure write the contents if a device or a pipe exists at the path; gives the kind of what exists.
  private func writeIfSpecial(
    replacing replaces: Bool, _ contents: (_ descriptor: Int32) throws(SystemError) -> Void
  ) throws(DatabaseError) -> FileKind? {
    guard let kind = try kindOfTarget() else { return nil }
    guard kind.isSpecial, mayReplaceAnything else { return kind }
    guard replaces else {
      throw DatabaseError(
        .refused, path: path, message: "is \(kind)",
        advice: "nothing was written: “-replace” writes into it, and it stays what it is")
    }
    try refuseOtherUsersEntry()
    try writeThrough(contents)
    return kind
  }

  /// Writes into a device or a pipe.
  ///
  /// A pipe that no process has opened to read is not waited for longer than ``UserDatabase/patience``.
  private func writeThrough(
    _ contents: (_ descriptor: Int32) throws(SystemError) -> Void
  ) throws(DatabaseError) {
    do throws(SystemError) {
      let descriptor = try openWithReader()
      defer { fileSystem.close(descriptor) }
      // Another process may have put a file here since; its bytes must not be overwritten.
      guard try fileSystem.status(of: descriptor).kind.isSpecial else { throw .alreadyExists }
      try contents(descriptor)
    } catch  where error == .noReader && isPipe() {
      patience.noteRefusal()
      throw DatabaseError(
        .inputOutput(code: SystemError.noReader.code), path: path,
        message: "cannot be written: it is a pipe from which no process reads")
    } catch {
      throw .inputOutput(error, path: path, "cannot be written")
    }
  }

  /// Whether the path leads to a pipe, for which a reader may come.
  private func isPipe() -> Bool {
    (try? fileSystem.status(at: path, followingLinks: true).kind) == .pipe
  }

  private func openWithReader() throws(SystemError) -> Int32 {
    let start = MonotonicTime.now
    let deadline = patience.deadline
    var isWaiting = false
    while true {
      do throws(SystemError) {
        let descriptor = try fileSystem.open(path, for: .writingThrough)
        if isWaiting { patience.noteWait(since: start) }
        return descriptor
      } catch  where error == .noReader && .now < deadline && isPipe() {
        isWaiting = true
        // The system has no event for a reader that comes.
        CurrentProcess.pause(microseconds: 10_000)
      }
    }
  }

  /// Makes the new file, which has no name of its own yet; the caller closes it.
  private func newFile(
    _ contents: (_ descriptor: Int32) throws(SystemError) -> Void
  ) throws(SystemError) -> TemporaryFile {
    let old = isOwn ? try home.statusIfPresent(at: path) : nil
    if let old, try isPlanted(old) { throw ExportFile.plantedFile }
    let file = try TemporaryFile(
      in: home.path, for: isOwn && old == nil ? .creatingShared : .creating, fileSystem: fileSystem)
    do throws(SystemError) {
      try home.handOver(file.descriptor, madeIn: home.path)
      var mode = TemporaryFile.ownersMode
      if let old {
        mode = try permissions(inPlaceOf: old, at: path, for: file.descriptor)
      } else if isOwn {
        mode = try fileSystem.status(of: file.descriptor).mode
      }
      try file.fill(mode: mode, contents)
      return file
    } catch {
      file.discard()
      file.close()
      throw error
    }
  }

  /// Gives the new file its name; false where the path has no longer what has to be there.
  ///
  /// A copy of a domain may go into another database, whose programs would write what they read before over it: they
  /// are kept out meanwhile. A caller that replaces its own file (``replacing(only:)``)
  /// already holds the lock.
  private func name(_ file: TemporaryFile, replacing replaces: Bool) throws(DatabaseError) -> Bool {
    if case .only(let status) = former { return try takeName(file, inPlaceOf: status) }
    func name() throws(DatabaseError) {
      if replaces { try refuseSpecialFile() }
      try refusing { () throws(SystemError) in
        if replaces { try fileSystem.rename(file.path, to: path) } else { try file.take(freeName: path) }
      }
    }
    guard !isOwn else {
      try name()
      return true
    }
    do throws(DatabaseError) {
      try PropertyListFile.locking(path, in: home, sharing: patience, name)
    } catch {
      if case .locked = error.kind { patience.noteRefusal() }
      throw error
    }
    return true
  }

  /// Refuses a device, a pipe or a link that has come to the path while the new file was written or the lock waited for.
  ///
  /// One that comes between this look and the rename, in the next microseconds, is replaced: the system has no rename that
  /// replaces a regular file only.
  private func refuseSpecialFile() throws(DatabaseError) {
    let kind: FileKind?
    do throws(SystemError) {
      kind = try home.statusIfPresent(at: path)?.kind
    } catch {
      throw .inputOutput(error, path: path, "cannot be written", advice: "nothing was changed")
    }
    guard let kind, kind.isSpecial || kind == .symbolicLink else { return }
    throw DatabaseError(
      .refused, path: path, message: "has become \(kind) meanwhile",
      advice: "nothing was written, and it stays what it is")
  }

  private func takeName(_ file: TemporaryFile, inPlaceOf status: FileStatus?) throws(DatabaseError) -> Bool {
    do throws(SystemError) {
      guard try home.isStill(status, at: path) else { return false }
      if status == nil {
        try file.take(nameFoundFree: path)
      } else {
        try fileSystem.rename(file.path, to: path)
      }
      return true
    } catch SystemError.alreadyExists {
      return false
    } catch {
      throw .inputOutput(error, path: path, "cannot be written", advice: "nothing was changed")
    }
  }

  /// The permissions for a new file, which gets the owner, the group and the access control list of the file that
  /// it replaces.
  ///
  /// Where this process may not give it these, the permissions are the owner's alone: the others were meant for
  /// other users. With a list the mode's bits for the group do not say what the group may do.
  private func permissions(
    inPlaceOf old: FileStatus, at path: String, for descriptor: Int32
  ) throws(SystemError) -> UInt32 {
    let mode = try mode(inPlaceOf: old, for: descriptor)
    guard mode & 0o077 != 0 else { return mode }
    let source: Int32
    do throws(SystemError) {
      source = try fileSystem.open(path, for: .reading)
    } catch SystemError.notPermitted {
      return mode & 0o700
    }
    defer { fileSystem.close(source) }
    guard try fileSystem.status(of: source).isSameFile(as: old) else { return mode & 0o700 }
    try fileSystem.copyAccessList(of: source, to: descriptor)
    return mode
  }

  private func mode(inPlaceOf old: FileStatus, for descriptor: Int32) throws(SystemError) -> UInt32 {
    let new = try fileSystem.status(of: descriptor)
    let mode = old.mode & 0o777
    if new.owner == old.owner, new.group == old.group { return mode }
    for owner in [old.owner, new.owner] {
      do throws(SystemError) {
        try fileSystem.setOwner(owner, group: old.group, of: descriptor)
        return mode
      } catch {
        // Another owner can be set by the administrator only, and the group by its members.
      }
    }
    return mode & 0o700
  }
}
