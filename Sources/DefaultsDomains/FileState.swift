import DefaultsDatabase
import OpenStepPropertyList

/// What a process knows of a domain's file.
enum FileState {
  /// The file was never read.
  case unknown
  /// There was no file.
  case absent
  /// The file was read, or written here. It has a text if its lines can be changed one by one.
  case good(FileIdentity, DictionaryText?)
  /// The file was read, and is not a property list that a domain can be.
  case damaged(FileIdentity, DatabaseError)
  /// A save merged its changes over external ones, which are still to be read; the identity is nil if no file
  /// was left.
  case outdated(FileIdentity?)
  /// The last attempt to read the file failed.
  indirect case unreadable(DatabaseError, before: FileState)

  /// The state of a file that has just been read or written.
  init(_ loaded: LoadedDomain) {
    if let identity = loaded.identity {
      self = loaded.damage.map { .damaged(identity, $0) } ?? .good(identity, loaded.text)
    } else {
      self = .absent
    }
  }

  /// This state, or the one before a failed attempt to read.
  var lastRead: FileState {
    if case .unreadable(_, let before) = self { before } else { self }
  }

  /// The identity of the file that the domain's values come from; nil if there was none, or it is not known.
  var identity: FileIdentity? {
    switch lastRead {
    case .good(let identity, _), .damaged(let identity, _), .outdated(let identity?): identity
    case .unknown, .absent, .outdated(nil), .unreadable: nil
    }
  }

  /// Whether there was a file when it was last read or written.
  var isFile: Bool { identity != nil }

  /// The file's size then, in bytes; 0 if there was none.
  var byteCount: Int { Int(identity?.size ?? 0) }

  /// The file's text, if its lines can be changed one by one.
  var text: DictionaryText? {
    if case .good(_, let text) = lastRead { text } else { nil }
  }

  /// Why the file cannot be parsed; its bytes are unchanged.
  var damage: DatabaseError? {
    if case .damaged(_, let error) = lastRead { error } else { nil }
  }

  /// Why the file is unreadable or damaged; nil for a good file and for none.
  var error: DatabaseError? {
    if case .unreadable(let error, _) = self { error } else { damage }
  }

  /// Why the file was never read, so that it may contain unknown keys.
  var whyUnknown: DatabaseError? {
    if case .unreadable(let error, before: .unknown) = self { error } else { nil }
  }

  /// How to find out whether the file has to be read again.
  enum Comparison {
    /// The file has to be read in any case.
    case none
    /// The file has to be read unless it has this identity; nil for no file.
    case identity(FileIdentity?)
  }

  /// How to find out whether the file has to be read again.
  var comparison: Comparison {
    switch lastRead {
    case .absent: .identity(nil)
    case .good(let identity, _), .damaged(let identity, _): .identity(identity)
    case .unknown, .outdated, .unreadable: .none
    }
  }

  /// The identity by which a look at the file can show that nothing has changed.
  ///
  /// `.some(nil)` means that there was no file. nil means that the file has to be read in any case: it is unknown or
  /// out of date, or the last attempt to read it failed.
  var certainIdentity: FileIdentity?? {
    switch self {
    case .absent: .some(nil)
    case .good(let identity, _), .damaged(let identity, _): identity
    case .unknown, .outdated, .unreadable: nil
    }
  }

  /// Whether a save certainly found the file that the domain's values come from.
  func isCertainly(_ found: FileIdentity?) -> Bool {
    guard case .identity(let identity) = comparison else { return false }
    return identity == found && identity?.isConclusive != false
  }
}
