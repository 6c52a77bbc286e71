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
}
