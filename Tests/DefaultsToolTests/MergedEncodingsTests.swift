import DefaultsTool
import Foundation
import TestSupport
import Testing

/// What `merge` makes of characters that its three texts spell in different ways, or that no value keeps.
struct MergedEncodingsTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  /// Merges three files; gives the outcome, and what OURS holds then.
  private func merge(
    _ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8], label: String = "A"
  ) throws -> (outcome: ToolHome.Outcome, ours: [UInt8]) {
    try home.writeSides(base, ours, theirs)
    return try home.merge(["-P", label])
  }

  /// Bytes in which each character is one.
  private func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  // “Grün” became “Gr\U00FEn”, which is þ.
  @Test("of an eight-bit text, whose set is not known, the merge takes bytes and no characters")
  func eightBit() throws {
    let lines = ["\"a\" = \"x\";\n", "\"b\" = \"y\";\n", "\"c\" = \"z\";\n"]
    let base = latin1(lines.joined())
    let theirs = latin1(lines[0] + lines[1] + "\"c\" = \"Gr\u{FC}n\";\n")
    let (outcome, merged) = try merge(
      base, latin1("\"a\" = \"Fl\u{E4}che\";\n" + lines[1] + lines[2]), theirs)
    #expect(
      outcome.errors.contains(
        "A: merged line by line: THEIRS: is not UTF-8, and its set of characters is not known"),
      "\(outcome)")
    #expect(String(decoding: merged, as: UTF8.self).contains("\\U") == false)
    #expect(
      merged.firstRange(of: latin1("\"Fl\u{E4}che\"")) != nil
        && merged.firstRange(of: latin1("Gr\u{FC}n")) != nil)
    // UTF-8 in OURS is not exchanged for what THEIRS, in another set, may have meant.
    let (mixed, both) = try merge(
      Array("{a=\"Grün\";b=1;}\n".utf8), Array("{a=\"Grün\";b=2;}\n".utf8), latin1("{a=\"Gr\u{FC}n\";b=1;}\n")
    )
    #expect(mixed.code == .differs)
    #expect(both.firstRange(of: Array("Grün".utf8)) != nil && both.firstRange(of: latin1("Gr\u{FC}n")) != nil)
  }

  // NeXT's “é…” is a character of UTF-8 as well, and the text was taken for damaged UTF-8.
  @Test("a text in NeXT's set, of which THEIRS changes ASCII alone, is merged by key")
  func nextStep() throws {
    func text(_ a: Int, _ b: Int) -> [UInt8] {
      latin1("{\n  Menu = \"S\u{DD}curit\u{DD}\u{BC}\"; A = \(a); B = \(b);\n}\n")
    }
    let (outcome, merged) = try merge(text(1, 1), text(2, 1), text(1, 2))
    #expect(outcome == .init(code: .done))
    #expect(merged == text(2, 2))
  }

  // “Flüsse” became “Flˆ…sse”.
  @Test("Window Maker's files are known by their contents, whatever git calls them")
  func windowMaker() throws {
    func text(_ mode: String, _ back: String) -> [UInt8] {
      Array(
        "{\n  FocusMode = \(mode);\n  IconPosition = blh;\n  WindowTitleFont = Sans;\n  Back = \(back);\n}\n"
          .utf8)
    }
    let back = "\"Fl\\303\\274sse.png\""
    let (outcome, merged) = try merge(
      text("sloppy", "x"), text("manual", "x"), text("sloppy", back), label: "Blue.style")
    #expect(outcome == .init(code: .done))
    #expect(merged == text("manual", back))
    // One side that has enough keys tells it of all.
    let few = "{ Back = \"caf\\303\\251\"; }\n"
    let (added, all) = try merge([], Array(few.utf8), text("sloppy", "\"caf\\303\\251\""))
    #expect(added == .init(code: .done))
    #expect(String(decoding: all, as: UTF8.self).contains("Back = \"caf\\303\\251\";"))
  }

  @Test("comments of XML in UTF-16 and UTF-32 are not lost", arguments: [String.Encoding.utf16, .utf32])
  func comments(_ encoding: String.Encoding) throws {
    func xml(_ keys: String) throws -> [UInt8] {
      Array(try #require("<plist version=\"1.0\"><dict>\n\(keys)</dict></plist>\n".data(using: encoding)))
    }
    let entry = "<key>a</key><string>1</string>\n"
    let (outcome, merged) = try merge(
      xml(entry), xml("<!-- mine -->\n" + entry), xml(entry + "<key>n</key><string>n</string>\n"))
    #expect(outcome.errors.contains("merged line by line: OURS: has comments"), "\(outcome)")
    let text = try #require(
      String(data: Data(merged), encoding: outcome.code == .done ? encoding : .utf8))
    #expect(text.contains("<!-- mine -->") && text.contains("<key>n</key>"))
    try Data(xml("<!-- mine -->\n" + entry)).write(to: URL(fileURLWithPath: home.path(ofSide: "wide.plist")))
    #expect(home.run("write", home.path(ofSide: "wide.plist"), "a", "2").code == .refused)
    #expect(home.run("lint", home.path(ofSide: "wide.plist")).code == .done)
  }

  @Test("what stands for no character is merged by line, since all of it is one value")
  func lostCharacters() throws {
    func text(_ unit: String, _ b: Int, end: String = "") -> [UInt8] {
      latin1("{\n  a = \"x\(unit)\";\n  c = 0;\n  d = 0;\n  b = \(b);\n}\n\(end)")
    }
    for (before, after) in [("\\UD83D", "\\UD83E"), ("\u{FE}", "\u{FF}"), ("\\UD83D", "\\UFFFD")] {
      let (outcome, merged) = try merge(text(before, 1), text(before, 2), text(after, 1, end: "// end\n"))
      #expect(outcome.code == .done && outcome.errors.contains("A: merged line by line: "), "\(outcome)")
      #expect(merged == text(after, 2, end: "// end\n"))
      // Of one line both have changed, nothing is dropped.
      let one = { (unit: String, b: Int) in self.latin1("{ a = \"x\(unit)\"; b = \(b); }\n") }
      let (conflict, both) = try merge(one(before, 1), one(before, 2), one(after, 3))
      #expect(conflict.code == .differs)
      #expect(both.firstRange(of: one(before, 2)) != nil && both.firstRange(of: one(after, 3)) != nil)
    }
    // What all three have is no reason.
    let (kept, same) = try merge(text("\\UD83D", 1), text("\\UD83D", 2), text("\\UD83D", 1, end: "// end\n"))
    #expect(kept == .init(code: .done))
    #expect(same == text("\\UD83D", 2))
    // In UTF-16 neither; and where lines of UTF-16 would lose it, they are not merged in silence.
    func wide(_ unit: UInt16, _ b: Int, end: String = "") -> [UInt8] {
      let units = "{\n a = \"?\";\n\n\n b = \(b);\n}\n\(end)".utf16.map { $0 == 0x3F ? unit : $0 }
      return [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }
    let (untouched, bytes) = try merge(wide(0xD800, 1), wide(0xD800, 2), wide(0xD800, 1, end: "\n"))
    #expect(untouched == .init(code: .done))
    #expect(bytes == wide(0xD800, 2))
    let (outcome, _) = try merge(wide(0xD800, 1), wide(0xD800, 2), wide(0xD801, 1))
    #expect(outcome.code == .differs && outcome.errors.contains("the result has U+FFFD for it"), "\(outcome)")
  }

  @Test(
    "several things that are no character are told apart, wherever they stand",
    arguments: [
      ("a = \"\\UFFFD\"; b = \"\\UD800\";", "a = \"\\UD800\"; b = \"\\UFFFD\";"),
      ("a = \"\\UD800\\UFFFD\";", "a = \"\\UFFFD\\UD800\";"),
      ("a = \"\\UD800\"; b = \"\\UD801\";", "b = \"\\UD800\"; a = \"\\UD801\";"),
    ])
  func exchanged(_ before: String, _ after: String) throws {
    let text = { (entries: String, c: Int) in Array("{ \(entries) c = \(c); }\n".utf8) }
    let (outcome, merged) = try merge(text(before, 1), text(before, 2), text(after, 1))
    #expect(outcome.code == .differs, "\(outcome)")
    #expect(merged.firstRange(of: text(before, 2)) != nil && merged.firstRange(of: text(after, 1)) != nil)
  }

  @Test("of an array that both sides have changed, lines tell what belongs together")
  func arrays() throws {
    func xml(_ first: Int, _ last: Int) -> [UInt8] {
      let elements = [first, 1, 2, 3, 4, 5, 6, last].map { "<string>\($0)</string>\n" }.joined()
      return Array(
        "<plist version=\"1.0\"><dict>\n<!-- c -->\n<key>a</key><array>\n\(elements)</array></dict></plist>\n"
          .utf8)
    }
    let (outcome, merged) = try merge(xml(0, 7), xml(8, 7), xml(0, 9))
    #expect(outcome.code == .done && merged == xml(8, 9), "\(outcome)")
    // Not where each has added it, at another place.
    let text = { (first: String, last: String) in
      self.latin1("{\n\(first)  x = \"\u{FC}\";\n  y = 1;\n  z = 1;\n\(last)}\n")
    }
    let (two, both) = try merge(
      text("", ""), text("  k = (\"\u{E4}\");\n", ""), text("", "  k = (\"\u{F6}\");\n"))
    #expect(two.code == .differs && two.errors.contains("conflict: A: k: "), "\(two)")
    #expect(both.firstRange(of: Array("<<<<<<< ours A".utf8)) != nil)
  }

  @Test("lines that git brings together without a conflict are a merge only if they hold the merged value")
  func lines() throws {
    // The same key at two places, one of them in each side; in one file the set of “ü” would be another.
    let head = "{\n  a = 1;\n  x = 0;\n  y = 0;\n  z = \"\u{FC}\";\n"
    let tail = "  v = 0;\n  w = 0;\n}\n"
    let ours = latin1(head.replacingOccurrences(of: "  x", with: "  k = \"\u{F6}\";\n  x") + tail)
    let theirs = latin1(head + tail.replacingOccurrences(of: "}", with: "  k = \"\u{E4}\";\n}"))
    let (outcome, merged) = try merge(latin1(head + tail), ours, theirs)
    #expect(outcome.code == .differs, "\(outcome)")
    #expect(
      merged.firstRange(of: latin1("k = \"\u{F6}\"")) != nil
        && merged.firstRange(of: latin1("k = \"\u{E4}\"")) != nil)
    #expect(merged.firstRange(of: Array("<<<<<<< ours A".utf8)) != nil)
    let lines = (0..<9).map { "  k\($0) = 0;\n" }.joined()
    let (mixed, both) = try merge(
      Array("{\n\(lines)}\n".utf8), Array("{\n  o = \"Grün\";\n\(lines)}\n".utf8),
      latin1("{\n\(lines)  t = \"Gr\u{FC}n\";\n}\n"))
    #expect(mixed.code == .differs, "\(mixed)")
    #expect(both.firstRange(of: Array("<<<<<<< ours A".utf8)) != nil)
    // A key that one side removes and the other writes in another encoding.
    let (removed, rest) = try merge(
      latin1("{ a = 1; \"Gr\u{F6}\u{DF}e\" = 5; }\n"), Array("{ a = 1; }\n".utf8),
      Array("{ a = 1; \"Größe\" = 5; }\n".utf8))
    #expect(removed.code == .differs && rest.firstRange(of: Array("<<<<<<<".utf8)) != nil, "\(removed)")
  }

  @Test("a number of UTF-32 that is no character is told of, and is not written as U+FFFD in silence")
  func numbers() throws {
    let units = "{a=\"x@y\";b=1;}".unicodeScalars.map { $0 == "@" ? 0x110041 : $0.value }
    let bytes: [UInt8] =
      [0xFF, 0xFE, 0, 0]
      + units.flatMap { unit in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: unit >> $0) } }
    try Data(bytes).write(to: URL(fileURLWithPath: home.path(ofSide: "wide")))
    let reason = "a number above 0x10FFFF stands for no character"
    #expect(
      home.run("lint", home.path(ofSide: "wide")).errors.contains(
        "wide:1:6: warning: \(reason), and is read as U+FFFD"))
    let converted = home.run(
      "convert", "-to", "openstep", "-o", home.path(ofSide: "wide"), home.path(ofSide: "wide"))
    #expect(converted.code == .refused && converted.errors.contains(reason), "\(converted)")
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: home.path(ofSide: "wide")))) == bytes)
    #expect(home.run("write", home.path(ofSide: "wide"), "b", "2").code == .done)
    #expect(home.run("lint", home.path(ofSide: "wide")).errors.contains(reason))
    let narrow = { (text: String) in Array(text.utf8) }
    let (outcome, merged) = try merge(narrow("{a=x;b=1;}\n"), narrow("{a=x;b=2;}\n"), bytes)
    #expect(outcome.code == .differs && outcome.errors.contains(reason), "\(outcome)")
    #expect(merged.firstRange(of: narrow("b=2;")) != nil)
  }

  @Test(
    "what cannot start git, or is another program in its place, is no merge",
    arguments: ["exit 126", "exit 1", "exit 0", "echo 'No version is set for git'; exit 1", "kill -9 $$"])
  func otherGit(_ body: String) throws {
    let folder = home.path(ofSide: "shim")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try Data("#!/bin/sh\n\(body)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/git"))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/git")
    let outcome = try home.shell(
      """
      printf 'nonsense\\nline a\\n' > base; printf 'nonsense\\nline MINE\\n' > ours; printf 'nonsense\\nline a\\nline c\\n' > theirs
      PATH="$PWD/shim:$PATH" "$defaults" merge -P A base ours theirs; echo "exit code $?"; cat ours
      """)
    #expect(
      outcome.output
        == "exit code 6\nnonsense\n<<<<<<< ours A\nline MINE\n=======\nline a\nline c\n>>>>>>> theirs A\n",
      "\(outcome)")
  }
}
