package import DefaultsDatabase
import OpenStepPropertyList

/// What commands have changed in a database, in the database's directory `.history`, which only its owner can read.
///
/// A record has the bytes of a domain's file before and after a change, so that the change can be taken back with
/// every comment. The newest hundred commands are kept, in at most 4 MiB; the oldest go first. Files above 1 MiB are
/// not copied. The log is replaced as a whole, so that a crash leaves the old one or the new one.
package struct History: Sendable {
  /// The name of the history's directory in the database's.
  package static let directoryName = ".history"
  /// How many commands are kept.
  package static let maximumCount = 100
  /// How many bytes all copies of older commands take at most, with the log.
  package static let maximumByteCount = 4 << 20
  /// The size above which a file is not copied.
  package static let maximumFileByteCount = 1 << 20
  /// How many domains of one command are recorded.
  package static let maximumDomainCount = 100

  /// The directory's path.
  package let path: String
  let fileSystem: any FileSystem

  private static let log = "log"
  private static let ignoreFile = ".gitignore"

  /// Names the history of a database's directory; it need not exist.
  package init(ofDatabase directory: String, fileSystem: any FileSystem = DiskFileSystem()) {
    path = "\(directory)/\(History.directoryName)"
    self.fileSystem = fileSystem
  }

  /// Names the history of a database.
  package init(of database: UserDatabase) {
    self.init(ofDatabase: database.directory, fileSystem: database.fileSystem)
  }

  // MARK: Reading

  /// All records, the oldest first; none if there is no history.
  ///
  /// - Throws: `DatabaseError` if the log cannot be read or is damaged.
  package func records() throws(DatabaseError) -> [HistoryRecord] {
    let place = "\(path)/\(History.log)"
    guard let bytes = try PropertyListFile.bytes(at: place, fileSystem: fileSystem) else { return [] }
    do throws(FormatError) {
      let value = try OpenStepFormat.propertyList(from: bytes, options: .domainFile)
      guard case .array(let elements) = value else { throw FormatError("is no list of records") }
      return elements.compactMap { HistoryRecord($0) }
    } catch {
      throw .damaged(path: place, error)
    }
  }

  /// The bytes of a copy; nil where there was no file.
  ///
  /// - Throws: `DatabaseError` if there is no such copy.
  package func bytes(of contents: HistoryRecord.Contents) throws(DatabaseError) -> [UInt8]? {
    switch contents {
    case .none: return nil
    case .copy(let name):
      let place = "\(path)/\(name)"
      if let bytes = try PropertyListFile.bytes(at: place, fileSystem: fileSystem) { return bytes }
      throw DatabaseError(.refused, path: place, message: "is missing", advice: "nothing was changed")
    case .tooLarge:
      throw DatabaseError(
        .refused, path: path, message: "the file was too large to be copied", advice: "nothing was changed")
    }
  }

  /// Whether the newest record of a domain tells of a change that was made: a command that was killed, or that has
  /// failed, may have recorded it only.
  ///
  /// The copies of a change that was made are on stable storage. So one without its copies was not.
  ///
  /// - Parameter now: The bytes of the domain's file; nil if there is none.
  package func isMade(_ record: HistoryRecord, ifNow now: [UInt8]?) -> Bool {
    if record.before == .tooLarge || record.after == .tooLarge { return true }
    do throws(DatabaseError) {
      let (before, after) = (try bytes(of: record.before), try bytes(of: record.after))
      return now == after || now != before
    } catch {
      return false
    }
  }

  // MARK: Writing

  /// A change that is about to be made.
  package struct Change {
    package let domain: String
    package let before: [UInt8]?
    package let after: [UInt8]?

    package init(domain: String, before: [UInt8]?, after: [UInt8]?) {
      self.domain = domain
      self.before = before
      self.after = after
    }
  }

  /// Records a change before it is made, and returns when the record is on stable storage.
  ///
  /// - Parameters:
  ///   - identifier: The command's number, which its first record determines.
  ///   - command: Its words.
  ///   - undone: The command that it takes back.
  /// - Throws: an error of the system; the history is as it was then.
  package func append(
    _ change: Change, of identifier: inout Int?, command: [String], undoing undone: Int?
  ) throws(DatabaseError) {
    let failure = "the history cannot be written"
    do throws(SystemError) {
      try make()
      let lock = try lock()
      defer { unlock(lock) }
      var records = try present()
      let number = identifier ?? (records.last?.identifier ?? 0) + 1
      if let latest = records.lastIndex(where: { $0.domain == change.domain }),
        !isMade(records[latest], ifNow: change.before)
      {
        // Its command was killed, or has failed, before it could change the file.
        records.remove(at: latest)
      }
      let isNew = identifier == nil
      let index = records.count { $0.identifier == number }
      guard index < History.maximumDomainCount else { return }
      let last = records.last { $0.domain == change.domain }?.after
      let own = Set(records.filter { $0.identifier == number }.flatMap(\.copies))
      var room = History.maximumByteCount - Int(own.reduce(0) { $0 + size(ofCopy: $1) })
      let before = try contents(change.before, like: last, name: "\(number).\(index).before", &room)
      let after = try contents(change.after, like: nil, name: "\(number).\(index).after", &room)
      if isNew { records = try pruned(records) }
      let now = fileSystem.now.seconds - 978_307_200
      records.append(
        HistoryRecord(
          identifier: number, time: PropertyListDate(secondsSinceReferenceDate: Double(now)),
          command: command, domain: change.domain, before: before, after: after, undone: undone))
      try write(records)
      identifier = number
    } catch {
      throw .inputOutput(error, path: path, failure)
    }
  }

  /// Removes the records of a domain, or all for nil; snapshots stay.
  package func clear(domain: String?) throws(DatabaseError) {
    do throws(SystemError) {
      do throws(SystemError) {
        _ = try fileSystem.status(at: path, followingLinks: false)
      } catch SystemError.notFound {
        return
      }
      let lock = try lock()
      defer { unlock(lock) }
      try write(domain == nil ? [] : try present().filter { $0.domain != domain })
    } catch {
      throw .inputOutput(error, path: path, "the history cannot be cleared")
    }
  }

  /// How many bytes the history takes, without its snapshots; 0 if there is none.
  package var byteCount: Int {
    var size: Int64 = 0
    for name in (try? fileSystem.names(inDirectory: path)) ?? [] {
      let status = try? fileSystem.status(at: "\(path)/\(name)", followingLinks: false)
      if let status, status.kind == .regular { size += status.size }
    }
    return Int(size)
  }

  /// Removes the oldest commands beyond the bound, and copies that no command needs.
  package func prune() throws(DatabaseError) {
    do throws(SystemError) {
      let lock = try lock()
      defer { unlock(lock) }
      try write(pruned(present()))
    } catch {
      throw .inputOutput(error, path: path, "the history cannot be written")
    }
  }

  /// The records under the lock; a damaged log counts as empty, since it only keeps what was.
  private func present() throws(SystemError) -> [HistoryRecord] {
    do throws(DatabaseError) {
      return try records()
    } catch {
      if case .inputOutput(let code) = error.kind { throw SystemError(code: code) }
      return []
    }
  }

  /// A copy of bytes; one that exists already if it has the same ones.
  ///
  /// - Parameter room: How many bytes the copies of the command may still take.
  private func contents(
    _ bytes: [UInt8]?, like last: HistoryRecord.Contents?, name: String, _ room: inout Int
  ) throws(SystemError) -> HistoryRecord.Contents {
    guard let bytes else { return .none }
    guard bytes.count <= min(History.maximumFileByteCount, room) else { return .tooLarge }
    room -= bytes.count
    if case .copy(let name)? = last, (try? fileSystem.contents(ofRegularFile: "\(path)/\(name)")) == bytes {
      return .copy(name)
    }
    try write(bytes, to: name)
    return .copy(name)
  }

  /// The records without the oldest commands that are too many or take too much.
  private func pruned(_ records: [HistoryRecord]) throws(SystemError) -> [HistoryRecord] {
    var records = records[...]
    var sizes: [String: Int64] = [:]
    for name in records.flatMap(\.copies) where sizes[name] == nil { sizes[name] = size(ofCopy: name) }
    while let first = records.first?.identifier {
      let commands = Set(records.map(\.identifier)).count
      let bytes = Set(records.flatMap(\.copies)).reduce(0) { $0 + (sizes[$1] ?? 0) }
      // About the size of a record in the log.
      let logged = 512 * records.count
      if commands < History.maximumCount, Int(bytes) + logged <= History.maximumByteCount { break }
      records = records.drop { $0.identifier == first }
    }
    return Array(records)
  }

  private func size(ofCopy name: String) -> Int64 {
    (try? fileSystem.status(at: "\(path)/\(name)", followingLinks: false))?.size ?? 0
  }

  /// Puts records in the place of the log, and removes the copies that none of them needs.
  private func write(_ records: [HistoryRecord]) throws(SystemError) {
    var text = "(\n"
    for (index, record) in records.enumerated() {
      // A record has only what text can hold.
      let line = (try? record.value.text(style: .oneLine)) ?? "{}"
      text += "    \(line)\(index + 1 < records.count ? "," : "")\n"
    }
    text += ")\n"
    let temporary = "\(History.log).new"
    try write(Array(text.utf8), to: temporary)
    try fileSystem.rename("\(path)/\(temporary)", to: "\(path)/\(History.log)")
    try synchronizeDirectory()
    let needed = Set(records.flatMap(\.copies))
    for name in try fileSystem.names(inDirectory: path) where History.isCopy(name) && !needed.contains(name) {
      try fileSystem.remove("\(path)/\(name)")
    }
  }

  private static func isCopy(_ name: String) -> Bool {
    name.hasSuffix(".before") || name.hasSuffix(".after")
  }

  /// Writes a file of the history's directory, and returns when it is on stable storage.
  func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
    let place = "\(path)/\(name)"
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try fileSystem.open(place, for: .creating)
    } catch SystemError.alreadyExists {
      // A command that was killed has left it.
      try fileSystem.remove(place)
      descriptor = try fileSystem.open(place, for: .creating)
    }
    defer { fileSystem.close(descriptor) }
    do throws(SystemError) {
      try fileSystem.write(all: bytes, to: descriptor)
      try fileSystem.synchronize(descriptor)
    } catch {
      try? fileSystem.remove(place)
      throw error
    }
  }

  // MARK: The directory

  /// Makes the directory, which git is told to leave out.
  func make() throws(SystemError) {
    do throws(SystemError) {
      try fileSystem.makeDirectory(path)
    } catch SystemError.alreadyExists {
      // A command that was killed may have made the directory alone.
      do throws(SystemError) {
        _ = try fileSystem.status(at: "\(path)/\(History.ignoreFile)", followingLinks: false)
        return
      } catch SystemError.notFound {
        // It is made now.
      }
    } catch SystemError.notFound {
      // A snapshot of a database without a directory.
      try makeDirectories(DatabaseLocation.parent(of: path))
      try fileSystem.makeDirectory(path)
    }
    try write(Array("*\n".utf8), to: History.ignoreFile)
  }

  private func makeDirectories(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      try fileSystem.makeDirectory(path)
    } catch SystemError.notFound where path != "/" {
      try makeDirectories(DatabaseLocation.parent(of: path))
      try fileSystem.makeDirectory(path)
    } catch SystemError.alreadyExists {
      // Another command has made it first.
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

  func lock() throws(SystemError) -> Int32 {
    let descriptor = try fileSystem.open(path, for: .directory)
    let deadline = MonotonicTime.now + UserDatabase.patience
    do throws(SystemError) {
      while try !fileSystem.tryLock(descriptor) {
        guard MonotonicTime.now < deadline else { throw .tryAgain }
        CurrentProcess.pause(microseconds: 1000)
      }
    } catch {
      fileSystem.close(descriptor)
      throw error
    }
    return descriptor
  }

  func unlock(_ descriptor: Int32) {
    fileSystem.unlock(descriptor)
    fileSystem.close(descriptor)
  }
}
