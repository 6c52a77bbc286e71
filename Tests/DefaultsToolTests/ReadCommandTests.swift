import Foundation
import TestSupport
import Testing

@testable import DefaultsTool

struct ReadCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{ Sizes = (1, 2); Name = \"two words\"; Count = 5; \"É\" = e; B = b; }", to: "App.plist")
    try home.write("{ Language = English; }", to: "NSGlobalDomain.plist")
    try home.write("{ k = 1; }", to: "D m.plist")
  }

  // The size was that of what lay at the path later, and a hole of 2^58 bytes there stopped the process.
  @Test("the bound of a text follows the size of the file that was read, up to a gibibyte")
  func bound() {
    for (size, bound) in [(0, 256 << 20), (10 << 20, 320 << 20), (1 << 30, 1 << 30), (.max, 1 << 30)] {
      #expect(OutputFormat.maximumCount(forFileOf: size) == bound)
    }
  }

  @Test("read prints every domain, one default a line, sorted by domain and key")
  func all() {
    #expect(
      home.run("read")
        == .init(
          code: .done,
          output: """
            App B b
            App Count 5
            App Name 'two words'
            App Sizes '(1, 2)'
            App É e
            'D m' k 1
            NSGlobalDomain Language English

            """))
  }

  @Test("read of a domain prints its defaults")
  func domain() {
    #expect(home.run("read", "D m") == .init(code: .done, output: "'D m' k 1\n"))
  }

  @Test("read of a key prints its line")
  func key() {
    #expect(home.run("read", "App", "Count") == .init(code: .done, output: "App Count 5\n"))
  }

  @Test("-g names the global domain, before the verb and behind it")
  func global() {
    let line = ToolHome.Outcome(code: .done, output: "NSGlobalDomain Language English\n")
    #expect(home.run("read", "-g", "Language") == line)
    #expect(home.run("-g", "read", "Language") == line)
    #expect(home.run("read", "-g") == line)
    #expect(home.run("read", "NSGlobalDomain") == line)
  }

  @Test("read of an absent domain or key exits 2 and says which")
  func absent() {
    #expect(
      home.run("read", "None")
        == .init(code: .absent, errors: "defaults: there is no domain “None”\n"))
    #expect(
      home.run("read", "App", "None")
        == .init(code: .absent, errors: "defaults: there is no default “None” in the domain “App”\n"))
  }

  @Test("read of an empty or missing database prints nothing and is done")
  func empty() throws {
    let home = try ToolHome()
    #expect(home.run("read") == .init(code: .done))
    let environment = ["OPENSTEP_DEFAULTS_DIR": home.path + "/none"]
    #expect(home.run(["read"], environment: environment) == .init(code: .done))
  }

  @Test("keys are told apart by their bytes, not by canonical equivalence")
  func keysByBytes() throws {
    let home = try ToolHome()
    try home.write("{ \"\u{E9}\" = 1; \"e\u{301}\" = 2; }", to: "App.plist")
    #expect(home.run("read", "App").output.utf8.elementsEqual("App e\u{301} 2\nApp \u{E9} 1\n".utf8))
    #expect(home.run("read", "App", "\u{E9}").output.utf8.elementsEqual("App \u{E9} 1\n".utf8))
  }

  @Test("a damaged domain is reported with its place, exit 4, and the others are printed")
  func damaged() throws {
    try home.write("{ a = b; c = ", to: "Broken.plist")
    let outcome = home.run("read")
    #expect(outcome.code == .damaged)
    #expect(outcome.output.hasPrefix("App B b\n"))
    #expect(outcome.output.hasSuffix("'D m' k 1\nNSGlobalDomain Language English\n"))
    #expect(outcome.errors.hasPrefix("defaults: \(home.path)/Broken.plist:1:14: "))
    #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
    #expect(home.run("read", "Broken").code == .damaged)
    #expect(home.run("read", "Broken", "a").code == .damaged)
  }

  @Test("readkey prints the key of every domain that has it, else exits 2")
  func readKey() throws {
    try home.write("{ Count = 6; }", to: "Other.plist")
    #expect(home.run("readkey", "Count") == .init(code: .done, output: "App Count 5\nOther Count 6\n"))
    #expect(
      home.run("readkey", "None")
        == .init(code: .absent, errors: "defaults: there is no default “None” in any domain\n"))
  }

  @Test("readkey and find report a damaged domain and go on")
  func readKeyDamaged() throws {
    try home.write("(", to: "Bad.plist")
    for words in [["readkey", "Count"], ["find", "5"]] {
      let outcome = home.run(words)
      #expect(outcome.code == .damaged)
      #expect(outcome.output == "App Count 5\n")
      #expect(outcome.errors.contains("Bad.plist"))
    }
    #expect(home.run("readkey", "None").code == .damaged, "it might have been in the damaged domain")
  }

  @Test("find lists domains, keys and whole strings, also within containers")
  func find() throws {
    try home.write("{ App = x; d = { five = (a, 5); }; e = 55; n = 5 /*integer*/; }", to: "Other.plist")
    #expect(home.run("find", "App") == .init(code: .done, output: "App\nOther App x\n"))
    #expect(
      home.run("find", "5")
        == .init(
          code: .done, output: "App Count 5\nOther d '{five = (a, 5); }'\nOther n '5 /*integer*/'\n"))
    #expect(home.run("find", "five").output == "Other d '{five = (a, 5); }'\n")
    #expect(
      home.run("find", "none")
        == .init(
          code: .absent,
          errors: """
            defaults: nothing is called “none”
            defaults: “find -part” finds parts of names and values, too

            """))
  }

  @Test("domains that are too large to be one value together are refused before one is read")
  func tooMuch() throws {
    for name in ["L1", "L2"] {
      try home.write("", to: "\(name).plist")
      #expect(truncate(home.path + "/\(name).plist", 200 << 20) == 0)
    }
    #expect(
      home.run("read", "-to", "json")
        == .init(
          code: .refused,
          errors:
            "defaults: \(home.path): all domains have more than 256 MiB together, which do not fit into one "
            + "value; nothing was printed; name a domain, or use “-to lines”\n"))
    #expect(home.run("read", "-to", "json", "D m").code == .done)
  }

  @Test("domains lists one name a line, sorted and quoted")
  func domains() throws {
    try home.write("{}", to: "a\nb.plist")
    #expect(home.run("domains") == .init(code: .done, output: "App\n'D m'\nNSGlobalDomain\n'\"a\\nb\"'\n"))
  }

  @Test("too many or too few arguments are usage errors")
  func usage() {
    #expect(
      home.run("read", "a", "b", "c")
        == .init(
          code: .usage,
          errors: "defaults: “read” takes a domain and a key at most; see “defaults help read”\n"))
    #expect(
      home.run("readkey")
        == .init(code: .usage, errors: "defaults: “readkey” takes one key; see “defaults help readkey”\n"))
    #expect(
      home.run("find", "a", "b")
        == .init(code: .usage, errors: "defaults: “find” takes one word; see “defaults help find”\n"))
    #expect(
      home.run("domains", "a")
        == .init(
          code: .usage, errors: "defaults: “domains” takes no arguments; see “defaults help domains”\n"))
  }
}
