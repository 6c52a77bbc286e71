#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import DefaultsDatabase

  /// What a process finds out about users and places while it can open no file; in a process of its own.
  struct LackOfDescriptorsTests {
    /// Opens files until the system refuses one.
    private static func useUpDescriptors() -> [Int32] {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = 64
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var descriptors: [Int32] = []
      while true {
        let descriptor = open("/dev/null", O_RDONLY)
        if descriptor < 0 { return descriptors }
        descriptors.append(descriptor)
      }
    }

    // The root directory was taken for the home, for the life of the process.
    @Test("an account that cannot be looked up is an error, and not a user without a home")
    func account() async {
      await #expect(processExitsWith: .success) {
        let descriptors = LackOfDescriptorsTests.useUpDescriptors()
        let error = #expect(throws: DatabaseError.self) { try Account.current }
        #expect(error?.kind == .inputOutput(code: EMFILE) && error?.isPassing == true)
        let byName = #expect(throws: DatabaseError.self) { try Account(named: "root") }
        #expect(byName?.path == "“root”")
        #expect(throws: DatabaseError.self) { try DatabaseLocation.resolve { _ in nil } }
        let configuration = try #require(GNUstepConfiguration { _ in nil })
        #expect(throws: DatabaseError.self) { try configuration.userDefaultsDirectory }
        #expect(!CurrentProcess.hasFreeDescriptor)
        for descriptor in descriptors { close(descriptor) }
        #expect(CurrentProcess.hasFreeDescriptor)
        let (own, none) = (try Account.current, try Account(named: "no-such-user-here"))
        #expect(own != nil && none == nil)
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
          operation.name == "open reading" && operation.path?.hasSuffix("GNUstep.conf") ?? false ? error : nil
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
