/// What a domain's file holds before or after a change.
package enum FileVersion: Hashable, Sendable {
  /// There is no file.
  case none
  /// The file has these bytes.
  case bytes([UInt8])
  /// There is a file, which was not read: it is larger than ``maximumByteCount``, or the user must not read it.
  case unread
  /// There is a file, and the system failed to read it.
  case failed(SystemError)

  /// The size above which a file is not read, because nobody keeps its bytes.
  package static let maximumByteCount = 1 << 20

  /// Reads a file that is there.
  init(readingFileAt path: String, _ fileSystem: any FileSystem) {
    do throws(SystemError) {
      self = .bytes(try fileSystem.contents(ofRegularFile: path, upTo: FileVersion.maximumByteCount))
    } catch {
      self = error == .tooLarge || error == .notPermitted ? .unread : .failed(error)
    }
  }

  /// Whether there is a file whose bytes are not known.
  var isUnread: Bool {
    switch self {
    case .unread, .failed: true
    case .none, .bytes: false
    }
  }
}

/// What happens to a domain's file.
package enum FileChange: Sendable {
  /// The file may be changed soon, and the database's lock is not taken yet. Whoever records changes can read now what would
  /// take long under the lock.
  case isPlanned
  /// The file is about to be changed, under the lock.
  case begins(before: FileVersion, after: FileVersion)
  /// The change that began last was not made.
  case wasNotMade
}

extension UserDatabase {
  /// What a domain's file holds at that moment.
  package func version(of domain: DomainName) -> FileVersion {
    do throws(DatabaseError) {
      return try home.withOwnersRights { (checked) throws(DatabaseError) in
        let file = try DomainFile(of: domain, in: home, isPathChecked: checked != nil)
        guard file.status != nil else { return .none }
        return FileVersion(readingFileAt: file.resolvedPath, fileSystem)
      }
    } catch {
      return .unread
    }
  }
}

extension FoundDomain {
  /// What the file held when it was found.
  var version: FileVersion {
    guard domain.identity != nil else { return .none }
    guard let bytes, bytes.count <= FileVersion.maximumByteCount else { return .unread }
    return .bytes(bytes)
  }
}
