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
        for name in try fileSystem.names(inDirectory: folder).sorted() where History.isSnapshotName(name) {
          let place = "\(folder)/\(name)"
          let status = try fileSystem.status(at: place, followingLinks: false)
          if status.kind == .directory {
            snapshots.append(Snapshot(name: name, path: place, time: status.changed))
          }
        }
      } catch SystemError.notFound {
        // There are none, or one was removed meanwhile.
      }
      return snapshots
    }
  }

  /// How many files a snapshot has, and how many bytes.
  package func size(of snapshot: Snapshot) throws(DatabaseError) -> (fileCount: Int, byteCount: Int) {
    try working("the snapshot “\(snapshot.name)” cannot be listed") {
      () throws(SystemError) -> (fileCount: Int, byteCount: Int) in
      var (fileCount, byteCount) = (0, 0)
      for name in try fileSystem.names(inDirectory: snapshot.path) {
        let status = try fileSystem.status(at: "\(snapshot.path)/\(name)", followingLinks: false)
        if status.kind == .regular {
          (fileCount, byteCount) = (fileCount + 1, FileSize.sum(byteCount, status.size))
        }
      }
      return (fileCount, byteCount)
    }
  }

  /// Makes a snapshot of files, and returns when it is on stable storage.
  ///
  /// The files are written without the lock, so that no command waits for them.
  ///
  /// - Parameter files: The files' names and bytes.
  /// - Throws: an error of the kind `refused` if there is one of that name.
  package func makeSnapshot(
    _ name: String, of files: [(name: String, bytes: [UInt8])]
  ) throws(DatabaseError) {
    let place = "\(History.snapshots)/\(name)"
    var isMade = false
    let isFree = try working(
      "the snapshot “\(name)” cannot be made", advice: isMade ? "" : History.unchanged, makingDatabase: true
    ) { () throws(SystemError) -> Bool in
      try make()
      try makeDirectory("\(path)/\(History.snapshots)")
      let temporary = temporaryPlace()
      try fileSystem.makeDirectory("\(path)/\(temporary)")
      do throws(SystemError) {
        for file in files { try write(file.bytes, to: "\(temporary)/\(file.name)") }
        try synchronizeDirectory(temporary)
        let lock = try lock()
        defer { unlock(lock) }
        // An empty directory would be replaced.
        let isFree = (try? fileSystem.status(at: "\(path)/\(place)", followingLinks: false)) == nil
        if isFree {
          try fileSystem.rename("\(path)/\(temporary)", to: "\(path)/\(place)")
          isMade = true
        } else {
          try removeDirectory(temporary)
        }
        try synchronizeDirectory(History.snapshots)
        // The snapshot is made, whatever becomes of these.
        try? removeLeftOvers()
        return isFree
      } catch {
        try? removeDirectory(temporary)
        throw error
      }
    }
    guard isFree else {
      throw DatabaseError(
        .refused, path: "\(path)/\(place)", message: "is there already", advice: "nothing was done")
    }
  }

  /// Removes a snapshot.
  ///
  /// - Throws: an error if there is none, but not if there is no history at all.
  package func removeSnapshot(_ name: String) throws(DatabaseError) {
    var isRemoved = false
    try working(
      "the snapshot “\(name)” cannot be removed", advice: isRemoved ? "" : History.unchanged
    ) { () throws(SystemError) in
      guard try exists() else { return }
      try checkDirectory("\(path)/\(History.snapshots)")
      let lock = try lock()
      defer { unlock(lock) }
      // In one step, so that a command that is killed never leaves a part of it under its name.
      let temporary = temporaryPlace()
      try fileSystem.rename("\(path)/\(History.snapshots)/\(name)", to: "\(path)/\(temporary)")
      isRemoved = true
      try synchronizeDirectory(History.snapshots)
      try removeDirectory(temporary)
      // The snapshot is removed, whatever becomes of these.
      try? removeLeftOvers()
      try synchronizeDirectory(History.snapshots)
    }
  }

  /// A new place in the history, beside the snapshots, with a name that no snapshot can have.
  private func temporaryPlace() -> String {
    "\(History.snapshots)/.\(String(UInt64.random(in: .min ... .max), radix: 16)).new"
  }

  /// Removes what killed commands have left beside the snapshots; another command's directory is younger.
  private func removeLeftOvers() throws(SystemError) {
    let limit = fileSystem.now.seconds - 300
    for name in try fileSystem.names(inDirectory: "\(path)/\(History.snapshots)")
    where name.hasPrefix(".") && name.hasSuffix(".new") {
      let place = "\(History.snapshots)/\(name)"
      do throws(SystemError) {
        let status = try fileSystem.status(at: "\(path)/\(place)", followingLinks: false)
        if status.kind == .directory, status.changed.seconds < limit { try removeDirectory(place) }
      } catch SystemError.notFound {
        // Its command has ended.
      }
    }
  }

  /// Removes a directory of the history with the files in it.
  func removeDirectory(_ name: String) throws(SystemError) {
    let place = "\(path)/\(name)"
    for file in try fileSystem.names(inDirectory: place) where file != "." && file != ".." {
      try fileSystem.remove("\(place)/\(file)")
    }
    try fileSystem.removeDirectory(place)
  }
}
