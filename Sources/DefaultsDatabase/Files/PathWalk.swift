/// Who can change where a path leads, found before a process goes there with rights that others have not.
///
/// Every directory and link on the way is looked at, from the root on, also those that a link leads through, until
/// one belongs to a user who is not trusted: everything behind it is in that user's hands. As long as there is none,
/// only trusted users can exchange what was looked at, so that it is still there when it is used.
struct PathWalk {
  /// The owner of the first place on the way that belongs to a user who is not trusted; nil where there is none.
  private(set) var owner: UInt32?
  /// What lies at the path's end, if it is there and all on the way to it are trusted users'.
  private(set) var status: FileStatus?
  /// Whether a link is on the way, of trusted users'.
  private(set) var hasLink = false
  /// The first directory on the way that is missing; nil where none is, or that is not known.
  private(set) var missing: String?
  /// Whether others may write where the way ends.
  private(set) var endsOpen = false

  /// Walks along a path.
  ///
  /// - Parameters:
  ///   - trusted: The users who are trusted.
  ///   - trustsGroup: Whether the administrator's group is trusted with them.
  /// - Throws: an error of the kind `refused` where a directory on the way lets others exchange what is trusted
  ///   users', and one where something cannot be looked at.
  init(
    along path: String, trusting trusted: [UInt32] = [0], trustsGroup: Bool = true,
    fileSystem: any FileSystem
  ) throws(DatabaseError) {
    do throws(SystemError) {
      try walk(try PathWalk.absolute(path), trusted, trustsGroup: trustsGroup, fileSystem)
    } catch PathWalk.exchangeable {
      throw DatabaseError(
        .refused, path: path, message: "lies below a directory in which others may exchange what they like",
        advice: "nothing was read or changed; let only its owner write there, or set its sticky bit")
    } catch {
      throw .inputOutput(error, path: path, "cannot be found", advice: "nothing was changed")
    }
  }

  /// Whether only the administrator can change where a path leads.
  static func isAdministrators(_ path: String, fileSystem: any FileSystem) throws(SystemError) -> Bool {
    var walk = PathWalk()
    do throws(SystemError) {
      try walk.walk(try absolute(path), [0], trustsGroup: true, fileSystem)
    } catch PathWalk.exchangeable {
      return false
    }
    return walk.owner == nil && !walk.endsOpen
  }

  private init() {}

  /// Stands for a directory in which others may exchange what is a trusted user's, inside this type only.
  private static let exchangeable = SystemError(code: -1)

  /// A directory that was passed, by a path without links.
  private struct Step {
    let path: String
    /// Whether others may write to it.
    var isOpen = false
    /// Whether they may exchange in it what is another's.
    var isExchangeable = false
  }

  private mutating func walk(
    _ path: String, _ trusted: [UInt32], trustsGroup: Bool, _ fileSystem: any FileSystem
  ) throws(SystemError) {
    // The system would take the part before it for the path.
    guard !path.utf8.contains(0) else { throw .invalidArgument }
    var steps = [Step(path: "")]
    var rest = Array(PathWalk.names(in: path).reversed())
    var linkCount = 0
    /// How many names of the path are left behind the last link, before which all come from the link.
    var dangling = Int.max
    while let name = rest.popLast() {
      if name == ".." {
        if steps.count > 1 { steps.removeLast() }
        continue
      }
      let parent = steps[steps.count - 1]
      let place = "\(parent.path)/\(name)"
      let status: FileStatus
      do throws(SystemError) {
        status = try fileSystem.status(at: place, followingLinks: false)
      } catch  where error == .notFound || error == .notADirectory {
        // What a link lacks at its end is told of, and not made.
        if error == .notFound, rest.count < dangling { missing = place }
        endsOpen = parent.isOpen
        return
      }
      guard trusted.contains(status.owner) else {
        owner = status.owner
        return
      }
      if parent.isExchangeable { throw PathWalk.exchangeable }
      if status.kind == .symbolicLink {
        hasLink = true
        linkCount += 1
        if linkCount > DatabaseDirectory.maximumLinkCount { throw .tooManyLinks }
        let destination = try fileSystem.destination(ofLink: place)
        dangling = min(dangling, rest.count)
        if destination.utf8.first == UInt8(ascii: "/") { steps.removeLast(steps.count - 1) }
        rest += PathWalk.names(in: destination).reversed()
        continue
      }
      var step = Step(path: place)
      if status.kind == .directory {
        step.isOpen = status.mode & (trustsGroup ? PathWalk.othersBits(status) : 0o022) != 0
        step.isExchangeable = step.isOpen && status.mode & 0o1000 == 0
      }
      steps.append(step)
      endsOpen = step.isOpen
      self.status = rest.isEmpty ? status : nil
    }
  }

  /// The permissions by which others than its owner may write to a directory; the administrator's group is as good as the
  /// administrator.
  static func othersBits(_ status: FileStatus) -> UInt32 {
    status.group == 0 ? 0o002 : 0o022
  }

  /// The names that a path is made of, in bytes: a combining mark after the slash would make one character with it.
  private static func names(in path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
  }

  private static func absolute(_ path: String) throws(SystemError) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    let directory: String?
    do throws(DatabaseError) {
      directory = try CurrentProcess.workingDirectory()
    } catch {
      throw .notUTF8
    }
    guard let directory else { throw .notFound }
    return "\(directory)/\(path)"
  }
}
