import Foundation
import OpenStepDefaults
import TestSupport
import Testing

/// What NeXT's functions promise about memory, threads, bad arguments, files that cannot be used, and users.
///
/// NEXTSTEP's documents are silent about most of it; what is expected is what the header says.
struct NXPromiseTests: NXSuite {
  let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  // MARK: - Returned texts

  @Test("a returned text stays as it is while the parameter changes, and one value has one text")
  func lifetime() throws {
    let program = try start()
    #expect(program("write", "WriteNow", "A", "first") == "1")
    #expect(program("hold", "WriteNow", "A") == "first")
    #expect(program("is-held", "WriteNow", "A") == "1")
    #expect(program("write", "WriteNow", "A", "second") == "1")
    #expect(program("get", "WriteNow", "A") == "second")
    #expect(program("remove", "WriteNow", "A") == "1")
    #expect(program("user", NSUserName()) == NSUserName())
    #expect(program("held") == "first")
    // The same value again takes no more memory.
    #expect(program("set", "Edit", "B", "first") == "1")
    #expect(program("is-held", "Edit", "B") == "1")
    // Two spellings of one letter are two texts.
    #expect(program("set", "Edit", "B", "\u{E9}") == "1")
    #expect(program("hold", "Edit", "B").map { Array($0.utf8) } == [0xC3, 0xA9])
    #expect(program("set", "Edit", "B", "e\u{301}") == "1")
    #expect(program("get", "Edit", "B").map { Array($0.utf8) } == [0x65, 0xCC, 0x81])
  }

  @Test("eight threads use parameters of their own and one that all write")
  func threads() throws {
    let program = try start()
    // How many expectations in the program failed.
    #expect(program("threads") == "0")
    let stored = classic().persistentDomainForName("Threads") as? [String: String]
    #expect(stored?.count == 9)
    for index in 0..<8 { #expect(stored?["Own\(index)"] == "40") }
  }

  @Test(
    "what is written together is found together, whether this process writes it or another one",
    arguments: [false, true])
  func together(isOther: Bool) throws {
    let program = try start()
    // How many expectations in the program failed.
    #expect(program("together", isOther ? directory : nil) == "0")
  }

  private static let valgrind = CProgram.find("valgrind")

  @Test(
    "no memory is lost",
    .enabled(if: valgrind != nil || BuildServer.isRunning, "valgrind is not installed"))
  func memory() throws {
    // Without what Swift's compiler writes for debuggers, which valgrind does not read.
    let copy = home.path("libopenstepdefaults.so")
    let strip = try CProgram.run(
      try #require(CProgram.find("strip")), ["--strip-debug", "-o", copy, CProgram.library])
    #expect(strip.status == 0, "\(strip.errors)")
    let program = try NXProgram.start(
      in: directory, ["-NXFontSize", "24"],
      under: [
        try #require(NXPromiseTests.valgrind), "--log-file=\(home.path("log"))", "--leak-check=full",
        "--show-leak-kinds=definite",
        "--errors-for-leak-kinds=definite", "--error-exitcode=99",
      ], ["LD_LIBRARY_PATH": home.path])
    #expect(program("example") == "1")
    #expect(program("get", "WriteNow", "NXFontSize") == "24")
    #expect(program("get", nil, nil) == nil)
    #expect(program("write-vector", "WriteNow", "A", "1", "", "2", "B", "(x, y)") == "2")
    #expect(program("update-all") == "done")
    #expect(program("threads") == "0")
    #expect(program("user", "nobody") != "the program has ended")
    #expect(program("user", NSUserName()) != nil)
    #expect(program("read", "WriteNow", "B") == "(x, y)")
    #expect(program("remove", "WriteNow", "B") == "1")
    let status = program.end()
    let log = try home.text(of: "log")
    #expect(status == 0, "\(log.suffix(4000))")
  }

  // MARK: - Bad arguments

  @Test("NULL, an empty owner or name, and an owner without a file's name make every call fail")
  func badArguments() throws {
    let program = try start()
    let tooLong = String(repeating: "x", count: 250)
    for (owner, name) in [
      (nil, "A"), ("", "A"), (tooLong, "A"), ("WriteNow", nil), ("WriteNow", ""), (nil, nil),
    ] as [(String?, String?)] {
      #expect(program("get", owner, name) == nil)
      #expect(program("read", owner, name) == nil)
      #expect(program("update", owner, name) == nil)
      #expect(program("set", owner, name, "v") == "0")
      #expect(program("write", owner, name, "v") == "0")
      #expect(program("remove", owner, name) == "0")
    }
    for owner in [nil, "", tooLong] {
      #expect(program("register", owner, "A", "v") == "0")
      #expect(program("write-vector", owner, "A", "v") == "0")
      #expect(program("user", owner) == nil)
    }
    for verb in ["register-null", "write-null"] { #expect(program(verb, "WriteNow") == "0") }
    for verb in ["set", "write"] { #expect(program(verb, "WriteNow", "A", nil) == "0") }
    #expect(program("get", "WriteNow", "A") == nil)
    #expect(try !home.exists("Defaults") || home.names(in: "Defaults").allSatisfy { !$0.contains("plist") })
  }

  @Test("text that is no UTF-8 makes every call fail")
  func noUTF8() throws {
    let program = try start()
    let (bad, good) = ([0x61, 0xE8] as [UInt8], Array("A".utf8))
    func call(_ verb: String, _ fields: [UInt8]...) -> String? {
      program.call([Array(verb.utf8)] + fields)
    }
    for (owner, name) in [(bad, good), (good, bad)] {
      for verb in ["get", "read", "update"] { #expect(call(verb, owner, name) == nil) }
      for verb in ["set", "write", "register", "write-vector"] {
        #expect(call(verb, owner, name, good) == "0")
      }
      #expect(call("remove", owner, name) == "0")
    }
    for verb in ["set", "write", "register", "write-vector"] { #expect(call(verb, good, good, bad) == "0") }
    #expect(call("user", bad) == nil)
    #expect(program("get", "A", "A") == nil)
  }

  @Test("a bad entry of a vector hides none of the good ones")
  func badEntries() throws {
    let program = try start()
    #expect(program("register", "WriteNow", "A", "1", "", "2", "C", "3") == "0")
    #expect(program("error") == "the parameter's name is empty")
    #expect(program("get", "WriteNow", "A") == "1")
    #expect(program("get", "WriteNow", "C") == "3")
  }

  @Test("the message of the library's other functions says why a call failed")
  func messages() throws {
    let program = try start()
    #expect(program("error") == "")
    #expect(program("get", nil, "A") == nil)
    #expect(program("error") == "the owner is NULL")
    #expect(program("set", "WriteNow", "A", nil) == "0")
    #expect(program("error") == "the parameter's value is NULL")
    #expect(program("register-null", "WriteNow") == "0")
    #expect(program("error") == "the vector is NULL")
    #expect(program("user", "no such user") == nil)
    #expect(program("error")?.contains("“no such user” is no user of this system") == true)
    // No error: there is no value.
    #expect(program("read", "WriteNow", "A") == nil)
    #expect(program("error")?.contains("no such user") == true)
    try home.write("in the way", to: "Defaults")
    #expect(program("write", "WriteNow", "A", "1") == "0")
    #expect(program("error")?.contains(directory) == true)
    try FileManager.default.removeItem(atPath: directory)
    #expect(program("write", "WriteNow", "A", "1") == "1")
  }

  // MARK: - Files that cannot be used

  @Test("a damaged file fails the registration, whose values are found all the same, and nothing is lost")
  func damage() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try home.write("{ A = 1; B = ", to: "Defaults/WriteNow.plist")
    let program = try start()
    #expect(program("example") == "0")
    #expect(program("error")?.contains("\(directory)/WriteNow.plist") == true)
    #expect(program("get", "WriteNow", "NXFont") == "Helvetica")
    #expect(try home.text(of: "Defaults/WriteNow.plist") == "{ A = 1; B = ")
    // Other owners are not concerned.
    #expect(program("register", "Edit", "A", "1") == "1")
  }

  @Test("where the file cannot be written, writing says so, and the process has the values all the same")
  func unwritable() throws {
    // A file is in the way of the directory, so that not even the administrator can make it.
    try home.write("in the way", to: "Defaults")
    let program = try start()
    #expect(program("write", "WriteNow", "A", "1") == "0")
    #expect(program("write-vector", "WriteNow", "B", "1", "C", "2") == "0")
    #expect(program("get", "WriteNow", "B") == "1")
    #expect(program("remove", "WriteNow", "A") == "0")
    #expect(program("get", "WriteNow", "A") == nil)
    // The own user's database is used again, whatever its state.
    #expect(program("user", NSUserName()) == NSUserName())
    #expect(program("get", "WriteNow", "B") == "1")
    // The database appears: all that was not saved is.
    try FileManager.default.removeItem(atPath: directory)
    #expect(program("write", "WriteNow", "D", "3") == "1")
    #expect(
      classic().persistentDomainForName("WriteNow") as? [String: String] == ["B": "1", "C": "2", "D": "3"])
  }

  // MARK: - Users

  @Test("NXSetDefaultsUser returns the user before, and empties the cache")
  func user() throws {
    let program = try start()
    #expect(program("example") == "1")
    #expect(program("write", "WriteNow", "A", "1") == "1")
    #expect(program("user", "no such user") == nil)
    #expect(program("get", "WriteNow", "NXFont") == "Helvetica")
    #expect(program("user", NSUserName()) == NSUserName())
    #expect(program("get", "WriteNow", "NXFont") == nil)
    // The database is that of the start.
    #expect(program("get", "WriteNow", "A") == "1")
  }

  @Test(
    "another user's database has other values, and the own name leads back",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func otherUser() throws {
    let program = try start()
    let name = "NX\(UUID().uuidString)"
    #expect(program("write", "WriteNow", name, "1") == "1")
    #expect(program("user", "nobody") == NSUserName())
    #expect(program("get", "WriteNow", name) == nil)
    #expect(program("set", "WriteNow", name, "nobody's") == "1")
    #expect(program("user", NSUserName()) == "nobody")
    #expect(program("get", "WriteNow", name) == "1")
  }

  // MARK: - The headers

  @Test(
    "programs of NeXT's time compile as they are, and so does C++",
    arguments: [["-std=gnu89", "-x", "c"], ["-std=c99", "-x", "c"], ["-std=c++17", "-x", "c++"]])
  func headers(options: [String]) throws {
    try home.write(
      """
      #import <stddef.h>
      #import <appkit/defaults.h>
      #import <defaults/defaults.h>
      static char font[] = "NXFont", helvetica[] = "Helvetica";
      static NXDefaultsVector WriteNowDefaults = {{font, helvetica}, {NULL}};
      extern int start(const char *name);
      int start(const char *name) {
        struct _NXDefault *first = &WriteNowDefaults[0];
        const char *value;
        first->value = helvetica;
        if (!NXRegisterDefaults(name, WriteNowDefaults)) return 0;
        value = NXGetDefaultValue(name, "NXFont");
        return value != NULL && NXWriteDefaults(name, WriteNowDefaults);
      }
      """, to: "old.c")
    let output = try CProgram.run(
      CProgram.compiler,
      options + [
        "-Wall", "-Wextra", "-Werror", "-Wno-deprecated", "-Wno-missing-field-initializers",
        "-I", CProgram.headers, "-c", "-o", "/dev/null", home.path("old.c"),
      ])
    #expect(output.status == 0, "\(output.errors)")
  }
}
