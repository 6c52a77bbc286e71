import DefaultsDatabase

/// A file in which a process records numbers, each with the time; the records survive if the process is
/// killed.
///
/// Each record is one line, written at once: `17 81234567890`.
struct TortureNotes {
  struct Note {
    let number: Int
    /// Nanoseconds of the monotonic clock, which all processes share.
    let time: UInt64
  }

  private let descriptor: Int32
  private let fileSystem = DiskFileSystem()

  /// Creates a file of notes.
  init(creating path: String) throws {
    descriptor = try fileSystem.open(path, for: .creating)
  }

  /// Adds a number with the present time.
  func add(_ number: Int) {
    let line = Array("\(number) \(MonotonicTime.now.nanoseconds)\n".utf8)
    do {
      // So few bytes are written to a regular file as a whole.
      _ = try fileSystem.write(line[...], to: descriptor)
    } catch {
      fatalError("the notes cannot be written: \(error)")
    }
  }

  /// The notes in a file; none if the process has not written any.
  static func read(_ path: String) throws -> [Note] {
    guard try exist(path) else { return [] }
    let bytes = try DiskFileSystem().contents(ofRegularFile: path)
    return try bytes.split(separator: UInt8(ascii: "\n")).map { line in
      let text = String(decoding: line, as: UTF8.self)
      let words = text.split(separator: " ")
      guard words.count == 2, let number = Int(words[0]), let time = UInt64(words[1]) else {
        throw TortureError("\(path): “\(text)” is not a note")
      }
      return Note(number: number, time: time)
    }
  }

  /// Whether a process has written a note.
  static func exist(_ path: String) throws(SystemError) -> Bool {
    do throws(SystemError) {
      return try DiskFileSystem().status(at: path, followingLinks: false).size > 0
    } catch SystemError.notFound {
      return false
    }
  }
}
