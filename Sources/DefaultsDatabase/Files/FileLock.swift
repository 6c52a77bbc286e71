/// The lock under which a directory's files are changed; it dies with the process that holds it.
///
/// Of those waiting, the one who came first has it next, unless a save takes less time than they wait between two looks.
/// They agree on that by ``LockNotes`` in the lock's file; these die with nobody, and so count only
/// while the process that wrote them shows that it is there.
struct FileLock {
  private let descriptor: Int32
  private let fileSystem: any FileSystem
  /// Whether it was another's at first, and had to be waited for.
  private(set) var wasHeld = false

  static let fileName = ".lock"
  /// In microseconds, of the one who is next; the others look less often.
  private static let pollInterval = 500
  /// How long before its deadline, in seconds, a waiter lets no other go first any more.
  private static let urgency = 0.25

  /// Takes the lock of a directory, waiting for other holders until a time; tries at least once.
  ///
  /// - Throws: an error of the kind `locked` after the time is up.
  init(of directory: DatabaseDirectory, deadline: MonotonicTime) throws(DatabaseError) {
    fileSystem = directory.fileSystem
    let path = directory.path(of: FileLock.fileName)
    var look = Look(since: MonotonicTime.now.nanoseconds)
    while true {
      let now = MonotonicTime.now
      look.isLast = now >= deadline
      look.isUrgent = now + FileLock.urgency >= deadline
      let outcome: Outcome
      do throws(SystemError) {
        outcome = try FileLock.attempt(path, in: directory, look)
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
      case .held(let holder, let isNext):
        if look.isLast { throw FileLock.locked(by: holder, path: path) }
        wasHeld = true
        look.isFirst = false
        CurrentProcess.pause(microseconds: isNext ? FileLock.pollInterval : 4 * FileLock.pollInterval)
      }
    }
  }

  /// Gives the lock back.
  func release() {
    FileLock.giveBack(descriptor, fileSystem)
  }

  private static func giveBack(_ descriptor: Int32, _ fileSystem: any FileSystem) {
    // Closing is not enough where the program has forked meanwhile: the child holds the lock as well.
    fileSystem.unlock(descriptor)
    fileSystem.close(descriptor)
  }

  // MARK: One attempt

  /// One of the looks at the lock of one who wants it.
  private struct Look {
    /// When the waiter arrived.
    let since: UInt64
    var isFirst = true
    /// Whether the waiter lets no other go first any more.
    var isUrgent = false
    /// Whether the time is up.
    var isLast = false

    init(since: UInt64) {
      self.since = since
    }

    /// Whether somebody else is to have the lock first.
    func isBehind(_ notes: LockNotes) -> Bool {
      guard let waiter = notes.waiter, waiter.since < since else { return false }
      return waiter.isPresent(at: MonotonicTime.now.nanoseconds)
    }
  }

  private enum Outcome {
    case taken(Int32)
    case held(by: Int32?, isNext: Bool)
    /// Something else has its name.
    case noFile
  }

  private static func attempt(
    _ path: String, in directory: DatabaseDirectory, _ look: Look
  ) throws(SystemError) -> Outcome {
    let fileSystem = directory.fileSystem
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try open(path, in: directory)
    } catch  where error == .isDirectory || error == .tooManyLinks {
      return .noFile
    }
    var isTaken = false
    defer { if !isTaken { giveBack(descriptor, fileSystem) } }
    let status = try fileSystem.status(of: descriptor)
    guard status.kind == .regular else { return .noFile }
    // In another user's directory the file may be a second name of something precious.
    func mayWrite() throws(SystemError) -> Bool {
      try fileSystem.status(at: directory.path, followingLinks: true).owner == status.owner
    }
    var notesBefore: LockNotes?
    if !look.isFirst && !look.isUrgent {
      // A waiter whose turn has not come does not even try: stopped at the wrong moment, it would have the lock.
      let notes = readNotes(descriptor, fileSystem)
      if look.isBehind(notes) { return .held(by: notes.holder, isNext: false) }
      notesBefore = notes
    }
    let isFree = try fileSystem.tryLock(descriptor)
    let notes = notesBefore ?? readNotes(descriptor, fileSystem)
    let isBehind = look.isBehind(notes)
    guard isFree && (!isBehind || look.isUrgent) else {
      if look.isLast {
        // Nobody is to wait for one who has given up.
        if notes.waiter?.since == look.since, try mayWrite() {
          note(LockNotes.nobody, at: LockNotes.offsetOfWaiter, descriptor, fileSystem)
        }
      } else if !isBehind, try mayWrite() {
        let waiter = LockNotes.Waiter(since: look.since, seen: MonotonicTime.now.nanoseconds)
        note(waiter.line, at: LockNotes.offsetOfWaiter, descriptor, fileSystem)
      }
      return .held(by: notes.holder, isNext: !isBehind)
    }
    // Somebody may have removed the file since it was opened; a lock on it would exclude nobody.
    guard try isStill(status, at: path, fileSystem) else { return .held(by: nil, isNext: true) }
    // A process that saves again, with no other in between, finds its name there already.
    if !look.isFirst || notes.holder != CurrentProcess.identifier || notes.waiter != nil {
      if try mayWrite() {
        note(LockNotes.bytes(holder: CurrentProcess.identifier), at: 0, descriptor, fileSystem)
      } else if status.owner == 0, CurrentProcess.effectiveUser == 0, status.size == 0 {
        // Left by the administrator, who was killed before handing it over; its user could not open it.
        try fileSystem.remove(path)
        return try attempt(path, in: directory, look)
      }
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

  private static func readNotes(_ descriptor: Int32, _ fileSystem: any FileSystem) -> LockNotes {
    do throws(SystemError) {
      return LockNotes(try fileSystem.read(from: descriptor, upTo: LockNotes.byteCount))
    } catch {
      return LockNotes([])
    }
  }

  static func locked(by holder: Int32?, path: String) -> DatabaseError {
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
