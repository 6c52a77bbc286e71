import OpenStepPropertyList

/// Keeping a damaged file under another name before a new one takes its place.
extension DomainFile {
  /// Gives the file a second name (a hard link), so that it keeps the first until the new file takes its
  /// place; if the file system has no links, renames it.
  ///
  /// - Returns: the path under which the file is kept.
  func keep() throws(SystemError) -> String {
    do throws(SystemError) {
      return try withFreeName { path throws(SystemError) in try fileSystem.link(resolvedPath, to: path) }
    } catch  where error.isLackOfLinks {
      return try moveAside()
    }
  }

  /// Renames the file to a free name in the same directory, and gives the new path.
  func moveAside() throws(SystemError) -> String {
    try withFreeName { path throws(SystemError) in
      // Reserves the name, since renaming would replace an existing file.
      fileSystem.close(try fileSystem.open(path, for: .creating))
      do throws(SystemError) {
        try fileSystem.rename(resolvedPath, to: path)
      } catch {
        try fileSystem.remove(path)
        throw error
      }
    }
  }

  /// Calls a body with names in the same directory until one is free.
  private func withFreeName(_ take: (String) throws(SystemError) -> Void) throws(SystemError) -> String {
    let parent = folder
    let name = String(resolvedPath.utf8.dropFirst(parent == "/" ? 1 : parent.utf8.count + 1)) ?? fileName
    let base = name.removing(byteSuffix: DomainFile.fileExtension) ?? name
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

  /// A time such as `20261120-151600`, in UTC.
  private static func timeStamp(_ time: FileTime) -> String {
    let digits = time.date.text.prefix(19).filter { $0.isNumber || $0 == " " }
    return digits.map { $0 == " " ? "-" : String($0) }.joined()
  }

  /// Undoes the keeping after a failed save, so that the damaged file has only its old name; gives the advice
  /// for the error.
  func undoKeeping(_ kept: String?) -> String {
    guard let kept, let status else { return DomainFile.unchanged }
    do throws(SystemError) {
      if let now = try directory.statusIfPresent(at: resolvedPath) {
        // A rename that failed may have been carried out nevertheless, for example over a network.
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

  /// The longest prefix of whole characters within a limit.
  private static func prefix(of text: String, utf8Count limit: Int) -> String {
    var scalars = text.unicodeScalars[...]
    var count = text.utf8.count
    while count > limit, let last = scalars.popLast() { count -= UTF8.width(last) }
    return String(scalars)
  }
}
