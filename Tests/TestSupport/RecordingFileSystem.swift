package import DefaultsDatabase

/// A file system in memory that knows what would survive a loss of power.
///
/// Bytes become durable only when their file is flushed, names only when their directory is. Its
/// ``tree`` at any moment is what another process would see if this one were killed then, and
/// ``FileTree/forEachPowerCut(_:)`` gives what would be found if the power failed.
package final class RecordingFileSystem: FileSystem {
  private struct Descriptor {
    let inode: UInt64
    var offset: Int
  }

  private struct State {
    var tree: FileTree
    var descriptors: [Int32: Descriptor] = [:]
    var nextDescriptor: Int32 = 1000
    /// Which descriptor holds the lock of an inode.
    var locks: [UInt64: Int32] = [:]
    var clock = FileTree.start

    /// The time of the next operation; no two are alike.
    mutating func tick() -> FileTime {
      clock.nanoseconds += 1
      return clock
    }

    func inode(of descriptor: Int32) throws(SystemError) -> UInt64 {
      guard let inode = descriptors[descriptor]?.inode else { throw .invalidArgument }
      return inode
    }

    func file(of descriptor: Int32) throws(SystemError) -> RecordedFile {
      switch tree.inodes[try inode(of: descriptor)]?.content {
      case .file(let file): return file
      case .directory: throw .isDirectory
      case .link, nil: throw .invalidArgument
      }
    }

    func status(of number: UInt64) throws(SystemError) -> FileStatus {
      guard let inode = tree.inodes[number] else { throw .notFound }
      let (kind, size): (FileKind, Int) =
        switch inode.content {
        case .file(let file): (.regular, file.live.count)
        case .directory: (.directory, 0)
        case .link(let destination): (.symbolicLink, destination.utf8.count)
        }
      return FileStatus(
        kind: kind, owner: inode.owner, group: inode.group, device: 1, inode: number, size: Int64(size),
        modified: inode.modified, changed: inode.changed)
    }

    mutating func write(
      _ bytes: some Collection<UInt8>, to descriptor: Int32, at offset: Int
    ) throws(SystemError) {
      _ = try file(of: descriptor)
      let number = try inode(of: descriptor)
      tree.changeFile(number) { $0.write(bytes, at: offset) }
      let time = tick()
      tree.inodes[number]?.modified = time
      tree.inodes[number]?.changed = time
    }
  }

  private let state: Lock<State>
  package let unremoved = UnremovedFiles()

  /// Mounts a disk.
  package init(_ tree: FileTree) {
    state = Lock(State(tree: tree))
  }

  /// What is on the disk now.
  package var tree: FileTree { state.withLock { $0.tree } }

  /// How many descriptors are open; those that nobody closes are lost to the process.
  package var openCount: Int { state.withLock { $0.descriptors.count } }

  // MARK: FileSystem

  package func open(_ path: String, for purpose: OpenPurpose) throws(SystemError) -> Int32 {
    try state.withLock { state throws(SystemError) in
      let inode: UInt64
      switch purpose {
      case .creating, .creatingShared:
        let time = state.tick()
        inode = try state.tree.make(.file(RecordedFile(durable: [])), at: path, time: time)
      case .directory, .lockingDirectory:
        inode = try state.tree.inode(at: path, followingLinks: true)
        _ = try state.tree.directory(inode)
      case .readingThrough, .writingThrough:
        inode = try state.tree.inode(at: path, followingLinks: true)
      case .reading, .locking, .lockingFile, .appending:
        inode = try state.tree.inode(at: path, followingLinks: false)
        if case .link? = state.tree.inodes[inode]?.content { throw .tooManyLinks }
      }
      let descriptor = state.nextDescriptor
      state.nextDescriptor += 1
      let offset = purpose == .appending ? Int(try state.status(of: inode).size) : 0
      state.descriptors[descriptor] = Descriptor(inode: inode, offset: offset)
      return descriptor
    }
  }

  package func close(_ descriptor: Int32) {
    state.withLock { state in
      state.descriptors[descriptor] = nil
      state.locks = state.locks.filter { $0.value != descriptor }
    }
  }

  package func read(from descriptor: Int32, upTo count: Int) throws(SystemError) -> [UInt8] {
    try state.withLock { state throws(SystemError) in
      let file = try state.file(of: descriptor)
      let offset = state.descriptors[descriptor]?.offset ?? 0
      let bytes = Array(file.live.dropFirst(offset).prefix(count))
      state.descriptors[descriptor]?.offset += bytes.count
      return bytes
    }
  }

  /// No file is a pipe.
  package func waitForWriter(of descriptor: Int32, until deadline: MonotonicTime) -> Bool { true }

  package func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) -> Int {
    try state.withLock { state throws(SystemError) in
      try state.write(bytes, to: descriptor, at: state.descriptors[descriptor]?.offset ?? 0)
      state.descriptors[descriptor]?.offset += bytes.count
      return bytes.count
    }
  }

  package func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws(SystemError) {
    try state.withLock { state throws(SystemError) in try state.write(bytes, to: descriptor, at: offset) }
  }

  /// No file has a hole.
  package func seek(in descriptor: Int32, to place: FilePlace) throws(SystemError) -> Int? {
    try state.withLock { state throws(SystemError) in
      let count = try state.file(of: descriptor).live.count
      let offset: Int
      switch place {
      case .offset(let start): offset = start
      case .data(let start):
        guard start < count else { return nil }
        offset = start
      case .hole(let start):
        guard start < count else { return nil }
        offset = count
      }
      state.descriptors[descriptor]?.offset = offset
      return offset
    }
  }

  package func setSize(_ size: Int, of descriptor: Int32) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      let count = try state.file(of: descriptor).live.count
      if size > count {
        try state.write([UInt8](repeating: 0, count: size - count), to: descriptor, at: count)
      } else {
        state.tree.changeFile(try state.inode(of: descriptor)) { $0.live.removeLast(count - size) }
      }
    }
  }

  /// Nothing that can be relied on.
  package func beginSynchronizing(_ descriptor: Int32) {}

  package func synchronize(_ descriptor: Int32) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      let inode = try state.inode(of: descriptor)
      state.tree.changeFile(inode) { $0.flush() }
      state.tree.changeDirectory(inode) { $0.flush() }
    }
  }

  package func tryLock(_ descriptor: Int32) throws(SystemError) -> Bool {
    try state.withLock { state throws(SystemError) in
      let inode = try state.inode(of: descriptor)
      guard state.locks[inode] == nil || state.locks[inode] == descriptor else { return false }
      state.locks[inode] = descriptor
      return true
    }
  }

  package func unlock(_ descriptor: Int32) {
    state.withLock { state in state.locks = state.locks.filter { $0.value != descriptor } }
  }

  package func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    try state.withLock { state throws(SystemError) in try state.status(of: state.inode(of: descriptor)) }
  }

  package func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus {
    try state.withLock { state throws(SystemError) in
      try state.status(of: state.tree.inode(at: path, followingLinks: followingLinks))
    }
  }

  package func mayAccess(_ path: String, for access: FileAccess) -> Bool {
    true
  }

  package func setMode(_ mode: UInt32, of descriptor: Int32) throws(SystemError) {
    // Permissions are looked at on the real disk, which knows masks.
    try state.withLock { state throws(SystemError) in _ = try state.inode(of: descriptor) }
  }

  package func setModified(_ time: FileTime, of descriptor: Int32) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      let inode = try state.inode(of: descriptor)
      let now = state.tick()
      state.tree.inodes[inode]?.modified = time
      state.tree.inodes[inode]?.changed = now
    }
  }

  package func setOwner(_ owner: UInt32, group: UInt32, of descriptor: Int32) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      let inode = try state.inode(of: descriptor)
      state.tree.inodes[inode]?.owner = owner
      state.tree.inodes[inode]?.group = group
    }
  }

  package func copyAccessList(of source: Int32, to descriptor: Int32) throws(SystemError) {
    // No file here has one.
  }

  package func rename(_ path: String, to newPath: String) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      let time = state.tick()
      try state.tree.rename(path, to: newPath, time: time)
    }
  }

  package func link(_ path: String, to newPath: String) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      let time = state.tick()
      try state.tree.link(path, to: newPath, time: time)
    }
  }

  package func remove(_ path: String) throws(SystemError) {
    try state.withLock { state throws(SystemError) in try state.tree.remove(path) }
  }

  package func removeDirectory(_ path: String) throws(SystemError) {
    try state.withLock { state throws(SystemError) in try state.tree.removeDirectory(path) }
  }

  package func makeDirectory(_ path: String) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      let time = state.tick()
      _ = try state.tree.make(.directory(RecordedDirectory()), at: path, time: time)
    }
  }

  package func destination(ofLink path: String) throws(SystemError) -> String {
    try state.withLock { state throws(SystemError) in
      let inode = try state.tree.inode(at: path, followingLinks: false)
      guard case .link(let destination)? = state.tree.inodes[inode]?.content else { throw .invalidArgument }
      return destination
    }
  }

  package func names(inDirectory path: String) throws(SystemError) -> [String] {
    try state.withLock { state throws(SystemError) in
      Array(try state.tree.directory(state.tree.inode(at: path, followingLinks: true)).live.keys)
    }
  }

  package func undecodableNameCount(inDirectory path: String) throws(SystemError) -> Int { 0 }

  package var now: FileTime { state.withLock { $0.clock } }
}
