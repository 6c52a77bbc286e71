import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// Directories in which files can be made, and neither renamed nor removed.
struct UnremovedFilesTests {
  @Test("saves that fail there leave a few files, which the next save removes once that is possible")
  func bounded() throws {
    let home = try TemporaryHome()
    let app = try DomainName("App")
    let isBroken = Lock(true)
    let disk = FaultyFileSystem { operation in
      ["rename", "remove"].contains(operation.name) && isBroken.withLock { $0 } ? .notAllowed : nil
    }
    let database = UserDatabase(directory: home.path, fileSystem: disk)
    var changes = DomainChanges()
    changes.set("v", for: "k")
    func leftCount() throws -> Int { try home.names().count(where: TemporaryFile.isName) }
    for attempt in 1...30 {
      let error = #expect(throws: DatabaseError.self) {
        try database.commit(changes, to: app, onDamage: .refuse)
      }
      #expect(error?.kind == .inputOutput(code: SystemError.notAllowed.code))
      #expect(try leftCount() == min(attempt, UnremovedFiles.maximumCount))
    }
    isBroken.withLock { $0 = false }
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(try leftCount() == 0)
    #expect(try database.load(app).values == ["k": "v"])
  }

  @Test("a thread that makes a file while another tries to remove them counts them too")
  func beside() throws {
    let home = try TemporaryHome()
    let disk = FaultyFileSystem { $0.name == "remove" ? .notAllowed : nil }
    for _ in 1...UnremovedFiles.maximumCount {
      let file = try TemporaryFile(in: home.path, fileSystem: disk)
      file.discard()
      file.close()
    }
    let isMade = Lock<[Bool]>([])
    let interrupted = FaultyFileSystem { operation in
      guard operation.name == "remove" else { return nil }
      // What another thread does in this moment.
      let file = try? TemporaryFile(in: home.path, fileSystem: disk)
      file?.close()
      isMade.withLock { $0.append(file != nil) }
      return .notAllowed
    }
    #expect(throws: SystemError.notAllowed) {
      try TemporaryFile(in: home.path, fileSystem: interrupted).close()
    }
    #expect(isMade.withLock { $0 } == Array(repeating: false, count: UnremovedFiles.maximumCount))
  }

  @Test("files that have their names by links are no failed saves")
  func links() throws {
    let home = try TemporaryHome()
    let disk = FaultyFileSystem { $0.name == "remove" ? .notAllowed : nil }
    for number in 1...(2 * UnremovedFiles.maximumCount) {
      let file = try TemporaryFile(in: home.path, fileSystem: disk)
      try file.take(freeName: home.path("\(number)"))
      file.close()
    }
    #expect(try home.names().count { !TemporaryFile.isName($0) } == 2 * UnremovedFiles.maximumCount)
  }
}
