package import DefaultsDatabase

/// Snapshots: copies of domains' files that a person has named.
extension History {
  /// A snapshot.
  package struct Snapshot: Hashable, Sendable {
    package let name: String
    /// The directory, which is itself one of domains.
    package let path: String
    /// When it was made.
    package let time: FileTime
  }

  static let snapshots = "snapshots"

  /// The file in a snapshot that does not have all domains of its time. No domain's file has such a name: a point, and no
  /// extension.
  private static let partialMark = ".partial"

  /// Whether a snapshot has only some of the domains that there were: the others were not made since.
  package func isPartial(_ snapshot: Snapshot) throws(DatabaseError) -> Bool {
    try working("the snapshot “\(snapshot.name)” cannot be read") { () throws(SystemError) -> Bool in
      do throws(SystemError) {
        _ = try fileSystem.status(at: "\(snapshot.path)/\(History.partialMark)", followingLinks: false)
        return true
      } catch SystemError.notFound {
        return false
      }
    }
  }

  /// Whether a name can be a snapshot's: letters, digits, `_`, and behind the first also `.` and `-`, at most 64,
  /// and not digits alone.
  package static func isSnapshotName(_ name: String) -> Bool {
    func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    let bytes = Array(name.utf8)
    guard let first = bytes.first, isPlain(first), bytes.count <= 64 else { return false }
    let isRestPlain = bytes.allSatisfy { isPlain($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    return isRestPlain && !bytes.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// All snapshots, sorted by name.
  package func allSnapshots() throws(DatabaseError) -> [Snapshot] {
    try working("the snapshots cannot be listed") { () throws(SystemError) -> [Snapshot] in
      let folder = "\(path)/\(History.snapshots)"
      var snapshots: [Snapshot] = []
      do throws(SystemError) {
        guard try exists() else { return [] }
        try checkDirectory(folder)
        let names = try fileSystem.names(inDirectory: folder).sortedByBytes()
        for name in names where History.isSnapshotName(name) {
          if let snapshot = try snapshot(name, at: "\(folder)/\(name)") { snapshots.append(snapshot) }
        }
      } catch SystemError.notFound {
        // There are none.
      }
      return snapshots
    }
  }

  /// The snapshot in a directory; nil if it was removed meanwhile.
  private func snapshot(_ name: String, at place: String) throws(SystemError) -> Snapshot? {
    do throws(SystemError) {
      let status = try fileSystem.status(at: place, followingLinks: false)
      return status.kind == .directory ? Snapshot(name: name, path: place, time: status.changed) : nil
    } catch SystemError.notFound {
      return nil
    }
  }

  /// How many files a snapshot has, and how many bytes; nil if it was removed meanwhile.
  package func size(of snapshot: Snapshot) throws(DatabaseError) -> (fileCount: Int, byteCount: Int)? {
    try working("the snapshot “\(snapshot.name)” cannot be listed") {
      () throws(SystemError) -> (fileCount: Int, byteCount: Int)? in
      var (fileCount, byteCount) = (0, 0)
      do throws(SystemError) {
        for name in try fileSystem.names(inDirectory: snapshot.path) where name != History.partialMark {
          let status = try fileSystem.status(at: "\(snapshot.path)/\(name)", followingLinks: false)
          if status.kind == .regular {
            (fileCount, byteCount) = (fileCount + 1, FileSize.sum(byteCount, status.size))
          }
        }
      } catch SystemError.notFound {
        return nil
      }
      return (fileCount, byteCount)
    }
  }

  /// A snapshot that is being made: a directory without a name of its own, which only its command knows.
  package struct SnapshotDraft: Sendable {
    fileprivate let name: String
    /// The directory's place in the history.
    fileprivate let temporary: String
  }

  /// Begins a snapshot, to which files are added one by one, so that no more than one is in memory.
  ///
  /// The files are written without the lock, so that no command waits for them.
  ///
  /// - Throws: an error of the kind `refused` if there is one of that name.
  package func beginSnapshot(_ name: String) throws(DatabaseError) -> SnapshotDraft {
    let draft = SnapshotDraft(name: name, temporary: temporaryPlace())
    let isBegun = try working(failure(of: draft), advice: History.unchanged, makingDatabase: true) {
      () throws(SystemError) -> Bool in
      try make()
      try makeDirectory("\(path)/\(History.snapshots)")
      guard isFree(draft) else { return false }
      try fileSystem.makeDirectory("\(path)/\(draft.temporary)")
      return true
    }
    guard isBegun else { throw notFree(draft) }
    return draft
  }

  /// Adds a file to a snapshot.
  package func add(_ bytes: [UInt8], named name: String, to draft: SnapshotDraft) throws(DatabaseError) {
    try working(failure(of: draft), advice: History.unchanged) { () throws(SystemError) in
      try write(bytes, to: "\(draft.temporary)/\(name)")
    }
  }

  /// Gives a snapshot its name, and returns when it is on stable storage.
  ///
  /// - Parameters:
  ///   - fileCount: How many files were added.
  ///   - isPartial: Whether it has only some of the domains that there are.
  /// - Throws: an error of the kind `refused` if there is one of that name meanwhile, or if files of it are missing.
  package func finish(
    _ draft: SnapshotDraft, of fileCount: Int, isPartial: Bool
  ) throws(DatabaseError) {
    if isPartial { try add([], named: History.partialMark, to: draft) }
    var (isMade, isWhole) = (false, true)
    let isNamed = try working(
      failure(of: draft),
      advice: isMade ? "it is there, but may not survive a loss of power" : History.unchanged
    ) { () throws(SystemError) -> Bool in
      try synchronizeDirectory(draft.temporary)
      let lock = try lock()
      defer { unlock(lock) }
      // A command for whose clock this one stood still for five minutes takes them for left over, under this lock.
      let names = try fileSystem.names(inDirectory: "\(path)/\(draft.temporary)")
      isWhole =
        names.count { $0 != History.partialMark } == fileCount
        && names.contains(History.partialMark) == isPartial
      guard isWhole else { return false }
      // An empty directory would be replaced.
      guard isFree(draft) else { return false }
      try fileSystem.rename("\(path)/\(draft.temporary)", to: "\(path)/\(place(of: draft))")
      isMade = true
      try synchronizeDirectory(History.snapshots)
      // The snapshot is made, whatever becomes of these.
      try? removeLeftOvers()
      return true
    }
    if !isWhole {
      throw DatabaseError(
        .refused, path: "\(path)/\(place(of: draft))",
        message: "cannot be made: files of it were removed meanwhile",
        advice: "nothing was done; try again")
    }
    guard isNamed else { throw notFree(draft) }
  }

  /// Removes what was made of a snapshot that does not come about.
  package func discard(_ draft: SnapshotDraft) {
    try? working(failure(of: draft)) { () throws(SystemError) in try removeDirectory(draft.temporary) }
  }

  private func place(of draft: SnapshotDraft) -> String { "\(History.snapshots)/\(draft.name)" }

  private func isFree(_ draft: SnapshotDraft) -> Bool {
    (try? fileSystem.status(at: "\(path)/\(place(of: draft))", followingLinks: false)) == nil
  }

  private func failure(of draft: SnapshotDraft) -> String { "the snapshot “\(draft.name)” cannot be made" }

  private func notFree(_ draft: SnapshotDraft) -> DatabaseError {
    DatabaseError(
      .refused, path: "\(path)/\(place(of: draft))", message: "is there already", advice: "nothing was done")
  }

  /// Removes a snapshot.
  ///
  /// - Throws: an error if there is none, but not if there is no history at all.
  package func removeSnapshot(_ name: String) throws(DatabaseError) {
    let moved = try working("the snapshot “\(name)” cannot be removed", advice: History.unchanged) {
      () throws(SystemError) -> String? in
      guard try exists() else { return nil }
      try checkDirectory("\(path)/\(History.snapshots)")
      // In one step, so that a command that is killed never leaves a part of it under its name.
      let temporary = temporaryPlace()
      try moveSnapshot(name, to: temporary)
      return temporary
    }
    guard let moved else { return }
    try working(
      "there is no snapshot “\(name)” any more, but not all of its files can be removed",
      advice: "the rest lies in \(path)/\(moved)"
    ) { () throws(SystemError) in
      try synchronizeDirectory(History.snapshots)
      // Without the lock: thousands of files take a second.
      do throws(SystemError) {
        try removeDirectory(moved)
      } catch SystemError.notFound {
        // Another command took it for left over.
      }
      try synchronizeDirectory(History.snapshots)
    }
  }

  /// Gives a snapshot another place, under the lock.
  private func moveSnapshot(_ name: String, to place: String) throws(SystemError) {
    let lock = try lock()
    defer { unlock(lock) }
    // Before, so that this snapshot is not among them. It is removed, whatever becomes of these.
    try? removeLeftOvers()
    try fileSystem.rename("\(path)/\(History.snapshots)/\(name)", to: "\(path)/\(place)")
  }

  /// A new place in the history, beside the snapshots, with a name that no snapshot can have.
  private func temporaryPlace() -> String {
    "\(History.snapshots)/.\(String(UInt64.random(in: .min ... .max), radix: 16)).new"
  }

  /// The age from which on what no command has finished counts as left by a killed one, in seconds.
  static let leftOverAge: Int64 = 300

  /// Removes what killed commands have left beside the snapshots; another command's directory is younger.
  private func removeLeftOvers() throws(SystemError) {
    let limit = fileSystem.now.seconds - History.leftOverAge
    for name in try fileSystem.names(inDirectory: "\(path)/\(History.snapshots)")
    where name.hasPrefix(".") && name.hasSuffix(".new") {
      let place = "\(History.snapshots)/\(name)"
      do throws(SystemError) {
        let status = try fileSystem.status(at: "\(path)/\(place)", followingLinks: false)
        if status.kind == .directory, status.changed.seconds < limit { try removeDirectory(place) }
      } catch {
        // Its command has ended, or somebody has put something into it that stays there.
      }
    }
  }

  /// Removes a directory of the history with the files in it.
  ///
  /// - Throws: the first error, after all was removed that can be; that another command removes the same is one only where
  ///   nothing else fails.
  func removeDirectory(_ name: String) throws(SystemError) {
    let place = "\(path)/\(name)"
    var failure: SystemError?
    for file in try fileSystem.names(inDirectory: place) where file != "." && file != ".." {
      do throws(SystemError) {
        try fileSystem.remove("\(place)/\(file)")
      } catch {
        if failure == nil || failure == .notFound { failure = error }
      }
    }
    if let failure { throw failure }
    try fileSystem.removeDirectory(place)
  }
}
