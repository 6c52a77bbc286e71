import OpenStepPropertyList

/// Keeps a damaged file under another name before a new one takes its place.
extension DomainFile {
  /// Gives the file a second name, so that it has its own until the new one takes that; or else moves it.
  ///
  /// - Returns: the path where its bytes lie from now on.
  func keep() throws(SystemError) -> String {
    do throws(SystemError) {
      return try withFreeName { path throws(SystemError) in try fileSystem.link(resolvedPath, to: path) }
    } catch  where error.isLackOfLinks {
      return try moveAside()
    }
  }

  /// Renames the file to a free name beside it, and gives that.
  func moveAside() throws(SystemError) -> String {
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
  func undoKeeping(_ kept: String?) -> String {
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
