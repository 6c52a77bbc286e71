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

  private static let snapshots = "snapshots"

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
    let folder = "\(path)/\(History.snapshots)"
    do throws(SystemError) {
      var snapshots: [Snapshot] = []
      for name in try fileSystem.names(inDirectory: folder).sorted() where History.isSnapshotName(name) {
        let place = "\(folder)/\(name)"
        let status = try fileSystem.status(at: place, followingLinks: false)
        if status.kind == .directory {
          snapshots.append(Snapshot(name: name, path: place, time: status.changed))
        }
      }
      return snapshots
    } catch SystemError.notFound {
      return []
    } catch {
      throw .inputOutput(error, path: folder, "the snapshots cannot be listed")
    }
  }

  /// Makes a snapshot of files, and returns when it is on stable storage.
  ///
  /// - Parameter files: The files' names and bytes.
  /// - Throws: an error of the kind `refused` if there is one of that name.
  package func makeSnapshot(
    _ name: String, of files: [(name: String, bytes: [UInt8])]
  ) throws(DatabaseError) {
    let (place, temporary) = ("\(History.snapshots)/\(name)", "\(History.snapshots)/.\(name).new")
    do throws(SystemError) {
      try make()
      let lock = try lock()
      defer { unlock(lock) }
      do throws(SystemError) {
        try fileSystem.makeDirectory("\(path)/\(History.snapshots)")
      } catch SystemError.alreadyExists {
        // Made by an earlier snapshot.
      }
      if (try? fileSystem.status(at: "\(path)/\(place)", followingLinks: false)) != nil {
        throw .alreadyExists
      }
      // Left behind by a command that was killed.
      try removeDirectory(temporary)
      try fileSystem.makeDirectory("\(path)/\(temporary)")
      for file in files { try write(file.bytes, to: "\(temporary)/\(file.name)") }
      try synchronizeDirectory(temporary)
      try fileSystem.rename("\(path)/\(temporary)", to: "\(path)/\(place)")
      try synchronizeDirectory(History.snapshots)
    } catch SystemError.alreadyExists {
      throw DatabaseError(
        .refused, path: "\(path)/\(place)", message: "is there already", advice: "nothing was done")
    } catch {
      throw .inputOutput(error, path: "\(path)/\(place)", "the snapshot cannot be made")
    }
  }

  /// Removes a snapshot.
  package func removeSnapshot(_ name: String) throws(DatabaseError) {
    let (place, temporary) = ("\(History.snapshots)/\(name)", "\(History.snapshots)/.\(name).new")
    do throws(SystemError) {
      let lock = try lock()
      defer { unlock(lock) }
      try removeDirectory(temporary)
      // In one step, so that a command that is killed never leaves a part of it under its name.
      try fileSystem.rename("\(path)/\(place)", to: "\(path)/\(temporary)")
      try synchronizeDirectory(History.snapshots)
      try removeDirectory(temporary)
      try synchronizeDirectory(History.snapshots)
    } catch {
      throw .inputOutput(error, path: "\(path)/\(place)", "the snapshot cannot be removed")
    }
  }

  private func removeDirectory(_ name: String) throws(SystemError) {
    let place = "\(path)/\(name)"
    do throws(SystemError) {
      for file in try fileSystem.names(inDirectory: place) where file != "." && file != ".." {
        try fileSystem.remove("\(place)/\(file)")
      }
      try fileSystem.removeDirectory(place)
    } catch SystemError.notFound {
      // There is none.
    }
  }
}
