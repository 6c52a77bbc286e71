/// The lock under which a directory's files are changed; the kernel releases it when its holder ends.
///
/// The order of those that wait resembles Lamport's bakery algorithm: the number of each is its arrival time, and
/// the lowest number is next. Only this next one is recorded, in the lock's file (``LockQueueRecord``), and it has
/// to renew the record, so that a dead process blocks nobody. When it takes the lock, the second one has to record
/// itself. A process that arrives before that may overtake the second one, if the save takes less time than the
/// pause between two attempts.
struct FileLock {
  private let descriptor: Int32
  private let fileSystem: any FileSystem
  /// Whether another process or thread held it first.
  private(set) var wasHeld = false

  static let fileName = ".lock"
  /// How long the next waiter pauses between two attempts, in microseconds; the others pause longer.
  private static let pollInterval = 500
  /// In the last part of its time, in seconds, a waiter no longer gives way to others.
  private static let urgency = 0.25

  /// Takes the lock of a directory, waiting for other holders until the deadline; tries at least once.
  ///
  /// - Parameter mayOvertake: Whether it no longer gives way to others that wait when its time is almost over.
  /// - Throws: an error of the kind `locked` after the deadline.
  init(
    of directory: DatabaseDirectory, deadline: MonotonicTime, mayOvertake: Bool = true
  ) throws(DatabaseError) {
    fileSystem = directory.fileSystem
    let path = directory.path(of: FileLock.fileName)
    var attempt = Attempt(arrival: MonotonicTime.now.nanoseconds)
    // Open from the first attempt to the last: the end of each opening for writing is an event for all programs that watch
    // the directory.
    var file: OpenFile?
    defer { file?.giveBack(directory.fileSystem) }
    while true {
      let now = MonotonicTime.now
      attempt.isLast = now >= deadline
      attempt.isUrgent = mayOvertake && now + FileLock.urgency >= deadline
      let outcome: Outcome
      do throws(SystemError) {
        outcome = try FileLock.tryOnce(path, in: directory, attempt, &file)
      } catch {
        throw .inputOutput(error, path: path, "the lock cannot be taken", advice: "nothing was changed")
      }
      switch outcome {
      case .taken(let descriptor):
        self.descriptor = descriptor
        file = nil
        return
      case .notRegularFile:
        throw DatabaseError(
          .inputOutput(code: SystemError.invalidArgument.code), path: path,
          message: "is no regular file, as the lock must be", advice: "nothing was changed: move it away")
      case .held(let holder, let isNext):
        if attempt.isLast { throw FileLock.locked(by: holder, path: path) }
        wasHeld = true
        attempt.isFirst = false
        CurrentProcess.pause(microseconds: isNext ? FileLock.pollInterval : 4 * FileLock.pollInterval)
      }
    }
  }

  /// Releases the lock.
  func release() {
    FileLock.giveBack(descriptor, fileSystem)
  }

  private static func giveBack(_ descriptor: Int32, _ fileSystem: any FileSystem) {
    // Closing is not enough where the program has forked meanwhile: the child holds the lock as well.
    fileSystem.unlock(descriptor)
    fileSystem.close(descriptor)
  }

  // MARK: One attempt

  /// One attempt to take the lock.
  private struct Attempt {
    /// When the waiter arrived.
    let arrival: UInt64
    var isFirst = true
    /// Whether the waiter no longer gives way to others.
    var isUrgent = false
    /// Whether the deadline has passed.
    var isLast = false

    init(arrival: UInt64) {
      self.arrival = arrival
    }

    /// Whether another waiter is to have the lock first.
    func isBehind(_ record: LockQueueRecord) -> Bool {
      guard let waiter = record.waiter, waiter.arrival < arrival else { return false }
      return waiter.isPresent(at: MonotonicTime.now.nanoseconds)
    }
  }

  private enum Outcome {
    case taken(Int32)
    case held(by: Int32?, isNext: Bool)
    /// The lock's name belongs to something other than a regular file.
    case notRegularFile
  }

  /// The lock's file as a waiter has it open.
  private struct OpenFile {
    let descriptor: Int32
    let status: FileStatus

    /// Whether the descriptor is still this file's: the program may have closed it, and have opened another file.
    /// What cannot be told counts as its own, so that it is closed.
    func isOwn(_ fileSystem: any FileSystem) -> Bool {
      do throws(SystemError) {
        return try fileSystem.status(of: descriptor).isSameFile(as: status)
      } catch {
        return error != .badDescriptor
      }
    }

    func giveBack(_ fileSystem: any FileSystem) {
      if isOwn(fileSystem) { FileLock.giveBack(descriptor, fileSystem) }
    }
  }

  /// - Parameters:
  ///   - file: The lock's file as the attempt before had it open, or nil; then as this one has it open.
  ///   - isNew: Whether the file was made anew just now. A file system may count two names for that, too.
  private static func tryOnce(
    _ path: String, in directory: DatabaseDirectory, _ attempt: Attempt, _ file: inout OpenFile?,
    isNew: Bool = false
  ) throws(SystemError) -> Outcome {
    let fileSystem = directory.fileSystem
    // A person may have removed it meanwhile, and another process have made a new one.
    if let former = file {
      let isUsable = former.isOwn(fileSystem) ? try isStill(former.status, at: path, fileSystem) : false
      if !isUsable {
        former.giveBack(fileSystem)
        file = nil
      }
    }
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = if let file { file.descriptor } else { try open(path, in: directory) }
    } catch  where error == .isDirectory || error == .tooManyLinks {
      return .notRegularFile
    }
    let status: FileStatus
    do throws(SystemError) {
      status = try fileSystem.status(of: descriptor)
    } catch {
      if file == nil { fileSystem.close(descriptor) }
      throw error
    }
    file = OpenFile(descriptor: descriptor, status: status)
    var keepsLock = false
    defer { if !keepsLock { fileSystem.unlock(descriptor) } }
    guard status.kind == .regular else { return .notRegularFile }
    // With a second name it may be another file, which somebody who could write the directory has linked here, and which
    // must not be overwritten. Where other users may write, one may also have moved a file of the administrator's here.
    func mayWrite() throws(SystemError) -> Bool {
      guard status.linkCount == 1 else { return false }
      let place = try fileSystem.status(at: directory.path, followingLinks: true)
      let isAdministrators = status.owner == 0 && CurrentProcess.effectiveUser == 0
      return place.owner == status.owner
        && !(isAdministrators && place.mode & PathWalk.othersBits(place) != 0)
    }
    // An administrator's process made the file and was killed before it gave it to the user, who could not open it.
    func isUngiven() throws(SystemError) -> Bool {
      guard status.owner == 0, CurrentProcess.effectiveUser == 0, status.size == 0 else { return false }
      return try fileSystem.status(at: directory.path, followingLinks: true).owner != 0
    }
    // A backup by links has given it the second name, for example. It is made anew where only its owner can link another file
    // in its place; elsewhere the lock works without the record.
    func isLinked() throws(SystemError) -> Bool {
      guard status.linkCount > 1 else { return false }
      let place = try fileSystem.status(at: directory.path, followingLinks: true)
      return place.owner == status.owner && place.mode & 0o022 == 0
    }
    var recordBefore: LockQueueRecord?
    if !attempt.isFirst && !attempt.isUrgent {
      // A waiter whose turn has not come does not even try: if it were stopped right after it took the lock,
      // the others would have to wait for it.
      let record = readRecord(descriptor, fileSystem)
      if attempt.isBehind(record) { return .held(by: record.holder, isNext: false) }
      recordBefore = record
    }
    let isFree = try fileSystem.tryLock(descriptor)
    let record = recordBefore ?? readRecord(descriptor, fileSystem)
    let isBehind = attempt.isBehind(record)
    guard isFree && (!isBehind || attempt.isUrgent) else {
      if attempt.isLast {
        // The others must not wait for a process that has given up.
        if record.waiter?.arrival == attempt.arrival, try mayWrite() {
          write(LockQueueRecord.noWaiter, at: LockQueueRecord.offsetOfWaiter, descriptor, fileSystem)
        }
      } else if !isBehind, try mayWrite() {
        let waiter = LockQueueRecord.Waiter(
          arrival: attempt.arrival, lastAttempt: MonotonicTime.now.nanoseconds)
        write(waiter.line, at: LockQueueRecord.offsetOfWaiter, descriptor, fileSystem)
      }
      return .held(by: record.holder, isNext: !isBehind)
    }
    // Another process may have removed the file since it was opened; a lock on it would exclude nobody.
    guard try isStill(status, at: path, fileSystem) else { return .held(by: nil, isNext: true) }
    // A process that saves again, without another holder in between, is recorded already.
    if !attempt.isFirst || record.holder != CurrentProcess.identifier || record.waiter != nil {
      if try mayWrite() {
        write(LockQueueRecord.bytes(holder: CurrentProcess.identifier), at: 0, descriptor, fileSystem)
      } else if try isNew ? false : isUngiven() ? true : isLinked() {
        try fileSystem.remove(path)
        // The second attempt closes this descriptor, whose number the next file may have.
        keepsLock = true
        return try tryOnce(path, in: directory, attempt, &file, isNew: true)
      }
    }
    keepsLock = true
    return .taken(descriptor)
  }

  /// Opens the lock's file, which is made if it does not exist.
  private static func open(
    _ path: String, in directory: DatabaseDirectory
  ) throws(SystemError) -> Int32 {
    let fileSystem = directory.fileSystem
    do throws(SystemError) {
      return try fileSystem.open(path, for: .locking)
    } catch SystemError.notFound {
      do throws(SystemError) {
        let descriptor = try fileSystem.open(path, for: .creating)
        defer { fileSystem.close(descriptor) }
        try prepare(descriptor, path, in: directory)
      } catch SystemError.alreadyExists {
        // Another process has made it first.
      }
      return try fileSystem.open(path, for: .locking)
    }
  }

  /// Makes a new lock's file accessible to the directory's owner, or removes it again.
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

  // MARK: The record in the file

  private static func write(
    _ bytes: [UInt8], at offset: Int, _ descriptor: Int32, _ fileSystem: any FileSystem
  ) {
    do throws(SystemError) {
      try fileSystem.write(bytes, to: descriptor, at: offset)
    } catch {
      // On a full disk a domain can still be removed; the lock works without the record.
    }
  }

  private static func readRecord(_ descriptor: Int32, _ fileSystem: any FileSystem) -> LockQueueRecord {
    do throws(SystemError) {
      _ = try fileSystem.seek(in: descriptor, to: .offset(0))
      return LockQueueRecord(try fileSystem.read(from: descriptor, upTo: LockQueueRecord.byteCount))
    } catch {
      return LockQueueRecord([])
    }
  }

  /// The process that holds the lock of a directory, or held it last; nil if that cannot be told.
  static func recordedHolder(in directory: DatabaseDirectory) -> Int32? {
    let fileSystem = directory.fileSystem
    do throws(SystemError) {
      let descriptor = try fileSystem.open(directory.path(of: fileName), for: .locking)
      defer { fileSystem.close(descriptor) }
      guard try fileSystem.status(of: descriptor).kind == .regular else { return nil }
      return readRecord(descriptor, fileSystem).holder
    } catch {
      return nil
    }
  }

  /// - Parameter recorded: The recorded holder. If that process has ended, the lock is held by one that makes no record.
  static func locked(by recorded: Int32?, path: String) -> DatabaseError {
    let holder = recorded.flatMap { CurrentProcess.isNumberOfProcess($0) ? $0 : nil }
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
