/// A new file that is to be renamed to another's name.
struct TemporaryFile {
  let path: String
  let descriptor: Int32
  /// The time that ``fill(with:)`` gave the file; nil if it could not.
  private(set) var ownTime: FileTime?
  private let fileSystem: any FileSystem
  /// The path of the directory, as it was given.
  private let directory: String

  /// The permissions of a file that is its owner's alone.
  static let ownersMode: UInt32 = 0o600

  private static let prefix = ".save-"

  private static let digitCount = 16

  /// Whether ``init(in:for:fileSystem:)`` could have given this name.
  static func isName(_ name: String) -> Bool {
    let digits = name.utf8.dropFirst(prefix.utf8.count)
    return name.utf8.starts(with: prefix.utf8) && digits.count == digitCount
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// A random name, which nobody can guess and occupy in advance.
  private static func makeName() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return prefix + String(repeating: "0", count: digitCount - digits.utf8.count) + digits
  }

  /// Makes an empty file in a directory, by default readable and writable by its owner only.
  ///
  /// - Throws: also why a file cannot be removed, where as many of this process's are left as may be (``UnremovedFiles``).
  init(
    in directory: String, for purpose: OpenPurpose = .creating, fileSystem: any FileSystem
  ) throws(SystemError) {
    self.fileSystem = fileSystem
    self.directory = directory
    try fileSystem.unremoved.remove(in: directory, fileSystem: fileSystem)
    var attempts = 0
    while true {
      let path = "\(directory)/\(TemporaryFile.makeName())"
      do throws(SystemError) {
        descriptor = try fileSystem.open(path, for: purpose)
        self.path = path
        return
      } catch SystemError.alreadyExists where attempts < 100 {
        attempts += 1
      }
    }
  }

  /// Writes all bytes, and gives the file a time by which its identity can be proved at once.
  ///
  /// Nothing is on stable storage before ``flush()``, but the disk is at work from now on.
  mutating func fill(with bytes: [UInt8]) throws(SystemError) {
    try fileSystem.write(all: bytes, to: descriptor)
    let time = fileSystem.now
    do throws(SystemError) {
      try fileSystem.setModified(time, of: descriptor)
      ownTime = time
    } catch {
      // The file is read once more than it would have to be.
    }
    fileSystem.beginSynchronizing(descriptor)
  }

  /// Waits until all is on stable storage.
  func flush() throws(SystemError) {
    try fileSystem.synchronize(descriptor)
  }

  /// Has a closure write into the file, and waits until it is on stable storage.
  func fill(
    mode: UInt32, _ write: (_ descriptor: Int32) throws(SystemError) -> Void
  ) throws(SystemError) {
    // A look costs less than a change.
    if try fileSystem.status(of: descriptor).mode != mode { try fileSystem.setMode(mode, of: descriptor) }
    try write(descriptor)
    try flush()
  }

  /// Gives the file a name that did not exist at the last look, and must not exist now.
  ///
  /// Without hard links it replaces what has appeared since that look: an empty file that reserves the name would look
  /// like a damaged one to others, and would stay if the process were killed.
  func take(nameFoundFree path: String) throws(SystemError) {
    do throws(SystemError) {
      try link(to: path)
    } catch  where error.isLackOfLinks {
      try fileSystem.rename(self.path, to: path)
    }
  }

  /// Gives the file a name by a hard link, which, unlike a rename, never replaces anything.
  private func link(to path: String) throws(SystemError) {
    try fileSystem.link(self.path, to: path)
    do throws(SystemError) {
      try fileSystem.remove(self.path)
    } catch {
      // The file has its name. Where it keeps this one too, it takes no more space, and nothing has failed.
    }
  }

  /// Gives the file a name that must not exist yet.
  func take(freeName path: String) throws(SystemError) {
    do throws(SystemError) {
      try link(to: path)
    } catch  where error.isLackOfLinks {
      // An empty file reserves the name first.
      fileSystem.close(try fileSystem.open(path, for: .creating))
      do throws(SystemError) {
        try fileSystem.rename(self.path, to: path)
      } catch {
        try fileSystem.remove(path)
        throw error
      }
    }
  }

  /// Removes the file after a failed save.
  func discard() {
    do throws(SystemError) {
      try fileSystem.remove(path)
    } catch  where error == .notFound {
      // It is gone.
    } catch {
      // The caller reports the failure that led here; a later save tries again.
      fileSystem.unremoved.add(path, in: directory)
    }
  }

  /// Closes the file, which remains on disk.
  func close() {
    fileSystem.close(descriptor)
  }
}
