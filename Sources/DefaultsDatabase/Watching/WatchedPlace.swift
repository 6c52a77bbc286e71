/// A directory or file to be watched because of one database, and why.
struct WatchedPlace: Hashable {
  let path: String
  let reason: Reason
  /// Whether what a symbolic link leads to is meant, and not the link.
  var followsLink = false

  enum Reason: Hashable {
    /// It stands in the path of the database's directory.
    case step
    /// Its entries are the domains' files.
    case database
    /// Something of a certain name in it matters: the next step, or a file that a domain's link leads to.
    case holder(of: String)
  }

  /// Whether an entry of it concerns the database, by its name.
  func concerns(_ name: String) -> Bool {
    switch reason {
    case .step: false
    case .database: name != FileLock.fileName && !TemporaryFile.isName(name)
    case .holder(of: let expected): name == expected
    }
  }

  // MARK: - Finding them

  /// All that must be watched to miss no change of a database, as things stand now.
  ///
  /// Renaming any directory on the way is noticed by watching it and not its neighbours, so that
  /// nothing wakes up for what goes on beside it. Only while the directory is missing, the place
  /// where it would appear is watched for that name.
  static func all(for directory: DatabaseDirectory) throws(SystemError) -> Set<WatchedPlace> {
    var places: Set<WatchedPlace> = []
    var path = directory.path.utf8.first == UInt8(ascii: "/") ? "" : "."
    for component in directory.path.utf8.split(separator: UInt8(ascii: "/")) {
      let parent = path.isEmpty ? "/" : path
      let name = String(Substring(component))
      path += "/\(name)"
      guard try kind(of: path, followingLink: true, directory.fileSystem) == .directory else {
        places.insert(WatchedPlace(path: parent, reason: .holder(of: name), followsLink: true))
        return places
      }
      places.insert(WatchedPlace(path: path, reason: .step))
      if try kind(of: path, followingLink: false, directory.fileSystem) == .symbolicLink {
        places.insert(WatchedPlace(path: path, reason: .step, followsLink: true))
      }
    }
    places.insert(WatchedPlace(path: directory.path, reason: .database, followsLink: true))
    for name in try directory.fileSystem.names(inDirectory: directory.path) {
      try addTargets(ofLink: directory.path(of: name), directory.fileSystem, to: &places)
    }
    return places
  }

  /// Adds where the links lie that lead from one to the next, and the file at their end.
  private static func addTargets(
    ofLink link: String, _ fileSystem: any FileSystem, to places: inout Set<WatchedPlace>
  ) throws(SystemError) {
    var path = link
    for _ in 0..<DatabaseDirectory.maximumLinkCount {
      guard try kind(of: path, followingLink: false, fileSystem) == .symbolicLink else { return }
      let destination = try fileSystem.destination(ofLink: path)
      let isAbsolute = destination.utf8.first == UInt8(ascii: "/")
      path = isAbsolute ? destination : "\(DatabaseDirectory.parent(of: path))/\(destination)"
      let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
      let parent = DatabaseDirectory.parent(of: path)
      // A link into nothing shows when the database is next looked at.
      guard try kind(of: parent, followingLink: true, fileSystem) == .directory else { return }
      places.insert(WatchedPlace(path: parent, reason: .holder(of: name), followsLink: true))
    }
  }

  private static func kind(
    of path: String, followingLink: Bool, _ fileSystem: any FileSystem
  ) throws(SystemError) -> FileKind? {
    do throws(SystemError) {
      return try fileSystem.status(at: path, followingLinks: followingLink).kind
    } catch  where [.notFound, .notADirectory, .tooManyLinks].contains(error) {
      return nil
    }
  }
}
