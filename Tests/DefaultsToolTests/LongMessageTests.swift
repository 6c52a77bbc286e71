import Foundation
import Testing

@testable import DefaultsTool

/// Messages about texts that are long, or have many characters that are escaped.
struct LongMessageTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test(
    "a message repeats the beginning of a long word, and stays one short line",
    arguments: [
      ["write"], ["delete"], ["read", "App"], ["write", "App", "k", "-int"], ["delete", "App"], ["frob"],
      ["read", "-frob"], ["write", "App", "k", "-float"], ["find"],
    ],
    [
      String(repeating: "x", count: 300_000), String(repeating: "”", count: 100_000),
      String(repeating: "a/b", count: 100_000), String(repeating: "“x” ", count: 60_000),
    ])
  func words(words: [String], text: String) throws {
    try home.write("{ a = b; }", to: "App.plist")
    let isBatch = words == ["write"] || words == ["delete"]
    let outcome = isBatch ? home.run(words, input: Array(text.utf8)) : home.run(words + [text])
    #expect(outcome.errors.utf8.count < 40_000, "\(words)")
    #expect(outcome.errors.split(separator: "\n").count <= 2)
    if words != ["find"] { #expect(outcome.code != .done) }
  }

  @Test("of a long quotation a hundred characters are left, and what the message says about it")
  func cut() {
    let key = String(repeating: "k", count: 5000)
    #expect(
      home.run("write", input: key).errors
        == "defaults: standard input:1: a key and a value are missing after “\(key.prefix(100))…”; see “defaults help write”\n"
    )
    let message = "there is no “\(String(repeating: "é", count: 3000))” in “App”; “x” is"
    #expect(
      MessageText.shortened(message) == "there is no “\(String(repeating: "é", count: 50))…” in “App”; “x” is"
    )
  }

  @Test("a path, and what is short, are left as they are")
  func whole() {
    let path = "/" + String(repeating: "directory/", count: 409)
    for text in [
      "\(path): cannot be read: “\(path)” is a link", "“\(String(repeating: "n", count: 255))” is no domain",
      "\(path) and \(path): differ", "",
    ] {
      #expect(MessageText.shortened(text) == text)
    }
  }

  @Test("keys of two equal entries, and values, are cut in the warnings and errors of files")
  func files() throws {
    let key = String(repeating: "k", count: 400_000)
    try home.write("{ \(key) = a; \(key) = b; }", to: "f")
    let outcome = home.run("lint", home.database.appendingPathComponent("f").path)
    #expect(outcome.code == .done)
    #expect(outcome.errors.contains("the key “\(key.prefix(100))…” stands here again"))
    #expect(outcome.errors.utf8.count < 1000)
    // What is printed as data is whole.
    #expect(home.run("read", "./f", "k").code != .done)
    let read = home.run("read", home.database.appendingPathComponent("f").path)
    #expect(read.output.contains(key))
  }

  @Test("escaping takes linear time, in messages and wherever a word is escaped")
  func linear() throws {
    // A quadratic function would copy 2 TB.
    let text = String(repeating: "\u{1}", count: 2_000_000)
    let start = LongMessageTests.processorSeconds
    #expect(text.onOneLine.utf8.count == 5 * text.utf8.count)
    #expect(ShellWord.text(text).utf8.count == 4 * text.utf8.count + 3)
    #expect(ShellWord.portable(text).utf8.count == 5 * text.utf8.count + "\"$(printf %b '')\"".utf8.count)
    #expect(TerminalText.escaped(Array(text.utf8)).count == 4 * text.utf8.count)
    #expect(home.run("write", input: text).code == .usage)
    try home.write("{ \"\(text)\" = a; }", to: "f")
    let outcome = home.run("convert", "-to", "xml", home.database.appendingPathComponent("f").path)
    #expect(outcome.code == .refused && outcome.errors.utf8.count < 3000)
    #expect(LongMessageTests.processorSeconds - start < 120)
  }

  /// The time for which this thread has had a processor, however busy the machine is.
  private static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
