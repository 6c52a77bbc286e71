import DefaultsDatabase
import TestSupport
import Testing

@Suite struct DatabaseErrorTests {
  @Test("the description is one line, whatever the path holds") func oneLine() {
    let error = DatabaseError(.refused, path: "/a\nb\u{2028}c\u{1B}[1m", message: "is wrong", advice: "look")
    #expect(error.description == #"/a\nb\u{2028}c\u{1B}[1m: is wrong; look"#)
  }

  @Test("what helps is told without what became of the changes") func remedy() {
    for (advice, remedy) in [
      ("nothing was changed; close some files", "close some files"), ("nothing was changed", ""),
      ("the changes were not saved: try again", ""), ("free some space", "free some space"), ("", ""),
    ] {
      let error = DatabaseError(.refused, path: "/a", message: "is wrong", advice: advice)
      #expect(error.remedy == remedy)
    }
  }

  @Test("an operating system's error has its words and what to do") func inputOutput() throws {
    let full = FaultyFileSystem { $0.name == "names" ? .noSpace : nil }
    let database = UserDatabase(directory: "/nowhere", fileSystem: full)
    let error = try #require(throws: DatabaseError.self) { try database.domainNames() }
    #expect(error.kind == .inputOutput(code: SystemError.noSpace.code))
    #expect(
      error.description
        == "/nowhere: the domains cannot be listed: No space left on device; free some space and save again")
  }
}
