import DefaultsDatabase
import Foundation
import TestSupport
import Testing

/// Programs without Swift that use the dynamic library.
struct CProgramTests {
  /// A home for a program's databases, and the environment in which it finds them.
  private static func home() throws -> (GNUstepHome, [String: String]) {
    let home = try GNUstepHome()
    return (
      home,
      [
        GNUstepConfiguration.environmentVariable: home.home.path + "/GNUstep.conf",
        DatabaseLocation.environmentVariable: home.home.path + "/OpenStep",
      ]
    )
  }

  @Test(
    "every function does what the header says, and refuses every bad argument",
    arguments: CProgram.Language.allCases)
  func everyFunction(language: CProgram.Language) throws {
    let (home, environment) = try CProgramTests.home()
    let program = try CProgram("functions", language, in: home.home)
    let output = try program.run([home.home.path], environment)
    #expect(output.status == 0 && output.text == "", "\(output)")
    #expect(home.home.exists("Defaults/Named.plist"))
  }

  @Test(
    "a thread finds no value that was never set while another sets and removes; a small stack takes deep text"
  )
  func threads() throws {
    let home = try TemporaryHome()
    let output = try CProgram("threads", in: home).run()
    #expect(output.status == 0 && output.text == "", "\(output)")
  }

  private static let valgrind = CProgram.find("valgrind")

  @Test(
    "a program that uses every function loses no memory",
    .enabled(if: valgrind != nil || BuildServer.isRunning, "valgrind is not installed"))
  func memory() throws {
    let (home, environment) = try CProgramTests.home()
    let program = try CProgram("functions", in: home.home)
    // Without what Swift's compiler writes for debuggers, which valgrind does not read.
    let copy = home.home.path + "/libopenstepdefaults.so"
    let strip = try CProgram.run(
      try #require(CProgram.find("strip")), ["--strip-debug", "-o", copy, CProgram.library])
    #expect(strip.status == 0, "\(strip.errors)")
    let output = try CProgram.run(
      try #require(CProgramTests.valgrind),
      [
        "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite",
        "--error-exitcode=99", program.path, home.home.path,
      ], environment.merging(["LD_LIBRARY_PATH": home.home.path]) { $1 })
    #expect(output.status == 0 && output.text == "", "\(output)")
    #expect(output.errors.contains("ERROR SUMMARY: 0 errors"), "\(output.errors.suffix(4000))")
  }

  @Test(
    "Python uses the library by ctypes, and finds every function that the header declares",
    .enabled(if: CProgram.find("python3") != nil || BuildServer.isRunning, "python3 is not installed"))
  func python() throws {
    let home = try TemporaryHome()
    let python = try #require(CProgram.find("python3"))
    let output = try CProgram.run(
      python,
      [
        CProgram.programs + "/client.py", CProgram.library, CProgram.headers + "/OpenStepDefaults.h",
        home.path + "/Defaults",
      ])
    #expect(output.status == 0, "\(output.errors)")
  }

  // MARK: - One engine

  /// What a program links that loads libraries.
  #if os(Linux)
    private static let loading = ["-ldl"]
  #else
    private static let loading: [String] = []
  #endif

  private static let twoEngines = "this process has two engines of OpenStepDefaults"

  @Test(
    "two copies of the library in one process stop it with what to link; one that is loaded twice does not")
  func twoLibraries() throws {
    let home = try TemporaryHome()
    let loader = try CProgram("loader", in: home, libraries: CProgramTests.loading)
    let copy = home.path + "/copy.so"
    try FileManager.default.copyItem(atPath: CProgram.library, toPath: copy)
    let twice = try loader.run([CProgram.library, CProgram.library])
    #expect(twice.status == 0 && twice.text == "loaded\n", "\(twice)")
    let two = try loader.run([CProgram.library, copy])
    #expect(two.status == -SIGABRT)
    #expect(two.errors.contains(CProgramTests.twoEngines) && two.errors.contains("openstepdefaults"))
    #expect(two.errors.contains(copy))
  }

  @Test("the library stays when a program closes it, and saves what was set")
  func closed() throws {
    let home = try TemporaryHome()
    let loader = try CProgram("loader", in: home, libraries: CProgramTests.loading)
    let output = try loader.run(["-close", home.path + "/Defaults", CProgram.library])
    #expect(output.status == 0 && output.text == "loaded\n", "\(output)")
    #expect(try home.text(of: "Defaults/App.plist").contains("k = 5"))
  }

  @Test("a program that contains the engine and loads the library is stopped, before its main function")
  func twoKinds() throws {
    #if os(Linux)
      let output = try CProgram.run(
        BuiltProduct.path(of: "demonstration"), [], ["LD_PRELOAD": CProgram.library])
      #expect(output.status == -SIGABRT && output.text == "")
      #expect(output.errors.contains(CProgramTests.twoEngines) && output.errors.contains("in the program"))
    #endif
  }
}
