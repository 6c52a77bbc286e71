import DefaultsTool
import Foundation
import TestSupport
import Testing

/// Commands on files with half a surrogate pair, which no value holds.
struct LoneSurrogateCommandTests {
  private let home: ToolHome
  private var file: String { "\(home.root.path)/F.plist" }
  private static let reason =
    "half a surrogate pair stands for no character, and only U+FFFD can be written for it"
  private static let place = "object 3, byte 18: \(reason)"

  init() throws {
    home = try ToolHome()
    try put(LoneSurrogate.binary, home.path + "/App.plist")
    try put(LoneSurrogate.binary, file)
  }

  private func put(_ bytes: [UInt8], _ path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private func put(_ text: String, _ name: String) throws -> String {
    let path = "\(home.root.path)/\(name)"
    try put(Array(text.utf8), path)
    return path
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test(
    "a change of another key is refused, and the file keeps its bytes",
    arguments: [
      ["write", "App", "b", "w"], ["write", "App", ".b", "w"], ["rename", "App", "a", "c"],
      ["rename", "App", "b", "c"], ["delete", "App", "b"], ["write"], ["apply", "-"],
      ["import", "-merge", "App", "-"],
    ])
  func domain(arguments: [String]) throws {
    let inputs = [
      "write": "App b w\n", "apply": "{ Set = { App = { b = w; }; }; }", "import": "{ b = w; }",
    ]
    let outcome = home.run(arguments, input: Array((inputs[arguments[0]] ?? "").utf8))
    #expect(outcome.code == .refused)
    #expect(
      outcome.errors.hasPrefix("defaults: \(home.path)/App.plist: \(LoneSurrogateCommandTests.place)"),
      "\(outcome)")
    #expect(try bytes(home.path + "/App.plist") == LoneSurrogate.binary)
  }

  @Test("so is the text of an editor, which is kept")
  func edited() throws {
    let outcome = home.run(
      ["edit", "App"],
      environment: [
        "OPENSTEP_DEFAULTS_DIR": home.path, "TMPDIR": home.root.path, "EDITOR": "sed -i s/v/w/",
        "PATH": "/usr/bin:/bin",
      ])
    #expect(outcome.code == .refused && outcome.errors.contains("; your text is kept as "), "\(outcome)")
    #expect(try bytes(home.path + "/App.plist") == LoneSurrogate.binary)
  }

  @Test("a file in the place of a domain is not changed either, and a text keeps its escape")
  func files() throws {
    let refused = home.run("write", file, "b", "w")
    #expect(
      refused
        == .init(
          code: .refused,
          errors: "defaults: \(file): \(LoneSurrogateCommandTests.place); the file is unchanged: "
            + "give the value another text first, or delete it\n"))
    #expect(try bytes(file) == LoneSurrogate.binary)
    #expect(home.run("delete", file, "a").code == .done)
    let text = try put("(\"\\UD800\", a, b)\n", "T.plist")
    #expect(home.run("write", text, "[1]", "c").code == .done)
    #expect(try bytes(text) == Array("(\"\\UD800\", c, b)\n".utf8))
  }

  @Test("what is printed, or written into another file, has U+FFFD, and a line tells it")
  func copies() throws {
    let line = "defaults: \(file): \(LoneSurrogateCommandTests.place)\n"
    #expect(
      home.run("convert", "-to", "flat", file)
        == .init(code: .done, output: ".a \u{FFFD}x\n.b v\n", errors: line))
    #expect(home.run("convert", "-to", "flat", "-textconv", file).errors.isEmpty)
    let other = "\(home.root.path)/G.plist"
    #expect(home.run("convert", "-to", "xml", "-o", other, file) == .init(code: .done, errors: line))
    #expect(
      home.run("export", "App", "-")
        == .init(
          code: .done, output: "{\n    a = \"\u{FFFD}x\";\n    b = v;\n}\n",
          errors: "defaults: \(home.path)/App.plist: \(LoneSurrogateCommandTests.place)\n"))
  }

  @Test("a file is not converted in its own place")
  func convertedInPlace() throws {
    let outcome = home.run("convert", "-to", "xml", "-o", file, file)
    #expect(
      outcome
        == .init(
          code: .refused,
          errors: "defaults: \(file): \(LoneSurrogateCommandTests.place); the file is unchanged\n"))
    #expect(try bytes(file) == LoneSurrogate.binary)
  }

  @Test("an import says which key has it, also where the file has U+FFFD itself")
  func imported() throws {
    // The key “b” is U+FFFD.
    var bytes = LoneSurrogate.binary
    bytes.replaceSubrange(15..<17, with: [0x61, 0xFF, 0xFD])
    for place in 28...29 { bytes[place] += 1 }
    bytes[bytes.count - 1] += 1
    try put(bytes, file)
    #expect(home.run("lint", file).code == .done)
    let outcome = home.run("import", "New", file)
    #expect(outcome.code == .refused)
    #expect(
      outcome.errors.contains("the key “a” of the domain “New” has bytes that are no character"), "\(outcome)"
    )
  }

  @Test("a merge that would lose it is one of lines")
  func merged() throws {
    let base = try put("{\n  a = 1;\n  b = v;\n}\n", "base")
    let ours = try put("{\n  a = 2;\n  b = v;\n}\n", "ours")
    let theirs = try put("{\n  a = 1;\n  b = v;\n  n = \"\\UD800\";\n}\n", "theirs")
    let outcome = home.run("merge", "-p", base, ours, theirs)
    #expect(outcome.output.contains("n = \"\\UD800\";") && !outcome.output.contains("\u{FFFD}"), "\(outcome)")
    #expect(
      outcome.errors.contains("merged line by line: THEIRS:4:8: \(LoneSurrogateCommandTests.reason)"),
      "\(outcome)")
  }

  // The half that OURS alone has paid for the one that was lost.
  @Test("so is a merge where OURS has another one")
  func mergedWithOther() throws {
    let base = try put("{\n  b = x;\n  c = 1;\n}\n", "base")
    let ours = try put("{\n  a = \"\\UD800\";\n  b = x;\n  c = 1;\n}\n", "ours")
    let theirs = try put("{\n  b = \"y\\UDC00\";\n  c = 1;\n}\n", "theirs")
    let outcome = home.run("merge", "-p", base, ours, theirs)
    #expect(outcome.output.contains("\\UD800") && outcome.output.contains("\\UDC00"), "\(outcome)")
    #expect(outcome.errors.contains("merged line by line: OURS:2:8: "), "\(outcome)")
    // What OURS has stays.
    let plain = try put("{\n  b = x;\n  c = 2;\n}\n", "plain")
    let merged = home.run("merge", "-p", base, ours, plain)
    #expect(merged.code == .done, "\(merged)")
    #expect(merged.output == "{\n  a = \"\\UD800\";\n  b = x;\n  c = 2;\n}\n", "\(merged)")
  }

  @Test("what an older file has is not brought back in part, and as a whole it is")
  func undone() throws {
    let text = "{ a = \"x\\UD800\"; }\n"
    try put(Array(text.utf8), home.path + "/Old.plist")
    #expect(home.run("write", "Old", "a", "1").code == .done)
    #expect(home.run("write", "Old", "b", "2").code == .done)
    let outcome = home.run("undo", "1")
    #expect(outcome.code == .refused, "\(outcome)")
    #expect(
      outcome.errors.contains("; “undo -force 1” puts back the whole file; nothing was changed"), "\(outcome)"
    )
    #expect(home.run("read", "Old").output == "Old a 1\nOld b 2\n")
    #expect(home.run("undo", "-force", "1").code == .done)
    #expect(try bytes(home.path + "/Old.plist") == Array(text.utf8))
  }

  @Test("a state that has it is applied with U+FFFD, and a line tells it")
  func applied() throws {
    let state = try put("{ Set = { New = { a = \"x\\UD800\"; }; }; }", "state")
    let outcome = home.run("apply", state)
    #expect(outcome.code == .done)
    #expect(outcome.errors == "defaults: \(state):1:25: \(LoneSurrogateCommandTests.reason)\n", "\(outcome)")
  }
}
