package import DefaultsDatabase
package import OpenStepPropertyList

/// A directory of domains that other programs left, or one such file; it is only read.
///
/// Domains are given one by one, so that a large store needs no more memory than its largest file.
///
/// The administrator reads another user's directory or file with that user's rights only: a link there leads
/// only to files that the user could read as well.
package struct ImportedStore {
  package let path: String
  private let kind: StoreKind?
  private let encoding: PropertyList.ParsingOptions.EightBitEncoding?
  private let fileSystem: any FileSystem

  /// Names a store.
  ///
  /// - Parameters:
  ///   - kind: The required kind; nil to recognise the kind of each file.
  ///   - encoding: The character set of text that is not Unicode; nil for the one that the programs of its
  ///     kind used: ISO Latin 1 for GNUstep's, NeXT's for the others.
  package init(
    at path: String, as kind: StoreKind? = nil,
    encoding: PropertyList.ParsingOptions.EightBitEncoding? = nil,
    fileSystem: any FileSystem = DiskFileSystem()
  ) {
    self.path = path
    self.kind = kind
    self.encoding = encoding
    self.fileSystem = fileSystem
  }

  /// Goes through all domains, sorted by name, those of GNUstep's single file last.
  ///
  /// - Parameters:
  ///   - carry: Receives each domain.
  ///   - report: Receives what could not be imported, and notes.
  ///   - progress: Receives how many files were read, and how many there are.
  /// - Throws: what these throw, and an error if the store itself cannot be read.
  package func forEachDomain(
    _ carry: (ImportedDomain) throws -> Void, report: (ImportRemark) throws -> Void,
    progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws {
    let tree = try findFiles()
    for remark in tree.remarks { try report(remark) }
    let singleFile = kind == nil || kind == .gnustepSingle ? tree.singleFile : nil
    if let other = tree.singleFile, singleFile == nil {
      try report(
        ImportRemark(
          .note, path: other.path, "was left out: it is \(StoreKind.gnustepSingle.fileDescription)"))
    }
    let count = tree.entries.values.reduce(singleFile == nil ? 0 : 1) { $0 + $1.count }
    var done = 0
    var singles: [ImportedFile] = []
    var carried: Set<DomainName> = []
    for (name, entries) in tree.entries.sorted(by: { $0.key < $1.key }) {
      var domain = FoundDomain(name: name)
      var unreadable: ImportedTree.Entry?
      for entry in entries {
        switch entry.isLeftOut ? .unreadable : try read(entry, report) {
        case .file(let file) where file.kind == .gnustepSingle: singles.append(file)
        case .file(let file):
          for remark in domain.add(file, isForHost: entry.isForHost) { try report(remark) }
        case .menu: break
        // The file with the extension hides the one without, whatever that is.
        case .unreadable where domain.file != nil && !entry.isForHost: break
        case .unreadable: unreadable = unreadable ?? entry
        }
        done += 1
        try progress(done, count)
      }
      if let unreadable {
        // What other files have of it is a part, or older.
        if name == ".GlobalPreferences" { carried.insert(.global) }
        if let name = try? DomainName(name.text) { carried.insert(name) }
        if domain.file != nil {
          try report(
            ImportRemark(
              .loss, path: unreadable.path,
              "the domain “\(name)” was not carried, since this file of it could not be read"))
        }
        continue
      }
      guard let found = try finish(domain, report) else { continue }
      guard carried.insert(found.name).inserted else {
        try report(
          ImportRemark(
            .loss, path: found.path, "was not carried, since another file holds the domain “\(found.name)”"))
        continue
      }
      try carry(found)
    }
    if let singleFile {
      if case .file(let file) = try read(singleFile, report) { singles.append(file) }
      try progress(count, count)
    }
    for file in singles {
      for domain in try domains(of: file, without: carried, report) {
        carried.insert(domain.name)
        try carry(domain)
      }
    }
  }

  /// Reads the store as one file of one domain, independently of the file's name and keys.
  ///
  /// - Parameter bytes: The contents, if they were read from the standard input; the
  ///   path is only a name then.
  /// - Returns: nil if it cannot be imported, which is reported.
  /// - Throws: what `report` throws, and an error if the store itself cannot be read.
  package func domain(
    named name: DomainName, bytes: [UInt8]?, report: (ImportRemark) throws -> Void
  ) throws -> ImportedDomain? {
    if bytes == nil, try kindOfFile() != .regular {
      throw DatabaseError(
        .inputOutput(code: SystemError.invalidArgument.code), path: path,
        message: "is no file, from which one domain is taken", advice: "“-” in its place reads a pipe")
    }
    let entry = ImportedTree.Entry(path: path)
    guard case .file(let file) = try read(entry, report, bytes: bytes, isOneDomain: true),
      case .dictionary(let values) = file.value
    else { return nil }
    try reportReplacements(file.replaced(in: values), of: name.text, report)
    return ImportedDomain(name: name, values: values, kind: file.kind, path: path, isNamed: true)
  }

  // MARK: Files

  private func findFiles() throws -> ImportedTree {
    let tree: ImportedTree
    switch try kindOfFile() {
    case .directory:
      tree = try FileRights.reaching(path, fileSystem: fileSystem) { () throws(DatabaseError) in
        try ImportedTree(directory: path, fileSystem: fileSystem)
      }
      if kind == .gnustepSingle {
        guard let file = tree.singleFile else {
          throw DatabaseError(
            .refused, path: path,
            message: "is a directory without \(ImportedTree.singleFileName), GNUstep's single file",
            advice: "nothing was carried; “-from auto” takes what is there")
        }
        return ImportedTree(file: file.path)
      }
    case .regular:
      tree = ImportedTree(file: path)
      if let kind, kind != .gnustepSingle, tree.singleFile != nil {
        throw ImportedFile.refusal(path, .gnustepSingle, expected: kind)
      }
    case .symbolicLink, .pipe, .socket, .device:
      throw DatabaseError(
        .inputOutput(code: SystemError.invalidArgument.code), path: path,
        message: "is neither a file nor a directory")
    }
    return tree
  }

  private func kindOfFile() throws(DatabaseError) -> FileKind {
    try FileRights.reaching(path, fileSystem: fileSystem) { () throws(DatabaseError) in
      do throws(SystemError) {
        return try fileSystem.status(at: path, followingLinks: true).kind
      } catch {
        throw .inputOutput(error, path: path, "cannot be read")
      }
    }
  }

  /// What was found in a file.
  private enum FoundContents {
    case file(ImportedFile)
    /// A menu of Window Maker's, which is no domain.
    case menu
    case unreadable
  }

  /// Reads a file, or reports why that is impossible.
  private func read(
    _ entry: ImportedTree.Entry, _ report: (ImportRemark) throws -> Void, bytes: [UInt8]? = nil,
    isOneDomain: Bool = false
  ) throws -> FoundContents {
    let file: ImportedFile
    var contents: [UInt8] = []
    do throws(DatabaseError) {
      contents = if let bytes { bytes } else { try self.contents(of: entry.path) }
      file = try ImportedFile(
        contents, path: entry.path, as: kind, encoding: encoding,
        isOneDomain: isOneDomain)
      guard file.isDomain || file.isMenu else {
        throw DatabaseError(
          .refused, path: entry.path,
          message: "holds a single value or a list, where a domain is a dictionary",
          advice: "nothing of it was carried")
      }
    } catch {
      if error.kind == .damaged, !isOneDomain, isMenuText(contents, at: entry.path) {
        try report(menuRemark(entry.path))
        return .menu
      }
      // Piped contents have no file that could be repaired.
      let isPiped = bytes != nil && error.kind == .damaged
      try report(ImportRemark(isPiped ? error.with(advice: "nothing was changed") : error))
      return .unreadable
    }
    if file.isMenu {
      try report(menuRemark(entry.path))
      return .menu
    }
    for remark in file.remarks { try report(remark) }
    return .file(file)
  }

  /// Whether a file that is no property list can only be a menu.
  private func isMenuText(_ bytes: [UInt8], at path: String) -> Bool {
    PathNames.last(in: path) == OpenStepFormat.rootMenuFile || WindowMakerContents.isMenuText(bytes)
  }

  private func menuRemark(_ path: String) -> ImportRemark {
    ImportRemark(.note, path: path, "is a menu of Window Maker's, which is no domain, and was left out")
  }

  private func contents(of path: String) throws(DatabaseError) -> [UInt8] {
    try FileRights.reaching(path, fileSystem: fileSystem) { () throws(DatabaseError) in
      do throws(SystemError) {
        // The named file may be a link; links in a directory were left out.
        return haveEqualBytes(path, self.path)
          ? try fileSystem.contents(ofFileOrPipe: path, takingPipes: false)
          : try fileSystem.contents(ofRegularFile: path)
      } catch SystemError.tooLarge {
        throw .inputOutput(
          .tooLarge, path: path, "cannot be read: it is larger than \(FileSize.maximum) bytes")
      } catch {
        throw fileSystem.failure(reading: path, error)
      }
    }
  }

  // MARK: Domains

  private func finish(
    _ found: FoundDomain, _ report: (ImportRemark) throws -> Void
  ) throws -> ImportedDomain? {
    guard let file = found.file else { return nil }
    let name: DomainName
    do throws(DatabaseError) {
      // Only Apple's files use this name for the global domain.
      let isGlobal = found.name == ".GlobalPreferences" && file.format != .openStep
      name = isGlobal ? .global : try DomainName(found.name.text)
    } catch {
      try report(ImportRemark(.loss, path: file.path, "was left out: \(error)"))
      return nil
    }
    try reportReplacements(found.replaced, of: name.text, report)
    return ImportedDomain(name: name, values: found.values, kind: file.kind, path: file.path)
  }

  /// The domains of GNUstep's single file that have no file of their own.
  private func domains(
    of file: ImportedFile, without carried: Set<DomainName>, _ report: (ImportRemark) throws -> Void
  ) throws -> [ImportedDomain] {
    guard case .dictionary(let entries) = file.value else { return [] }
    var domains: [ImportedDomain] = []
    // Any other value would have prevented that the file was recognised.
    for case (let key, .dictionary(let values)) in entries.sorted(by: { $0.key < $1.key }) {
      let name: DomainName
      do throws(DatabaseError) {
        name = try DomainName(key.text)
      } catch {
        try report(ImportRemark(.loss, path: file.path, "the domain was not carried: \(error)"))
        continue
      }
      if carried.contains(name) {
        try report(
          ImportRemark(
            .note, path: file.path,
            "the domain “\(key)” was left out, since it has a file of its own, which takes precedence"))
        continue
      }
      try reportReplacements(file.replaced(in: values), of: name.text, report)
      domains.append(ImportedDomain(name: name, values: values, kind: file.kind, path: file.path))
    }
    return domains
  }

  /// Reports each key, with its file's path, in which U+FFFD replaces bytes that are no character.
  private func reportReplacements(
    _ paths: [PropertyListKey: String], of domain: String, _ report: (ImportRemark) throws -> Void
  ) throws {
    for (key, path) in paths.sorted(by: { $0.key < $1.key }) {
      try report(
        ImportRemark(
          .loss, path: path, key: key, of: domain,
          "has bytes that are no character in the file's set; U+FFFD stands for each"))
    }
  }
}
