import DefaultsTool
import Testing

struct DeleteCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{ a = 1; b = 2; \"two words\" = 3; }", to: "App.plist")
    try home.write("{ a = 1; }", to: "D m.plist")
    try home.write("{ a = 1; b = 2; }", to: "NSGlobalDomain.plist")
  }

  @Test("delete of a key leaves the others")
  func key() {
    #expect(home.run("delete", "App", "a") == .init(code: .done))
    #expect(home.run("read", "App").output == "App b 2\nApp 'two words' 3\n")
    #expect(home.run("delete", "-g", "a") == .init(code: .done))
    #expect(home.run("read", "-g").output == "NSGlobalDomain b 2\n")
  }

  @Test("delete of a domain removes it")
  func domain() throws {
    #expect(home.run("delete", "D m") == .init(code: .done))
    #expect(try home.files() == ["App.plist", "NSGlobalDomain.plist"])
  }

  @Test("a domain that is too large to be read is deleted, and replaced as a whole")
  func tooLarge() throws {
    let replacement = ["write", "Huge", "{ k = v; }"]
    for words in [["delete", "Huge"], replacement] {
      try home.writeTooLarge(to: "Huge.plist")
      let rehearsal = home.run([words[0], "-n"] + words.dropFirst())
      #expect(
        rehearsal
          == .init(
            code: .done, output: words == replacement ? "+Huge k v\n" : "",
            errors:
              "defaults: \(home.path)/Huge.plist: cannot be read: it is larger than 1073741824 bytes: File too large; what it holds is not shown\n"
          ))
      #expect(home.run(words) == .init(code: .done))
    }
    #expect(home.run("read", "Huge").output == "Huge k v\n")
    #expect(home.run("delete", "Huge") == .init(code: .done))
    #expect(try home.files() == ["App.plist", "D m.plist", "NSGlobalDomain.plist"])
  }

  @Test("delete of what is not there exits 2 and says what")
  func absent() {
    let before = home.run("read").output
    #expect(
      home.run("delete", "App", "None")
        == .init(code: .absent, errors: "defaults: there is no default “None” in the domain “App”\n"))
    for words in [["None"], ["None", "a"]] {
      #expect(
        home.run(["delete"] + words)
          == .init(code: .absent, errors: "defaults: there is no domain “None”\n"))
    }
    #expect(home.run("read").output == before)
  }

  @Test("more than a domain and a key is a usage error")
  func usage() {
    #expect(
      home.run("delete", "App", "two", "words")
        == .init(
          code: .usage,
          errors: "defaults: “delete” takes a domain and a key at most; see “defaults help delete”\n"))
  }

  @Test("a name that is refused exits 3")
  func refused() {
    #expect(home.run("delete", "").code == .refused)
    #expect(home.run("-gnustep", "delete", "-domain", "../App").code == .refused)
  }

  @Test("batch delete takes lines of a domain and a key, and the lines of read")
  func batch() {
    #expect(home.run("delete", input: "App 'two words'\n'D m' a '(ignored'\n") == .init(code: .done))
    #expect(home.run("read").output == "App a 1\nApp b 2\nNSGlobalDomain a 1\nNSGlobalDomain b 2\n")
    #expect(home.run("delete", input: home.run("read").output) == .init(code: .done))
    #expect(home.run("read") == .init(code: .done))
  }

  @Test("batch delete reports what is not there and deletes the rest")
  func batchAbsent() {
    #expect(
      home.run("delete", input: "App none\nApp a\nNone k\n")
        == .init(
          code: .absent,
          errors: """
            defaults: standard input:1: there is no default “none” in the domain “App”
            defaults: standard input:3: there is no default “k” in the domain “None”

            """))
    #expect(home.run("read", "App").output == "App b 2\nApp 'two words' 3\n")
  }

  @Test("batch delete names the line of each absent default, whatever stands before it")
  func batchAbsentLines() {
    let long = String(repeating: "x", count: 100)
    let input = "\u{FEFF}\n  \t\nApp a '\(long)\n\(long)\n'\nNone k \(long)\n\n App '\(long)\n'\nApp none"
    #expect(
      home.run("delete", input: input)
        == .init(
          code: .absent,
          errors: """
            defaults: standard input:8: there is no default “\(long)\\u{a}” in the domain “App”
            defaults: standard input:10: there is no default “none” in the domain “App”
            defaults: standard input:6: there is no default “k” in the domain “None”

            """))
    #expect(home.run("read", "App").output == "App b 2\nApp 'two words' 3\n")
  }

  @Test(
    "one bad line in batch delete deletes nothing at all, and is named",
    arguments: [
      ("App a\nApp\n", ExitCode.usage, "a key is missing after the domain “App”"),
      ("App a\nApp a b c\n", .usage, "there are 4 words instead of a domain and a key"),
      ("App a\n'' k\n", .refused, "“”: cannot be the name of a domain: it is empty"),
    ])
  func badLine(input: String, code: ExitCode, message: String) {
    let before = home.run("read").output
    let outcome = home.run("delete", input: input)
    #expect(outcome.code == code)
    #expect(outcome.errors.hasPrefix("defaults: standard input:2: \(message)"))
    #expect(home.run("read").output == before)
  }

  @Test("batch delete with a damaged domain deletes nothing from the others")
  func batchDamaged() throws {
    try home.write("{ a = ", to: "Broken.plist")
    #expect(home.run("delete", input: "App a\nBroken a\n").code == .damaged)
    #expect(home.run("read", "App", "a").code == .done)
  }
}
