import Foundation
import TestSupport
import Testing

@testable import DefaultsDatabase

/// GNUstep's lock where others leave stale ones.
struct GNUstepLockTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  /// The database's directory, in which a stale lock lies before so many attempts to take it.
  private func directory(staleCount: Int) -> DatabaseDirectory {
    let path = home.path(".lck/.GNUstepDefaults.lck")
    let count = Lock(0)
    let end = MonotonicTime.now + 60
    let disk = FaultyFileSystem { operation in
      guard operation.name == "makeDirectory", operation.path == path else { return nil }
      // Ends a failing test.
      if .now > end { return .inputOutput }
      let isStale = count.withLock { count in
        count += 1
        return count <= staleCount
      }
      guard isStale else { return nil }
      mkdir((path as NSString).deletingLastPathComponent, 0o700)
      mkdir(path, 0o700)
      var times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
      utimes(path, &times)
      return nil
    }
    return DatabaseDirectory(path: home.path, fileSystem: disk, dialect: .gnustep)
  }

  @Test("stale locks that are made anew without end are removed only until the deadline")
  func endless() throws {
    let error = #expect(throws: DatabaseError.self) {
      try GNUstepLock(of: directory(staleCount: .max), deadline: .now + 0.1)
    }
    #expect(error?.kind == .locked(holder: nil), "\(error as Any)")
  }

  @Test("a stale lock is replaced even after the deadline")
  func afterDeadline() throws {
    let lock = try GNUstepLock(of: directory(staleCount: 1), deadline: .now)
    lock.release()
    #expect(try home.names(in: ".lck") == [])
  }
}
