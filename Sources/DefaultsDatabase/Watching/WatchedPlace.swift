import OpenStepPropertyList

/// A directory or symbolic link that is watched for one database, and the reason.
struct WatchedPlace: Hashable {
  /// Its path, without a symbolic link on it.
  let path: String
  let reason: Reason

  enum Reason: Hashable {
    /// It is a directory on the path of the database's directory, or of the file behind a domain's link.
    case step
    /// It is a symbolic link there.
    case link
    /// It contains the named directory, which may not report its own removal.
    case parent(of: String)
    /// It contains the domains' files.
    case database
    /// The named entry matters: the next component that is missing, or the file at a link's end.
    case holder(of: String)
  }

  /// Whether an event of the named entry concerns the database.
  func concerns(_ name: String) -> Bool {
    switch reason {
    case .step, .link: false
    case .database: name != FileLock.fileName && !TemporaryFile.isName(name)
    case .parent(of: let expected), .holder(of: let expected): haveEqualBytes(name, expected)
    }
  }

  /// The events that the system has to report.
  var interest: DirectoryEvents.Interest {
    switch reason {
    case .step: .itself
    case .link: .link
    case .parent: .removals
    case .database, .holder: .entries
    }
  }

  // MARK: - Finding the places

  // Each directory on the path has a watch of its own. The entries of its parent are not watched, so that events of
  // its siblings do not wake the thread; only where a directory is missing, its parent is watched for that name.
  // The places have to be watched in the given order. Then the parent of each has its watch first, and reports a
  // directory that is replaced before its own watch exists.

  /// How many components a path may have after all links; as many places are watched at most.
  ///
  /// The system's bounds allow 40 links of 4,096 bytes each, and whoever owns the directory may make any number of such
  /// paths: each of their steps would be looked at and kept.
  static let maximumStepCount = 1024

  /// The places to watch in order to miss no change of a database's directory.
  ///
  /// - Returns: the places, and the directory's path after all links; no path if it does not exist.
  static func way(
    to directory: DatabaseDirectory
  ) throws(SystemError) -> (places: [WatchedPlace], path: String?) {
    var places: [WatchedPlace] = []
    let start = directory.path.utf8.first == UInt8(ascii: "/") ? "/" : "."
    var stepsLeft = maximumStepCount
    guard let path = try follow(directory.path, from: start, directory.fileSystem, &places, &stepsLeft) else {
      return (places, nil)
    }
    places.append(WatchedPlace(path: path, reason: .database))
    return (places, path)
  }

  /// The places to watch in order to miss no change behind a file's symbolic link; none for another file.
  ///
  /// - Parameters:
  ///   - path: The directory's path after all links.
  ///   - stepsLeft: How many components may be looked at; less afterwards.
  /// - Throws: ``SystemError/tooManyLinks`` if the way has more components, or more than ``maximumStepCount``; an error for a
  ///   way on which the administrator may not look, since another user can change it.
  static func link(
    _ fileName: String, in path: String, of directory: DatabaseDirectory, stepsLeft: inout Int
  ) throws(SystemError) -> [WatchedPlace] {
    let fileSystem = directory.fileSystem
    let place = DatabaseDirectory(path: path, fileSystem: fileSystem)
    guard try kind(of: place.path(of: fileName), fileSystem) == .symbolicLink else { return [] }
    if FileRights.areAdministrators {
      do throws(SystemError) {
        _ = try place.statusBehindLink(at: place.path(of: fileName))
      } catch  where error != DatabaseDirectory.unsafeLink {
        // Up to what ends this look, such as a missing file, only the administrator can change the way.
      }
    }
    var places: [WatchedPlace] = []
    var ownStepsLeft = min(stepsLeft, maximumStepCount)
    stepsLeft -= ownStepsLeft
    defer { stepsLeft += ownStepsLeft }
    _ = try follow(fileName, from: path, fileSystem, &places, &ownStepsLeft)
    return places
  }

  /// Resolves a path and adds its components; gives the directory at its end, or nil if there is none.
  private static func follow(
    _ path: String, from start: String, _ fileSystem: any FileSystem, _ places: inout [WatchedPlace],
    _ stepsLeft: inout Int
  ) throws(SystemError) -> String? {
    var place = DatabaseDirectory(path: start, fileSystem: fileSystem)
    var rest = Array(PathNames.all(in: path).reversed())
    var steps: [WatchedPlace] = []
    var parents: [WatchedPlace] = []
    var linkCount = 0
    while let name = rest.popLast() {
      guard stepsLeft > 0 else { throw .tooManyLinks }
      stepsLeft -= 1
      if haveEqualBytes(name, "..") {
        place = DatabaseDirectory(path: DatabaseDirectory.parent(of: place.path), fileSystem: fileSystem)
        continue
      }
      let path = place.path(of: name)
      switch try kind(of: path, fileSystem) {
      case .directory:
        parents.append(WatchedPlace(path: place.path, reason: .parent(of: name)))
        steps.append(WatchedPlace(path: path, reason: .step))
        place = DatabaseDirectory(path: path, fileSystem: fileSystem)
      case .symbolicLink:
        steps.append(WatchedPlace(path: path, reason: .link))
        linkCount += 1
        // A cycle of links ends when one of them is replaced, and all are watched.
        if linkCount > DatabaseDirectory.maximumLinkCount {
          places += steps
          return nil
        }
        let destination = try fileSystem.destination(ofLink: path)
        if destination.utf8.first == UInt8(ascii: "/") {
          place = DatabaseDirectory(path: "/", fileSystem: fileSystem)
        }
        rest += PathNames.all(in: destination).reversed()
      case .regular where rest.isEmpty:
        places += steps + [WatchedPlace(path: place.path, reason: .holder(of: name))]
        return nil
      case nil, .regular, .pipe, .socket, .device:
        // The directories above may be about to be removed, too.
        places += parents + steps + [WatchedPlace(path: place.path, reason: .holder(of: name))]
        return nil
      }
    }
    places += parents.suffix(1) + steps
    return place.path
  }

  private static func kind(of path: String, _ fileSystem: any FileSystem) throws(SystemError) -> FileKind? {
    do throws(SystemError) {
      return try fileSystem.status(at: path, followingLinks: false).kind
    } catch  where error == .notFound || error == .notADirectory {
      return nil
    }
  }
}
