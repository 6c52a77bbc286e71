import DefaultsDatabase
import Foundation
import OpenStepDefaults
import TestSupport
import Testing

@testable import GNUstepCompat

/// The name of the application's domain, as GNUstep 1.31 finds it by its source.
struct IdentifierTests {
  private let home: GNUstepHome
  /// A copy of the porting guide's program, in a directory of its own.
  private let program: String

  init() throws {
    home = try GNUstepHome()
    try FileManager.default.createDirectory(
      atPath: home.home.path("Notes.app/Resources"), withIntermediateDirectories: true)
    program = home.home.path("Notes.app/notes")
    // By another process: one that this process starts meanwhile would hold the open copy, which could not run.
    _ = try GNUstepProgram.run("/bin/cp", [BuiltProduct.path(of: "notes"), program])
  }

  /// Starts the program, which saves its changes.
  private func addNote() throws {
    _ = try GNUstepProgram.run(program, ["add", "text"], environment: home.environment)
  }

  private var domains: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: home.directory).filter { $0.hasSuffix(".plist") }
        .sorted()
    }
  }

  private func write(_ identifier: String, to file: String) throws {
    try home.home.write("{ CFBundleIdentifier = \"\(identifier)\"; }", to: "Notes.app/\(file)")
  }

  @Test("the identifier names the domain of a program that has no settings yet")
  func identifier() throws {
    try write("org.example.Notes", to: "Resources/Info-gnustep.plist")
    try addNote()
    #expect(try domains == ["org.example.Notes.plist"])
  }

  @Test("nothing is moved: the file of the process's name stays the domain while the identifier has none")
  func formerName() throws {
    try addNote()
    #expect(try domains == ["notes.plist"])
    try write("org.example.Notes", to: "Info.plist")
    try addNote()
    #expect(try domains == ["notes.plist"])
    // Where GNUstep 1.31 has moved it, or has made another, that one counts.
    let before = try home.home.bytes(of: "Defaults/notes.plist")
    try home.home.write("{ Added = 7; }", to: "Defaults/org.example.Notes.plist")
    try addNote()
    #expect(try home.home.bytes(of: "Defaults/notes.plist") == before)
    #expect(try home.home.text(of: "Defaults/org.example.Notes.plist").contains("Added = <*I8>"))
  }

  @Test("a damaged information file, or a name that no domain can have, leaves the process's name")
  func unusable() throws {
    for text in ["{ damaged", "{ CFBundleIdentifier = \"a/b\"; }", "{ CFBundleIdentifier = (a); }"] {
      try home.home.write(text, to: "Notes.app/Resources/Info-gnustep.plist")
      try addNote()
      #expect(try domains == ["notes.plist"])
    }
  }

  @Test("the process's name counts that a program sets before the first use")
  func processName() async throws {
    await #expect(processExitsWith: .success) { [path = home.home.path as String] in
      DropInTests.prepare(path)
      ProcessInfo.processInfo.processName = "Renamed"
      #expect(GNUstepUserDefaults.standardUserDefaults().searchList()[2] == "Renamed")
      // As in GNUstep, which looks once.
      ProcessInfo.processInfo.processName = "Again"
      GNUstepUserDefaults.resetStandardUserDefaults()
      #expect(GNUstepUserDefaults.standardUserDefaults().searchList()[2] == "Renamed")
      #expect(GNUstepUserDefaults(applicationName: "Given").searchList()[2] == "Given")
    }
  }
}
