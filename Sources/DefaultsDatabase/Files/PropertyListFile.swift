package import OpenStepPropertyList

/// A property list's file outside of any database, in any format that a domain's file may have.
package enum PropertyListFile {
  /// Reads a file, or a pipe or a device to its end; links are followed. A pipe that no process has opened to write
  /// is refused after two seconds.
  ///
  /// The administrator reads with the rights of the user who can change where the path leads, and no pipe and no device then.
  ///
  /// - Parameters:
  ///   - options: How a text is read, and the bounds of every format; by default as a domain's file of that
  ///     name is read.
  ///   - undoesGNUstepEscapes: Whether `\U001B` in XML stands for a character, as in GNUstep's own files.
  /// - Throws: an error of the kind `damaged`, with the place, for anything that is not one whole property
  ///   list, and another one if the file cannot be read.
  package static func value(
    at path: String, options: PropertyList.ParsingOptions? = nil, undoesGNUstepEscapes: Bool = false,
    fileSystem: any FileSystem = DiskFileSystem()
  ) throws(DatabaseError) -> PropertyList {
    try check(path)
    let options = options ?? defaultOptions(forFileAt: path)
    let maximum = min(FileSize.maximum, options.bounds.byteCount)
    let bytes = try FileRights.reaching(path, fileSystem: fileSystem) { () throws(DatabaseError) in
      try contents(of: path, upTo: maximum, fileSystem)
    }
    do throws(FormatError) {
      // Left behind by a full disk or a loss of power, and no property list for GNUstep either.
      guard !bytes.isEmpty else { throw FormatError("is empty") }
      return try DomainFileFormat.propertyList(
        from: bytes, textOptions: options, undoesGNUstepEscapes: undoesGNUstepEscapes
      ).value
    } catch {
      let damage = DatabaseError.damaged(path: path, error)
      throw error.isMergeConflict ? damage : damage.with(advice: "its bytes are unchanged: repair the file")
    }
  }

  private static func contents(
    of path: String, upTo maximum: Int, _ fileSystem: any FileSystem
  ) throws(DatabaseError) -> [UInt8] {
    do throws(SystemError) {
      return try fileSystem.contents(ofFileOrPipe: path, upTo: maximum)
    } catch SystemError.tooLarge {
      throw .inputOutput(.tooLarge, path: path, "cannot be read: it is larger than \(maximum) bytes")
    } catch {
      throw fileSystem.failure(reading: path, error)
    }
  }

  /// Writes a file as a whole, and returns when it is on stable storage; see
  /// ``ExportFile/init(atEndOf:actingFor:fileSystem:)``.
  ///
  /// - Throws: an error for more bytes than ``value(at:options:undoesGNUstepEscapes:fileSystem:)`` reads, and
  ///   if the file cannot be written; a file that was there keeps its bytes then.
  package static func write(
    _ bytes: [UInt8], to path: String, actingFor account: Account? = nil,
    fileSystem: any FileSystem = DiskFileSystem()
  ) throws(DatabaseError) {
    try ExportFile(atEndOf: path, actingFor: account, fileSystem: fileSystem).write(bytes, replacing: true)
  }

  /// Refuses a path that names no file.
  static func check(_ path: String) throws(DatabaseError) {
    let isUsable = !path.utf8.contains(0) && !path.isEmpty && path.utf8.last != UInt8(ascii: "/")
    guard !isUsable else { return }
    throw DatabaseError(
      .refused, path: "“\(path)”", message: "is empty, contains NUL or ends with “/”, and names no file",
      advice: "nothing was read or written")
  }

  /// How a domain's file of that name is read, except that comments alone are an empty dictionary.
  package static func defaultOptions(forFileAt path: String) -> PropertyList.ParsingOptions {
    var options = OpenStepFormat.options(forFileNamed: PathNames.last(in: path))
    options.form = .file
    return options
  }
}
