/// A file into which a domain is written, apart from any database.
package struct ExportFile: Sendable {
  private let path: String
  private let home: DatabaseDirectory
  private var fileSystem: any FileSystem { home.fileSystem }

  /// The path of the directory in which it lies.
  package var directory: String { home.path }

  /// Names a file by its absolute path; its directory is made where it is missing.
  package init(_ path: String, fileSystem: any FileSystem = DiskFileSystem()) {
    self.path = path
    home = DatabaseDirectory(path: DatabaseDirectory.parent(of: path), fileSystem: fileSystem)
  }

  /// Names the file in a directory that has a domain's name, as in a database.
  package init(of domain: DomainName, in directory: String, fileSystem: any FileSystem = DiskFileSystem()) {
    home = DatabaseDirectory(path: directory, fileSystem: fileSystem)
    path = DomainFile.usualPath(of: domain, in: home)
  }

  /// Writes the file as a whole, and returns when it is on stable storage.
  ///
  /// - Parameter replaces: Whether the file takes the place of one that is there.
  /// - Throws: an error of the kind `refused` where there is one and it is not to be replaced.
  package func write(_ bytes: [UInt8], replacing replaces: Bool) throws(DatabaseError) {
    try home.withOwnersRights { (checked) throws(DatabaseError) in
      try home.make(checked)
      do throws(SystemError) {
        try save(bytes, at: path, replacing: replaces)
      } catch SystemError.alreadyExists {
        throw DatabaseError(
          .refused, path: path, message: "is there already",
          advice: "it keeps every byte: replace it, or move it away")
      } catch {
        throw .inputOutput(error, path: path, "cannot be written")
      }
      do throws(SystemError) {
        let folder = try fileSystem.open(home.path, for: .directory)
        defer { fileSystem.close(folder) }
        try home.synchronize(folder)
      } catch {
        throw .inputOutput(
          error, path: path, "may not survive a loss of power",
          advice: "it is there and whole; export it again")
      }
    }
  }

  private func save(_ bytes: [UInt8], at path: String, replacing replaces: Bool) throws(SystemError) {
    let file = try TemporaryFile(in: home.path, fileSystem: fileSystem)
    defer { file.close() }
    do throws(SystemError) {
      try home.handOver(file.descriptor, madeIn: home.path)
      try file.fill(with: bytes)
      if replaces { try fileSystem.rename(file.path, to: path) } else { try put(file, at: path) }
    } catch {
      file.discard()
      throw error
    }
  }

  /// Gives a file a name that must be free.
  private func put(_ file: TemporaryFile, at path: String) throws(SystemError) {
    do throws(SystemError) {
      // Unlike a renaming, it never replaces anything.
      try fileSystem.link(file.path, to: path)
      file.discard()
    } catch  where error.isLackOfLinks {
      // Makes the name ours first.
      fileSystem.close(try fileSystem.open(path, for: .creating))
      do throws(SystemError) {
        try fileSystem.rename(file.path, to: path)
      } catch {
        try fileSystem.remove(path)
        throw error
      }
    }
  }
}
