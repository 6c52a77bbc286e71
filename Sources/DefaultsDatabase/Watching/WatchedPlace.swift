/// A directory or symbolic link to be watched because of one database, and why.
struct WatchedPlace: Hashable {
  /// Where it lies, without a symbolic link on the way.
  let path: String
  let reason: Reason

  enum Reason: Hashable {
    /// It stands in the path of the database's directory, or of a file that a domain's link leads to.
    case step
    /// A directory of a certain name lies in it that may not tell of its own removal.
    case parent(of: String)
    /// Its entries are the domains' files.
    case database
    /// Something of a certain name in it matters: the next step that is missing, or the file at a link's end.
    case holder(of: String)
  }

  /// Whether an entry of it concerns the database, by its name.
  func concerns(_ name: String) -> Bool {
    switch reason {
    case .step: false
    case .database: name != FileLock.fileName && !TemporaryFile.isName(name)
    case .parent(of: let expected), .holder(of: let expected): name == expected
    }
  }

  /// What the system is to tell of it.
  var interest: DirectoryEvents.Interest {
    switch reason {
    case .step: .itself
    case .parent: .removals
    case .database, .holder: .entries
    }
  }

  // MARK: - Finding them

  // Renaming or removing any directory on the way is noticed by watching it and not its neighbours, so that nothing
  // wakes up for what goes on beside it. Only where something is missing, the place where it would appear is watched for
  // that name. Places are to be watched in the order in which they are given: then what takes the name of one before it
  // is watched is noticed, because what it lies in is watched already.

  /// All that must be watched to miss no change of a database's directory, as things stand now.
  ///
  /// - Returns: the places, and where the directory lies once links are followed; nil where it does not exist.
  static func way(
    to directory: DatabaseDirectory
  ) throws(SystemError) -> (places: [WatchedPlace], path: String?) {
    var places: [WatchedPlace] = []
    let start = directory.path.utf8.first == UInt8(ascii: "/") ? "/" : "."
    guard let path = try follow(directory.path, from: start, directory.fileSystem, &places) else {
      return (places, nil)
    }
    places.append(WatchedPlace(path: path, reason: .database))
    return (places, path)
  }

  /// All that must be watched to miss no change of what a file's symbolic link leads to; nothing where it is none.
  ///
  /// - Parameter path: Where the directory lies once links are followed.
  static func link(
    _ fileName: String, in path: String, of directory: DatabaseDirectory
  ) throws(SystemError) -> [WatchedPlace] {
    let fileSystem = directory.fileSystem
    let place = DatabaseDirectory(path: path, fileSystem: fileSystem)
    guard try kind(of: place.path(of: fileName), fileSystem) == .symbolicLink else { return [] }
    var places: [WatchedPlace] = []
    _ = try follow(fileName, from: path, fileSystem, &places)
    return places
  }

  /// Adds what a path leads through, from link to link; gives the directory at its end, or nil where there is none.
  private static func follow(
    _ path: String, from start: String, _ fileSystem: any FileSystem, _ places: inout [WatchedPlace]
  ) throws(SystemError) -> String? {
    var place = DatabaseDirectory(path: start, fileSystem: fileSystem)
    var rest = Array(names(in: path).reversed())
    var steps: [WatchedPlace] = []
    var parents: [WatchedPlace] = []
    var linkCount = 0
    while let name = rest.popLast() {
      if name == ".." {
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
        steps.append(WatchedPlace(path: path, reason: .step))
        linkCount += 1
        // A circle ends when one of its links, which are all watched, is replaced.
        if linkCount > DatabaseDirectory.maximumLinkCount {
          places += steps
          return nil
        }
        let destination = try fileSystem.destination(ofLink: path)
        if destination.utf8.first == UInt8(ascii: "/") {
          place = DatabaseDirectory(path: "/", fileSystem: fileSystem)
        }
        rest += names(in: destination).reversed()
      case .regular where rest.isEmpty:
        places += steps + [WatchedPlace(path: place.path, reason: .holder(of: name))]
        return nil
      case nil, .regular, .other:
        // The directories above may be about to be removed, too.
        places += parents + steps + [WatchedPlace(path: place.path, reason: .holder(of: name))]
        return nil
      }
    }
    places += parents.suffix(1) + steps
    return place.path
  }

  /// The names that a path is made of.
  private static func names(in path: String) -> [String] {
    // Bytes, not characters: a combining mark after the slash would make one character with it.
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
  }

  private static func kind(of path: String, _ fileSystem: any FileSystem) throws(SystemError) -> FileKind? {
    do throws(SystemError) {
      return try fileSystem.status(at: path, followingLinks: false).kind
    } catch  where error == .notFound || error == .notADirectory {
      return nil
    }
  }
}
