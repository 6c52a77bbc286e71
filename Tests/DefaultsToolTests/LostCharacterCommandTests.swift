import DefaultsTool
import Foundation
import Testing

/// Commands on texts with bytes that stand for no character in NeXT's set.
struct LostCharacterCommandTests {
  private let home: ToolHome
  private var file: String { "\(home.root.path)/F.plist" }
  private static let bytes = Array("{ q = \"a".utf8) + [0xFF] + Array("\"; b = 1; }\n".utf8)
  private static let reason = "the byte 0xFE or 0xFF stands for no character in NeXT's set"

  init() throws {
    home = try ToolHome()
    try Data(LostCharacterCommandTests.bytes).write(to: URL(fileURLWithPath: file))
  }

  private func present() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file))) }

  @Test("lint warns of such a byte, and of an octal escape of one")
  func lint() throws {
    let warning = "warning: \(LostCharacterCommandTests.reason), and is read as U+FFFD\n"
    #expect(
      home.run("lint", file)
        == .init(code: .done, output: "\(file): OK\n", errors: "defaults: \(file):1:9: \(warning)"))
    #expect(
      home.run("lint", "-", input: "{ a = \"x\\376\"; }\n")
        == .init(
          code: .done, output: "standard input: OK\n", errors: "defaults: standard input:1:9: \(warning)"))
    #expect(home.run("lint", "-", input: "{ a = \"x\\375\\U00ff\"; }\n").errors.isEmpty)
  }

  @Test("a conversion tells of it, and is refused in the file's own place")
  func convert() throws {
    let loss =
      "defaults: \(file):1:9: \(LostCharacterCommandTests.reason), and only U+FFFD can be written for it"
    #expect(
      home.run("convert", "-to", "openstep", file)
        == .init(code: .done, output: "{\n    b = 1;\n    q = \"a\u{FFFD}\";\n}\n", errors: loss + "\n"))
    #expect(home.run("convert", "-to", "flat", file).errors == loss + "\n")
    #expect(
      home.run("convert", "-to", "xml", "-o", file, file)
        == .init(code: .refused, errors: loss + "; the file is unchanged\n"))
    #expect(try present() == LostCharacterCommandTests.bytes)
    #expect(home.run("convert", "-to", "xml", "-o", file + ".xml", file).errors == loss + "\n")
  }

  @Test("a change of another key leaves the byte as it is")
  func change() throws {
    #expect(home.run("write", file, "b", "2") == .init(code: .done))
    let changed = LostCharacterCommandTests.bytes.map { $0 == UInt8(ascii: "1") ? UInt8(ascii: "2") : $0 }
    #expect(try present() == changed)
    #expect(home.run("write", file, "q", "a") == .init(code: .done))
    #expect(home.run("lint", file).errors.isEmpty)
  }

  // All of THEIRS' other characters beyond ASCII became other ones in OURS.
  @Test("the value with such a byte in a text of UTF-8 is not changed, and what to do is told")
  func uneditable() throws {
    let bytes = Array("{\n  Name = \"Jürgen\";\n  Street = \"Stra".utf8) + [0xDF] + Array("e\";\n}\n".utf8)
    for (words, path) in [
      (["delete", "Own", "Street"], home.path + "/Own.plist"), (["write", file, "Street", "x"], file),
    ] {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let outcome = home.run(words)
      #expect(outcome.code == .refused, "\(outcome)")
      #expect(
        outcome.errors.contains("in line 3 a byte that is none")
          && outcome.errors.contains("; the file is unchanged: write that character in UTF-8"), "\(outcome)")
      #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
    }
  }

  @Test("a merge with a text in UTF-8 that has one byte that is none is one of lines")
  func damagedUTF8() throws {
    let lines = "{\n  Name = \"Jürgen\";\n  Town = \"Köln\";\n  X = 1;\n}\n"
    let paths = ["base", "ours", "theirs"].map { "\(home.root.path)/\($0)" }
    let texts = [
      Array(lines.utf8), Array(lines.replacingOccurrences(of: "X = 1", with: "X = 2").utf8),
      Array("// Stra".utf8) + [0xDF] + Array("e\n\(lines)".utf8),
    ]
    for (path, text) in zip(paths, texts) { try Data(text).write(to: URL(fileURLWithPath: path)) }
    for sides in [paths, [paths[0], paths[2], paths[1]], [paths[2], paths[1], paths[0]]] {
      let outcome = home.run(["merge", "-p"] + sides)
      #expect(outcome.output.contains("\"Köln\"") && outcome.output.contains("\"Jürgen\""), "\(outcome)")
      let isTheirs = sides[2] == paths[2]
      #expect(
        outcome.errors.contains("merged line by line: THEIRS: is not UTF-8, and its set") == isTheirs,
        "\(outcome)")
    }
  }

  @Test("a merge does not take it for half a surrogate pair")
  func merge() throws {
    let texts: [(String, [UInt8])] = [
      ("base", Array("{\n  A = 1;\n  B = x;\n}\n".utf8)), ("ours", Array("{\n  A = 2;\n  B = x;\n}\n".utf8)),
      ("theirs", Array("{\n  A = 1;\n  B = \"z".utf8) + [0xFF] + Array("\";\n}\n".utf8)),
    ]
    let paths = texts.map { "\(home.root.path)/\($0.0)" }
    for (path, text) in zip(paths, texts) { try Data(text.1).write(to: URL(fileURLWithPath: path)) }
    let outcome = home.run(["merge", "-p"] + paths)
    #expect(outcome.errors.contains("\(LostCharacterCommandTests.reason)"), "\(outcome)")
    #expect(!outcome.errors.contains("surrogate"), "\(outcome)")
  }

  @Test("Latin-1 has a character for every byte")
  func latin1() {
    #expect(
      home.run("convert", "-encoding", "latin1", "-to", "flat", file)
        == .init(code: .done, output: ".b 1\n.q aÿ\n"))
  }

  @Test("octal escapes in Window Maker's text are bytes of UTF-8, and lint warns where they are none")
  func windowMaker() throws {
    try home.write("{ IconTileBack = \"x\\303\"; Other = \"\\303\\244\"; }\n", to: "WindowMaker")
    let path = home.path + "/WindowMaker"
    let outcome = home.run("lint", path)
    #expect(
      outcome.errors.contains("an octal escape that is not UTF-8 stands for no character"), "\(outcome)")
    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
  }

  @Test("so does a conversion of Window Maker's text under any name")
  func windowMakerByOption() throws {
    let text = "{ a = \"x\\303\"; }\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let outcome = home.run("convert", "-from", "windowmaker", "-to", "openstep", "-o", file, file)
    #expect(
      outcome.code == .refused && outcome.errors.contains("octal escape that is not UTF-8"), "\(outcome)")
    #expect(try present() == Array(text.utf8))
  }

  @Test("Latin-1 is converted in its own place")
  func latin1InPlace() throws {
    #expect(
      home.run("convert", "-encoding", "latin1", "-to", "openstep", "-o", file, file) == .init(code: .done))
    #expect(home.run("read", file, "q").output == "q aÿ\n")
  }

  @Test("of any number of such bytes a few are told")
  func many() throws {
    let bytes = Array("{ a = \"".utf8) + [UInt8](repeating: 0xFE, count: 100_000) + Array("\"; }".utf8)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    let outcome = home.run("lint", file)
    #expect(outcome.code == .done && outcome.errors.split(separator: "\n").count == 20)
  }
}
