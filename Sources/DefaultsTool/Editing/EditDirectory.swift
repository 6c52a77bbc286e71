import DefaultsDatabase
import OpenStepPropertyList

/// The private directory in which a person edits the text of a domain.
///
/// It is there until the text was saved or given up, also where the tool is killed. It is locked as long as its tool
/// runs, so that what an earlier edit has left is told from what another process edits now.
struct EditDirectory {
  private let directory: TemporaryDirectory
  /// The path of the text.
  let textPath: String
  private let descriptor: Int32

  private static let prefix = "defaults-edit-"
  /// The file in the directory that names the file that is edited.
  private static let mark = ".edited"
  private static let disk = DiskFileSystem()

  /// Makes the directory, with the text in it.
  ///
  /// - Parameters:
  ///   - file: The path of the file that is edited, from whose name the text gets its own.
  ///   - environment: Tells where such directories are made.
  /// - Throws: ``CommandError`` of the code `inputOutput` if there is no place for one.
  init(for file: String, _ text: [UInt8], environment: EnvironmentLookup) throws {
    var failure: (any Error)?
    for place in try EditDirectory.places(environment) {
      do {
        self = try EditDirectory(in: place, for: file, text)
        return
      } catch {
        failure = failure ?? error
      }
    }
    throw CommandError(
      .inputOutput, "there is no place for the text that is to be edited: \(failure.map { "\($0)" } ?? "")")
  }

  private init(in place: String, for file: String, _ text: [UInt8]) throws {
    let disk = EditDirectory.disk
    directory = try TemporaryDirectory(in: [place], named: EditDirectory.prefix)
    let path = directory.path
    let name = PathNames.last(in: file)
    textPath = "\(path)/\(name == EditDirectory.mark ? "text" : name)"
    descriptor = try disk.open(path, for: .directory)
    do {
      _ = try disk.tryLock(descriptor)
      try EditDirectory.write(Array(file.utf8), to: "\(path)/\(EditDirectory.mark)")
      try EditDirectory.write(text, to: textPath)
    } catch {
      remove()
      throw error
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let descriptor = try disk.open(path, for: .creating)
    defer { disk.close(descriptor) }
    try disk.write(all: bytes, to: descriptor)
  }

  /// The text as it is now; empty where the editor has removed its file.
  ///
  /// - Throws: also an error where the directory was removed, and another user may have made one of its name.
  func text() throws(DatabaseError) -> [UInt8] {
    guard let held = try? directory.hold() else {
      throw DatabaseError(
        .refused, path: directory.path,
        message: "was removed, or exchanged for something else, while the editor had it",
        advice: "nothing was changed; edit it again")
    }
    defer { held.letGo() }
    return try PropertyListFile.bytes(at: textPath) ?? []
  }

  /// Puts another text into the place of the present one.
  func replaceText(by text: [UInt8]) throws(DatabaseError) {
    try PropertyListFile.write(text, to: textPath)
  }

  /// Removes the directory with what an editor has left in it; a directory in it stays, with all that holds it.
  func remove() {
    directory.remove(keepingDirectories: true)
    close()
  }

  /// Leaves the directory where it is.
  func close() {
    EditDirectory.disk.unlock(descriptor)
    EditDirectory.disk.close(descriptor)
  }

  // MARK: - What was left

  /// A directory that a tool has left which was killed, or whose user has kept the text.
  struct LeftOver: Hashable {
    let path: String
    /// The path of the file that was edited.
    let file: String
  }

  /// The directories that earlier edits of this user have left, sorted.
  static func leftOvers(environment: EnvironmentLookup) throws -> [LeftOver] {
    var found: [LeftOver] = []
    for place in try places(environment) {
      // None is made in a place that another user can exchange, and none is looked for there.
      guard (try? FileRights.refuseOtherUsersPath(place, forAllUsers: true)) != nil else { continue }
      // Anybody may make many names in some of the places.
      let names = ((try? disk.names(inDirectory: place)) ?? []).filter { $0.hasBytePrefix(prefix) }
      for name in names.sortedByBytes() {
        let path = "\(place)/\(name)"
        guard let status = try? disk.status(at: path, followingLinks: false), status.kind == .directory,
          status.owner == CurrentProcess.effectiveUser,
          let bytes = try? disk.contents(ofRegularFile: "\(path)/\(mark)"),
          let descriptor = try? disk.open(path, for: .directory)
        else { continue }
        defer { disk.close(descriptor) }
        guard (try? disk.tryLock(descriptor)) == true else { continue }
        disk.unlock(descriptor)
        found.append(LeftOver(path: path, file: String(decoding: bytes, as: UTF8.self)))
      }
    }
    return found
  }

  /// Where the directories are made: the first place that can be used, each once.
  private static func places(_ environment: EnvironmentLookup) throws -> [String] {
    var places: [String] = []
    for variable in ["XDG_RUNTIME_DIR", "TMPDIR"] {
      guard let place = try environment(variable), !place.isEmpty else { continue }
      places.append(try DatabaseLocation.absolute(place))
    }
    places.append("/tmp")
    var seen: Set<PropertyListKey> = []
    return places.filter { seen.insert(PropertyListKey($0)).inserted }
  }
}
