#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import DefaultsDatabase

  /// What a process finds out about users and places while it can open no file; in a process of its own.
  struct LackOfDescriptorsTests {
    // The root directory was taken for the home, for the life of the process.
    @Test("an account that cannot be looked up is an error, and not a user without a home")
    func account() async {
      await #expect(processExitsWith: .success) {
        try withoutFreeDescriptors {
          let error = #expect(throws: DatabaseError.self) { try Account.current }
          #expect(error?.kind == .inputOutput(code: EMFILE) && error?.isPassing == true)
          let byName = #expect(throws: DatabaseError.self) { try Account(named: "root") }
          #expect(byName?.path == "“root”")
          #expect(throws: DatabaseError.self) { try DatabaseLocation.resolve { _ in nil } }
          let configuration = try #require(GNUstepConfiguration { _ in nil })
          #expect(throws: DatabaseError.self) { try configuration.userDefaultsDirectory }
          #expect(!CurrentProcess.hasFreeDescriptor)
        }
        #expect(CurrentProcess.hasFreeDescriptor)
        let (own, none) = (try Account.current, try Account(named: "no-such-user-here"))
        #expect(own != nil && none == nil)
      }
    }

    // The polling of a network file system ended for good.
    @Test(
      "a place of which it cannot be found out whether it is on a network file system is polled for the moment"
    )
    func mounts() async {
      await #expect(processExitsWith: .success) {
        #expect(withoutFreeDescriptors { RemoteFileSystem.holds("/") })
        #expect(!RemoteFileSystem.holds("/proc"))
      }
    }

    // The program's acknowledged changes lay in another database.
    @Test(
      "a configuration that cannot be read for the moment is an error; one without a permission does not count"
    )
    func configuration() throws {
      let home = try TemporaryHome()
      try home.write("GNUSTEP_USER_DEFAULTS_DIR=/configured", to: "GNUstep.conf")
      func directory(_ error: SystemError?) throws -> String {
        let disk = FaultyFileSystem { operation in
          operation.name == "open readingThrough" && operation.path?.hasSuffix("GNUstep.conf") ?? false
            ? error : nil
        }
        return try #require(
          GNUstepConfiguration(environment: { _ in home.path + "/GNUstep.conf" }, fileSystem: disk)
        ).userDefaultsDirectory
      }
      let found = try directory(nil)
      #expect(found == "/configured")
      for error in [SystemError.tooManyOpenFiles, .inputOutput, .tryAgain] {
        let thrown = #expect(throws: DatabaseError.self) { try directory(error) }
        #expect(thrown?.kind == .inputOutput(code: error.code))
      }
      let other = try directory(.notPermitted)
      #expect(other.hasSuffix("/GNUstep/Defaults"))
    }
  }
#endif
