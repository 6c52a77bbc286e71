import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@Suite struct DatabaseLocationTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func resolve(_ argument: String?, _ environment: [String: String]) -> String {
    DatabaseLocation.resolve(argument: argument) { environment[$0] }
  }

  @Test("the argument comes before the variable, that before HOME") func order() {
    let environment = ["OPENSTEP_DEFAULTS_DIR": "/v", "HOME": "/h"]
    #expect(resolve("/arg", environment) == "/arg")
    #expect(resolve(nil, environment) == "/v")
    #expect(resolve("", environment) == "/v")
    #expect(resolve(nil, ["HOME": "/h", "OPENSTEP_DEFAULTS_DIR": ""]) == "/h/.OpenStep/Defaults")
  }

  @Test("without HOME the password database's home counts") func passwordDatabase() throws {
    let entry = try #require(getpwuid(geteuid()))
    #expect(resolve(nil, [:]) == String(cString: entry.pointee.pw_dir) + "/.OpenStep/Defaults")
  }

  @Test("a relative directory is fixed to the present working directory") func relative() {
    let workingDirectory = FileManager.default.currentDirectoryPath
    #expect(resolve("d", [:]) == workingDirectory + "/d")
  }

  @Test("an unknown user has no database, another one's lies in his home") func users() throws {
    #expect(DatabaseLocation.forUser("no-such-user-here") { _ in nil } == nil)
    let daemon = try #require(getpwnam("daemon"))
    #expect(
      DatabaseLocation.forUser("daemon") { _ in "/elsewhere" }
        == String(cString: daemon.pointee.pw_dir) + "/.OpenStep/Defaults")
  }

  @Test("one's own name leads to one's own database") func ownName() throws {
    let name = String(cString: try #require(getpwuid(geteuid())).pointee.pw_name)
    #expect(DatabaseLocation.forUser(name) { $0 == "OPENSTEP_DEFAULTS_DIR" ? "/mine" : nil } == "/mine")
  }

  @Test("a program with borrowed rights ignores the variables, and heeds the argument") func borrowedRights()
    throws
  {
    let home = String(cString: try #require(getpwuid(geteuid())).pointee.pw_dir) + "/.OpenStep/Defaults"
    let environment = ["OPENSTEP_DEFAULTS_DIR": "/v", "HOME": "/h"]
    #expect(DatabaseLocation.resolve(environment: { environment[$0] }, hasBorrowedRights: true) == home)
    #expect(
      DatabaseLocation.resolve(argument: "/arg", environment: { environment[$0] }, hasBorrowedRights: true)
        == "/arg")
    let name = String(cString: try #require(getpwuid(geteuid())).pointee.pw_name)
    #expect(
      DatabaseLocation.forUser(name, environment: { environment[$0] }, hasBorrowedRights: true) == home)
  }

  @Test(
    "a process whose effective user is not the real one has borrowed rights",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func effectiveUser() async {
    #expect(!CurrentProcess.hasBorrowedRights)
    await #expect(processExitsWith: .success) {
      setenv("OPENSTEP_DEFAULTS_DIR", "/v", 1)
      #expect(DatabaseLocation.resolve() == "/v")
      try #require(seteuid(65534) == 0)
      let entry = try #require(getpwuid(65534))
      let home = String(cString: entry.pointee.pw_dir)
      #expect(DatabaseLocation.resolve() == "\(home)/.OpenStep/Defaults")
    }
  }

  @Test("a directory is out of reach only if it can be neither read nor written") func reach() {
    #expect(!DatabaseLocation.isOutOfReach(home.path))
    #expect(!DatabaseLocation.isOutOfReach(home.path("absent")))
    let denied = FaultyFileSystem { $0.name == "names" ? .notPermitted : nil }
    // The disk itself says that it may be written.
    #expect(!DatabaseLocation.isOutOfReach(home.path, fileSystem: denied))
    #expect(DatabaseLocation.isOutOfReach(home.path("absent"), fileSystem: denied))
  }
}
