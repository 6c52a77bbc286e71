/// A private directory for files that nobody needs for long.
///
/// It is open as long as this object exists: otherwise another directory could get its number when it is removed.
package final class TemporaryDirectory: Sendable {
  package let path: String
  /// The directory that was made, whatever stands at its path later.
  let status: FileStatus
  private let descriptor: Int32

  private static let disk = DiskFileSystem()

  /// Makes a directory with the mode 0700 in the first of several places that allows it.
  ///
  /// - Parameters:
  ///   - places: The paths of directories; one in which other users can exchange entries is left out.
  ///   - name: The beginning of the directory's name; no other process can guess the rest.
  /// - Throws: what is against the first place, if no place will do.
  package init(in places: [String], named name: String) throws(DatabaseError) {
    var failure: DatabaseError?
    for place in places {
      do throws(DatabaseError) {
        (path, descriptor, status) = try TemporaryDirectory.make(in: place, named: name)
        return
      } catch {
        failure = failure ?? error
      }
    }
    throw failure ?? .inputOutput(.notFound, path: name, "has no place where it could be made")
  }

  private static func make(
    in place: String, named name: String
  ) throws(DatabaseError) -> (path: String, descriptor: Int32, status: FileStatus) {
    // Another user who can exchange entries of the place could exchange the directory, and so its files.
    try FileRights.refuseOtherUsersPath(place, forAllUsers: true)
    var generator = SystemRandomNumberGenerator()
    let digits = String(generator.next(), radix: 16) + String(generator.next(), radix: 16)
    let path = "\(place == "/" ? "" : place)/\(name)\(digits)"
    do throws(SystemError) {
      try disk.makeDirectory(path)
      do throws(SystemError) {
        let descriptor = try disk.open(path, for: .directory)
        do throws(SystemError) {
          return (path, descriptor, try disk.status(of: descriptor))
        } catch {
          disk.close(descriptor)
          throw error
        }
      } catch {
        try? disk.removeDirectory(path)
        throw error
      }
    } catch {
      throw .inputOutput(error, path: path, "cannot be made")
    }
  }

  deinit {
    if isOpen { TemporaryDirectory.disk.close(descriptor) }
  }

  /// Whether the descriptor is still the directory's: a program may have closed all descriptors of the process, and this may
  /// be another file's now.
  private var isOpen: Bool {
    (try? TemporaryDirectory.disk.status(of: descriptor)).map(isSame) ?? false
  }

  /// Whether a status is the one of this directory.
  func isSame(_ present: FileStatus) -> Bool {
    present.isSameFile(as: status) && present.owner == status.owner
  }

  /// Has the calling thread reach the directory and its entries by what is open, until the result is let go.
  ///
  /// The path is not followed: a program that removes old files may have removed the directory, and another user may have made
  /// something of that name, such as a link to where a look never ends.
  ///
  /// - Throws: ``SystemError/notFound`` if the directory does not stand at its path any more.
  package func hold() throws(SystemError) -> HeldDirectory {
    guard isSame(try TemporaryDirectory.disk.status(at: path, followingLinks: false)) else { throw .notFound }
    let held = try HeldDirectory(path, open: isOpen ? descriptor : nil)
    guard let present = try? TemporaryDirectory.disk.status(at: path, followingLinks: true), isSame(present)
    else {
      held.letGo()
      throw .notFound
    }
    return held
  }

  /// Removes the directory with all that is in it, if it still stands at its path.
  ///
  /// What cannot be removed stays: the system removes temporary files some day.
  ///
  /// - Parameter keepsDirectories: Whether subdirectories stay, and this directory if it has any.
  package func remove(keepingDirectories keepsDirectories: Bool = false) {
    guard let held = try? hold() else { return }
    TemporaryDirectory.removeEntries(of: path, keepingDirectories: keepsDirectories)
    held.letGo()
    // Removes no directory that has entries.
    try? TemporaryDirectory.disk.removeDirectory(path)
  }

  /// Removes the entries of a directory to which other users have no access.
  private static func removeEntries(of directory: String, keepingDirectories keepsDirectories: Bool) {
    for name in (try? disk.names(inDirectory: directory)) ?? [] {
      let path = "\(directory)/\(name)"
      guard (try? disk.status(at: path, followingLinks: false))?.kind == .directory else {
        try? disk.remove(path)
        continue
      }
      guard !keepsDirectories else { continue }
      do throws(SystemError) {
        try disk.removeDirectory(path)
      } catch  where error == .notEmpty || error == .alreadyExists {
        removeEntries(of: path, keepingDirectories: false)
        try? disk.removeDirectory(path)
      } catch {
        // It is busy where another file system is mounted on it, whose files are not this directory's.
      }
    }
  }
}
