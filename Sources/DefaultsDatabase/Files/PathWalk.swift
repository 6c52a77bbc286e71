import CDefaultsFileRights
import OpenStepPropertyList

/// A path's resolution, component by component, that finds the users who could change where the path leads.
///
/// It starts at the root, looks at every directory and symbolic link on the path, including those behind a
/// link, up to the first that belongs to an untrusted user: this user controls everything below it, and nobody else
/// may, which is to be checked with that user's rights (``checkRest(_:)``). If it finds none, only trusted users can
/// replace what it looked at, so that a privileged process can use the path afterwards. OpenSSH's `StrictModes` is a
/// similar check.
struct PathWalk {
  /// The owner of the first component that belongs to an untrusted user; nil where there is none.
  private(set) var owner: UInt32?
  /// Whether that is a regular file at the path's end, in a directory where only trusted users can put another in its
  /// place.
  private(set) var endsOwned = false
  /// The status of the path's end; nil where it does not exist, or a component belongs to an untrusted user.
  private(set) var status: FileStatus?
  /// Whether a component is a symbolic link.
  private(set) var hasLink = false
  /// The first missing directory of the path; nil where none is missing, or where a link leads to it.
  private(set) var missing: String?
  /// Whether untrusted users may write to a directory on the path: where an entry is removed, they may make another one.
  private(set) var isShared = false
  /// Whether untrusted users may write to the last directory that exists.
  private(set) var endsOpen = false
  /// Whether the first component of an untrusted user lies in a directory in which untrusted users may make entries, such
  /// as `/tmp`: that user may have made it there in advance.
  private(set) var isPlanted = false
  /// Whether they may also replace entries of other users there.
  private(set) var endsExchangeable = false

  private let path: String
  private let trusted: [UInt32]
  /// Whether the administrator's group is trusted too.
  private let trustsGroup: Bool

  // What is still to be looked at.

  /// The directories down to the present place, each by a path without links.
  private var steps = [Step(path: "")]
  /// The names behind it, the next one last.
  private var rest: [String] = []
  private var (linkCount, totalDepth) = (0, 0)
  /// How many components of the path remain behind its last link; everything before them comes from a link.
  private var dangling = Int.max

  /// Resolves a path up to its end, or to the first component of an untrusted user.
  ///
  /// - Parameters:
  ///   - trusted: The users who are trusted.
  ///   - trustsGroup: Whether the administrator's group is trusted too.
  /// - Throws: an error of the kind `refused` where a directory on the path lets untrusted users replace what
  ///   belongs to trusted ones, and where the path leads through an untrusted user's directory and out of it again by
  ///   `..`; an error where a component cannot be examined.
  init(
    along path: String, trusting trusted: [UInt32] = [0], trustsGroup: Bool = true,
    fileSystem: any FileSystem
  ) throws(DatabaseError) {
    self.init(path, trusted, trustsGroup: trustsGroup)
    do throws(SystemError) {
      try begin()
      try walk(fileSystem)
    } catch {
      throw described(error)
    }
  }

  private init(_ path: String, _ trusted: [UInt32], trustsGroup: Bool) {
    (self.path, self.trusted, self.trustsGroup) = (path, trusted, trustsGroup)
  }

  /// Resolves the rest of the path behind the first component of an untrusted user, whose rights the calling thread has
  /// taken: whatever that user exchanges meanwhile, no look leads where that user could not look.
  ///
  /// - Throws: an error of the kind `refused` where the path leads through directories or links of two untrusted users, or
  ///   from one's into the file system of the processes; an error for too many links.
  mutating func checkRest(_ fileSystem: any FileSystem) throws(DatabaseError) {
    do throws(SystemError) {
      try walk(fileSystem)
    } catch {
      throw described(error)
    }
  }

  private func described(_ error: SystemError) -> DatabaseError {
    refusal(error) ?? .inputOutput(error, path: path, "cannot be found", advice: "nothing was changed")
  }

  /// The error for a path that is refused; nil for an error of the system.
  private func refusal(_ error: SystemError) -> DatabaseError? {
    let user = "user \(owner ?? 0)"
    let (message, advice): (String, String)
    switch error {
    case PathWalk.exchangeable: return PathWalk.liesInExchangeable(path)
    case PathWalk.leaving:
      (message, advice) = (
        "leads through a directory of \(user) and out of it again by “..”, perhaps to another user's",
        "name it without “..”"
      )
    case PathWalk.shared:
      (message, advice) = (
        "leads through directories or links of \(user) and of another user",
        "do it as the user whose file it is"
      )
    case PathWalk.processes:
      (message, advice) = (
        "leads by a link or directory of \(user) to the system's files about processes, which may let a reader wait",
        "name the file without it"
      )
    default: return nil
    }
    return DatabaseError(
      .refused, path: path, message: message, advice: "nothing was read or changed; \(advice)")
  }

  /// Whether only certain users can change where the path of a directory leads, and what is in the directory.
  static func isAlone(
    _ path: String, of users: [UInt32], fileSystem: any FileSystem
  ) throws(SystemError) -> Bool {
    var walk = PathWalk(path, users, trustsGroup: true)
    do throws(SystemError) {
      try walk.begin()
      try walk.walk(fileSystem)
    } catch  where walk.refusal(error) != nil {
      return false
    }
    return walk.owner == nil && !walk.endsOpen
  }

  static func liesInExchangeable(_ path: String) -> DatabaseError {
    DatabaseError(
      .refused, path: path, message: "lies below a directory in which other users may replace files",
      advice: "nothing was read or changed; let only its owner write there, or set its sticky bit")
  }

  /// Marks a directory in which untrusted users may replace a trusted user's entry; never leaves this type.
  private static let exchangeable = SystemError(code: -1)

  /// Marks a path that leaves an untrusted user's directory by `..`; never leaves this type.
  ///
  /// What it leads to may be a third user's, who has chosen the path, and must not get what the second user may read.
  private static let leaving = SystemError(code: -2)

  /// Marks a path through directories or links of two untrusted users; never leaves this type.
  ///
  /// The second can lead what is done with the first one's rights to any file of the first one's.
  private static let shared = SystemError(code: -3)

  /// Marks a path that leads from an untrusted user's link into the file system of the processes; never leaves this type.
  ///
  /// A process of that user can have whoever opens one of its files there wait without end.
  private static let processes = SystemError(code: -4)

  /// The sum of the depths of all components that are looked at, since each look takes time in proportion to the depth.
  ///
  /// It is that of the longest path that the system takes, of 2,047 names of one character. The texts of as many links as a
  /// path may lead through have a hundred thousand components, which may all lie as deep.
  private static let maximumTotalDepth = 2047 * 2048 / 2

  /// A directory on the path, by a path without links.
  private struct Step {
    let path: String
    /// Its file system; nil for the root directory, which is not looked at.
    var device: UInt64?
    /// Whether untrusted users may write to it.
    var isOpen = false
    /// Whether they may replace entries of other users in it.
    var isExchangeable = false
  }

  private mutating func begin() throws(SystemError) {
    // The system would end the path at the NUL.
    guard !path.utf8.contains(0) else { throw .invalidArgument }
    rest = PathNames.all(in: try PathWalk.absolute(path)).reversed()
  }

  /// Goes on along the path, up to its end, or to the first component of an untrusted user if none was found before.
  private mutating func walk(_ fileSystem: any FileSystem) throws(SystemError) {
    while let name = rest.popLast() {
      if haveEqualBytes(name, "..") {
        if steps.count > 1 { steps.removeLast() }
        continue
      }
      totalDepth += steps.count
      if totalDepth > PathWalk.maximumTotalDepth { throw .tooManyLinks }
      let parent = steps[steps.count - 1]
      let place = parent.path + "/" + name
      let status: FileStatus
      do throws(SystemError) {
        status = try fileSystem.status(at: place, followingLinks: false)
      } catch  where owner != nil {
        // With a user's rights nothing is looked for there.
        if error == .notSupported { throw PathWalk.processes }
        // Below that user's directory only that user's rights count.
        return
      } catch  where error == .notFound || error == .notADirectory {
        // A missing destination of a link is reported, and not created.
        if error == .notFound, rest.count < dangling { missing = place }
        (endsOpen, endsExchangeable) = (parent.isOpen, parent.isExchangeable)
        return
      }
      if owner == nil, !PathWalk.trusts(status.owner, trusted) {
        owner = status.owner
        isPlanted = parent.isOpen
        endsOwned = status.kind == .regular && rest.isEmpty && !parent.isOpen
        var depth = 1
        for name in rest.reversed() {
          depth += haveEqualBytes(name, "..") ? -1 : 1
          if depth < 1 { throw PathWalk.leaving }
        }
        // The rest begins with it.
        totalDepth -= steps.count
        rest.append(name)
        return
      }
      let leads = status.kind == .directory || status.kind == .symbolicLink
      if let owner, status.owner != owner, leads, !PathWalk.trusts(status.owner, trusted) {
        throw PathWalk.shared
      }
      if owner == nil, parent.isExchangeable { throw PathWalk.exchangeable }
      if status.kind == .symbolicLink {
        hasLink = true
        linkCount += 1
        if linkCount > DatabaseDirectory.maximumLinkCount { throw .tooManyLinks }
        let destination: String
        do throws(SystemError) {
          destination = try fileSystem.destination(ofLink: place)
        } catch  where owner != nil {
          return
        }
        dangling = min(dangling, rest.count)
        if destination.utf8.first == UInt8(ascii: "/") { steps.removeLast(steps.count - 1) }
        rest += PathNames.all(in: destination).reversed()
        continue
      }
      if owner != nil, status.device != parent.device, cfilerights_is_of_processes(place) != 0 {
        throw PathWalk.processes
      }
      var step = Step(path: place, device: status.device)
      if status.kind == .directory {
        step.isOpen = status.mode & (trustsGroup ? PathWalk.othersBits(status) : 0o022) != 0
        step.isExchangeable = step.isOpen && status.mode & 0o1000 == 0
        isShared = isShared || step.isOpen
      }
      steps.append(step)
      if owner != nil { continue }
      (endsOpen, endsExchangeable) = (step.isOpen, step.isExchangeable)
      self.status = rest.isEmpty ? status : nil
    }
  }

  /// Whether an owner is a trusted user.
  ///
  /// In a user namespace the administrator of the machine, who owns `/home` and `/etc`, has the same number as all
  /// others without one there. Such a user counts as the administrator: its links lead this process only to
  /// what the user who made the namespace may read, as it would outside of it.
  static func trusts(_ owner: UInt32, _ trusted: [UInt32]) -> Bool {
    trusted.contains(owner) || trusted.contains(0) && CurrentProcess.isUnmapped(owner)
  }

  /// The permissions that let users other than the owner write; the administrator's group counts as the
  /// administrator. With an access control list the group's bits stand for all users that the list names.
  static func othersBits(_ status: FileStatus) -> UInt32 {
    status.group == 0 && !status.hasAccessList ? 0o002 : 0o022
  }

  static func absolute(_ path: String) throws(SystemError) -> String {
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
