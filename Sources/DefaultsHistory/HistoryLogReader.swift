import DefaultsDatabase

/// Reads the log of a history time after time: the file as a whole once, and then what others have added.
struct HistoryLogReader: Sendable {
  /// A log, and the file of which it tells.
  struct Known {
    var log: HistoryLog
    /// The file that was read; nil for one that this process has written as a whole and not read since.
    var file: HistoryLogFile?
    /// What the file system told of the file before it was read, or after it was written.
    var status: FileStatus
  }

  /// What a look at the log has found.
  enum Reading {
    case none
    case log(Known)
    case damaged([UInt8], FormatError, FileStatus)
  }

  private let history: History
  /// The log as it was read or written the last time; nil if that is not known.
  private var known: Known?
  private var isPrepared = false

  init(of history: History) {
    self.history = history
  }

  /// Reads the log before a lock is taken, so that under the lock only what others add is read.
  ///
  /// What fails here fails under the lock again, and is told there. The whole file is read once only, since a command of many
  /// domains prepares the change of each, and of a damaged log nothing is known.
  mutating func prepare() {
    guard known != nil || !isPrepared else { return }
    isPrepared = true
    guard case .log(var present)? = try? read() else { return }
    history.measure(&present.log)
    known = present
  }

  /// Keeps a log as the known one, with its file.
  ///
  /// Not where the file has another size: then somebody else has written to it since it was read or written.
  mutating func note(_ present: Known) {
    assert(
      !present.log.copies.hasAbandoned, "copies that were dealt with would be given for each change again")
    known = present.status.size == present.log.byteCount ? present : nil
  }

  /// Keeps a log as the known one whose file was just written as a whole.
  mutating func note(rewritten log: HistoryLog) {
    known = nil
    guard let status = try? history.fileSystem.status(at: history.logPath, followingLinks: false) else {
      return
    }
    note(Known(log: log, status: status))
  }

  /// Reads the log; if its file is the known one, only the lines that were added.
  ///
  /// No log is known then, so that the file is read again after an error.
  mutating func read() throws(SystemError) -> Reading {
    let former = known
    known = nil
    let dialect = history.database.dialect
    let status: FileStatus
    do throws(SystemError) {
      status = try history.fileSystem.status(at: history.logPath, followingLinks: false)
    } catch SystemError.notFound {
      return .none
    }
    if var present = former {
      if present.status == status { return .log(present) }
      // It has grown, perhaps while it was read. Where the new part does not follow what was read, the file is read as a
      // whole: a person may have edited it, or it is another one on a network file system.
      if let file = present.file, present.status.isSameFile(as: status), status.size > present.status.size,
        status.size >= present.log.lineByteCount,
        let bytes = try? file.bytes(from: present.log.lineByteCount - present.log.tail.count),
        bytes.starts(with: present.log.tail),
        (try? present.log.read(Array(bytes.dropFirst(present.log.tail.count)), in: dialect)) != nil
      {
        present.status = status
        return .log(present)
      }
    }
    guard let file = try HistoryLogFile(of: history) else { return .none }
    let statusBefore = try file.status
    let bytes = try file.bytes(from: 0)
    do throws(FormatError) {
      let log = try HistoryLog(bytes, in: dialect)
      return .log(Known(log: log, file: file, status: statusBefore))
    } catch {
      return .damaged(bytes, error, statusBefore)
    }
  }
}
