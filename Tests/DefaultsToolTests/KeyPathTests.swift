import DefaultsTool
import Foundation
import Testing

/// Paths into values as arguments.
struct KeyPathTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test("a path reads, writes and deletes a value at any depth")
  func anyDepth() {
    #expect(home.run("write", "T", ".a.b[+].c", "-int", "1") == .init(code: .done))
    #expect(home.run("read", "T", "a").output == "T a '{b = ({c = 1 /*integer*/; }); }'\n")
    #expect(home.run("write", "T", ".a.b[-1].c", "-int", "2") == .init(code: .done))
    #expect(home.run("read", "-to", "value", "T", ".a.b[0].c").output == "2\n")
    #expect(
      home.run("read", "T", ".a.b[0]").output == "{\n    c = 2 /*integer*/;\n}\n", "it has no line of its own"
    )
    #expect(home.run("read-type", "T", ".a.b[0].c").output == "Type is integer\n")
    #expect(home.run("readkey", ".a.b[0].c").output == "T .a.b[0].c '2 /*integer*/'\n")
    #expect(home.run("delete", "T", ".a.b[0].c") == .init(code: .done))
    #expect(home.run("read", "T").output == "T a '{b = ({}); }'\n")
    #expect(home.run("delete", "T", ".a.b[0]") == .init(code: .done))
    #expect(home.run("read", "T").output == "T a '{b = (); }'\n")
    #expect(home.run("delete", "T", ".a") == .init(code: .done))
    #expect(home.run("domains").output == "")
  }

  @Test("the whole domain is the path of a single dot")
  func wholeDomain() throws {
    #expect(home.run("write", "T", ".", "{ a = 1; }") == .init(code: .done))
    #expect(home.run("read", "T").output == "T a 1\n")
    #expect(home.run("read", "T", ".").output == "{\n    a = 1;\n}\n")
    #expect(home.run("write", "T", ".", "-dict-add", "b", "-int", "2") == .init(code: .done))
    #expect(home.run("read", "T").output == "T a 1\nT b '2 /*integer*/'\n")
    #expect(home.run("write", "T", ".", "text").code == .refused)
    #expect(home.run("read-type", "T", ".").output == "Type is dictionary\n")
  }

  @Test("a literal key that begins as a path is quoted, and lines have it as it stands")
  func literals() {
    #expect(home.run("write", "T", ".\".x\"", "1") == .init(code: .done))
    #expect(home.run("read", "T", ".\".x\"").output == "T .x 1\n")
    let lines = home.run("read").output
    #expect(home.run("delete", input: lines) == .init(code: .done))
    #expect(home.run("write", input: lines) == .init(code: .done))
    #expect(home.run("read").output == lines)
  }

  @Test(
    "a path that leads to nothing is absent for a reader, and refused for a writer",
    arguments: [
      (".a.b[5]", ".a.b[5]: the array has 1 element: 0, -1; “[+]” adds one"),
      (".a[0]", ".a[0]: .a is a dictionary, which has keys, not elements"),
      (".a.b.c", ".a.b.c: .a.b is an array, which has elements, not keys"),
      (".s.x", ".s.x: .s is a string, which has neither keys nor elements"),
    ])
  func nothing(path: String, message: String) throws {
    try home.write("{ a = { b = (x); }; s = t; }", to: "T.plist")
    let before = try home.text(of: "T.plist")
    #expect(home.run("read", "T", path) == .init(code: .absent, errors: "defaults: T: \(message)\n"))
    #expect(home.run("read-type", "T", path).code == .absent)
    #expect(
      home.run("write", "T", path, "v")
        == .init(code: .refused, errors: "defaults: T: \(message); nothing was changed\n"))
    #expect(home.run("delete", "T", path).code == (path == ".a.b[5]" ? .absent : .refused))
    #expect(try home.text(of: "T.plist") == before)
  }

  @Test("what begins as a path and is none is a usage error with its place")
  func noPaths() throws {
    for verb in ["read", "write", "delete", "rename", "watch", "read-type"] {
      #expect(home.run(verb, "T", ".a..b", "v").code == .usage)
    }
    #expect(
      home.run("write", "T", ".a[x]", "v").errors
        == "defaults: “.a[x]” is no path to a value: at character 4, an index such as 0, -1 or + is missing behind "
        + "“[”; a key that begins so is written '.\".a[x]\"'\n")
    #expect(try home.files() == [])
  }

  @Test("what a message tells to write in the place of a key that is no path is that key")
  func advice() throws {
    for (key, word) in [
      (".a[\"x\"", #"'.".a[\"x\""'"#),
      (".it's", #"'.".it'\''s"'"#), (".a\n[", #"'.".a\U000a["'"#),
    ] {
      let outcome = home.run("write", "T", key, "v")
      #expect(outcome.code == .usage && outcome.errors.hasSuffix("a key that begins so is written \(word)\n"))
      let shell = try home.shell("defaults write T \(word) v && defaults -macos read T \(word)")
      #expect(shell == .init(status: 0, output: "v\n"), "\(outcome.errors)")
      #expect(home.run("delete", "T", KeyPathTests.quoted(key)).code == .done)
    }
  }

  private static func quoted(_ key: String) -> String {
    ".\"" + key.replacingOccurrences(of: "\"", with: "\\\"") + "\""
  }

  @Test("a path that leads deeper than a value can be read back is a usage error of one line")
  func tooDeep() throws {
    let path = String(repeating: ".a", count: 60_000)
    for words in [["write", "T", path, "x"], ["write", "-n", "./f", path, "x"], ["read", "T", path]] {
      let outcome = home.run(words)
      #expect(outcome.code == .usage && outcome.output.isEmpty)
      #expect(outcome.errors.hasSuffix("at character 2001, a path has at most 1000 steps\n"))
      #expect(outcome.errors.utf8.count < 300)
    }
    #expect(try home.files() == [])
    let deepest = String(repeating: ".a", count: 1000)
    #expect(home.run("write", "T", deepest, "x") == .init(code: .done))
    #expect(home.run("read", "-to", "value", "T", deepest).output == "x\n")
  }

  @Test("a write deep inside a text leaves every other byte as it is")
  func bytes() throws {
    try home.write("{\n\t// mine\n\tWindow = { x = 1; /* left */ y = 2; };\n\tz=3;\n}\n", to: "T.plist")
    #expect(home.run("write", "T", ".Window.x", "10") == .init(code: .done))
    #expect(
      try home.text(of: "T.plist") == "{\n\t// mine\n\tWindow = { x = 10; /* left */ y = 2; };\n\tz=3;\n}\n")
  }

  @Test("eight writers that add to one array lose no element")
  func concurrentAdding() async throws {
    let (path, root) = (home.path, home.root.path)
    await withTaskGroup(of: [ToolHome.Outcome].self) { group in
      for writer in 0..<8 {
        group.addTask {
          (0..<10).map { number in
            ToolHome.run(
              ["write", "T", ".list[+]", "\(writer)-\(number)"], input: [],
              environment: ["OPENSTEP_DEFAULTS_DIR": path, "HOME": root])
          }
        }
      }
      for await outcomes in group {
        for outcome in outcomes { #expect(outcome == .init(code: .done)) }
      }
    }
    let elements = home.run("read", "-to", "flat", "T").output.split(separator: "\n").map { line in
      String(line.split(separator: " ")[1])
    }
    #expect(Set(elements) == Set((0..<8).flatMap { writer in (0..<10).map { "\(writer)-\($0)" } }))
    #expect(elements.count == 80)
  }
}
