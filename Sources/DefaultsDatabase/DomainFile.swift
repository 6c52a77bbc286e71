import OpenStepPropertyList

/// One domain's file on disk.
struct DomainFile {
  /// Where the file lies or would lie in the database, for messages.
  let path: String
  /// Where its bytes lie once links are followed.
  private let resolvedPath: String
  /// What was found there; nil for nothing.
  private let status: FileStatus?
  private let fileName: String
  private let directory: DatabaseDirectory
  /// Under which GNUstep's programs are kept out while the file is changed; nil where none may be there.
  var foreignLock: GNUstepLock?
  private var fileSystem: any FileSystem { directory.fileSystem }
  /// The directory in which its bytes lie.
  var folder: String { DatabaseDirectory.parent(of: resolvedPath) }

  private static let fileExtension = ".plist"

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
    var fileName = name.text + DomainFile.fileExtension
    var file = try directory.resolve(fileName, isPathChecked: isPathChecked)
    if file.status == nil, DomainFile.isBareName(name.text, in: directory) {
      // An error here is not absence: a new file with the extension would hide all that this one holds.
      let bare = try directory.resolve(name.text, isPathChecked: true)
      if bare.status?.kind == .regular { (fileName, file) = (name.text, bare) }
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

  private static func isBareName(_ name: String, in directory: DatabaseDirectory) -> Bool {
    directory.dialect == .openStep && !name.utf8.contains(UInt8(ascii: "."))
  }

  /// The path that a domain's file has where no other is found.
  static func usualPath(of name: DomainName, in directory: DatabaseDirectory) -> String {
    directory.path(of: name.text + fileExtension)
  }

  /// The domain whose file has a name, or nil where that is no domain's.
  static func domain(ofFileNamed fileName: String, in directory: DatabaseDirectory) -> DomainName? {
    var name = fileName
    let suffix = fileExtension.utf8
    if fileName.utf8.count > suffix.count, fileName.utf8.suffix(suffix.count).elementsEqual(suffix) {
      name = String(decoding: fileName.utf8.dropLast(suffix.count), as: UTF8.self)
    } else if !isBareName(fileName, in: directory) {
      return nil
    }
    do throws(DatabaseError) {
      guard try directory.resolve(fileName).status?.kind == .regular else { return nil }
      return try DomainName(name)
    } catch {
      // A link that leads nowhere, or too long a name without the extension, which could never be saved.
      return nil
    }
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
    guard identity?.isConclusive != false else { return false }
    do throws(SystemError) {
      var status = try directory.statusIfPresent(at: usualPath(of: name, in: directory))
      if status == nil, isBareName(name.text, in: directory) {
        status = try directory.statusIfPresent(at: directory.path(of: name.text))
      }
      // The system takes the part before NUL for the path, and finds nothing there.
      guard let status else { return identity == nil && !directory.path.utf8.contains(0) }
      return identity?.proves(status) ?? false
    } catch {
      return false
    }
  }

  // MARK: Reading

  /// Reads what is there.
  ///
  /// - Parameter known: The text as it was seen last, which spares checking it again where it is the same.
  /// - Throws: an error where it cannot be read; damage is a result.
  func load(
    knowing known: DictionaryText? = nil
  ) throws(DatabaseError) -> (domain: LoadedDomain, format: DomainFileFormat) {
    guard let status else { return (LoadedDomain(), directory.dialect.newFileFormat) }
    try checkKind(status)
    do throws(SystemError) {
      // Taken before the file is looked at: a write at this very moment must not pass for an older one.
      let time = fileSystem.now
      let descriptor = try fileSystem.open(resolvedPath, for: .reading)
      defer { fileSystem.close(descriptor) }
      let status = try fileSystem.status(of: descriptor)
      guard status.kind == .regular else { throw .notSupported }
      let bytes = try fileSystem.contents(of: descriptor, size: status.size)
      let identity = FileIdentity(status, at: time)
      if let known, known.isText(of: bytes, options: textOptions) {
        return (LoadedDomain(known, identity: identity), .openStep)
      }
      return interpret(bytes, identity)
    } catch SystemError.notFound {
      return (LoadedDomain(), directory.dialect.newFileFormat)
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
  ) -> (domain: LoadedDomain, format: DomainFileFormat) {
    if DomainFileFormat(recognising: bytes) == .openStep,
      let text = DictionaryText(checking: bytes, options: textOptions)
    {
      return (LoadedDomain(text, identity: identity), .openStep)
    }
    do throws(FormatError) {
      let (value, format) = try DomainFileFormat.propertyList(from: bytes, textOptions: textOptions)
      guard case .dictionary(let values) = value else {
        throw FormatError("holds a single value where a dictionary was expected")
      }
      return (LoadedDomain(values: values, identity: identity), format)
    } catch {
      return (
        LoadedDomain(identity: identity, damage: .damaged(path: path, error)), directory.dialect.newFileFormat
      )
    }
  }

  // MARK: Writing

  /// The text of a domain after changes, where only their lines have to be written anew; else nil.
  func changed(
    _ old: LoadedDomain, by changes: DomainChanges
  ) throws(DatabaseError) -> DictionaryText? {
    // A fifth of the lines, one by one, takes as long as writing all of them.
    guard let text = old.text, directory.dialect == .openStep, !changes.replacesAll,
      changes.entries.count <= 8 + text.starts.count / 5
    else { return nil }
    do throws(PropertyListError) {
      return try text.applying(changes.entries)
    } catch {
      throw notWritable(FormatError(error))
    }
  }

  /// Puts values in the file's place, after keeping it under another name where it is damaged.
  ///
  /// - Returns: what lies there now, and where the damaged file lies.
  /// - Throws: an error that says whether the old file is still there.
  func replace(
    with values: [PropertyListKey: PropertyList], format: DomainFileFormat, movingAside isDamaged: Bool
  ) throws(DatabaseError) -> (domain: LoadedDomain, movedAside: String?) {
    let bytes: [UInt8]
    do throws(FormatError) {
      bytes = try format.bytes(of: .dictionary(values), for: directory.dialect)
    } catch {
      throw notWritable(error)
    }
    let (identity, movedAside) = try replace(with: bytes, movingAside: isDamaged)
    if directory.dialect == .openStep, format == .openStep,
      let text = DictionaryText(written: bytes, options: textOptions)
    {
      return (LoadedDomain(text, identity: identity), movedAside)
    }
    return (LoadedDomain(values: values, identity: identity), movedAside)
  }

  private func notWritable(_ error: FormatError) -> DatabaseError {
    DatabaseError(.refused, path: path, message: "cannot be saved: \(error)", advice: DomainFile.unchanged)
  }

  /// Puts bytes in the file's place, after keeping it under another name where it is damaged.
  ///
  /// - Returns: the new file's identity, and where the damaged one lies now.
  /// - Throws: an error that says whether the old file is still there.
  func replace(
    with bytes: [UInt8], movingAside isDamaged: Bool = false
  ) throws(DatabaseError) -> (identity: FileIdentity, movedAside: String?) {
    return try saving { parent, descriptor throws(DatabaseError) in
      let file: TemporaryFile
      do throws(SystemError) {
        file = try TemporaryFile(in: parent, fileSystem: fileSystem)
      } catch {
        throw notSaved(error)
      }
      defer { file.close() }
      var kept: String?
      do throws(SystemError) {
        try directory.handOver(file.descriptor, madeIn: parent)
        try file.fill(with: bytes)
      } catch {
        file.discard()
        throw notSaved(error)
      }
      do throws(DatabaseError) {
        // Here, since the filling takes long.
        try foreignLock?.check()
      } catch {
        file.discard()
        throw error
      }
      do throws(SystemError) {
        if isDamaged {
          kept = try keep()
          // Else a loss of power might remember the next renaming and forget this name.
          try directory.synchronize(descriptor)
        }
        try fileSystem.rename(file.path, to: resolvedPath)
      } catch {
        file.discard()
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
  func remove(movingAside isDamaged: Bool) throws(DatabaseError) -> String? {
    try saving { _, _ throws(DatabaseError) in
      try foreignLock?.check()
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
  func synchronize() throws(DatabaseError) {
    try saving { _, _ throws(DatabaseError) in
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
    _ step: (_ parent: String, _ descriptor: Int32) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let parent = folder
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try fileSystem.open(parent, for: .directory)
    } catch {
      throw notSaved(error)
    }
    defer { fileSystem.close(descriptor) }
    let result = try step(parent, descriptor)
    do throws(SystemError) {
      try directory.synchronize(descriptor)
    } catch {
      throw notDurable(error)
    }
    return result
  }

  private static let unchanged = "the file is unchanged"

  private func notSaved(_ error: SystemError, advice: String = unchanged) -> DatabaseError {
    .inputOutput(error, path: path, "cannot be saved", advice: advice)
  }

  private func notDurable(_ error: SystemError) -> DatabaseError {
    .inputOutput(
      error, path: path, "may not survive a loss of power", advice: "the changes are in the file; save again")
  }

  // MARK: Damage

  /// Gives the file a second name, so that it has its own until the new one takes that; or else moves it.
  ///
  /// - Returns: the path where its bytes lie from now on.
  private func keep() throws(SystemError) -> String {
    do throws(SystemError) {
      return try withFreeName { path throws(SystemError) in try fileSystem.link(resolvedPath, to: path) }
    } catch  where error.isLackOfLinks {
      return try moveAside()
    }
  }

  /// Renames the file to a free name beside it, and gives that.
  private func moveAside() throws(SystemError) -> String {
    try withFreeName { path throws(SystemError) in
      // Makes the name ours, since renaming would replace what has it already.
      fileSystem.close(try fileSystem.open(path, for: .creating))
      do throws(SystemError) {
        try fileSystem.rename(resolvedPath, to: path)
      } catch {
        try fileSystem.remove(path)
        throw error
      }
    }
  }

  /// Has a body take a name beside the file, another one as long as that exists already.
  private func withFreeName(_ take: (String) throws(SystemError) -> Void) throws(SystemError) -> String {
    let parent = folder
    var base = String(resolvedPath.utf8.dropFirst(parent == "/" ? 1 : parent.utf8.count + 1)) ?? fileName
    if base.hasSuffix(DomainFile.fileExtension) { base.removeLast(DomainFile.fileExtension.count) }
    let stamp = DomainFile.timeStamp(fileSystem.now)
    var number = 1
    while true {
      let suffix = ".damaged-\(stamp)" + (number == 1 ? "" : "-\(number)")
      let path = "\(parent)/\(DomainFile.prefix(of: base, utf8Count: 255 - suffix.utf8.count))\(suffix)"
      do throws(SystemError) {
        try take(path)
        return path
      } catch SystemError.alreadyExists where number < 1000 {
        number += 1
      }
    }
  }

  /// `20261120-151600`, in UTC.
  private static func timeStamp(_ time: FileTime) -> String {
    let referenceDate: Int64 = 978_307_200
    let text = PropertyListDate(secondsSinceReferenceDate: Double(time.seconds - referenceDate)).text
    return text.prefix(19).filter { $0.isNumber || $0 == " " }.map { $0 == " " ? "-" : String($0) }.joined()
  }

  /// Leaves a damaged file with its old name only after a failed save, and tells where it lies.
  private func undoKeeping(_ kept: String?) -> String {
    guard let kept, let status else { return DomainFile.unchanged }
    do throws(SystemError) {
      if let now = try directory.statusIfPresent(at: resolvedPath) {
        // A renaming that failed may have been done all the same, as over a network.
        guard now.isSameFile(as: status) else { throw .alreadyExists }
        try fileSystem.remove(kept)
      } else {
        try fileSystem.rename(kept, to: resolvedPath)
      }
      return DomainFile.unchanged
    } catch {
      return "the damaged file was kept as \(kept)"
    }
  }

  /// As many whole characters as fit.
  private static func prefix(of text: String, utf8Count limit: Int) -> String {
    var scalars = text.unicodeScalars[...]
    var count = text.utf8.count
    while count > limit, let last = scalars.popLast() { count -= UTF8.width(last) }
    return String(scalars)
  }
}
