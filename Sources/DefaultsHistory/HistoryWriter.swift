package import DefaultsDatabase
import OpenStepPropertyList

/// Records the changes of one command, one domain after the other.
package struct HistoryWriter: Sendable {
  private let history: History
  private let command: [String]
  private let undone: Int?
  /// The command's number, which its first record determines.
  private var identifier: Int?
  /// How many records of the command the log had at the last one, and the newest of them.
  private var (recordCount, latest): (Int, HistoryRecord?) = (0, nil)
  /// How often the command has begun a record, or a record of the log needs a copy's name; the names contain it.
  private var attemptCount = 0
  /// The names of copies that no record needs any more.
  private var unneeded: Set<String> = []
  /// Whether copies that commands have left which were killed are looked for at the end.
  private var findsLeftOvers = false
  /// How many bytes the command's lines and copies take.
  private var byteCount = 0
  /// The room that the copies leave for lines, of which none is longer unless its words have many control characters.
  private static let lineByteCount = 8192
  /// How long a change waits for the history's lock at most, in seconds: it has the database's lock, for which programs wait.
  private static let patience = 0.25
  /// The log as this command has read or left it.
  private var reader: HistoryLogReader
  /// Where a damaged log was kept; nil if there was none.
  package private(set) var movedAside: DatabaseError?
  /// That the command's copies take more than there is room for, a new file cannot be read again, or the log may not survive a
  /// loss of power; nil if all is well.
  package private(set) var shortage: DatabaseError?

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - command: The command's words.
  ///   - undone: The number of the command that it takes back.
  package init(to history: History, command: [String], undoing undone: Int?) {
    self.history = history
    reader = HistoryLogReader(of: history)
    self.command = command
    self.undone = undone
  }

  /// Reads the history before the database's lock is taken, so that under the lock only what others add is read.
  ///
  /// What fails here fails under the lock again, and is told there.
  package mutating func prepare() {
    try? history.working("the history cannot be read") { () throws(SystemError) in
      if try history.exists() { reader.prepare() }
    }
  }

  /// Records a change before it is made, and returns when the record is on stable storage.
  ///
  /// - Throws: an error of the system, and one of the kind `refused` for more changes than the history holds, and where others
  ///   have removed the command's newest record, or change the log again and again; the change is not recorded then.
  /// - Complexity: linear in the sizes of the domain's file and of what other commands have written to the log since
  ///   ``prepare()``; now and then in the size of the log, which then has been written as a whole.
  package mutating func append(
    _ domain: DomainName, before: FileVersion, after: FileVersion
  ) throws(DatabaseError) {
    let history = self.history
    let refusal: String?
    do throws(DatabaseError) {
      refusal = try history.working("the history cannot be written") { () throws(SystemError) in
        try history.make()
        let byteCount = byteCount
        let outcome = try history.changingLog(until: MonotonicTime.now + HistoryWriter.patience) {
          (lock) throws(SystemError) in
          self.byteCount = byteCount
          return try append(domain, before, after, in: lock)
        }
        switch outcome {
        case .recorded: return nil
        case .refused(let reason): return reason
        case nil: return History.changedAgain
        }
      }
    } catch {
      // The domain is changed all the same.
      let advice = error.kind == .refused ? "let only the owner write there" : error.remedy
      let outcome =
        recordCount == 0
        ? "the command is not recorded in the history, so that “defaults undo” cannot take it back"
        : "its change of “\(domain)” and those after it are not recorded in the history, so that “defaults undo” takes "
          + "back only those before"
      throw error.with(advice: outcome + (advice.isEmpty ? "" : "; \(advice)"))
    }
    guard let refusal else { return }
    throw DatabaseError(
      .refused, path: history.path, message: refusal,
      advice: "its change of “\(domain)” and those after it are not recorded")
  }

  /// Removes the command's last record of a domain, whose change was not made.
  ///
  /// - Throws: an error of the system; the record is still there then.
  package mutating func withdraw(_ domain: DomainName) throws(DatabaseError) {
    guard recordCount > 0 else { return }
    let history = self.history
    let isDone = try history.working("the history cannot be written") { () throws(SystemError) in
      try history.changingLog(until: MonotonicTime.now + HistoryWriter.patience) {
        (lock) throws(SystemError) -> Bool? in
        guard case .log(let present) = try reader.read() else { return false }
        var log = present.log
        guard hasNewestRecord(log), log.latest(of: domain)?.identifier == identifier else { return false }
        log.removeLatest(of: domain)
        guard try history.replace(with: &log, over: present.status, in: lock) else { return nil }
        unneeded.formUnion(log.copies.takeAbandoned())
        noteReplaced(log)
        noteRecords(of: log)
        return true
      }
    }
    guard isDone == nil else { return }
    throw DatabaseError(
      .refused, path: history.path, message: History.changedAgain,
      advice:
        "“defaults log” shows the change of “\(domain)”, which was not made; those after it are not recorded")
  }

  /// Removes the copies that no record needs any more, when the command has changed everything: thousands of files take
  /// seconds, for which others would wait under the database's lock.
  ///
  /// What stays, because the system refuses it or the command is killed before, is removed by a command five minutes later.
  package mutating func finish() {
    let history = self.history
    guard findsLeftOvers || !unneeded.isEmpty else { return }
    try? history.working("copies cannot be removed") { () throws(SystemError) in
      guard try history.exists() else { return }
      // Younger ones may be those of a history that somebody is putting back.
      if findsLeftOvers, case .log(let present) = try reader.read() {
        unneeded.formUnion(history.unneededCopies(of: present.log, unchangedFor: History.leftOverAge))
        reader.note(present)
      }
      if !unneeded.isEmpty { try history.remove(copies: unneeded.sorted(), unneededBy: &reader) }
    }
    (unneeded, findsLeftOvers) = ([], false)
  }

  /// Whether a log has the newest record that the command has made.
  ///
  /// It is gone if newer commands have filled the history, and where somebody has cleared, shortened or removed the log. Records
  /// before it may be gone all the same: those of a domain that was cleared.
  private func hasNewestRecord(_ log: HistoryLog) -> Bool {
    guard let identifier, let latest else { return true }
    return log.latest(ofCommand: identifier) == latest
  }

  private mutating func noteRecords(of log: HistoryLog) {
    guard let identifier else { return }
    (recordCount, latest) = (log.recordCount(ofCommand: identifier), log.latest(ofCommand: identifier))
  }

  private enum Outcome {
    case recorded
    case refused(String)
  }

  /// Records a change under the history's lock.
  ///
  /// - Returns: nil if somebody has changed the log since it was read, and nothing was written.
  private mutating func append(
    _ domain: DomainName, _ before: FileVersion, _ after: FileVersion, in lock: Int32
  ) throws(SystemError) -> Outcome? {
    guard let (present, file, status) = try presentLog() else {
      // Of a part of a command it would look as if it were all.
      return .refused("the history no longer has what the command has changed before")
    }
    // Moved, so that a change does not copy it.
    var log = consume present
    // A file with another name, a hard link as backups make them, is left to the backup.
    var isRewritten = !log.isWhole || log.byteCount == 0 || status.map { $0.linkCount > 1 } == true
    var replaces = false
    var budget = Int.max
    if let latest = log.latest(of: domain),
      history.outcome(of: latest, ifNow: before, reading: &budget) == .notMade
    {
      // Its command was killed, or has failed, before it could change the file.
      log.removeLatest(of: domain)
      replaces = true
    }
    let number: Int
    if let identifier,
      recordCount > 0 || identifier == log.highest && log.recordCount(ofCommand: identifier) == 0
    {
      number = identifier
    } else {
      // The command has none yet, or its records were withdrawn and another command has come.
      number = log.highest + 1
    }
    var first: Int?
    if recordCount == 0 {
      let pruning = history.prune(&log)
      first = pruning.first
      // Once for each command only: where files were put back with their times, as from a backup, each change of a
      // command replaces a record.
      if pruning.isTooLarge || log.isWorthRewriting { isRewritten = true }
    }
    // A record of a log that somebody has put back or made by hand may need a copy of the next name.
    while ["before", "after"].contains(where: { log.copies.contains("\(number).\(attemptCount).\($0)") }) {
      attemptCount += 1
    }
    let name = "\(number).\(attemptCount)"
    attemptCount += 1
    // Until a record needs them.
    let copies = ["\(name).before", "\(name).after"]
    unneeded.formUnion(copies)
    let former = try contents(before, of: domain, like: log.latest(of: domain)?.after, name: copies[0])
    let new = try contents(after, of: domain, like: nil, name: copies[1])
    // The change is not made yet, and so the file still has its name.
    let wasBare = before != .none && history.database.isBare(domain)
    let record = HistoryRecord(
      identifier: number, time: history.fileSystem.now.date, command: command, domain: domain, before: former,
      wasBare: wasBare, after: new, undone: undone)
    let line = HistoryLog.line(
      of: record, withWords: log.recordCount(ofCommand: number) == 0, replacingLatest: replaces,
      removingBefore: first)
    guard byteCount + line.count <= History.maximumByteCount,
      // Other commands, at work at the same time, may have filled it.
      recordCount == 0 || log.byteCount + line.count <= HistoryLog.maximumByteCount
    else {
      return .refused("the command, or others at the same time, change too many domains for the history")
    }
    log.add(record, line: line)
    // Taken before the log is noted, which would give them again for each change.
    let abandoned = log.copies.takeAbandoned()
    // The copies' names are to survive a loss of power that the record survives.
    try history.synchronizeDirectory()
    if !isRewritten, let known = status {
      guard let added = try add(line, toFileOf: known, byteCount: log.byteCount - line.count) else {
        return nil
      }
      guard added.size == log.byteCount else {
        return .refused("another program has changed the history's log at the same moment")
      }
      reader.note(HistoryLogReader.Known(log: log, file: file, status: added))
    } else {
      guard try history.replace(with: &log, over: status, in: lock) else { return nil }
      noteReplaced(log)
    }
    unneeded.subtract(copies)
    unneeded.formUnion(abandoned)
    // Without a log copies may be those of a history that somebody is putting back.
    if status != nil { findsLeftOvers = true }
    (identifier, byteCount) = (number, byteCount + line.count)
    noteRecords(of: log)
    return .recorded
  }

  /// Notes a log that was written as a whole, and returns when it is on stable storage. Where that fails, the log has the
  /// records all the same.
  private mutating func noteReplaced(_ log: HistoryLog) {
    reader.note(rewritten: log)
    do throws(SystemError) {
      try history.synchronizeDirectory()
    } catch {
      shortage =
        shortage
        ?? .inputOutput(
          error, path: history.path, "what the history has recorded may not survive a loss of power")
    }
  }

  /// The log as it is, with its file and what the file system told of it, both nil for a log to come.
  ///
  /// A damaged log is moved aside with all copies, unless the command has records: then they are in it.
  ///
  /// - Returns: nil if records that the command has made are gone, or cannot be read.
  private mutating func presentLog() throws(SystemError) -> (HistoryLog, HistoryLogFile?, FileStatus?)? {
    switch try reader.read() {
    case .none: return recordCount == 0 ? (try history.logAfter(damaged: []), nil, nil) : nil
    case .log(let present):
      guard hasNewestRecord(present.log) else { return nil }
      guard recordCount == 0, !present.log.hasNextNumber else {
        return (present.log, present.file, present.status)
      }
      return (try moveAside([], FormatError("has a number that no other can follow")), nil, nil)
    case .damaged(let bytes, let error, _):
      return recordCount == 0 ? (try moveAside(bytes, error), nil, nil) : nil
    }
  }

  /// Moves a log that cannot be gone on with aside, with all copies.
  ///
  /// - Returns: The new log.
  private mutating func moveAside(_ bytes: [UInt8], _ error: FormatError) throws(SystemError) -> HistoryLog {
    movedAside = .damaged(path: history.logPath, error)
    let log = try history.logAfter(damaged: bytes)
    let place = try history.moveAside()
    movedAside = movedAside?.with(advice: "it was kept in \(place) with all copies, and a new log begins")
    return log
  }

  /// Adds a line to the log's file, and returns when it is on stable storage.
  ///
  /// - Parameters:
  ///   - known: What the file system told of the file when it was read.
  ///   - byteCount: How many bytes were read.
  /// - Returns: What the file system tells of the file then; nil if somebody has changed it since it was read, and nothing was
  ///   added.
  private func add(
    _ line: [UInt8], toFileOf known: FileStatus, byteCount: Int
  ) throws(SystemError) -> FileStatus? {
    let fileSystem = history.fileSystem
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try fileSystem.open(history.logPath, for: .appending)
    } catch SystemError.notFound {
      return nil
    }
    defer { fileSystem.close(descriptor) }
    let present = try fileSystem.status(of: descriptor)
    guard present.isSameState(as: known), present.size == byteCount, present.linkCount == known.linkCount
    else {
      return nil
    }
    do throws(SystemError) {
      try fileSystem.write(all: line, to: descriptor)
      try fileSystem.synchronize(descriptor)
    } catch {
      // The command says that the change is not recorded.
      if let size = try? fileSystem.status(of: descriptor).size,
        (byteCount...byteCount + line.count).contains(Int(size))
      {
        try? fileSystem.setSize(byteCount, of: descriptor)
      }
      throw error
    }
    return try fileSystem.status(of: descriptor)
  }

  /// A copy of what a file holds; one that exists already if it has the same bytes.
  ///
  /// - Parameter name: The name of a new copy, which no record needs. A command that was killed may have left one of that name.
  private mutating func contents(
    _ version: FileVersion, of domain: DomainName, like last: HistoryRecord.Contents?, name: String
  ) throws(SystemError) -> HistoryRecord.Contents {
    switch version {
    case .none: return .none
    case .unread: return .tooLarge
    case .failed(let error):
      shortage =
        shortage
        ?? .inputOutput(
          error, path: history.path, "the new file of “\(domain)” cannot be read and copied",
          advice: "“defaults undo” takes back its change with “-force” only")
      return .tooLarge
    case .bytes(let bytes):
      guard bytes.count <= History.maximumFileByteCount else { return .tooLarge }
      guard bytes.count <= History.maximumByteCount - HistoryWriter.lineByteCount - byteCount else {
        shortage =
          shortage
          ?? DatabaseError(
            .refused, path: history.path,
            message:
              "the files that the command changes take more than \(History.maximumByteCount >> 20) MB together",
            advice:
              "“defaults undo” cannot take back its change of “\(domain)”, nor those behind it that find no room"
          )
        return .tooLarge
      }
      if case .copy(let name)? = last,
        (try? history.fileSystem.contents(
          ofRegularFile: "\(history.path)/\(name)", upTo: History.maximumFileByteCount)) == bytes
      {
        return .copy(name)
      }
      try history.write(bytes, to: name)
      byteCount += bytes.count
      return .copy(name)
    }
  }
}
