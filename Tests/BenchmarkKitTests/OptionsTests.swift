import BenchmarkKit
import Testing

struct OptionsTests {
  @Test("all options are taken, -row more than once")
  func all() throws {
    let options = try Options(
      arguments: ["-json", "-check", "-instructions", "-row", "a", "-row", "b", "-dir", "/d", "-help"])
    #expect(options.printsJSON && options.checks && options.instructions && options.wantsHelp)
    #expect(!options.isBrief && options.rows == ["a", "b"] && options.directory == "/d")
    #expect(try Options(arguments: ["-brief"]).isBrief)
    let shown = try Options(arguments: ["-from", "/f", "-write"])
    #expect(shown.file == "/f" && shown.writes && !options.writes && options.file == nil)
  }

  @Test(
    "a mistake is named",
    arguments: [
      (["-fast"], "unknown option “-fast”; -help lists all"),
      (["-json", "-row"], "“-row” needs a value behind it"),
      (["-dir"], "“-dir” needs a value behind it"),
      (
        ["-brief", "-check"],
        "-brief measures too little for -check to judge; leave one of them out"
      ),
      (["-from"], "“-from” needs a value behind it"),
      (
        ["-write", "-row", "a"],
        "-write needs all rows, measured in full; leave out -brief, -instructions and -row"
      ),
      (
        ["-write", "-brief"],
        "-write needs all rows, measured in full; leave out -brief, -instructions and -row"
      ),
      (["-from", "/f", "-dir", "/d"], "-from measures nothing; leave out -brief, -instructions and -dir"),
    ])
  func mistakes(arguments: [String], message: String) {
    #expect(throws: Options.Mistake(message)) { try Options(arguments: arguments) }
  }

  @Test("without -row all rows are wanted, with it those whose name contains one of the texts")
  func rows() throws {
    #expect(try Options(arguments: []).wants("anything"))
    let options = try Options(arguments: ["-row", "hit", "-row", "MB"])
    #expect(options.wants("classic, hit") && options.wants("parse 8 MB") && !options.wants("absent"))
  }
}
