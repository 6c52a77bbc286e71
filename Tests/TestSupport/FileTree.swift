package import DefaultsDatabase

/// The files of an imaginary disk: what processes see of them, and what of it is on stable storage.
///
/// A value, so that a copy keeps the state of a moment.
package struct FileTree: Sendable {
  /// What a name can stand for.
  package enum Content: Hashable, Sendable {
    case file(RecordedFile)
    case directory(RecordedDirectory)
    case link(String)
  }

  /// One thing on the disk, whatever names it has.
  struct Inode: Sendable {
    var content: Content
    var owner: UInt32
    var group: UInt32
    var modified: FileTime
    var changed: FileTime
  }

  private static let root: UInt64 = 1
  private static let maximumLinkCount = 40

  var inodes: [UInt64: Inode]
  private var nextInode: UInt64 = 2

  /// Makes a disk with an empty root directory.
  package init() {
    inodes = [:]
    inodes[FileTree.root] = FileTree.inode(.directory(RecordedDirectory()), time: FileTree.start)
  }

  /// When the disk was made.
  static let start = FileTime(seconds: 1_800_000_000, nanoseconds: 0)

  private static func inode(_ content: Content, time: FileTime) -> Inode {
    Inode(
      content: content, owner: CurrentProcess.effectiveUser, group: 0, modified: time, changed: time)
  }

  /// What is on a disk, without times and owners.
  package struct Contents: Hashable {
    fileprivate let inodes: [UInt64: Content]
  }

  /// What is on the disk; a temporary file's name counts without its random digits.
  package var contents: Contents {
    Contents(
      inodes: inodes.mapValues { inode in
        guard case .directory(let directory) = inode.content else { return inode.content }
        var known: [String: UInt64] = [:]
        for (name, number) in directory.live {
          known[name.hasPrefix(".save-") ? ".save-\(number)" : name] = number
        }
        return .directory(RecordedDirectory(durable: known))
      })
  }

  // MARK: - Making files for a test

  /// Makes a directory that is on stable storage, with its parents.
  package mutating func addDirectory(_ path: String) throws(SystemError) {
    var place = ""
    for component in path.split(separator: "/") {
      place += "/\(component)"
      do throws(SystemError) {
        _ = try inode(at: place, followingLinks: true)
      } catch SystemError.notFound {
        try add(.directory(RecordedDirectory()), at: place)
      }
    }
  }

  /// Makes a file that is on stable storage.
  package mutating func addFile(_ path: String, _ bytes: some Sequence<UInt8>) throws(SystemError) {
    try add(.file(RecordedFile(durable: Array(bytes))), at: path)
  }

  /// Makes a symbolic link that is on stable storage.
  package mutating func addLink(_ path: String, to destination: String) throws(SystemError) {
    try add(.link(destination), at: path)
  }

  private mutating func add(_ content: Content, at path: String) throws(SystemError) {
    let (parent, _) = try place(of: path)
    _ = try make(content, at: path, time: FileTree.start)
    changeDirectory(parent) { $0.flush() }
  }

  // MARK: - What processes see

  /// The bytes of the file at a path; nil where there is none.
  package func bytes(at path: String) -> [UInt8]? {
    do throws(SystemError) {
      guard case .file(let file) = inodes[try inode(at: path, followingLinks: true)]?.content else {
        return nil
      }
      return file.live
    } catch {
      return nil
    }
  }

  /// The names in a directory, sorted; none where there is no directory.
  package func names(in path: String) -> [String] {
    do throws(SystemError) {
      return try directory(inode(at: path, followingLinks: true)).live.keys.sorted()
    } catch {
      return []
    }
  }

  func directory(_ number: UInt64) throws(SystemError) -> RecordedDirectory {
    guard case .directory(let directory)? = inodes[number]?.content else { throw .notADirectory }
    return directory
  }

  /// The inode that a path leads to.
  func inode(at path: String, followingLinks: Bool) throws(SystemError) -> UInt64 {
    var linkCount = 0
    return try inode(at: path, followingLinks, &linkCount)
  }

  private func inode(
    at path: String, _ followingLinks: Bool, _ linkCount: inout Int
  ) throws(SystemError) -> UInt64 {
    // The directories on the way, so that “..” finds back.
    var way = [FileTree.root]
    let components = path.split(separator: "/")
    for (index, component) in components.enumerated() where component != "." {
      if component == ".." {
        way.removeLast(way.count > 1 ? 1 : 0)
        continue
      }
      guard let next = try directory(way[way.count - 1]).live[String(component)] else { throw .notFound }
      if case .link(let target)? = inodes[next]?.content, followingLinks || index + 1 < components.count {
        linkCount += 1
        if linkCount > FileTree.maximumLinkCount { throw .tooManyLinks }
        let place = target.hasPrefix("/") ? "" : components[..<index].joined(separator: "/")
        way.append(try inode(at: "\(place)/\(target)", true, &linkCount))
      } else {
        way.append(next)
      }
    }
    return way[way.count - 1]
  }

  /// The directory in which a path lies, and its name there.
  private func place(of path: String) throws(SystemError) -> (parent: UInt64, name: String) {
    let components = path.split(separator: "/")
    guard let name = components.last else { throw .alreadyExists }
    let parent = "/" + components.dropLast().joined(separator: "/")
    return (try inode(at: parent, followingLinks: true), String(name))
  }

  // MARK: - What processes do

  mutating func changeDirectory(_ number: UInt64, _ change: (inout RecordedDirectory) -> Void) {
    guard case .directory(var directory)? = inodes[number]?.content else { return }
    change(&directory)
    inodes[number]?.content = .directory(directory)
  }

  mutating func changeFile(_ number: UInt64, _ change: (inout RecordedFile) -> Void) {
    guard case .file(var file)? = inodes[number]?.content else { return }
    change(&file)
    inodes[number]?.content = .file(file)
  }

  mutating func make(_ content: Content, at path: String, time: FileTime) throws(SystemError) -> UInt64 {
    let (parent, name) = try place(of: path)
    guard try directory(parent).live[name] == nil else { throw .alreadyExists }
    let number = nextInode
    nextInode += 1
    inodes[number] = FileTree.inode(content, time: time)
    changeDirectory(parent) { $0.add(name, number) }
    return number
  }

  mutating func remove(_ path: String) throws(SystemError) {
    let (parent, name) = try place(of: path)
    guard let number = try directory(parent).live[name] else { throw .notFound }
    if case .directory? = inodes[number]?.content { throw .isDirectory }
    changeDirectory(parent) { $0.remove(name) }
  }

  mutating func removeDirectory(_ path: String) throws(SystemError) {
    let (parent, name) = try place(of: path)
    guard let number = try directory(parent).live[name] else { throw .notFound }
    guard try directory(number).live.isEmpty else { throw .alreadyExists }
    changeDirectory(parent) { $0.remove(name) }
  }

  mutating func rename(_ path: String, to newPath: String, time: FileTime) throws(SystemError) {
    let (parent, name) = try place(of: path)
    let (newParent, newName) = try place(of: newPath)
    guard let number = try directory(parent).live[name] else { throw .notFound }
    // A save never moves a file to another directory; what a disk makes of that is not modelled.
    guard parent == newParent else { throw .notSupported }
    // Of two names of one file POSIX leaves both.
    if try directory(newParent).live[newName] == number { return }
    changeDirectory(parent) { $0.rename(name, to: newName) }
    inodes[number]?.changed = time
  }

  mutating func link(_ path: String, to newPath: String, time: FileTime) throws(SystemError) {
    let number = try inode(at: path, followingLinks: false)
    let (newParent, newName) = try place(of: newPath)
    guard try directory(newParent).live[newName] == nil else { throw .alreadyExists }
    changeDirectory(newParent) { $0.add(newName, number) }
    inodes[number]?.changed = time
  }

  /// Makes another user the owner of what lies at a path.
  package mutating func setOwner(_ owner: UInt32, of path: String) throws(SystemError) {
    inodes[try inode(at: path, followingLinks: false)]?.owner = owner
  }

  // MARK: - Loss of power

  /// Calls a body with every disk that may be found after a loss of power at this moment.
  ///
  /// All combinations of what may have become of the directories; of the files whose bytes were not
  /// flushed, one in all its states while the others are all there or all as they were.
  package func forEachPowerCut(_ body: (FileTree) throws -> Void) rethrows {
    var settled: [FileTree] = []
    settleDirectories([FileTree.root], reached: [], into: &settled)
    for tree in settled {
      let dirty = tree.inodes.keys.filter { tree.isDirty($0) }.sorted()
      if dirty.isEmpty { try body(tree) }
      for number in dirty {
        guard case .file(let file)? = inodes[number]?.content else { continue }
        for outcome in file.afterPowerCut {
          for othersAreThere in dirty.count > 1 ? [true, false] : [true] {
            var tree = tree
            for other in dirty {
              tree.changeFile(other) { $0 = othersAreThere ? $0.withUnflushed : $0.withoutUnflushed }
            }
            tree.changeFile(number) { $0 = outcome }
            try body(tree)
          }
        }
      }
    }
  }

  private func isDirty(_ number: UInt64) -> Bool {
    if case .file(let file)? = inodes[number]?.content { file.isDirty } else { false }
  }

  /// Collects the disks with every outcome for the directories, only what they reach in them.
  private func settleDirectories(_ queue: [UInt64], reached: Set<UInt64>, into result: inout [FileTree]) {
    guard let number = queue.last else {
      var tree = self
      tree.inodes = inodes.filter { reached.contains($0.key) }
      result.append(tree)
      return
    }
    let rest = Array(queue.dropLast())
    guard case .directory(let directory)? = inodes[number]?.content else {
      return settleDirectories(rest, reached: reached.union([number]), into: &result)
    }
    for outcome in directory.afterPowerCut {
      var tree = self
      tree.inodes[number]?.content = .directory(outcome)
      tree.settleDirectories(
        rest + outcome.live.values.sorted(), reached: reached.union([number]), into: &result)
    }
  }
}
