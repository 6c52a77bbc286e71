import CDefaultsFileRights
import OpenStepPropertyList

/// Which symbolic links are followed on the way to the directory, and out of it.
extension DatabaseDirectory {
  /// Whether symbolic links in the directory are followed: only the user's own can be trusted.
  func isOwn() throws(SystemError) -> Bool {
    let (status, user) = (try fileSystem.status(at: path, followingLinks: true), CurrentProcess.effectiveUser)
    // The administrator cannot trust links in its own directory if other users may create them there.
    return status.owner == user && (user != 0 || status.mode & PathWalk.othersBits(status) == 0)
  }

  /// Whether the owner of a link, or of the directory in which it lies, may say where it leads.
  func mayLink(_ status: FileStatus) -> Bool {
    [CurrentProcess.effectiveUser, 0].contains(status.owner)
  }

  /// Whether a link on a path is followed, by its owner and the directory in which it lies.
  ///
  /// The owner of the directory could replace the link, and where all users may write, anyone may make one. In a user
  /// namespace the administrator of the machine, whose link `/home` may be, has the same number as all others without
  /// one there. A link of such a user counts where no other one may write, unlike in `/tmp`.
  private func mayLead(_ link: FileStatus, in parent: FileStatus) -> Bool {
    if mayLink(link), mayLink(parent) { return true }
    let trusted = [CurrentProcess.effectiveUser, 0]
    return PathWalk.trusts(link.owner, trusted) && PathWalk.trusts(parent.owner, trusted)
      && parent.mode & PathWalk.othersBits(parent) == 0
  }

  /// The status of what a path leads to, behind links at its end.
  ///
  /// With the administrator's own rights the look behind a link of another user would lead wherever that user likes, and may
  /// wait there without end. So it looks behind none that another user may have made or could exchange, and behind none of
  /// its own that leads through another user's link or directory. The directory in which the path lies was checked before.
  ///
  /// - Throws: ``unsafeLink`` for such a link.
  func statusBehindLink(at place: String) throws(SystemError) -> FileStatus {
    guard FileRights.areAdministrators else {
      return try fileSystem.status(at: place, followingLinks: true)
    }
    var place = place
    for _ in 0...DatabaseDirectory.maximumLinkCount {
      let entry = try fileSystem.status(at: place, followingLinks: false)
      guard entry.kind == .symbolicLink else { return entry }
      let parent = DatabaseDirectory.parent(of: place)
      let folder = try fileSystem.status(at: parent, followingLinks: true)
      // In a directory with the sticky bit only its owner and the link's can exchange the link.
      let isOpen = folder.mode & PathWalk.othersBits(folder) != 0
      let isOwn =
        isOpen ? entry.owner == 0 && folder.mode & 0o1000 != 0 : PathWalk.trusts(entry.owner, [0])
      guard isOwn, PathWalk.trusts(folder.owner, [0]) else { throw DatabaseDirectory.unsafeLink }
      if cfilerights_is_of_processes(place) != 0 {
        // A link such as those in `/dev/fd` leads to what is open, along no path.
        return try fileSystem.status(at: place, followingLinks: true)
      }
      let destination = try fileSystem.destination(ofLink: place)
      let isAbsolute = destination.utf8.first == UInt8(ascii: "/")
      place = isAbsolute ? destination : "\(parent)/\(destination)"
      // With a slash behind it, a link would be followed by the look at it.
      while place.utf8.count > 1, place.utf8.last == UInt8(ascii: "/") { place.unicodeScalars.removeLast() }
      try refuseUnsafeDestination(place)
    }
    throw .tooManyLinks
  }

  /// Refuses a path through a symbolic link that another user made or could replace, be it named by the path or by
  /// another link on it.
  ///
  /// - Returns: the status of the path's end, without following a link there; nil if it does not exist, and
  ///   for a relative path.
  @discardableResult
  func refuseUnsafeLinks() throws(SystemError) -> FileStatus? {
    // The system would end the path at the NUL.
    guard !path.utf8.contains(0) else { throw .invalidArgument }
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    return try trustedPlace(of: path).entry
  }

  /// Refuses the destination of a link if a link of another user is on its path, and that of an administrator's link
  /// also if another user could replace a directory there.
  func refuseUnsafeDestination(_ path: String) throws(SystemError) {
    let folder = DatabaseDirectory.parent(of: path)
    guard CurrentProcess.effectiveUser == 0 else {
      _ = try trustedPlace(of: PathWalk.absolute(folder))
      return
    }
    guard try PathWalk.isAlone(folder, of: [0], fileSystem: fileSystem) else {
      throw DatabaseDirectory.unsafeLink
    }
  }

  /// Where a path leads through links of which each is this user's or the administrator's.
  struct TrustedPlace {
    /// The path without links; where an entry is missing, up to that entry.
    var path: String
    /// Whether others may exchange a directory on it.
    var isShared = false
    /// The status of the path's end, without following a link there; nil if it does not exist.
    var entry: FileStatus?
  }

  /// Follows an absolute path.
  ///
  /// - Throws: ``unsafeLink`` at a link of another user, or that another user could replace.
  func trustedPlace(of path: String) throws(SystemError) -> TrustedPlace {
    /// The directories down to the present place; the root's status is looked up only for a link in it.
    var steps: [(path: String, status: FileStatus?)] = [("", nil)]
    var rest = Array(PathNames.all(in: path).reversed())
    var (place, linkCount, isAtEnd) = (TrustedPlace(path: "/"), 0, false)
    while let name = rest.popLast() {
      if haveEqualBytes(name, "..") {
        if steps.count > 1 { steps.removeLast() }
        continue
      }
      let (folder, present) = (steps[steps.count - 1], (steps.last?.path ?? "") + "/" + name)
      if let status = folder.status, !mayLink(status) || status.mode & PathWalk.othersBits(status) != 0 {
        place.isShared = true
      }
      let status = try statusIfPresent(at: present)
      if rest.isEmpty, !isAtEnd { (place.entry, isAtEnd) = (status, true) }
      guard let status else {
        place.path = present
        return place
      }
      guard status.kind == .symbolicLink else {
        steps.append((present, status))
        continue
      }
      let parent =
        if let status = folder.status { status } else { try fileSystem.status(at: "/", followingLinks: true) }
      guard mayLead(status, in: parent) else { throw DatabaseDirectory.unsafeLink }
      linkCount += 1
      if linkCount > DatabaseDirectory.maximumLinkCount { throw .tooManyLinks }
      let destination = try fileSystem.destination(ofLink: present)
      if destination.utf8.first == UInt8(ascii: "/") { steps.removeLast(steps.count - 1) }
      rest += PathNames.all(in: destination).reversed()
    }
    let end = steps[steps.count - 1]
    if steps.count > 1 { place.path = end.path }
    if !isAtEnd {
      place.entry = if let status = end.status { status } else { try statusIfPresent(at: "/") }
    }
    return place
  }

  func unsafePathError(advice: String) -> DatabaseError {
    DatabaseError(
      .refused, path: path, message: "leads through a symbolic link of another user, which is not followed",
      advice: advice)
  }
}
