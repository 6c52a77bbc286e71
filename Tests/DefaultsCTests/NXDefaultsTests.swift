import Foundation
import OpenStepDefaults
import TestSupport
import Testing

/// NeXT's functions, called by a program in C.
///
/// What is expected is what NEXTSTEP's General Reference says (chapter 3, NXRegisterDefaults()), and where it is
/// silent, what the header promises.
struct NXDefaultsTests: NXSuite {
  let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  // MARK: - The cache

  @Test("a registered parameter has the vector's value where nothing else has one")
  func registered() throws {
    let program = try start()
    #expect(program("example") == "1")
    #expect(program("get", "WriteNow", "NXFont") == "Helvetica")
    #expect(program("get", "WriteNow", "NXFontSize") == "12.0")
    #expect(program("get", "Edit", "NXFont") == nil)
    // It is in the cache only.
    #expect(program("read", "WriteNow", "NXFont") == nil)
    #expect(!home.exists("Defaults/WriteNow.plist"))
  }

  @Test("the command line comes before the owner's value, that before GLOBAL's, and that before the vector's")
  func precedence() throws {
    let defaults = classic()
    try defaults.setPersistentDomain(
      ["NXFont": "Global", "NXFontSize": "8", "A": "Global", "B": "Global"], forName: NSGlobalDomain)
    try defaults.setPersistentDomain(["NXFont": "Courier", "NXFontSize": "9"], forName: "WriteNow")
    #expect(defaults.synchronize())
    let program = try start("-NXFontSize", "24", "-C", "( a, \"b\" )")
    #expect(
      program(
        "register", "WriteNow", "NXFont", "Helvetica", "NXFontSize", "12.0", "A", "Vector", "C", "Vector",
        "D", "Vector", "E", nil) == "1")
    #expect(program("get", "WriteNow", "NXFontSize") == "24")
    #expect(program("get", "WriteNow", "NXFont") == "Courier")
    #expect(program("get", "WriteNow", "A") == "Global")
    // As it stands there, unparsed.
    #expect(program("get", "WriteNow", "C") == "( a, \"b\" )")
    #expect(program("get", "WriteNow", "D") == "Vector")
    #expect(program("get", "WriteNow", "E") == nil)
    // Parameters that are not registered: the database has them, the command line does not count.
    #expect(program("get", "WriteNow", "B") == "Global")
    #expect(program("get", "Edit", "NXFontSize") == "8")
    #expect(program("get", "GLOBAL", "A") == "Global")
  }

  @Test("GLOBAL's parameters in the cache are found before those in the database")
  func globalInCache() throws {
    try classic().setPersistentDomain(["A": "stored"], forName: NSGlobalDomain)
    #expect(classic().synchronize())
    let program = try start()
    #expect(program("set", "GLOBAL", "A", "set") == "1")
    #expect(program("get", "WriteNow", "A") == "set")
    // The domain's own name is the same owner.
    #expect(program("get", "NSGlobalDomain", "A") == "set")
    #expect(program("read", "GLOBAL", "A") == "stored")
  }

  @Test("NXSetDefault sets for the process only, and registering finds the value anew")
  func set() throws {
    let program = try start()
    #expect(program("set", "WriteNow", "NXFont", "Courier") == "1")
    #expect(program("get", "WriteNow", "NXFont") == "Courier")
    #expect(program("read", "WriteNow", "NXFont") == nil)
    #expect(try start()("get", "WriteNow", "NXFont") == nil)
    #expect(program("example") == "1")
    #expect(program("get", "WriteNow", "NXFont") == "Helvetica")
  }

  // MARK: - The database

  @Test("NXWriteDefault has written the file when it returns, and other processes read it")
  func write() throws {
    let (program, other) = (try start(), try start())
    #expect(other("read", "WriteNow", "NXFont") == nil)
    #expect(program("write", "WriteNow", "NXFont", "Größe /1\"") == "1")
    #expect(try home.text(of: "Defaults/WriteNow.plist").contains("NXFont"))
    #expect(other("read", "WriteNow", "NXFont") == "Größe /1\"")
    #expect(other("get", "WriteNow", "NXFont") == "Größe /1\"")
    #expect(classic().stringForKey("NXFont") == "Größe /1\"")
    #expect(program("get", "WriteNow", "NXFont") == "Größe /1\"")
  }

  @Test("NXWriteDefaults writes its vector and returns how many entries it has written")
  func writeVector() throws {
    let program = try start()
    #expect(program("write-vector", "WriteNow", "A", "1", "B", "2", "C", nil, "", "4", "D", "") == "3")
    #expect(
      classic().persistentDomainForName("WriteNow") as? [String: String] == ["A": "1", "B": "2", "D": ""])
    #expect(program("get", "WriteNow", "B") == "2")
    #expect(program("get", "WriteNow", "D") == "")
    #expect(program("get", "WriteNow", "C") == nil)
    #expect(program("write-vector", "WriteNow") == "0")
    // The last of two entries of one name.
    #expect(program("write-vector", "WriteNow", "A", "2", "A", "3") == "2")
    #expect(program("read", "WriteNow", "A") == "3")
  }

  @Test("GLOBAL is the global domain, and any other owner the domain of that name")
  func owners() throws {
    let program = try start()
    #expect(program("write", "GLOBAL", "NXFont", "Courier") == "1")
    #expect(program("write", "Edit", "NXFont", "Helvetica") == "1")
    #expect(program("write", "a/b", "K", "v") == "1")
    #expect(
      classic().persistentDomainForName(NSGlobalDomain) as? [String: String] == ["NXFont": "Courier"])
    #expect(classic().persistentDomainForName("a/b") as? [String: String] == ["K": "v"])
    #expect(classic("Edit").stringForKey("NXFont") == "Helvetica")
    #expect(classic("Draw").stringForKey("NXFont") == "Courier")
    #expect(program("get", "a/b", "K") == "v")
    #expect(!home.exists("Defaults/GLOBAL.plist"))
  }

  @Test("NXRemoveDefault removes from the database and the cache")
  func remove() throws {
    let program = try start()
    #expect(program("write-vector", "WriteNow", "A", "1", "B", "2") == "2")
    #expect(program("write", "GLOBAL", "A", "global") == "1")
    #expect(program("set", "WriteNow", "C", "3") == "1")
    for name in ["A", "C", "Absent"] { #expect(program("remove", "WriteNow", name) == "1") }
    #expect(classic().persistentDomainForName("WriteNow") as? [String: String] == ["B": "2"])
    #expect(program("get", "WriteNow", "A") == "global")
    #expect(program("get", "WriteNow", "C") == nil)
  }

  @Test("NXReadDefault reads what another process has written, and neither asks nor changes the cache")
  func read() throws {
    let (program, other) = (try start(), try start())
    #expect(program("example") == "1")
    #expect(other("write", "WriteNow", "NXFont", "Courier") == "1")
    #expect(other("write", "GLOBAL", "A", "global") == "1")
    #expect(program("get", "WriteNow", "NXFont") == "Helvetica")
    #expect(program("read", "WriteNow", "NXFont") == "Courier")
    #expect(program("get", "WriteNow", "NXFont") == "Helvetica")
    #expect(program("read", "WriteNow", "A") == nil)
    #expect(program("read", "GLOBAL", "A") == "global")
  }

  @Test("a value that equals one which another process has replaced meanwhile is written")
  func writeOverExternalChange() throws {
    let (program, other) = (try start(), try start())
    #expect(program("write", "WriteNow", "A", "1") == "1")
    #expect(other("write", "WriteNow", "A", "2") == "1")
    #expect(program("write", "WriteNow", "A", "1") == "1")
    #expect(other("read", "WriteNow", "A") == "1")
  }

  @Test("a value that is no string is given as its text")
  func otherValues() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try home.write(
      "{ Data = <0fa0>; Array = (1, \"a b\"); Dictionary = { K = (v); }; Number = <*I5>; Flag = <*BY>; Nul = \"a\\000b\"; }",
      to: "Defaults/WriteNow.plist")
    let program = try start()
    #expect(program("get", "WriteNow", "Data") == "<0fa0>")
    #expect(program("get", "WriteNow", "Array") == "(1, \"a b\")")
    #expect(program("read", "WriteNow", "Dictionary") == "{K = (v); }")
    #expect(program("get", "WriteNow", "Number") == "5")
    #expect(program("get", "WriteNow", "Flag") == "YES")
    #expect(program("get", "WriteNow", "Nul") == nil)
    #expect(program("read", "WriteNow", "Nul") == nil)
  }

  // MARK: - Updating

  @Test("NXUpdateDefault takes a newer value from the database, and nothing else")
  func update() throws {
    let (program, other) = (try start("-NXFontSize", "24"), try start())
    #expect(other("write-vector", "WriteNow", "NXFontSize", "9", "A", "1") == "2")
    #expect(program("example") == "1")
    #expect(program("set", "WriteNow", "NXFont", "Ohlfs") == "1")
    #expect(program("set", "WriteNow", "A", "2") == "1")
    // Nothing is newer than the cache.
    for name in ["NXFont", "NXFontSize", "A", "Absent"] {
      #expect(program("update", "WriteNow", name) == nil)
    }
    #expect(program("get", "WriteNow", "NXFont") == "Ohlfs")
    #expect(program("get", "WriteNow", "NXFontSize") == "24")
    #expect(program("get", "WriteNow", "A") == "2")
    // It updates one parameter, which another process has written since.
    #expect(other("write-vector", "WriteNow", "NXFont", "Courier", "NXFontSize", "10") == "2")
    #expect(program("get", "WriteNow", "NXFont") == "Ohlfs")
    #expect(program("update", "WriteNow", "NXFont") == "Courier")
    #expect(program("get", "WriteNow", "NXFont") == "Courier")
    #expect(program("update", "WriteNow", "NXFont") == nil)
    #expect(program("get", "WriteNow", "NXFontSize") == "24")
    #expect(program("update", "WriteNow", "NXFontSize") == "10")
    // What was removed is not newer, and what is not in the cache has nothing to be compared with.
    #expect(other("remove", "WriteNow", "NXFont") == "1")
    #expect(program("update", "WriteNow", "NXFont") == nil)
    #expect(program("get", "WriteNow", "NXFont") == "Courier")
    #expect(other("write", "WriteNow", "Other", "1") == "1")
    #expect(program("update", "WriteNow", "Other") == nil)
    #expect(program("get", "WriteNow", "Other") == "1")
  }

  @Test("NXUpdateDefaults updates all that is in the cache")
  func updateAll() throws {
    let (program, other) = (try start(), try start())
    #expect(program("update-all") == "done")
    #expect(program("example") == "1")
    #expect(program("set", "Edit", "A", "set") == "1")
    #expect(program("set", "Edit", "B", "set") == "1")
    #expect(other("write", "WriteNow", "NXFont", "Courier") == "1")
    #expect(other("write", "Edit", "A", "written") == "1")
    #expect(program("update-all") == "done")
    #expect(program("get", "WriteNow", "NXFont") == "Courier")
    #expect(program("get", "WriteNow", "NXFontSize") == "12.0")
    #expect(program("get", "Edit", "A") == "written")
    #expect(program("get", "Edit", "B") == "set")
    #expect(program("update", "Edit", "A") == nil)
  }

  @Test("GLOBAL's newer value replaces a value of GLOBAL's, and no other")
  func updateGlobal() throws {
    let (program, other) = (try start(), try start())
    #expect(other("write-vector", "GLOBAL", "NXFont", "Courier", "A", "1") == "2")
    #expect(program("example") == "1")
    #expect(program("get", "WriteNow", "NXFont") == "Courier")
    #expect(program("set", "WriteNow", "A", "set") == "1")
    #expect(other("write-vector", "GLOBAL", "NXFont", "Ohlfs", "A", "2") == "2")
    #expect(program("update", "WriteNow", "NXFont") == "Ohlfs")
    #expect(program("update", "WriteNow", "A") == nil)
    // The owner's comes before it.
    #expect(other("write", "WriteNow", "NXFont", "Times") == "1")
    #expect(program("update", "WriteNow", "NXFont") == "Times")
  }

  // MARK: - With the classic class

  @Test("the classic class of the same process finds what was written, and the functions what it has set")
  func sameProcess() throws {
    let program = try start()
    #expect(program("write", program.name, "A", "1") == "1")
    #expect(program("standard-get", "A") == "1")
    #expect(program("standard-set", "A", "2") == "0")
    // Not saved yet, and in the cache is the older value.
    #expect(program("read", program.name, "A") == "2")
    #expect(program("get", program.name, "A") == "1")
    #expect(program("update", program.name, "A") == "2")
    #expect(program("standard-set-list", "B", "(x, y)") == "0")
    #expect(program("get", program.name, "B") == "(x, y)")
    #expect(program("standard-synchronize") == "0")
    let other = try start()
    #expect(other("get", program.name, "A") == "2")
    #expect(program("remove", program.name, "A") == "1")
    #expect(program("standard-get", "A") == nil)
  }

  @Test("the classic class of another process finds what was written, and the functions what it has saved")
  func otherProcess() throws {
    let (program, defaults) = (try start(), classic())
    defaults.setObject("Courier", forKey: "NXFont")
    #expect(defaults.synchronize())
    #expect(program("example") == "1")
    #expect(program("get", "WriteNow", "NXFont") == "Courier")
    #expect(program("write", "WriteNow", "NXFontSize", "9") == "1")
    #expect(defaults.synchronize())
    #expect(defaults.stringForKey("NXFontSize") == "9")
    #expect(defaults.stringForKey("NXFont") == "Courier")
  }
}
