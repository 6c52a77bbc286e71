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
  let directory: DatabaseDirectory
  /// The lock that excludes GNUstep's programs while the file is changed; nil outside their directories.
  var gnustepLock: GNUstepLock?
  var fileSystem: any FileSystem { directory.fileSystem }
  /// The directory that contains the file after all links.
  var folder: String { DatabaseDirectory.parent(of: resolvedPath) }

  /// Finds a domain's file: `<domain>.plist`, or else a regular file `<domain>` without a dot in its name.
  ///
  /// Window Maker and NEXTSPACE use the second form. Such a file keeps its name, and their domains are made under
  /// it. In GNUstep's directories no other file of that form is a domain's: GNUstep's programs do not read it.
  ///
  /// - Parameter isPathChecked: Whether the directory's path was checked a moment ago.
  init(
    of name: DomainName, in directory: DatabaseDirectory, isPathChecked: Bool = false
  ) throws(DatabaseError) {
    self.directory = directory
    let baseName = try DomainFile.baseName(of: name, in: directory)
    var fileName = baseName + DomainFile.fileExtension
    var file = try directory.resolve(fileName, isPathChecked: isPathChecked)
    if file.status == nil, DomainFile.isBareName(baseName, in: directory) {
      // An error does not mean absence: a new file with the extension would hide all values of this one.
      let bare = try directory.resolve(baseName, isPathChecked: true)
      let isBare =
        if let status = bare.status { status.kind == .regular } else {
          DomainFile.isOpenedBare(baseName, in: directory)
        }
      if isBare { (fileName, file) = (baseName, bare) }
    }
    self.fileName = fileName
    resolvedPath = file.path
    status = file.status
    path = directory.path(of: fileName)
  }

  /// Whether there is also a file without an extension, which would be read if this one did not exist.
  func hidesAnother() throws(DatabaseError) -> Bool {
    guard fileName.hasSuffix(DomainFile.fileExtension) else { return false }
    let bareName = String(fileName.dropLast(DomainFile.fileExtension.count))
    guard DomainFile.isBareName(bareName, in: directory) else { return false }
    return try directory.resolve(bareName).status?.kind == .regular
  }

  /// Whether the file certainly has an identity, and was not written since; for nil, whether no file exists.
  func isStill(_ identity: FileIdentity?) -> Bool {
    guard let identity else { return status == nil }
    return status.map(identity.proves) ?? false
  }

  /// Whether the file at a domain's usual path certainly has an identity, and was not written since; for nil,
  /// whether no file exists.
  ///
  /// This is the fast path of a synchronize with nothing to do. With this single check per file it took 1.9
  /// times as long as a plain `stat` of each; with a check of every directory of the path as well, 6.8 times.
  /// The latter is not needed to refuse another user's link, which can do no harm here: either it leads to
  /// the very file that was read when the path was checked, or to nothing, as before; in all other cases the
  /// caller checks the whole path.
  ///
  /// - Returns: false also if a single check does not tell: for a link, and if the status cannot be read.
  static func isStill(
    _ identity: FileIdentity?, of name: DomainName, in directory: DatabaseDirectory
  ) -> Bool {
    // Otherwise the check could prove nothing.
    guard identity?.isConclusive != false, let baseName = try? baseName(of: name, in: directory) else {
      return false
    }
    do throws(SystemError) {
      var status = try directory.statusIfPresent(at: usualPath(of: name, in: directory))
      if status == nil, isBareName(baseName, in: directory) {
        status = try directory.statusIfPresent(at: directory.path(of: baseName))
      }
      // The system ends the path at a NUL, and finds nothing there.
      guard let status else { return identity == nil && !directory.path.utf8.contains(0) }
      return identity?.proves(status) ?? false
    } catch {
      return false
    }
  }

  // MARK: Reading

  /// Whether nothing exists at the path.
  var isAbsent: Bool { status == nil }

  /// The file's size in bytes; 0 if there is none.
  var byteCount: Int { status.map { Int($0.size) } ?? 0 }

  /// Whether there is a file that exceeds the maximum size for reading.
  var isTooLarge: Bool { status?.kind == .regular && byteCount > FileSize.maximum }

  /// Whether two searches found the same path, whatever exists there.
  func isSamePlace(as other: DomainFile) -> Bool {
    fileName == other.fileName && resolvedPath == other.resolvedPath
  }

  /// Reads the file.
  ///
  /// - Parameter known: The text when it was last read, which is not validated again if it is the same.
  /// - Throws: an error if the file is unreadable; a damaged file is a result.
  func load(knowing known: DictionaryText? = nil) throws(DatabaseError) -> FoundDomain {
    guard let status, let (bytes, identity) = try contents(status, knowing: known?.bytes ?? []) else {
      return FoundDomain(domain: LoadedDomain(), format: newFileFormat)
    }
    if let known, known.isText(of: bytes, options: textOptions) {
      return FoundDomain(
        domain: LoadedDomain(known, identity: identity), format: DomainFileFormat(recognising: known.bytes),
        bytes: known.bytes)
    }
    return try interpret(bytes, identity)
  }

  /// Reads the file, unless it exceeds the maximum size: such a file can only be replaced as a whole.
  func loadForReplacing() throws(DatabaseError) -> FoundDomain {
    guard let status, isTooLarge else { return try load() }
    // With this time the identity is inconclusive, so that it never proves that a file is unchanged.
    let identity = FileIdentity(status, at: status.changed)
    return FoundDomain(
      domain: LoadedDomain(identity: identity), format: newFileFormat, isTooLarge: true)
  }

  /// Whether the file consists of exactly these bytes.
  func holds(_ bytes: [UInt8]) throws(DatabaseError) -> Bool {
    guard let status, status.size == bytes.count,
      let present = try contents(status, knowing: bytes)?.bytes, present.count == bytes.count
    else { return false }
    return present.withUnsafeBytes { present in bytes.withUnsafeBytes { haveEqualBytes(present, $0) } }
  }

  /// Reads the file that was found; nil if it has been removed since.
  ///
  /// - Parameter known: Bytes that the file may consist of.
  private func contents(
    _ status: FileStatus, knowing known: [UInt8]
  ) throws(DatabaseError) -> (bytes: [UInt8], identity: FileIdentity)? {
    try checkKind(status)
    do throws(SystemError) {
      // Taken before the status (racy timestamps): a write at this moment must not be taken for an older one.
      let time = fileSystem.now
      let descriptor = try fileSystem.open(resolvedPath, for: .reading)
      defer { fileSystem.close(descriptor) }
      let status = try fileSystem.status(of: descriptor)
      guard status.kind == .regular else { throw .notSupported }
      guard directory.trusts(status) else { throw DatabaseDirectory.writableByOthers }
      return (
        try fileSystem.contents(of: descriptor, size: status.size, knowing: known),
        FileIdentity(status, at: time)
      )
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
    let advice = "nothing was changed: move it away"
    switch status.kind {
    case .regular:
      break
    case .directory:
      throw DatabaseError(
        .inputOutput(code: SystemError.isDirectory.code), path: path,
        message: "is a directory where the domain's file should be", advice: advice)
    case .symbolicLink, .other:
      throw DatabaseError(
        .inputOutput(code: SystemError.invalidArgument.code), path: path,
        message: "is no regular file but a pipe, a socket or a device", advice: advice)
    }
  }

  var textOptions: PropertyList.ParsingOptions { OpenStepFormat.options(forFileNamed: fileName) }

  /// The format of the file if there is none that can be read: text where its programs expect no extension.
  private var newFileFormat: DomainFileFormat {
    fileName.hasSuffix(DomainFile.fileExtension) ? directory.dialect.newFileFormat : .openStep
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

  // MARK: Writing

  /// Plans how to put changes into the file.
  ///
  /// It needs no lock: besides reading, it only fills a temporary file.
  ///
  /// - Parameters:
  ///   - onDamage: What to do with a text that cannot be changed as it is.
  ///   - known: Gives the values to save in place of a damaged file's contents.
  func plan(
    _ changes: DomainChanges, over found: FoundDomain, onDamage: DamagePolicy,
    knowing known: () -> [PropertyListKey: PropertyList]
  ) throws(DatabaseError) -> SavePlan {
    let old = found.domain
    // Thrown before the memory is filled.
    if found.format.isText, changes.takes(FileSize.maximum + 1) { throw tooLarge }
    var isUneditable = false
    func plan(_ step: SavePlan.Step, _ after: LoadedDomain) -> SavePlan {
      SavePlan(file: self, found: found, step: step, after: after, isUneditable: isUneditable)
    }
    switch try edited(found, by: changes) {
    case .whole(let changed):
      if changed === old.text { return plan(.keep, old) }
      return plan(.replace(try write(changed.bytes)), LoadedDomain(changed))
    case .edited(let edited, let after):
      if edited.bytes == found.bytes { return plan(.keep, old) }
      return plan(.replace(try write(edited.bytes)), after)
    case .impossible:
      guard onDamage == .moveAside else { throw uneditable }
      isUneditable = true
    case .notText: break
    }
    let isLost = old.isDamaged || found.isTooLarge
    let oldValues = old.values
    let values = changes.applied(to: old.isDamaged ? known() : oldValues)
    if values == oldValues && !isLost { return plan(.keep, old) }
    // Without a file, an older one without the extension would be read again; then an empty dictionary is
    // written.
    if values.isEmpty, try !hidesAnother() {
      return plan(.remove, LoadedDomain())
    }
    let (bytes, after) = try encode(values, as: found.format)
    return plan(.replace(try write(bytes)), after)
  }

  /// Plans the same for lines of text, without parsing their values, which would take several times the
  /// memory.
  ///
  /// - Returns: nil if the file is not to be text, or contains a text that has to be parsed.
  func plan(
    _ lines: DictionaryText, replacingAll: Bool, over found: FoundDomain
  ) throws(DatabaseError) -> SavePlan? {
    let old = found.domain
    guard directory.dialect == .openStep, found.format == .openStep, !isWindowMakers,
      old.text != nil || old.identity == nil || found.isTooLarge
    else { return nil }
    let before: DictionaryText?
    do throws(PropertyListError) {
      before = try old.text?.rewritten(maximumByteCount: FileSize.maximum)
    } catch {
      throw notWritable(FormatError(error))
    }
    // What a person has laid out or commented is edited instead.
    guard before?.bytes == old.text?.bytes else { return nil }
    let after: DictionaryText
    do throws(PropertyListError) {
      after = replacingAll ? lines : try before?.merging(lines) ?? lines
    } catch {
      throw notWritable(FormatError(error))
    }
    let step: SavePlan.Step = before?.bytes == after.bytes ? .keep : .replace(try write(after.bytes))
    return SavePlan(file: self, found: found, step: step, after: LoadedDomain(after))
  }

  /// Plans the removal of all of the domain's keys.
  func planRemoval(of found: FoundDomain) throws(DatabaseError) -> SavePlan {
    let step: SavePlan.Step
    var after = LoadedDomain()
    if isAbsent {
      step = .none
    } else if try hidesAnother() {
      let bytes: [UInt8]
      (bytes, after) = try encode([:], as: found.format)
      step = .replace(try write(bytes))
    } else {
      step = .remove
    }
    return SavePlan(file: self, found: found, step: step, after: after)
  }

  /// Carries out a plan; the file must still be the one that was found then.
  ///
  /// - Throws: an error that says whether the old file still exists.
  func carryOut(_ plan: SavePlan) throws(DatabaseError) -> Commit {
    var commit = Commit(before: plan.found.domain.identity, after: plan.after)
    commit.foundKnownText = plan.foundKnownText
    let reason = plan.reasonToMoveAside
    switch plan.step {
    case .none:
      break
    case .keep:
      // Another process may have written the file a moment ago, and been killed before this step.
      try synchronize()
    case .remove:
      commit.movedAside = try remove(movingAside: reason != nil)
    case .replace(let file):
      let (identity, movedAside) = try put(file, movingAside: reason != nil)
      commit.after = plan.after.stored(in: identity)
      commit.movedAside = movedAside
    }
    if commit.movedAside != nil { commit.reason = reason }
    return commit
  }

  /// Writes values in a format; gives the bytes, and the domain after they are in its file.
  private func encode(
    _ values: [PropertyListKey: PropertyList], as format: DomainFileFormat
  ) throws(DatabaseError) -> (bytes: [UInt8], after: LoadedDomain) {
    let bytes: [UInt8]
    var values = values
    do throws(FormatError) {
      if isWindowMakers, format.isText {
        values = try OpenStepFormat.withoutTypes(values)
        bytes = try OpenStepFormat.bytes(of: .dictionary(values), style: .windowMaker)
      } else {
        bytes = try format.bytes(of: .dictionary(values), for: directory.dialect)
      }
    } catch {
      throw notWritable(error)
    }
    if directory.dialect == .openStep, let text = text(written: bytes) { return (bytes, LoadedDomain(text)) }
    return (bytes, LoadedDomain(values: values))
  }

  /// The text that was just written, in any format that can represent it; nil if its lines cannot be changed
  /// one by one.
  private func text(written bytes: [UInt8]) -> DictionaryText? {
    switch DomainFileFormat(recognising: bytes) {
    case .openStep: DictionaryText(written: bytes, options: textOptions)
    case .xml: DictionaryText(checkingXML: bytes)
    case .gnustep, .binary: nil
    }
  }

  func notWritable(_ error: FormatError) -> DatabaseError {
    DatabaseError(.refused, path: path, message: "cannot be saved: \(error)", advice: DomainFile.unchanged)
  }

  /// The file could not be read again.
  private var tooLarge: DatabaseError {
    notWritable(FormatError("it would take more than \(FileSize.maximum) bytes, and no larger file is read"))
  }

  /// Writes bytes into a temporary file in the same directory, and waits until they are on stable storage.
  private func write(_ bytes: [UInt8]) throws(DatabaseError) -> TemporaryFile {
    guard bytes.count <= FileSize.maximum else { throw tooLarge }
    let file: TemporaryFile
    do throws(SystemError) {
      file = try TemporaryFile(in: folder, fileSystem: fileSystem)
    } catch {
      throw notSaved(error)
    }
    do throws(SystemError) {
      try directory.handOver(file.descriptor, madeIn: folder)
      try file.fill(with: bytes)
      return file
    } catch {
      file.discard()
      file.close()
      throw notSaved(error)
    }
  }

  /// Puts a temporary file in this one's place; a damaged file is first kept under another name.
  ///
  /// - Returns: the new file's identity, and the damaged one's new path.
  private func put(
    _ file: TemporaryFile, movingAside isDamaged: Bool
  ) throws(DatabaseError) -> (identity: FileIdentity, movedAside: String?) {
    try saving { descriptor throws(DatabaseError) in
      try gnustepLock?.check()
      var kept: String?
      do throws(SystemError) {
        if isDamaged {
          kept = try keep()
          // Otherwise a loss of power might preserve the next rename and lose this name.
          try directory.synchronize(descriptor)
        }
        try fileSystem.rename(file.path, to: resolvedPath)
      } catch {
        throw notSaved(error, advice: undoKeeping(kept))
      }
      do throws(SystemError) {
        // Read after the rename, which changes the status.
        return (FileIdentity(try fileSystem.status(of: file.descriptor), at: fileSystem.now), kept)
      } catch {
        throw notDurable(error)
      }
    }
  }

  /// Removes the file, or keeps it under another name if it is damaged.
  private func remove(movingAside isDamaged: Bool) throws(DatabaseError) -> String? {
    try saving { _ throws(DatabaseError) in
      try gnustepLock?.check()
      do throws(SystemError) {
        if isDamaged { return try moveAside() }
        try fileSystem.remove(resolvedPath)
        return nil
      } catch {
        throw notSaved(error)
      }
    }
  }

  /// Waits until the file, which another process may just have written, is on stable storage.
  private func synchronize() throws(DatabaseError) {
    try saving { _ throws(DatabaseError) in
      guard status != nil else { return }
      do throws(SystemError) {
        let descriptor = try fileSystem.open(resolvedPath, for: .reading)
        defer { fileSystem.close(descriptor) }
        try fileSystem.synchronize(descriptor)
      } catch {
        throw notDurable(error)
      }
    }
  }

  /// Opens the file's directory, runs a step, and waits until the directory's entries are on stable storage.
  ///
  /// The directory is opened first, so that a step that cannot be made durable is not begun.
  private func saving<Result>(
    _ step: (_ descriptor: Int32) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try fileSystem.open(folder, for: .directory)
    } catch {
      throw notSaved(error)
    }
    defer { fileSystem.close(descriptor) }
    let result = try step(descriptor)
    do throws(SystemError) {
      try directory.synchronize(descriptor)
    } catch {
      throw notDurable(error)
    }
    return result
  }

  static let unchanged = "the file is unchanged"

  private func notSaved(_ error: SystemError, advice: String = unchanged) -> DatabaseError {
    .inputOutput(error, path: path, "cannot be saved", advice: advice)
  }

  private func notDurable(_ error: SystemError) -> DatabaseError {
    .inputOutput(
      error, path: path, "may not survive a loss of power", advice: "the changes are in the file; save again")
  }
}
