/// The lock under which a directory's files are changed; it dies with the process that holds it.
struct FileLock {
  private let descriptor: Int32
  private let fileSystem: any FileSystem

  private static let fileName = ".lock"

  /// Takes the lock of a directory, waiting for other holders for a bounded time.
  ///
  /// - Throws: an error of the kind `locked` after the time is up.
  init(of directory: DatabaseDirectory, patience: Duration = .seconds(2)) throws(DatabaseError) {
    fileSystem = directory.fileSystem
    let path = directory.path(of: FileLock.fileName)
    let deadline = ContinuousClock.now + patience
    var pause = 1
    while true {
      let (descriptor, isHeld): (Int32, Bool)
      do throws(SystemError) {
        (descriptor, isHeld) = try FileLock.attempt(path, in: directory)
      } catch {
        throw .inputOutput(error, path: path, "the lock cannot be had", advice: "nothing was changed")
      }
      if isHeld {
        self.descriptor = descriptor
        return
      }
      let holder = FileLock.holder(descriptor, fileSystem)
      fileSystem.close(descriptor)
      if ContinuousClock.now >= deadline { throw FileLock.locked(by: holder, path: path) }
      CurrentProcess.pause(milliseconds: pause)
      pause = min(pause * 2, 8)
    }
  }

  /// Gives the lock back.
  func release() {
    fileSystem.close(descriptor)
  }

  // MARK: One attempt

  private static func attempt(
    _ path: String, in directory: DatabaseDirectory
  ) throws(SystemError) -> (Int32, isHeld: Bool) {
    let fileSystem = directory.fileSystem
    let descriptor = try open(path, in: directory)
    do throws(SystemError) {
      let status = try fileSystem.status(of: descriptor)
      guard status.kind == .regular else { throw .notSupported }
      guard try fileSystem.tryLock(descriptor) else { return (descriptor, false) }
      // Somebody may have removed the file since it was opened; a lock on it would exclude nobody.
      guard try isStill(status, at: path, fileSystem) else { return (descriptor, false) }
      try noteHolder(descriptor, status, directory)
      return (descriptor, true)
    } catch {
      fileSystem.close(descriptor)
      throw error
    }
  }

  private static func open(_ path: String, in directory: DatabaseDirectory) throws(SystemError) -> Int32 {
    let fileSystem = directory.fileSystem
    do throws(SystemError) {
      let descriptor = try fileSystem.open(path, for: .locking)
      return descriptor
    } catch SystemError.notFound {
      do throws(SystemError) {
        let descriptor = try fileSystem.open(path, for: .creating)
        directory.handOver(descriptor, madeIn: directory.path)
        fileSystem.close(descriptor)
      } catch SystemError.alreadyExists {
        // Another process was faster.
      }
      return try fileSystem.open(path, for: .locking)
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

  // MARK: The holder

  /// Writes this process's number into the lock's file, for the message to those who wait in vain.
  private static func noteHolder(
    _ descriptor: Int32, _ status: FileStatus, _ directory: DatabaseDirectory
  ) throws(SystemError) {
    // In another user's directory the file may be a second name of something precious.
    let owner = try directory.fileSystem.status(at: directory.path, followingLinks: true).owner
    guard status.owner == owner else { return }
    let number = String(CurrentProcess.identifier)
    // All numbers are equally long, so that a shorter one leaves nothing of the last.
    let text = String(repeating: " ", count: max(0, 10 - number.utf8.count)) + number + "\n"
    do throws(SystemError) {
      try directory.fileSystem.writeAtStart(Array(text.utf8), to: descriptor)
    } catch {
      // On a full disk a domain can still be removed; the message then names nobody.
    }
  }

  private static func holder(_ descriptor: Int32, _ fileSystem: any FileSystem) -> Int32? {
    do throws(SystemError) {
      let bytes = try fileSystem.read(from: descriptor, upTo: 32)
      return Int32(String(decoding: bytes.filter { $0 != 0x20 && $0 != 0x0A }, as: UTF8.self))
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
