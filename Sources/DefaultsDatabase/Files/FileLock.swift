/// The lock under which a directory's files are changed; it dies with the process that holds it.
///
/// The lock's file tells who holds it, and whether somebody waits: `     12345`, a line end and `w`.
struct FileLock {
  private let descriptor: Int32
  private let fileSystem: any FileSystem
  /// Whether it was another's at first, and had to be waited for.
  private(set) var wasHeld = false

  static let fileName = ".lock"
  private static let waitingMark = UInt8(ascii: "w")
  private static let offsetOfMark = 11
  private static let pollInterval = 2

  /// Takes the lock of a directory, waiting for other holders until a time; tries at least once.
  ///
  /// - Throws: an error of the kind `locked` after the time is up.
  init(of directory: DatabaseDirectory, deadline: ContinuousClock.Instant) throws(DatabaseError) {
    fileSystem = directory.fileSystem
    let path = directory.path(of: FileLock.fileName)
    while true {
      let outcome: Outcome
      do throws(SystemError) {
        outcome = try FileLock.attempt(path, in: directory)
      } catch {
        throw .inputOutput(error, path: path, "the lock cannot be had", advice: "nothing was changed")
      }
      switch outcome {
      case .taken(let descriptor):
        self.descriptor = descriptor
        return
      case .noFile:
        throw DatabaseError(
          .inputOutput(code: SystemError.invalidArgument.code), path: path,
          message: "is no regular file, as the lock must be", advice: "nothing was changed: move it away")
      case .held(let holder):
        if ContinuousClock.now >= deadline { throw FileLock.locked(by: holder, path: path) }
        wasHeld = true
        CurrentProcess.pause(milliseconds: FileLock.pollInterval)
      }
    }
  }

  /// Gives the lock back, and lets those who wait have it first.
  ///
  /// Without that, a process that saves again and again would take it before any other looks.
  func release() {
    let somebodyWaits = clearWaitingMark()
    // Closing is not enough where the program has forked meanwhile: the child holds the lock as well.
    fileSystem.unlock(descriptor)
    fileSystem.close(descriptor)
    if somebodyWaits { CurrentProcess.pause(milliseconds: 2 * FileLock.pollInterval) }
  }

  // MARK: One attempt

  private enum Outcome {
    case taken(Int32)
    case held(by: Int32?)
    /// Something else has its name.
    case noFile
  }

  private static func attempt(_ path: String, in directory: DatabaseDirectory) throws(SystemError) -> Outcome
  {
    let fileSystem = directory.fileSystem
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try open(path, in: directory)
    } catch  where error == .isDirectory || error == .tooManyLinks {
      return .noFile
    }
    var isTaken = false
    defer { if !isTaken { fileSystem.close(descriptor) } }
    let status = try fileSystem.status(of: descriptor)
    guard status.kind == .regular else { return .noFile }
    // In another user's directory the file may be a second name of something precious.
    let owner = try fileSystem.status(at: directory.path, followingLinks: true).owner
    let mayWrite = status.owner == owner
    guard try fileSystem.tryLock(descriptor) else {
      if mayWrite { note([waitingMark], at: offsetOfMark, descriptor, fileSystem) }
      return .held(by: holder(descriptor, fileSystem))
    }
    // Somebody may have removed the file since it was opened; a lock on it would exclude nobody.
    guard try isStill(status, at: path, fileSystem) else { return .held(by: nil) }
    if !mayWrite, status.owner == 0, CurrentProcess.effectiveUser == 0, status.size == 0 {
      // Left by the administrator, who was killed before handing it over; its user could not open it.
      try fileSystem.remove(path)
      return try attempt(path, in: directory)
    }
    if mayWrite {
      let number = String(CurrentProcess.identifier)
      let padding = String(repeating: " ", count: max(0, offsetOfMark - 1 - number.utf8.count))
      note(Array("\(padding)\(number)\n".utf8), at: 0, descriptor, fileSystem)
    }
    isTaken = true
    return .taken(descriptor)
  }

  private static func open(_ path: String, in directory: DatabaseDirectory) throws(SystemError) -> Int32 {
    let fileSystem = directory.fileSystem
    do throws(SystemError) {
      return try fileSystem.open(path, for: .locking)
    } catch SystemError.notFound {
      do throws(SystemError) {
        let descriptor = try fileSystem.open(path, for: .creating)
        defer { fileSystem.close(descriptor) }
        try prepare(descriptor, path, in: directory)
      } catch SystemError.alreadyExists {
        // Another process was faster.
      }
      return try fileSystem.open(path, for: .locking)
    }
  }

  /// Makes a new lock's file one that the directory's owner can open, or takes it away again.
  private static func prepare(
    _ descriptor: Int32, _ path: String, in directory: DatabaseDirectory
  ) throws(SystemError) {
    do throws(SystemError) {
      try directory.fileSystem.setMode(0o600, of: descriptor)
      try directory.handOver(descriptor, madeIn: directory.path)
    } catch {
      try directory.fileSystem.remove(path)
      throw error
    }
  }

  private static func isStill(
    _ status: FileStatus, at path: String, _ fileSystem: any FileSystem
  ) throws(SystemError) -> Bool {
    do throws(SystemError) {
      return try fileSystem.status(at: path, followingLinks: false).isSameFile(as: status)
    } catch SystemError.notFound {
      return false
    }
  }

  // MARK: Notes in the file

  private static func note(
    _ bytes: [UInt8], at offset: Int, _ descriptor: Int32, _ fileSystem: any FileSystem
  ) {
    do throws(SystemError) {
      try fileSystem.write(bytes, to: descriptor, at: offset)
    } catch {
      // On a full disk a domain can still be removed; the notes are a courtesy.
    }
  }

  private func clearWaitingMark() -> Bool {
    do throws(SystemError) {
      let bytes = try fileSystem.read(from: descriptor, upTo: 32)
      guard bytes.count > FileLock.offsetOfMark, bytes[FileLock.offsetOfMark] == FileLock.waitingMark else {
        return false
      }
      FileLock.note([UInt8(ascii: " ")], at: FileLock.offsetOfMark, descriptor, fileSystem)
      return true
    } catch {
      return false
    }
  }

  private static func holder(_ descriptor: Int32, _ fileSystem: any FileSystem) -> Int32? {
    do throws(SystemError) {
      let bytes = try fileSystem.read(from: descriptor, upTo: offsetOfMark - 1)
      return Int32(String(decoding: bytes.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self))
    } catch {
      return nil
    }
  }

  private static func locked(by holder: Int32?, path: String) -> DatabaseError {
    let who =
      switch holder {
      case nil: "another process"
      case CurrentProcess.identifier: "another thread of this process"
      case .some(let holder): "process \(holder)"
      }
    return DatabaseError(
      .locked(holder: holder), path: path, message: "\(who) has held the lock for two seconds",
      advice: "nothing was changed; try again when it is done, or end it")
  }
}
