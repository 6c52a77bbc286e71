import DefaultsDatabase
import Foundation
import TestSupport
import Testing

struct ExportFileTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  private func write(
    _ text: String, replacing replaces: Bool = false, on fileSystem: any FileSystem = DiskFileSystem()
  ) throws {
    try ExportFile(of: app, in: home.path("Export"), fileSystem: fileSystem)
      .write(Array(text.utf8), replacing: replaces)
  }

  @Test("a file is whole, its owner's alone, and flushed together with its name")
  func written() throws {
    let recorder = FaultyFileSystem()
    try write("new", on: recorder)
    #expect(try home.text(of: "Export/App.plist") == "new")
    #expect(try home.mode(of: "Export/App.plist") == 0o600 && home.mode(of: "Export") == 0o700)
    #expect(try home.names(in: "Export") == ["App.plist"])
    let names = recorder.operations.map(\.name)
    let link = try #require(names.firstIndex(of: "link"))
    #expect(names[..<link].contains("synchronize") && names[link...].contains("synchronize"))
  }

  @Test("a path names the file, and its directory is made where it is missing")
  func path() throws {
    let file = ExportFile(home.path("deep/er/Settings"))
    #expect(file.directory == home.path("deep/er"))
    try file.write(Array("new".utf8), replacing: false)
    #expect(try home.text(of: "deep/er/Settings") == "new")
  }

  @Test("a file that is there stays unless it is to be replaced", arguments: [false, true])
  func existing(hasLinks: Bool) throws {
    let disk = FaultyFileSystem { $0.name == "link" && !hasLinks ? .notAllowed : nil }
    try write("old", on: disk)
    #expect { try write("new", on: disk) } throws: { ($0 as? DatabaseError)?.kind == .refused }
    #expect(try home.text(of: "Export/App.plist") == "old")
    try write("new", replacing: true, on: disk)
    #expect(try home.text(of: "Export/App.plist") == "new")
    #expect(try home.names(in: "Export") == ["App.plist"])
  }

  @Test(
    "whatever operation fails, the error says so, and the file is old or new but never half",
    arguments: [false, true])
  func faults(replaces: Bool) throws {
    var index = 0
    while true {
      try? FileManager.default.removeItem(atPath: home.path("Export"))
      if replaces { try write("old") }
      let faulty = FaultyFileSystem(bytesPerWrite: 2) { [index] in $0.index == index ? .inputOutput : nil }
      var hasFailed = false
      do {
        try write("the new one", replacing: replaces, on: faulty)
      } catch is DatabaseError {
        hasFailed = true
      }
      guard faulty.operations.count > index else { break }
      let failed = faulty.operations[index].name
      // What cannot be removed after the file has its name is no failure, nor that the administrator does not learn
      // whose directory it is.
      #expect(hasFailed || ["remove", "close", "status"].contains(failed), "\(failed)")
      let text = home.exists("Export/App.plist") ? try home.text(of: "Export/App.plist") : nil
      #expect(text == "the new one" || text == (replaces ? "old" : nil), "\(failed)")
      if !hasFailed { #expect(text == "the new one", "\(failed)") }
      index += 1
    }
    #expect(index > 10)
  }
}
