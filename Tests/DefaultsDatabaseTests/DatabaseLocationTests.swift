import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@Suite struct DatabaseLocationTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func resolve(_ argument: String?, _ environment: [String: String]) throws -> String {
    try DatabaseLocation.resolve(argument: argument) { environment[$0] }
  }

  @Test("the argument comes before the variable, that before HOME") func order() throws {
    let environment = ["OPENSTEP_DEFAULTS_DIR": "/v", "HOME": "/h"]
    #expect(try resolve("/arg", environment) == "/arg")
    #expect(try resolve(nil, environment) == "/v")
    #expect(try resolve(nil, ["HOME": "/h", "OPENSTEP_DEFAULTS_DIR": ""]) == "/h/.OpenStep/Defaults")
  }

  @Test("an empty argument is refused, and does not mean the user's own database") func emptyArgument() throws
  {
    let error = #expect(throws: DatabaseError.self) { try resolve("", ["HOME": "/h"]) }
    #expect(error?.kind == .refused)
    #expect(error?.description.contains("is empty, and names no directory") == true)
  }

  @Test("without HOME the password database's home counts") func passwordDatabase() throws {
    let entry = try #require(getpwuid(geteuid()))
    #expect(try resolve(nil, [:]) == String(cString: entry.pointee.pw_dir) + "/.OpenStep/Defaults")
  }

  @Test("a relative directory is fixed to the present working directory") func relative() throws {
    let workingDirectory = FileManager.default.currentDirectoryPath
    #expect(try resolve("d", [:]) == workingDirectory + "/d")
  }

  @Test("an unknown user has no database, another one's lies in his home") func users() throws {
    #expect(try DatabaseLocation.forUser("no-such-user-here") { _ in nil } == nil)
    let daemon = try #require(getpwnam("daemon"))
    #expect(
      try DatabaseLocation.forUser("daemon") { _ in "/elsewhere" }
        == String(cString: daemon.pointee.pw_dir) + "/.OpenStep/Defaults")
  }

  @Test("a name that no user can have is not looked up: one of many bytes, and one with NUL")
  func impossibleNames() async throws {
    let name = String(cString: try #require(getpwuid(geteuid())).pointee.pw_name)
    let (user, none) = (try Account(named: name), try Account(named: "\(name)\0"))
    #expect(user != nil && none == nil)
    // A thread's stack holds no copy of it, as some modules of the C library make one.
    let account = await onThread { Result { try Account(named: String(repeating: "n", count: 300_000)) } }
    let isUser = try account.get() != nil
    #expect(!isUser)
  }

  @Test("one's own name leads to one's own database") func ownName() throws {
    let name = String(cString: try #require(getpwuid(geteuid())).pointee.pw_name)
    #expect(try DatabaseLocation.forUser(name) { $0 == "OPENSTEP_DEFAULTS_DIR" ? "/mine" : nil } == "/mine")
  }

  @Test("another name with one's own number and another home leads to that home")
  func otherName() throws {
    func directory(_ account: Account) throws -> String {
      try DatabaseLocation.directory(
        of: account, actingAs: Account(user: 7, group: 8, groups: [8], home: "/home/own"),
        environment: { $0 == "HOME" ? "/elsewhere" : nil }, hasBorrowedRights: false)
    }
    for (user, home, expected) in [
      (UInt32(7), "/home/own", "/elsewhere"), (7, "/home/second", "/home/second"),
      (9, "/home/own", "/home/own"),
    ] {
      let account = Account(user: user, group: 8, groups: [8], home: home)
      #expect(try directory(account) == "\(expected)/.OpenStep/Defaults")
    }
  }

  @Test("a program with borrowed rights ignores the variables, and heeds the argument") func borrowedRights()
    throws
  {
    let home = String(cString: try #require(getpwuid(geteuid())).pointee.pw_dir) + "/.OpenStep/Defaults"
    let environment = ["OPENSTEP_DEFAULTS_DIR": "/v", "HOME": "/h"]
    #expect(
      try DatabaseLocation.resolve(environment: { environment[$0] }, hasBorrowedRights: true) == home)
    #expect(
      try DatabaseLocation.resolve(
        argument: "/arg", environment: { environment[$0] }, hasBorrowedRights: true)
        == "/arg")
    let name = String(cString: try #require(getpwuid(geteuid())).pointee.pw_name)
    #expect(
      try DatabaseLocation.forUser(name, environment: { environment[$0] }, hasBorrowedRights: true) == home)
  }

  @Test(
    "a process whose effective user is not the real one has borrowed rights",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func effectiveUser() async {
    #expect(!CurrentProcess.hasBorrowedRights)
    await #expect(processExitsWith: .success) {
      setenv("OPENSTEP_DEFAULTS_DIR", "/v", 1)
      #expect(try DatabaseLocation.resolve() == "/v")
      try #require(seteuid(65534) == 0)
      let entry = try #require(getpwuid(65534))
      let home = String(cString: entry.pointee.pw_dir)
      #expect(try DatabaseLocation.resolve() == "\(home)/.OpenStep/Defaults")
    }
  }

  @Test("a directory is out of reach only if it can be neither read nor written") func reach() throws {
    #expect(try !UserDatabase(directory: home.path).isOutOfReach())
    #expect(try !UserDatabase(directory: home.path("absent")).isOutOfReach())
    let denied = FaultyFileSystem { $0.name == "names" ? .notPermitted : nil }
    // The disk itself says that it may be written.
    #expect(try !UserDatabase(directory: home.path, fileSystem: denied).isOutOfReach())
    #expect(try UserDatabase(directory: home.path("absent"), fileSystem: denied).isOutOfReach())
  }

  @Test(
    "bytes that are no UTF-8 name no other directory, and the error says where they stand",
    arguments: ["OPENSTEP_DEFAULTS_DIR", "HOME"])
  func foreignBytes(variable: String) async throws {
    await #expect(processExitsWith: .success) { [variable = variable as String] in
      unsetenv("OPENSTEP_DEFAULTS_DIR")
      for byte in [0xE8, 0xE9] as [CChar.Magnitude] {
        let value = [0x2F, 0x78, CChar(bitPattern: byte), 0] as [CChar]
        try #require(setenv(variable, value, 1) == 0)
        let error = #expect(throws: DatabaseError.self) { try DatabaseLocation.resolve() }
        #expect(error?.kind == .refused)
        #expect(
          error?.description.hasPrefix(
            "“/x%\(String(byte, radix: 16, uppercase: true))”: is not UTF-8, and cannot be used as a directory: "
              + "the variable \(variable)") == true)
        // What comes before it in the search counts all the same.
        #expect(try DatabaseLocation.resolve(argument: "/arg") == "/arg")
      }
    }
  }

  @Test("a relative directory names none where the working directory is not UTF-8")
  func foreignWorkingDirectory() async throws {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      let folder = path.utf8CString.dropLast() + [0x2F, CChar(bitPattern: 0xE8), 0]
      let isThere = folder.withUnsafeBufferPointer { bytes in
        bytes.baseAddress.map { mkdir($0, 0o700) == 0 && chdir($0) == 0 } ?? false
      }
      try #require(isThere)
      let error = #expect(throws: DatabaseError.self) { try DatabaseLocation.resolve(argument: "d") }
      #expect(error?.description.contains("the working directory") == true)
    }
  }
}
