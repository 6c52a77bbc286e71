package import DefaultsDatabase

/// The files of a history, its directory and its lock.
extension History {
  private static let ignoreFile = ".gitignore"
  /// How the names begin of directories in which damaged logs are kept.
  static let damagedPrefix = "damaged-"

  /// The bytes of the log; nil if there is none. Of one that is too large they are so many that it counts as damaged.
  func logBytes() throws(SystemError) -> [UInt8]? {
    guard let file = try HistoryLogFile(of: self) else { return nil }
    return try file.bytes(from: 0)
  }

  /// Replaces the log's file as a whole; the caller synchronizes the directory then.
  ///
  /// - Parameters:
  ///   - known: What the file system told of the file when it was read; nil if there was none.
  ///   - lock: The history's directory as it was locked.
  /// - Returns: Whether the file was replaced; not if somebody has changed it or the directory meanwhile.
  func replace(
    with log: inout HistoryLog, over known: FileStatus?, in lock: Int32
  ) throws(SystemError) -> Bool {
    guard try fileSystem.leads(path, to: lock) else { return false }
    let temporary = "\(History.log).new"
    try write(log.rewrite(), to: temporary)
    guard try fileSystem.leads(path, to: lock) else { return false }
    guard try isLog(known) else {
      try fileSystem.remove("\(path)/\(temporary)")
      return false
    }
    try fileSystem.rename("\(path)/\(temporary)", to: logPath)
    return true
  }

  /// The names of the copies that no record of a log needs: of removed records, and of commands that were killed.
  ///
  /// The caller removes them when it has unlocked the history, and the database where it has that: thousands of files take
  /// seconds.
  ///
  /// - Parameter age: How long their files must not have changed, in seconds.
  func unneededCopies(of log: HistoryLog, unchangedFor age: Int64 = 0) -> [String] {
    // A copy that is not found now is found the next time.
    let names = (try? fileSystem.names(inDirectory: path)) ?? []
    let unneeded = names.filter { HistoryRecord.isCopy($0) && !log.copies.contains($0) }
    guard age > 0 else { return unneeded }
    let limit = fileSystem.now.seconds - age
    return unneeded.filter { name in
      let status = try? fileSystem.status(at: "\(path)/\(name)", followingLinks: false)
      return status.map { $0.changed.seconds < limit } == true
    }
  }

  /// Whether the log's file is the one of which the file system told something, with the same bytes; for nil, whether there is
  /// none.
  private func isLog(_ known: FileStatus?) throws(SystemError) -> Bool {
    do throws(SystemError) {
      let status = try fileSystem.status(at: logPath, followingLinks: false)
      return known.map { status.isSameState(as: $0) } ?? false
    } catch SystemError.notFound {
      return known == nil
    }
  }

  /// How many copies are removed at once, for which others wait.
  private static let removedCount = 32
  /// How long the lock is free in between, in microseconds: a waiter tries to take it each millisecond.
  private static let removalPause = 3000

  /// Removes copies that no record needs; some may be missing, or needed again.
  ///
  /// Each few of them are removed with a look at the log and the lock, which is given back in between: to remove thousands of
  /// files takes seconds. Where there is no log, or a damaged one, all stay: somebody may be putting a history back.
  ///
  /// - Throws: the first error, after the others were removed.
  func remove(copies names: [String], unneededBy reader: inout HistoryLogReader) throws(SystemError) {
    var failure: SystemError?
    var directory: FileStatus?
    var rest = names[...]
    while !rest.isEmpty {
      if rest.count < names.count { CurrentProcess.pause(microseconds: History.removalPause) }
      let part = rest.prefix(History.removedCount)
      rest = rest.dropFirst(part.count)
      do throws(SystemError) {
        let lock = try lock()
        defer { unlock(lock) }
        let status = try fileSystem.status(of: lock)
        // Of a history that somebody has removed or exchanged, another one may have the names.
        guard directory.map({ status.isSameFile(as: $0) }) ?? true, case .log(let present) = try reader.read()
        else { break }
        directory = status
        reader.note(present)
        for name in part where !present.log.copies.contains(name) {
          guard try fileSystem.leads(path, to: lock) else { break }
          do throws(SystemError) {
            try fileSystem.remove("\(path)/\(name)")
          } catch {
            // Another command or a person may have removed it.
            if error != .notFound { failure = failure ?? error }
          }
        }
      } catch {
        // Somebody may have removed the directory with all copies.
        if error != .notFound { failure = failure ?? error }
        break
      }
    }
    if let failure { throw failure }
  }

  /// Writes a file of the history's directory, and returns when it is on stable storage.
  ///
  /// The caller has the lock, or the name is its own.
  func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
    do throws(SystemError) {
      try create(name, with: bytes)
    } catch SystemError.alreadyExists {
      // A command that was killed has left it.
      try fileSystem.remove("\(path)/\(name)")
      try create(name, with: bytes)
    }
  }

  private func create(_ name: String, with bytes: [UInt8]) throws(SystemError) {
    let place = "\(path)/\(name)"
    let descriptor = try fileSystem.open(place, for: .creating)
    defer { fileSystem.close(descriptor) }
    do throws(SystemError) {
      try fileSystem.write(all: bytes, to: descriptor)
      try fileSystem.synchronize(descriptor)
    } catch {
      try? fileSystem.remove(place)
      throw error
    }
  }

  /// Moves the log and all copies into a new directory, whose path it gives.
  func moveAside() throws(SystemError) -> String {
    var (place, number) = ("", 0)
    repeat {
      number += 1
      place = "\(path)/\(History.damagedPrefix)\(number)"
      do throws(SystemError) {
        try fileSystem.makeDirectory(place)
        break
      } catch SystemError.alreadyExists {
        // The next number may be free.
        if number == 1000 { throw SystemError.alreadyExists }
      }
    } while true
    // The log goes last: a command that is killed before leaves it, and the next one moves the rest.
    let names = try fileSystem.names(inDirectory: path).filter { HistoryRecord.isCopy($0) } + [History.log]
    for name in names {
      do throws(SystemError) {
        try fileSystem.rename("\(path)/\(name)", to: "\(place)/\(name)")
      } catch {
        // A person may have removed a copy.
        if error != .notFound || name == History.log { throw error }
      }
    }
    try synchronizeDirectory("\(History.damagedPrefix)\(number)")
    try synchronizeDirectory()
    return place
  }

  /// A log without records in the place of a damaged one, or of one that is gone, whose numbers go on where they can be told.
  ///
  /// - Parameter bytes: The damaged log, empty for none; its copies must be there still.
  func logAfter(damaged bytes: [UInt8]) throws(SystemError) -> HistoryLog {
    let copies = try fileSystem.names(inDirectory: path).compactMap(HistoryRecord.identifier(ofCopy:))
    let highest = max(HistoryLog.highestNumber(inDamaged: bytes), copies.max() ?? 0)
    let log = HistoryLog(after: highest)
    return log.hasNextNumber ? log : HistoryLog()
  }

  // MARK: The directory

  /// Runs a body with the rights that have to be used in the database's directory.
  ///
  /// - Parameters:
  ///   - failure: What the body's failure means, as a clause.
  ///   - advice: What became of the files where the system has refused something; asked for behind the body.
  ///   - makesDatabase: Whether the database's directory is made if it does not exist.
  func working<Result>(
    _ failure: String, advice: @autoclosure () -> String = "", makingDatabase makesDatabase: Bool = false,
    _ body: () throws(SystemError) -> Result
  ) throws(DatabaseError) -> Result {
    try database.withOwnersRights(makingDirectory: makesDatabase) { () throws(DatabaseError) in
      do throws(SystemError) {
        return try FileRights.withPrivateDirectory(path, body)
      } catch SystemError.notADirectory {
        throw misplaced(failure)
      } catch SystemError.tryAgain {
        throw DatabaseError(
          .locked(holder: nil), path: path,
          message: "\(failure): another process holds it")
      } catch {
        throw .inputOutput(error, path: path, failure, advice: advice())
      }
    }
  }

  /// What is said of a refused request of which nothing was done yet.
  static let unchanged = "nothing was changed"

  /// The error for a link, or another file, in the place of one of the history's directories.
  private func misplaced(_ failure: String) -> DatabaseError {
    let error = SystemError.notADirectory
    for place in [path, "\(path)/\(History.snapshots)"] {
      let kind = (try? fileSystem.status(at: place, followingLinks: false))?.kind
      guard let kind, kind != .directory else { continue }
      let isLink = kind == .symbolicLink
      return DatabaseError(
        .inputOutput(code: error.code), path: place,
        message: "\(failure): it is \(isLink ? "a symbolic link, which is not followed" : "no directory")",
        advice: isLink ? "remove the link; what it leads to stays" : "move it away")
    }
    return .inputOutput(error, path: path, failure)
  }

  /// Whether the history's directory exists.
  ///
  /// - Throws: an error if a link or another file has its name, and if the directory belongs to another user.
  func exists() throws(SystemError) -> Bool {
    do throws(SystemError) {
      try checkDirectory(path)
      return true
    } catch SystemError.notFound {
      return false
    }
  }

  /// Makes sure that a path is that of a directory, and not of a link to one.
  func checkDirectory(_ place: String) throws(SystemError) {
    let status = try fileSystem.status(at: place, followingLinks: false)
    guard status.kind == .directory else { throw .notADirectory }
    // Inside withPrivateDirectory(_:), this fails if another user has made it.
    fileSystem.close(try fileSystem.open(place, for: .directory))
  }

  /// Takes the rights of all others to the directory away.
  package func makePrivate() throws(DatabaseError) {
    try working("its permissions cannot be changed") { () throws(SystemError) in
      guard try exists() else { return }
      let descriptor = try fileSystem.open(path, for: .directory)
      defer { fileSystem.close(descriptor) }
      try fileSystem.setMode(try fileSystem.status(of: descriptor).mode & 0o700, of: descriptor)
    }
  }

  /// How many bytes the directory's files take, without those in directories.
  func fileByteCount() throws(SystemError) -> Int {
    var size = 0
    for name in try fileSystem.names(inDirectory: path) {
      do throws(SystemError) {
        let status = try fileSystem.status(at: "\(path)/\(name)", followingLinks: false)
        if status.kind == .regular { size = FileSize.sum(size, status.size) }
      } catch SystemError.notFound {
        // Another command has removed it.
      }
    }
    return size
  }

  /// Makes the directory, which git is told to leave out.
  func make() throws(SystemError) {
    if try exists() {
      do throws(SystemError) {
        _ = try fileSystem.status(at: "\(path)/\(History.ignoreFile)", followingLinks: false)
        return
      } catch SystemError.notFound {
        // A command that was killed may have made the directory alone.
      }
    } else {
      try makeDirectory(path)
    }
    do throws(SystemError) {
      try create(History.ignoreFile, with: Array("*\n".utf8))
    } catch SystemError.alreadyExists {
      // Another command, which has no lock here either, has just made it.
    }
  }

  /// Makes a directory, unless another command has made it meanwhile.
  func makeDirectory(_ place: String) throws(SystemError) {
    do throws(SystemError) {
      try fileSystem.makeDirectory(place)
    } catch SystemError.alreadyExists {
      try checkDirectory(place)
    }
  }

  /// Waits until the entries of the history's directory, or of one in it, are on stable storage.
  func synchronizeDirectory(_ name: String = ".") throws(SystemError) {
    let descriptor = try fileSystem.open("\(path)/\(name)", for: .directory)
    defer { fileSystem.close(descriptor) }
    do throws(SystemError) {
      try fileSystem.synchronize(descriptor)
    } catch SystemError.invalidArgument {
      // This file system has nothing to write out for a directory.
    }
  }

  /// Takes the lock that excludes other commands from the history.
  ///
  /// - Throws: ``SystemError/tryAgain`` if another process keeps it too long.
  func lock() throws(SystemError) -> Int32 {
    try database.waitingForOthers { (deadline) throws(SystemError) in try lock(until: deadline) }
  }

  /// Takes the same lock, and does not count the wait as one for the database's lock.
  func lock(until deadline: MonotonicTime) throws(SystemError) -> Int32 {
    try fileSystem.lockDirectory(path, until: deadline)
  }

  func unlock(_ descriptor: Int32) { fileSystem.unlockDirectory(descriptor) }

  /// How often a change of the log begins again when somebody who does not know the lock has changed the log meanwhile.
  private static let attemptCount = 3

  /// Changes the log while other commands are excluded from the history (optimistic concurrency).
  ///
  /// - Parameters:
  ///   - deadline: When to stop waiting for the history's lock, and beginning again; nil for as long as any command waits.
  ///   - body: Reads the log and changes it. It gets the history's directory as it was locked, and gives nil if the log was
  ///     changed meanwhile; then its records are as they were, and the body runs again.
  /// - Returns: What the body gives; nil if the log was changed each time.
  func changingLog<Result>(
    until deadline: MonotonicTime? = nil, _ body: (Int32) throws(SystemError) -> Result?
  ) throws(SystemError) -> Result? {
    for attempt in 0..<History.attemptCount {
      if attempt > 0, let deadline, .now >= deadline { break }
      let lock: Int32
      if let deadline {
        lock = try self.lock(until: deadline)
      } else {
        lock = try self.lock()
      }
      defer { unlock(lock) }
      if let result = try body(lock) { return result }
    }
    return nil
  }

  /// What is said where the log was changed each time.
  static let changedAgain = "another program changes the history's log again and again"
}
