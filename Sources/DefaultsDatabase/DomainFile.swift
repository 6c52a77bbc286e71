import OpenStepPropertyList

/// One domain's file on disk.
struct DomainFile {
  /// The path of the file in the database, whether or not it exists; for messages.
  let path: String
  /// The path after all links.
  let resolvedPath: String
  /// The status of what was found there; nil if nothing exists.
  let status: FileStatus?
  let fileName: String
  let name: DomainName
  let directory: DatabaseDirectory
  /// The lock that excludes GNUstep's programs while the file is changed; nil outside their directories.
  var gnustepLock: GNUstepLock?
  /// The lock of the file behind a link; nil where the file lies in the database.
  var endLock: ChangeLock?
  var fileSystem: any FileSystem { directory.fileSystem }
  /// The directory that contains the file after all links.
  var folder: String { DatabaseDirectory.parent(of: resolvedPath) }

  /// Finds a domain's file: `<domain>.plist`, or else a regular file `<domain>` without a dot in its name.
  ///
  /// Window Maker and NEXTSPACE use the second form. Such a file keeps its name, and their domains are made under
  /// it. In GNUstep's directories no other file of that form is a domain's: GNUstep's programs do not read it.
  ///
  /// - Parameters:
  ///   - isPathChecked: Whether the directory's path was checked a moment ago.
  ///   - isBareIfNew: Whether the file is made without an extension where there is none and the directory allows it;
  ///     nil if its name decides.
  init(
    of name: DomainName, in directory: DatabaseDirectory, isPathChecked: Bool = false,
    isBareIfNew: Bool? = nil
  ) throws(DatabaseError) {
    (self.name, self.directory) = (name, directory)
    let baseName = try DomainFile.baseName(of: name, in: directory)
    var fileName = baseName + DomainFile.fileExtension
    var file = try directory.resolve(fileName, isPathChecked: isPathChecked)
    if file.status == nil, DomainFile.isBareName(baseName, in: directory) {
      // An error does not mean absence: a new file with the extension would hide all values of this one.
      let bare = try directory.resolve(baseName, isPathChecked: true)
      let isBare =
        if let status = bare.status { status.kind == .regular } else {
          isBareIfNew ?? DomainFile.isOpenedBare(baseName, in: directory)
        }
      if isBare { (fileName, file) = (baseName, bare) }
    }
    self.fileName = fileName
    resolvedPath = file.path
    status = file.status
    path = directory.path(of: fileName)
  }

  /// Whether the file has no extension.
  var isBare: Bool { !fileName.hasByteSuffix(DomainFile.fileExtension) }

  /// Finds the domain's file again, under the same locks.
  func foundAgain() throws(DatabaseError) -> DomainFile {
    var file = try DomainFile(of: name, in: directory, isPathChecked: true, isBareIfNew: isBare)
    (file.gnustepLock, file.endLock) = (gnustepLock, endLock)
    return file
  }

  /// Whether there is also a file without an extension, which would be read if this one did not exist.
  func hidesAnother() throws(DatabaseError) -> Bool {
    guard let bareName = fileName.removing(byteSuffix: DomainFile.fileExtension),
      DomainFile.isBareName(bareName, in: directory)
    else { return false }
    return try directory.resolve(bareName).status?.kind == .regular
  }

  /// Whether the file certainly has an identity, and was not written since; for nil, whether no file exists.
  func isStill(_ identity: FileIdentity?) -> Bool {
    guard let identity else { return status == nil }
    return status.map(identity.proves) ?? false
  }

  /// Whether the file at one of a domain's usual paths certainly has an identity, and was not written since; for
  /// nil, whether no file exists.
  ///
  /// This is the fast path of a synchronize with nothing to do. With this single check per file it took 1.9
  /// times as long as a plain `stat` of each; with a check of every directory of the path as well, 6.8 times.
  /// The latter is not needed where no other user can have this process's own rights led astray
  /// (``DatabaseDirectory/mayLookFreely``): a link leads either to the very file that was read when the path was
  /// checked, or to nothing, as before; in all other cases the caller checks the whole path.
  ///
  /// - Returns: false also if a single check does not tell: for a link, and if the status cannot be read.
  static func isStill(
    _ identity: FileIdentity?, at paths: UserDatabase.UsualPaths, in directory: DatabaseDirectory
  ) -> Bool {
    // Otherwise the check could prove nothing.
    guard identity?.isConclusive != false, directory.mayLookFreely else { return false }
    do throws(SystemError) {
      var status = try directory.freeStatus(at: paths.path)
      if status == nil, let barePath = paths.barePath {
        status = try directory.freeStatus(at: barePath)
      }
      guard let status else { return identity == nil }
      return identity?.proves(status) ?? false
    } catch {
      return false
    }
  }

  // MARK: Reading

  /// Waits until another process lets go of the file, if it holds a lease on it: under the lock, the processes that save other
  /// domains would wait as well.
  ///
  /// - Parameters:
  ///   - identity: An identity by which the file is not read if it certainly has it; nil if it is read.
  ///   - deadline: When to stop waiting for the lock, which is moved on by this wait.
  /// - Throws: an error if that process does not let go.
  func awaitEndOfLease(
    unlessStill identity: FileIdentity?, _ deadline: inout MonotonicTime
  ) throws(DatabaseError) {
    guard status?.kind == .regular, identity == nil || !isStill(identity) else { return }
    let start = MonotonicTime.now
    defer { deadline = deadline + MonotonicTime.now.seconds(since: start) }
    do throws(SystemError) {
      fileSystem.close(try fileSystem.open(resolvedPath, for: .reading))
    } catch SystemError.tryAgain {
      throw .inputOutput(.tryAgain, path: path, "cannot be read", advice: DomainFile.unchanged)
    } catch {
      // Whoever reads the file tells why it cannot be read, if it has to be.
    }
  }

  /// Whether nothing exists at the path.
  var isAbsent: Bool { status == nil }

  /// The file's size in bytes; 0 if there is none.
  var byteCount: Int { status.map { Int($0.size) } ?? 0 }

  /// Whether there is a file that exceeds the maximum size for reading.
  var isTooLarge: Bool { status?.kind == .regular && byteCount > FileSize.maximum }

  /// Whether two searches found the same path, whatever exists there.
  func isSamePlace(as other: DomainFile) -> Bool {
    haveEqualBytes(fileName, other.fileName) && haveEqualBytes(resolvedPath, other.resolvedPath)
  }

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - known: The text when it was last read or written, which is not validated again if it is the same.
  ///   - identity: The identity that the file had then; where it proves that the file is unchanged, the file is not
  ///     read.
  /// - Throws: an error if the file is unreadable; a damaged file is a result.
  func load(
    knowing known: DictionaryText? = nil, of identity: FileIdentity? = nil
  ) throws(DatabaseError) -> FoundDomain {
    if let known, let identity, isStill(identity) {
      return FoundDomain(
        domain: LoadedDomain(known, identity: identity), format: DomainFileFormat(recognising: known.bytes),
        bytes: known.bytes)
    }
    guard let status, let contents = try contents(status, knowing: known?.bytes ?? []) else {
      return FoundDomain(domain: LoadedDomain(), format: newFileFormat)
    }
    if let known, known.isText(of: contents.bytes, options: textOptions) {
      return FoundDomain(
        domain: LoadedDomain(known, identity: contents.identity),
        format: DomainFileFormat(recognising: known.bytes), bytes: known.bytes)
    }
    return try interpret(contents.bytes, contents.identity)
  }

  /// Reads the file, unless it exceeds the maximum size: such a file can only be replaced as a whole.
  func loadForReplacing() throws(DatabaseError) -> FoundDomain {
    guard let status, isTooLarge else { return try load() }
    // With this time the identity is inconclusive, so that it never proves that a file is unchanged.
    let identity = FileIdentity(status, at: status.changed)
    return FoundDomain(
      domain: LoadedDomain(identity: identity), format: newFileFormat, isTooLarge: true)
  }

  /// The file's bytes as they are; nil if there is none.
  func bytes() throws(DatabaseError) -> [UInt8]? {
    guard let status else { return nil }
    return try contents(status, knowing: [])?.bytes
  }

  /// Whether the file consists of exactly these bytes.
  func holds(_ bytes: [UInt8]) throws(DatabaseError) -> Bool {
    guard let status, status.size == bytes.count,
      let present = try contents(status, knowing: bytes)?.bytes, present.count == bytes.count
    else { return false }
    return present.withUnsafeBytes { present in bytes.withUnsafeBytes { haveEqualBytes(present, $0) } }
  }

  /// What a file consists of, and which file it is.
  private struct Contents {
    let bytes: [UInt8]
    let identity: FileIdentity
  }

  /// Reads the file that was found; nil if it has been removed since.
  ///
  /// - Parameter known: Bytes that the file may consist of.
  private func contents(
    _ status: FileStatus, knowing known: [UInt8]
  ) throws(DatabaseError) -> Contents? {
    try checkKind(status)
    do throws(SystemError) {
      // Taken before the status (racy timestamps): a write at this moment must not be taken for an older one.
      let time = fileSystem.now
      let descriptor = try fileSystem.open(resolvedPath, for: .reading)
      defer { fileSystem.close(descriptor) }
      let status = try fileSystem.status(of: descriptor)
      guard status.kind == .regular else { throw .notSupported }
      guard directory.trusts(status) else { throw DatabaseDirectory.writableByOthers }
      return Contents(
        bytes: try fileSystem.contents(of: descriptor, size: status.size, knowing: known),
        identity: FileIdentity(status, at: time))
    } catch SystemError.notFound {
      return nil
    } catch DatabaseDirectory.writableByOthers {
      throw DatabaseDirectory.untrusted(path)
    } catch SystemError.tooLarge {
      throw .inputOutput(
        .tooLarge, path: path, "cannot be read: it is larger than \(FileSize.maximum) bytes",
        advice:
          "nothing was changed; it can still be deleted, and exported as it is where no format is asked for")
    } catch {
      throw .inputOutput(error, path: path, "cannot be read", advice: "nothing was changed")
    }
  }

  /// Opens the file if it exceeds the maximum size for reading; otherwise gives nil.
  func openIfTooLarge() throws(DatabaseError) -> LargeFile? {
    guard isTooLarge else { return nil }
    do throws(SystemError) {
      let file = LargeFile(
        path: path, descriptor: try fileSystem.open(resolvedPath, for: .reading), fileSystem: fileSystem)
      do throws(SystemError) {
        let status = try fileSystem.status(of: file.descriptor)
        guard status.kind == .regular else { throw .notSupported }
        guard directory.trusts(status) else { throw DatabaseDirectory.writableByOthers }
        return file
      } catch {
        file.close()
        throw error
      }
    } catch SystemError.notFound {
      return nil
    } catch DatabaseDirectory.writableByOthers {
      throw DatabaseDirectory.untrusted(path)
    } catch {
      throw .inputOutput(error, path: path, "cannot be read", advice: "nothing was changed")
    }
  }

  private func checkKind(_ status: FileStatus) throws(DatabaseError) {
    if let error = misplacement(status) { throw error.with(advice: "nothing was changed: move it away") }
  }

  /// Whether a link that may be followed leads to no file.
  var isLinkToNoFile: Bool { status == nil && isLink }

  /// Whether a link lies in the file's place; two spellings of the same characters are two paths.
  var isLink: Bool { !haveEqualBytes(resolvedPath, path) }

  /// The error for what lies in the file's place and is none; nil for a file, and for nothing.
  var misplacement: DatabaseError? {
    guard isLinkToNoFile else { return status.flatMap(misplacement) }
    return DatabaseError(
      .inputOutput(code: SystemError.notFound.code), path: path, message: "is a link that leads to no file",
      advice: "make the file, or remove the link")
  }

  private func misplacement(_ status: FileStatus) -> DatabaseError? {
    guard status.kind != .regular else { return nil }
    let code = (status.kind == .directory ? SystemError.isDirectory : .invalidArgument).code
    return DatabaseError(
      .inputOutput(code: code), path: path, message: "is \(status.kind) where the domain's file should be",
      advice: "move it away")
  }

  var textOptions: PropertyList.ParsingOptions { OpenStepFormat.options(forFileNamed: fileName) }

  /// The format of the file if there is none that can be read: text where its programs expect no extension.
  var newFileFormat: DomainFileFormat {
    fileName.hasByteSuffix(DomainFile.fileExtension) ? directory.dialect.newFileFormat : .openStep
  }

  /// Whether a text in this file has to be one that Window Maker reads.
  var isWindowMakers: Bool { OpenStepFormat.isWindowMakerFile(fileName) }

  private func interpret(
    _ bytes: [UInt8], _ identity: FileIdentity
  ) throws(DatabaseError) -> FoundDomain {
    let format = DomainFileFormat(recognising: bytes)
    if let text = text(of: bytes, in: format) {
      return FoundDomain(domain: LoadedDomain(text, identity: identity), format: format, bytes: bytes)
    }
    do throws(FormatError) {
      let (value, format) = try DomainFileFormat.propertyList(
        from: bytes, textOptions: textOptions, undoesGNUstepEscapes: directory.dialect == .gnustep)
      guard case .dictionary(let values) = value else {
        throw FormatError("holds a single value where a dictionary was expected")
      }
      return FoundDomain(
        domain: LoadedDomain(values: values, identity: identity), format: format, bytes: bytes)
    } catch {
      return FoundDomain(
        domain: LoadedDomain(identity: identity, damage: .damaged(path: path, error)),
        format: newFileFormat, bytes: bytes)
    }
  }

  /// The text if it has the form that is read without parsing all values; otherwise nil.
  private func text(of bytes: [UInt8], in format: DomainFileFormat) -> DictionaryText? {
    switch format {
    case .openStep: DictionaryText(checking: bytes, options: textOptions)
    // The documents that GNUstep writes have escapes, and another layout.
    case .xml where directory.dialect == .openStep: DictionaryText(checkingXML: bytes)
    case .xml, .gnustep, .binary: nil
    }
  }
}
