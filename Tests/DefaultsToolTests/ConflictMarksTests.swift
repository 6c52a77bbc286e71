import DefaultsTool
import Foundation
import TestSupport
import Testing

/// Files with the marks of a merge that nobody has resolved.
struct ConflictMarksTests {
  private let home: ToolHome
  private let text = "{\n  b = 1;\n<<<<<<< ours\n  a = 1;\n=======\n  a = 2;\n>>>>>>> theirs\n}\n"
  private let what = "an unresolved merge conflict begins here and ends in line 7"
  private let advice =
    "choose a side or bring both together, and remove the marks, by “git mergetool”, “defaults edit” or an editor"

  init() throws {
    home = try ToolHome()
  }

  @Test("doctor says what it is and what to do, and repairs nothing of it")
  func doctor() throws {
    #expect(home.run("write", "App", "k", "v").code == .done)
    try home.write(text, to: "App.plist")
    let place = "error: \(home.path)/App.plist:3:1: \(what); its bytes are unchanged: \(advice)"
    for words in [["doctor", "App"], ["doctor", "-repair", "App"]] {
      let outcome = home.run(words)
      #expect(outcome.code == .damaged && outcome.output.contains(place), "\(outcome)")
      #expect(!outcome.output.contains("rescue") && !outcome.output.contains("repaired"), "\(outcome)")
    }
    #expect(try home.text(of: "App.plist") == text)
  }

  @Test("every verb that reads the domain, or the file, says it, and keeps the bytes")
  func verbs() throws {
    try home.write(text, to: "App.plist")
    let file = home.path + "/App.plist"
    let place = "App.plist:3:1: \(what); "
    for line in [
      "read App", "write App k v", "delete App b", "rename App b c", "export App -", "diff App App",
    ] {
      let outcome = home.run(line.split(separator: " ").map(String.init))
      #expect(
        outcome.code == .damaged && outcome.errors.contains("\(place)its bytes are"), "\(line) \(outcome)")
      #expect(outcome.errors.contains(advice), "\(line) \(outcome)")
    }
    for words in [
      ["read", file], ["lint", file], ["convert", "-to", "xml", file], ["import", "New", file],
    ] {
      let outcome = home.run(words)
      #expect(outcome.code == .damaged && outcome.errors.contains(place), "\(words) \(outcome)")
      #expect(outcome.errors.contains(advice), "\(words) \(outcome)")
    }
    for words in [["write", file, "k", "v"], ["write", file, "{ a = 1; }"], ["delete", file, "b"]] {
      #expect(home.run(words).code == .damaged)
    }
    #expect(try home.text(of: "App.plist") == text && home.files() == ["App.plist"])
  }

  @Test("XML and JSON are told as well, marks of other lengths and line ends, and a third side between them")
  func others() {
    func lint(_ text: String) -> String { home.run("lint", "-", input: text).errors }
    let xml = home.run("convert", "-to", "xml", "-", input: "{ a = b; }").output
      .replacing("\t<key>", with: "<<<<<<< ours\n=======\n>>>>>>> theirs\n\t<key>")
    #expect(
      lint(xml).contains("standard input:5:1: an unresolved merge conflict begins here and ends in line 7"))
    #expect(lint(text.replacing("\n", with: "\r\n")).contains("3:1: \(what)"))
    #expect(lint(text.replacing("<<<<<<<", with: "<<<<<<<<<")).contains("found"))
    let long = text.replacing("<<<<<<<", with: "<<<<<<<<<").replacing("=======", with: "=========")
      .replacing(">>>>>>>", with: ">>>>>>>>>")
    #expect(lint(long).contains("3:1: \(what)"))
    let three = text.replacing("=======", with: "||||||| base\n a = 0;\n=======")
    #expect(lint(three).contains("3:1: an unresolved merge conflict begins here and ends in line 9"))
    let json = "{\"a\":\n<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n}"
    #expect(home.run("convert", "-to", "flat", "-", input: json).errors.contains("2:1: an unresolved merge"))
  }

  @Test(
    "the signs of a mark inside a string or a comment are no conflict, nor are those of a file without the others"
  )
  func signs() {
    let marks = "<<<<<<< a\n=======\n>>>>>>> b\n"
    #expect(home.run("lint", "-", input: "{ a = \"\n\(marks)\"; }").code == .done)
    #expect(home.run("lint", "-", input: "/*\n\(marks)*/ { a = b; }").code == .done)
    #expect(!home.run("lint", "-", input: "{\n=======\n>>>>>>> b\n}").errors.contains("merge"))
  }
}
