import OpenStepPropertyList

/// One domain's file on disk.
struct DomainFile {
  /// Where the file lies or would lie in the database, for messages.
  let path: String
  /// Where its bytes lie once links are followed.
  let resolvedPath: String
  /// What was found there; nil for nothing.
  let status: FileStatus?
  let fileName: String
  let directory: DatabaseDirectory
  /// Under which GNUstep's programs are kept out while the file is changed; nil where none may be there.
  var gnustepLock: GNUstepLock?
  var fileSystem: any FileSystem { directory.fileSystem }
  /// The directory in which its bytes lie.
  var folder: String { DatabaseDirectory.parent(of: resolvedPath) }

  /// Finds a domain's file: `<domain>.plist`, else a regular file `<domain>` without a dot in its name.
  ///
  /// The second form is Window Maker's habit; such a file keeps its name. It does not count in GNUstep's
  /// directories, where Window Maker's files lie too, which GNUstep's programs do not look at.
  ///
  /// - Parameter isPathChecked: Whether the way to the directory was found good a moment ago.
  init(
    of name: DomainName, in directory: DatabaseDirectory, isPathChecked: Bool = false
  ) throws(DatabaseError) {
    self.directory = directory
    let baseName = try DomainFile.baseName(of: name, in: directory)
    var fileName = baseName + DomainFile.fileExtension
    var file = try directory.resolve(fileName, isPathChecked: isPathChecked)
    if file.status == nil, DomainFile.isBareName(baseName, in: directory) {
      // An error here is not absence: a new file with the extension would hide all that this one holds.
      let bare = try directory.resolve(baseName, isPathChecked: true)
      if bare.status?.kind == .regular { (fileName, file) = (baseName, bare) }
    }
    self.fileName = fileName
    resolvedPath = file.path
    status = file.status
    path = directory.path(of: fileName)
  }

  /// Whether a file without an extension lies under this one, which would be read in its place.
  func hidesAnother() throws(DatabaseError) -> Bool {
    guard fileName.hasSuffix(DomainFile.fileExtension) else { return false }
    let bareName = String(fileName.dropLast(DomainFile.fileExtension.count))
    guard DomainFile.isBareName(bareName, in: directory) else { return false }
    return try directory.resolve(bareName).status?.kind == .regular
  }

  /// Whether the file is certainly the one of an identity, unwritten since; for nil, whether there is none.
  func isStill(_ identity: FileIdentity?) -> Bool {
    guard let identity else { return status == nil }
    return status.map(identity.proves) ?? false
  }

  /// Whether the file in a domain's usual place is certainly the one of an identity, unwritten since; for nil,
  /// whether there is none.
  ///
  /// The fast path of a synchronize with nothing to do: one look at each file took that 1.9 times as long as a
  /// plain `stat` of each; looks at every directory on the way as well, 6.8 times. They are not needed to refuse
  /// a foreign link, since one can lead to nothing here: what it shows is the very file that was read in a place
  /// that was trusted, or nothing, as before; all else is left to who looks at the whole way.
  ///
  /// - Returns: false also where it takes more than that to tell: for a link, and for what cannot be looked at.
  static func isStill(
    _ identity: FileIdentity?, of name: DomainName, in directory: DatabaseDirectory
  ) -> Bool {
    // Else the look would be in vain.
    guard identity?.isConclusive != false, let baseName = try? baseName(of: name, in: directory) else {
      return false
    }
    do throws(SystemError) {
      var status = try directory.statusIfPresent(at: usualPath(of: name, in: directory))
      if status == nil, isBareName(baseName, in: directory) {
        status = try directory.statusIfPresent(at: directory.path(of: baseName))
      }
      // The system takes the part before NUL for the path, and finds nothing there.
      guard let status else { return identity == nil && !directory.path.utf8.contains(0) }
      return identity?.proves(status) ?? false
    } catch {
      return false
    }
  }

  // MARK: Reading

  /// Whether nothing lies there.
  var isAbsent: Bool { status == nil }

  /// How many bytes the file holds; 0 where there is none.
  var byteCount: Int { status.map { Int($0.size) } ?? 0 }

  /// Whether there is a file that is larger than any that is read.
  var isTooLarge: Bool { status?.kind == .regular && byteCount > FileSize.maximum }

  /// Whether two looks came to the same name, whatever lies there.
  func isSamePlace(as other: DomainFile) -> Bool {
    fileName == other.fileName && resolvedPath == other.resolvedPath
  }

  /// Reads what is there.
  ///
  /// - Parameter known: The text as it was seen last, which spares checking it again where it is the same.
  /// - Throws: an error where it cannot be read; damage is a result.
  func load(knowing known: DictionaryText? = nil) throws(DatabaseError) -> FoundDomain {
    guard let status, let (bytes, identity) = try contents(status, knowing: known?.bytes ?? []) else {
      return FoundDomain(domain: LoadedDomain(), format: directory.dialect.newFileFormat)
    }
    if let known, known.isText(of: bytes, options: textOptions) {
      return FoundDomain(
        domain: LoadedDomain(known, identity: identity), format: known.isXML ? .xml : .openStep,
        bytes: known.bytes)
    }
    return try interpret(bytes, identity)
  }

  /// Reads what is there, but for a file that is larger than any that is read: of that nothing is to be left.
  func loadForReplacing() throws(DatabaseError) -> FoundDomain {
    guard let status, isTooLarge else { return try load() }
    // Seen at no known time, it is never taken for another.
    let identity = FileIdentity(status, at: status.changed)
    return FoundDomain(
      domain: LoadedDomain(identity: identity), format: directory.dialect.newFileFormat, isTooLarge: true)
  }

  /// Whether the file holds certain bytes and no others.
  func holds(_ bytes: [UInt8]) throws(DatabaseError) -> Bool {
    guard let status, status.size == bytes.count,
      let present = try contents(status, knowing: bytes)?.bytes, present.count == bytes.count
    else { return false }
    return present.withUnsafeBytes { present in bytes.withUnsafeBytes { haveEqualBytes(present, $0) } }
  }

  /// Reads the file that was found; nil where it is gone.
  ///
  /// - Parameter known: What it may hold.
  private func contents(
    _ status: FileStatus, knowing known: [UInt8]
  ) throws(DatabaseError) -> (bytes: [UInt8], identity: FileIdentity)? {
    try checkKind(status)
    do throws(SystemError) {
      // Taken before the file is looked at: a write at this very moment must not pass for an older one.
      let time = fileSystem.now
      let descriptor = try fileSystem.open(resolvedPath, for: .reading)
      defer { fileSystem.close(descriptor) }
      let status = try fileSystem.status(of: descriptor)
      guard status.kind == .regular else { throw .notSupported }
      guard directory.believes(status) else { throw DatabaseDirectory.othersMayWrite }
      return (
        try fileSystem.contents(of: descriptor, size: status.size, knowing: known),
        FileIdentity(status, at: time)
      )
    } catch SystemError.notFound {
      return nil
    } catch DatabaseDirectory.othersMayWrite {
      throw DatabaseDirectory.unbelievable(path)
    } catch SystemError.tooLarge {
      throw .inputOutput(
        .tooLarge, path: path, "cannot be read: it is larger than \(FileSize.maximum) bytes",
        advice:
          "nothing was changed; it can still be deleted, and exported as it is where no format is asked for")
    } catch {
      throw .inputOutput(error, path: path, "cannot be read", advice: "nothing was changed")
    }
  }

  /// Opens the file where it is larger than any that is read; gives nil where it is not.
  func openIfTooLarge() throws(DatabaseError) -> LargeFile? {
    guard isTooLarge else { return nil }
    do throws(SystemError) {
      let file = LargeFile(
        path: path, descriptor: try fileSystem.open(resolvedPath, for: .reading), fileSystem: fileSystem)
      do throws(SystemError) {
        let status = try fileSystem.status(of: file.descriptor)
        guard status.kind == .regular else { throw .notSupported }
        guard directory.believes(status) else { throw DatabaseDirectory.othersMayWrite }
        return file
      } catch {
        file.close()
        throw error
      }
    } catch SystemError.notFound {
      return nil
    } catch DatabaseDirectory.othersMayWrite {
      throw DatabaseDirectory.unbelievable(path)
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

  private var textOptions: PropertyList.ParsingOptions { OpenStepFormat.options(forFileNamed: fileName) }

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
        format: directory.dialect.newFileFormat, bytes: bytes)
    }
  }

  /// What is read without making values; nil where the file is none of that.
  private func text(of bytes: [UInt8], in format: DomainFileFormat) -> DictionaryText? {
    switch format {
    case .openStep: DictionaryText(checking: bytes, options: textOptions)
    // GNUstep's own documents have escapes, and another layout.
    case .xml where directory.dialect == .openStep: DictionaryText(checkingXML: bytes)
    case .xml, .gnustep, .binary: nil
    }
  }

  // MARK: Writing

  /// Works out what is to be done to the file for changes to be in it.
  ///
  /// Needs no lock: what it does beside reading is to fill a temporary file.
  ///
  /// - Parameter known: Gives what stands for the contents of a damaged file.
  func plan(
    _ changes: DomainChanges, over found: FoundDomain, knowing known: () -> [PropertyListKey: PropertyList]
  ) throws(DatabaseError) -> SavePlan {
    let old = found.domain
    // Told before the memory is filled with it.
    if found.format != .xml, found.format != .binary, changes.takes(FileSize.maximum + 1) { throw tooLarge }
    func plan(_ step: SavePlan.Step, _ after: LoadedDomain) -> SavePlan {
      SavePlan(file: self, found: found, step: step, after: after)
    }
    if let changed = try changed(old, by: changes) {
      if changed === old.text { return plan(.keep, old) }
      return plan(.replace(try write(changed.bytes)), LoadedDomain(changed))
    }
    let isLost = old.isDamaged || found.isTooLarge
    let oldValues = old.values
    let values = changes.applied(to: old.isDamaged ? known() : oldValues)
    if values == oldValues && !isLost { return plan(.keep, old) }
    // An empty dictionary where no file would bring old values back.
    if values.isEmpty, try !hidesAnother() {
      return plan(.remove, LoadedDomain())
    }
    let (bytes, after) = try encode(values, as: found.format)
    return plan(.replace(try write(bytes)), after)
  }

  /// Works out the same for lines of text without making values of them, which takes several times the memory.
  ///
  /// - Returns: nil where the file is not to be of such lines, or holds what is not read as such.
  func plan(
    _ lines: DictionaryText, replacingAll: Bool, over found: FoundDomain
  ) throws(DatabaseError) -> SavePlan? {
    let old = found.domain
    guard directory.dialect == .openStep, found.format == .openStep,
      old.text != nil || old.identity == nil || found.isTooLarge
    else { return nil }
    let before: DictionaryText?
    do throws(PropertyListError) {
      before = try old.text?.rewritten(maximumByteCount: FileSize.maximum)
    } catch {
      throw notWritable(FormatError(error))
    }
    let after: DictionaryText
    do throws(PropertyListError) {
      after = replacingAll ? lines : try before?.merging(lines) ?? lines
    } catch {
      throw notWritable(FormatError(error))
    }
    let step: SavePlan.Step = before?.bytes == after.bytes ? .keep : .replace(try write(after.bytes))
    return SavePlan(file: self, found: found, step: step, after: LoadedDomain(after))
  }

  /// Works out what is to be done for no key of the domain to be left.
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

  /// Does what was planned for the file, which must be the one that was found then.
  ///
  /// - Throws: an error that says whether the old file is still there.
  func carryOut(_ plan: SavePlan) throws(DatabaseError) -> Commit {
    var commit = Commit(before: plan.found.domain.identity, after: plan.after)
    commit.foundKnownText = plan.foundKnownText
    switch plan.step {
    case .none:
      break
    case .keep:
      // It may be there because another process wrote it a moment ago and died.
      try synchronize()
    case .remove:
      commit.movedAside = try remove(movingAside: plan.movesAside)
    case .replace(let file):
      let (identity, movedAside) = try put(file, movingAside: plan.movesAside)
      commit.after = plan.after.lying(in: identity)
      commit.movedAside = movedAside
    }
    return commit
  }

  /// The text of a domain after changes, where only their lines have to be written anew; else nil.
  private func changed(
    _ old: LoadedDomain, by changes: DomainChanges
  ) throws(DatabaseError) -> DictionaryText? {
    // A fifth of the lines, one by one, takes as long as writing all of them.
    guard let text = old.text, directory.dialect == .openStep, !changes.replacesAll,
      changes.entries.count <= 8 + text.starts.count / 5
    else { return nil }
    do throws(PropertyListError) {
      return try text.applying(changes.entries)
    } catch {
      // Another format may hold what XML does not.
      if text.isXML { return nil }
      throw notWritable(FormatError(error))
    }
  }

  /// Writes values in a format, and gives with the bytes what the domain is when they lie in its file.
  private func encode(
    _ values: [PropertyListKey: PropertyList], as format: DomainFileFormat
  ) throws(DatabaseError) -> (bytes: [UInt8], after: LoadedDomain) {
    let bytes: [UInt8]
    do throws(FormatError) {
      bytes = try format.bytes(of: .dictionary(values), for: directory.dialect)
    } catch {
      throw notWritable(error)
    }
    if directory.dialect == .openStep, let text = text(written: bytes) { return (bytes, LoadedDomain(text)) }
    return (bytes, LoadedDomain(values: values))
  }

  /// What was just written, in whichever format that can hold it; nil where its lines cannot be changed one by one.
  private func text(written bytes: [UInt8]) -> DictionaryText? {
    switch DomainFileFormat(recognising: bytes) {
    case .openStep: DictionaryText(written: bytes, options: textOptions)
    case .xml: DictionaryText(checkingXML: bytes)
    case .gnustep, .binary: nil
    }
  }

  private func notWritable(_ error: FormatError) -> DatabaseError {
    DatabaseError(.refused, path: path, message: "cannot be saved: \(error)", advice: DomainFile.unchanged)
  }

  /// The file would be one that cannot be read again.
  private var tooLarge: DatabaseError {
    notWritable(FormatError("it would take more than \(FileSize.maximum) bytes, and no larger file is read"))
  }

  /// Writes bytes into a file beside this one, and waits until they are on stable storage.
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

  /// Puts a file in this one's place, after keeping this one under another name where it is damaged.
  ///
  /// - Returns: the new file's identity, and where the damaged one lies now.
  private func put(
    _ file: TemporaryFile, movingAside isDamaged: Bool
  ) throws(DatabaseError) -> (identity: FileIdentity, movedAside: String?) {
    try saving { descriptor throws(DatabaseError) in
      try gnustepLock?.check()
      var kept: String?
      do throws(SystemError) {
        if isDamaged {
          kept = try keep()
          // Else a loss of power might remember the next renaming and forget this name.
          try directory.synchronize(descriptor)
        }
        try fileSystem.rename(file.path, to: resolvedPath)
      } catch {
        throw notSaved(error, advice: undoKeeping(kept))
      }
      do throws(SystemError) {
        // Looked at after the renaming, which changes it.
        return (FileIdentity(try fileSystem.status(of: file.descriptor), at: fileSystem.now), kept)
      } catch {
        throw notDurable(error)
      }
    }
  }

  /// Removes the file, or keeps it under another name where it is damaged.
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

  /// Waits until what another process may just have written is on stable storage.
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

  /// Runs a step with the directory open in which the bytes lie, and waits until that is on stable storage.
  ///
  /// It is opened first: what cannot be made durable is not begun.
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
