package import DefaultsDatabase
import OpenStepPropertyList

/// What commands have changed in a database, in the database's directory `.history`, which only its owner can read.
///
/// A record has the bytes of a domain's file before and after a change, so that the change can be taken back with
/// every comment. The newest hundred commands are kept, in at most 4 MiB and what the newest one takes, or several that are
/// at work at the same time, until the next one. The oldest go first; where a long history is full, an eighth of it goes at
/// once. Files above 1 MiB are not copied. Everything is done with the
/// rights that have to be used in the database's directory, and no link leads out of it. Copies that no record needs any more
/// are removed at a command's end.
package struct History: Sendable {
  /// The name of the history's directory in the database's.
  package static let directoryName = ".history"
  /// How many commands are kept.
  package static let maximumCount = 100
  /// How many bytes the log and all copies have at most, without those of the newest command, which may have as many. On the
  /// disk each takes whole blocks.
  package static let maximumByteCount = 4 << 20
  /// The size above which a file is not copied.
  package static let maximumFileByteCount = FileVersion.maximumByteCount

  let database: UserDatabase
  var fileSystem: any FileSystem { database.fileSystem }

  static let log = "log"

  /// Names the history of a database; it need not exist.
  package init(of database: UserDatabase) {
    self.database = database
  }

  /// The path of the history's directory in a database's.
  package static func path(inDatabase directory: String) -> String { "\(directory)/\(directoryName)" }

  /// The directory's path.
  package var path: String { History.path(inDatabase: database.directory) }

  /// The path of the log.
  var logPath: String { "\(path)/\(History.log)" }

  // MARK: Reading

  /// All records, the oldest first; none if there is no history.
  ///
  /// - Throws: `DatabaseError` if the log cannot be read or is damaged.
  package func records() throws(DatabaseError) -> [HistoryRecord] {
    let bytes = try working("cannot be read") { () throws(SystemError) -> [UInt8]? in
      try exists() ? try logBytes() : nil
    }
    guard let bytes else { return [] }
    do throws(FormatError) {
      return try HistoryLog(bytes, in: database.dialect).records
    } catch {
      throw .damaged(path: logPath, error)
    }
  }

  /// The bytes of a copy; nil where there was no file.
  ///
  /// - Throws: `DatabaseError` if there is no such copy.
  package func bytes(of contents: HistoryRecord.Contents) throws(DatabaseError) -> [UInt8]? {
    switch contents {
    case .none: return nil
    case .copy(let name):
      let bytes = try working("\(name) cannot be read") { () throws(SystemError) -> [UInt8]? in
        guard try exists() else { return nil }
        do throws(SystemError) {
          return try fileSystem.contents(
            ofRegularFile: "\(path)/\(name)", upTo: History.maximumFileByteCount)
        } catch SystemError.notFound {
          return nil
        }
      }
      if let bytes { return bytes }
      throw DatabaseError(
        .refused, path: "\(path)/\(name)", message: "is missing", advice: "nothing was changed")
    case .tooLarge:
      throw DatabaseError(
        .refused, path: path, message: "the file was too large to be copied", advice: "nothing was changed")
    }
  }

  /// What became of a change that was recorded.
  enum Outcome {
    /// It was not made: a command that was killed, or that has failed, has recorded it only.
    case notMade
    case made
    /// It was made, and somebody has put the former bytes back without this package.
    case putBack
  }

  /// What became of the change of which the newest record of a domain tells.
  ///
  /// It was not made where the file still is as it was before. Where the copy of that cannot be read, it counts as made: then
  /// `undo` refuses, and takes back no part of a command.
  ///
  /// - Parameters:
  ///   - now: What the domain's file holds.
  ///   - budget: How many bytes of copies are read to find that out; it was made where none is left.
  func outcome(
    of record: HistoryRecord, ifNow now: FileVersion, reading budget: inout Int
  ) -> Outcome {
    let present: [UInt8]?
    switch now {
    case .none: present = nil
    case .bytes(let bytes): present = bytes
    case .unread, .failed: return .made
    }
    guard !record.isIncomplete, budget > 0 else { return .made }
    do throws(DatabaseError) {
      guard try bytes(of: record.before, reading: &budget) == present else { return .made }
    } catch {
      return .made
    }
    do throws(DatabaseError) {
      if try bytes(of: record.after, reading: &budget) == present { return .made }
    } catch {
      // Without the new file's copy, too, the file is as it was.
    }
    return isWritten(since: record) ? .putBack : .notMade
  }

  /// What became of the change of which a record tells that is followed by another of its domain: then it was made.
  ///
  /// - Parameter budget: How many bytes of copies are read to find out whether it was put back; where none is left, it
  ///   was not.
  func outcome(
    of record: HistoryRecord, before next: HistoryRecord, reading budget: inout Int
  ) -> Outcome {
    // The next one shares the copy if it has found the file as this one has left it.
    guard next.before != record.after, !record.isIncomplete, next.before != .tooLarge, budget > 0 else {
      return .made
    }
    do throws(DatabaseError) {
      let former = try bytes(of: record.before, reading: &budget)
      return try bytes(of: next.before, reading: &budget) == former ? .putBack : .made
    } catch {
      return .made
    }
  }

  /// What a look at a small file counts for, in bytes.
  static let lookByteCount = 4096

  /// The bytes of a copy, which count; so does the look for one that is missing.
  private func bytes(
    of contents: HistoryRecord.Contents, reading budget: inout Int
  ) throws(DatabaseError) -> [UInt8]? {
    var byteCount = History.lookByteCount
    defer { if contents != .none { budget -= byteCount } }
    let bytes = try bytes(of: contents)
    byteCount = max(byteCount, bytes?.count ?? 0)
    return bytes
  }

  /// Whether a domain's file was written after a change was recorded: it has the bytes from before the change, and so
  /// somebody has put them back, as `git checkout` does.
  ///
  /// The time of the contents tells it, since the rights of a file also change where its bytes do not. A file that was
  /// put back with its old time, as `mv` and `cp -p` do, counts as one that was never changed.
  private func isWritten(since record: HistoryRecord) -> Bool {
    let status = try? database.status(at: database.path(of: record.domain), followingLinks: true)
    guard let written = status?.modified else { return false }
    let isWritten = try? working("cannot be read") { () throws(SystemError) -> Bool in
      guard case .copy(let name) = record.after else {
        return written.date.secondsSinceReferenceDate > record.time.secondsSinceReferenceDate
      }
      let recorded = try fileSystem.status(at: "\(path)/\(name)", followingLinks: false).modified
      return (recorded.seconds, recorded.nanoseconds) < (written.seconds, written.nanoseconds)
    }
    return isWritten ?? false
  }

  /// How many bytes the history takes, without its snapshots; 0 if there is none.
  package func byteCount() throws(DatabaseError) -> Int {
    try working("cannot be listed") { () throws(SystemError) in try exists() ? try fileByteCount() : 0 }
  }

  /// The paths of the directories in which damaged logs are kept, sorted; only ``clear(domain:)`` removes them.
  package func damagedLogs() throws(DatabaseError) -> [String] {
    try working("cannot be listed") { () throws(SystemError) -> [String] in
      guard try exists() else { return [] }
      return try damagedLogNames().map { "\(path)/\($0)" }
    }
  }

  /// The names of the directories in which damaged logs are kept, sorted.
  ///
  /// A file of such a name is nobody's that this package knows, and so is a directory without a number.
  func damagedLogNames() throws(SystemError) -> [String] {
    var names: [String] = []
    let prefix = History.damagedPrefix
    let candidates = try fileSystem.names(inDirectory: path).filter { $0.hasBytePrefix(prefix) }
    for name in candidates.sortedByBytes() {
      guard Int(Substring(name.utf8.dropFirst(prefix.utf8.count))) != nil else { continue }
      if try fileSystem.status(at: "\(path)/\(name)", followingLinks: false).kind == .directory {
        names.append(name)
      }
    }
    return names
  }
}
