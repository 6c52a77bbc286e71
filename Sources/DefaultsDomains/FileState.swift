import DefaultsDatabase
import OpenStepPropertyList

/// What a process knows of a domain's file.
enum FileState {
  /// The file was never read.
  case unknown
  /// There was no file.
  case absent
  /// The file was read, or written here. Its text is there if its lines can be changed one by one.
  case good(FileIdentity, DictionaryText?)
  /// The file was read, and is no property list that a domain can be.
  case damaged(FileIdentity, DatabaseError)
  /// A save merged changes with those of another process, which are still to be read; nil where no file was left.
  case outdated(FileIdentity?)
  /// The file could not be read when it last was to be.
  indirect case unreadable(DatabaseError, before: FileState)

  /// The state of a file that has just been read or written.
  init(_ loaded: LoadedDomain) {
    if let identity = loaded.identity {
      self = loaded.damage.map { .damaged(identity, $0) } ?? .good(identity, loaded.text)
    } else {
      self = .absent
    }
  }

  /// What was known when the file could last be read.
  var lastRead: FileState {
    if case .unreadable(_, let before) = self { before } else { self }
  }

  /// The file from which the domain's values come; nil where there was none, or it is not known.
  private var identity: FileIdentity? {
    switch lastRead {
    case .good(let identity, _), .damaged(let identity, _), .outdated(let identity?): identity
    case .unknown, .absent, .outdated(nil), .unreadable: nil
    }
  }

  /// Whether there was a file when it was last read or written.
  var isFile: Bool { identity != nil }

  /// How large the file was then, in bytes; 0 where there was none.
  var byteCount: Int { Int(identity?.size ?? 0) }

  /// The file's text, if its lines can be changed one by one.
  var text: DictionaryText? {
    if case .good(_, let text) = lastRead { text } else { nil }
  }

  /// Why the file's contents cannot be understood; its bytes lie there still.
  var damage: DatabaseError? {
    if case .damaged(_, let error) = lastRead { error } else { nil }
  }

  /// Why the file cannot be read or understood; nil for a good file and for none.
  var error: DatabaseError? {
    if case .unreadable(let error, _) = self { error } else { damage }
  }

  /// Why the file was never read, so that it may hold keys that nobody knows of.
  var whyUnknown: DatabaseError? {
    if case .unreadable(let error, before: .unknown) = self { error } else { nil }
  }

  /// With what a look at the file begins.
  enum Comparison {
    /// The file is to be read, whatever lies there.
    case none
    /// The file need not be read if it is this one, nil for none.
    case identity(FileIdentity?)
  }

  /// What spares reading the file again.
  var comparison: Comparison {
    switch lastRead {
    case .absent: .identity(nil)
    case .good(let identity, _), .damaged(let identity, _): .identity(identity)
    case .unknown, .outdated, .unreadable: .none
    }
  }

  /// Whether a save found the very file from which the domain's values come, and no other has been there since.
  func isCertainly(_ found: FileIdentity?) -> Bool {
    guard case .identity(let identity) = comparison else { return false }
    return identity == found && identity?.isConclusive != false
  }
}
