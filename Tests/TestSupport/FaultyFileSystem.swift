package import DefaultsDatabase

/// A file system, the disk unless told otherwise, with every operation recorded and any made to fail.
package final class FaultyFileSystem: FileSystem {
  /// One call of the file system.
  package struct Operation: Sendable {
    /// Its place among all calls, counted from 0.
    package let index: Int
    /// The method's name.
    package let name: String
    /// Its place among the calls of that name, counted from 1.
    package let number: Int
    /// The path that it is about, where it has one.
    package let path: String?
  }

  private struct State {
    var operations: [Operation] = []
    var counts: [String: Int] = [:]
    var unlockings: [Int] = []
  }

  private let disk: any FileSystem
  private let state = Lock(State())
  private let fault: @Sendable (Operation) -> SystemError?
  private let bytesPerWrite: Int
  private let secondsAhead: Int64
  private let isWritable: Bool

  /// Wraps a file system.
  ///
  /// - Parameters:
  ///   - disk: where the operations that do not fail go.
  ///   - bytesPerWrite: how much each write takes at most.
  ///   - secondsAhead: how far the clock is ahead of the disk's.
  ///   - isWritable: whether a question about the right to write is answered as by the disk; otherwise nobody has it.
  ///   - fault: is called before each operation, and tells with which error it fails, if it does.
  package init(
    _ disk: any FileSystem = DiskFileSystem(), bytesPerWrite: Int = .max, secondsAhead: Int64 = 0,
    isWritable: Bool = true,
    fault: @escaping @Sendable (Operation) -> SystemError? = { _ in nil }
  ) {
    self.disk = disk
    self.bytesPerWrite = bytesPerWrite
    self.secondsAhead = secondsAhead
    self.isWritable = isWritable
    self.fault = fault
  }

  /// The number of calls before each release of a lock.
  package var unlockings: [Int] { state.withLock { $0.unlockings } }

  /// All calls so far.
  package var operations: [Operation] { state.withLock { $0.operations } }

  private func record(_ name: String, _ path: String? = nil) throws(SystemError) {
    let operation = state.withLock { state in
      state.counts[name, default: 0] += 1
      let operation = Operation(
        index: state.operations.count, name: name, number: state.counts[name] ?? 0, path: path)
      state.operations.append(operation)
      return operation
    }
    if let error = fault(operation) { throw error }
  }

  // MARK: FileSystem

  package var unremoved: UnremovedFiles { disk.unremoved }

  package func hold(_ directory: String) throws(SystemError) -> HeldDirectory? {
    try record("hold", directory)
    return try disk.hold(directory)
  }

  package func open(_ path: String, for purpose: OpenPurpose) throws(SystemError) -> Int32 {
    try record("open \(purpose)", path)
    return try disk.open(path, for: purpose)
  }

  package func close(_ descriptor: Int32) {
    disk.close(descriptor)
  }

  package func read(from descriptor: Int32, upTo count: Int) throws(SystemError) -> [UInt8] {
    try record("read")
    return try disk.read(from: descriptor, upTo: count)
  }

  package func waitForWriter(of descriptor: Int32, until deadline: MonotonicTime) throws(SystemError) -> Bool
  {
    try record("waitForWriter")
    return try disk.waitForWriter(of: descriptor, until: deadline)
  }

  package func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) -> Int {
    try record("write")
    return try disk.write(bytes.prefix(bytesPerWrite), to: descriptor)
  }

  package func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws(SystemError) {
    try record("write at offset")
    try disk.write(bytes, to: descriptor, at: offset)
  }

  package func seek(in descriptor: Int32, to place: FilePlace) throws(SystemError) -> Int? {
    try record("seek \(place)")
    return try disk.seek(in: descriptor, to: place)
  }

  package func setSize(_ size: Int, of descriptor: Int32) throws(SystemError) {
    try record("setSize")
    try disk.setSize(size, of: descriptor)
  }

  package func beginSynchronizing(_ descriptor: Int32) {
    disk.beginSynchronizing(descriptor)
  }

  package func synchronize(_ descriptor: Int32) throws(SystemError) {
    try record("synchronize")
    try disk.synchronize(descriptor)
  }

  package func tryLock(_ descriptor: Int32) throws(SystemError) -> Bool {
    try record("tryLock")
    return try disk.tryLock(descriptor)
  }

  package func unlock(_ descriptor: Int32) {
    state.withLock { $0.unlockings.append($0.operations.count) }
    disk.unlock(descriptor)
  }

  package func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    try record("status of descriptor")
    return try disk.status(of: descriptor)
  }

  package func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus {
    try record("status", path)
    return try disk.status(at: path, followingLinks: followingLinks)
  }

  package func mayAccess(_ path: String, for access: FileAccess) -> Bool {
    (isWritable || access != .writing) && disk.mayAccess(path, for: access)
  }

  package func setMode(_ mode: UInt32, of descriptor: Int32) throws(SystemError) {
    try record("setMode")
    try disk.setMode(mode, of: descriptor)
  }

  package func setModified(_ time: FileTime, of descriptor: Int32) throws(SystemError) {
    try record("setModified")
    try disk.setModified(time, of: descriptor)
  }

  package func setOwner(_ owner: UInt32, group: UInt32, of descriptor: Int32) throws(SystemError) {
    try record("setOwner")
    try disk.setOwner(owner, group: group, of: descriptor)
  }

  package func copyAccessList(of source: Int32, to descriptor: Int32) throws(SystemError) {
    try record("copyAccessList")
    try disk.copyAccessList(of: source, to: descriptor)
  }

  package func rename(_ path: String, to newPath: String) throws(SystemError) {
    try record("rename", path)
    try disk.rename(path, to: newPath)
  }

  package func link(_ path: String, to newPath: String) throws(SystemError) {
    try record("link", path)
    try disk.link(path, to: newPath)
  }

  package func remove(_ path: String) throws(SystemError) {
    try record("remove", path)
    try disk.remove(path)
  }

  package func removeDirectory(_ path: String) throws(SystemError) {
    try record("removeDirectory", path)
    try disk.removeDirectory(path)
  }

  package func makeDirectory(_ path: String) throws(SystemError) {
    try record("makeDirectory", path)
    try disk.makeDirectory(path)
  }

  package func destination(ofLink path: String) throws(SystemError) -> String {
    try record("destination", path)
    return try disk.destination(ofLink: path)
  }

  package func names(inDirectory path: String) throws(SystemError) -> [String] {
    try record("names", path)
    return try disk.names(inDirectory: path)
  }

  package func undecodableNameCount(inDirectory path: String) throws(SystemError) -> Int {
    try record("names", path)
    return try disk.undecodableNameCount(inDirectory: path)
  }

  package var now: FileTime {
    var time = disk.now
    time.seconds += secondsAhead
    return time
  }
}
