import OpenStepPropertyList
import Testing

/// Twelve cases, byte by byte, from the design of byte-faithful editing.
struct EditingCasesTests {
  private func editor(_ text: String) throws -> PropertyListTextEditor {
    try PropertyListTextEditor(text, options: .domainFile)
  }

  @Test("1: a value is replaced, the comments stay, and needless quotes too")
  func value() throws {
    var editor = try editor(
      """
      /* Ann's settings */
      {
        // menus and text
        Font = "Helvetica";  // Ohlfs is too small

        Size = 12;
      }

      """)
    try editor.set("13", at: ["Size"])
    try editor.set("Ohlfs", at: ["Font"])
    #expect(
      editor.text == """
        /* Ann's settings */
        {
          // menus and text
          Font = "Ohlfs";  // Ohlfs is too small

          Size = 13;
        }

        """)
  }

  @Test("2: a new key stands where it is sorted, and comments stay with their owners")
  func sorted() throws {
    var editor = try editor(
      "{\n\tAlpha = 1;\t/* first */\n\tBeta = 2;\t/* second */\n\n\t/* far */\n\tZebra = 9;\n}\n")
    try editor.set("3", at: ["Gamma"])
    #expect(
      editor.text
        == "{\n\tAlpha = 1;\t/* first */\n\tBeta = 2;\t/* second */\n\tGamma = 3;\n\n\t/* far */\n\tZebra = 9;\n}\n"
    )
  }

  @Test("3: behind the last entry, whose missing semicolon comes before its comment")
  func missingSemicolon() throws {
    var editor = try editor("{\n    Zoom = 1;\n    Font = Ohlfs  /* the old one */\n    /* Old = 1; */\n}\n")
    try editor.set("x", at: ["Ab"])
    #expect(
      editor.text
        == "{\n    Zoom = 1;\n    Font = Ohlfs;  /* the old one */\n    Ab = x;\n    /* Old = 1; */\n}\n")
  }

  @Test("4: an entry goes with what belongs to it, and comment lines with the last entry below them")
  func deletion() throws {
    var editor = try editor(
      """
      {
          /* Fonts */
          Font = Helvetica;
          Size = 12;

          /* Old, see the notes */
          Legacy = YES;  // until 2027

          Zoom = 1;
      }

      """)
    #expect(try editor.remove(at: ["Legacy"]))
    #expect(
      editor.text
        == "{\n    /* Fonts */\n    Font = Helvetica;\n    Size = 12;\n\n    Zoom = 1;\n}\n")
    #expect(try editor.remove(at: ["Font"]))
    #expect(editor.text == "{\n    /* Fonts */\n    Size = 12;\n\n    Zoom = 1;\n}\n")
    #expect(try editor.remove(at: ["Size"]))
    #expect(editor.text == "{\n    Zoom = 1;\n}\n")
    #expect(try !editor.remove(at: ["Size"]))
  }

  @Test("5: a strings file with CRLF and Latin-1 keeps both; new letters are escaped")
  func strings() throws {
    let before =
      Array("\r\n/** Affiche.m */\r\n\"Info\" = \"Info\";\r\n\"Close\" = \"Schlie".utf8) + [0xDF]
      + Array("en\";\r\n\"Quit\" = \"Verlassen\";\r\n".utf8)
    var editor = try PropertyListTextEditor(before)
    try editor.set("Beenden", at: ["Quit"])
    try editor.set("Über uns", at: ["Über"])
    let after =
      Array("\r\n/** Affiche.m */\r\n\"Info\" = \"Info\";\r\n\"Close\" = \"Schlie".utf8) + [0xDF]
      + Array(
        "en\";\r\n\"Quit\" = \"Beenden\";\r\n\"\\U00DCber\" = \"\\U00DCber uns\";\r\n".utf8)
    #expect(editor.bytes == after)
  }

  @Test("6: entries on one line, in Window Maker's layout")
  func oneLine() throws {
    let gimp = #"  Gimp = {AlwaysUserIcon = Yes;Icon = "wmaker-gimp2.tif";};"#
    var editor = try editor("{\n  Rxvt = {Icon = GNUterm.tiff;};\n\(gimp)\n}\n")
    try editor.set("YES", at: ["Rxvt", "Omnipresent"])
    #expect(editor.text == "{\n  Rxvt = {Icon = GNUterm.tiff; Omnipresent = YES;};\n\(gimp)\n}\n")
    try editor.remove(at: ["Rxvt", "Icon"])
    #expect(editor.text == "{\n  Rxvt = {Omnipresent = YES;};\n\(gimp)\n}\n")
    try editor.set("1", at: ["Gimp", "Z"])
    #expect(
      editor.text
        == "{\n  Rxvt = {Omnipresent = YES;};\n  Gimp = {AlwaysUserIcon = Yes;Icon = \"wmaker-gimp2.tif\";Z = 1;};\n}\n"
    )
  }

  @Test("7: an array's elements")
  func array() throws {
    let before = """
      {
        Path = (
          "/usr/share/icons",   // system
          "/usr/local/icons"    // local
        );
      }

      """
    var editor = try editor(before)
    try editor.insert("~/x", at: ["Path", 2])
    #expect(
      editor.text == """
        {
          Path = (
            "/usr/share/icons",   // system
            "/usr/local/icons",    // local
            "~/x"
          );
        }

        """)
    try editor.remove(at: ["Path", 2])
    #expect(editor.text == before)
    try editor.insert("/a", at: ["Path", 0])
    #expect(editor.text == before.replacing("(\n", with: "(\n    \"/a\",\n"))

    let trailing = before.replacing("local/icons\" ", with: "local/icons\", ")
    var other = try self.editor(trailing)
    try other.set("~/x", at: ["Path", 2])
    #expect(other.text == trailing.replacing("local\n", with: "local\n    \"~/x\",\n"))
  }

  @Test("8: a type note stands directly behind its value")
  func notes() throws {
    var editor = try editor("{\n  Speed = 5; /* fast */\n}\n")
    try editor.set(.integer(6), at: ["Speed"])
    #expect(editor.text == "{\n  Speed = 6 /*integer*/; /* fast */\n}\n")
    editor = try self.editor("{\n  Speed = 5 /* fast */;\n}\n")
    try editor.set(.integer(6), at: ["Speed"])
    #expect(editor.text == "{\n  Speed = 6 /*integer*/ /* fast */;\n}\n")
    try editor.set("slow", at: ["Speed"])
    #expect(editor.text == "{\n  Speed = slow /* fast */;\n}\n")

    var options = PropertyList.ParsingOptions.domainFile
    options.octalEscapes = .utf8Bytes
    var windowMaker = try PropertyListTextEditor("{\n  EdgeResistance = 5;\n}\n", options: options)
    try windowMaker.set(.integer(6), at: ["EdgeResistance"])
    #expect(windowMaker.text == "{\n  EdgeResistance = 6;\n}\n")
    try windowMaker.set("é", at: ["Name"])
    #expect(windowMaker.text == "{\n  EdgeResistance = 6;\n  Name = \"\\303\\251\";\n}\n")
  }

  @Test("9: UTF-16 with its mark, and UTF-8 with its mark")
  func encodings() throws {
    let before: [UInt8] = [0xFF, 0xFE] + Array("{A=b;}".utf8).flatMap { [$0, 0] }
    var editor = try PropertyListTextEditor(before)
    try editor.set("é", at: ["A"])
    var after = before
    after.replaceSubrange(8..<10, with: [0x22, 0, 0xE9, 0, 0x22, 0])
    #expect(editor.bytes == after)
    editor = try PropertyListTextEditor([0xEF, 0xBB, 0xBF] + Array("{A=b;}".utf8))
    try editor.set("é", at: ["A"])
    #expect(editor.bytes == [0xEF, 0xBB, 0xBF] + Array("{A=\"é\";}".utf8))
  }

  @Test("11: of equal keys the last is set, and all are removed")
  func duplicates() throws {
    var editor = try editor("{ a = 1; b = 2; a = 3; }")
    try editor.set("4", at: ["a"])
    #expect(editor.text == "{ a = 1; b = 2; a = 4; }")
    try editor.remove(at: ["a"])
    #expect(editor.text == "{ b = 2; }")
  }

  @Test("12: a dictionary that is set whole changes what differs")
  func dictionary() throws {
    var editor = try editor("{ Window = { x = 10; /* left */ y = 20; }; }")
    try editor.set(["x": "12", "y": "20"], at: ["Window"])
    #expect(editor.text == "{ Window = { x = 12; /* left */ y = 20; }; }")
  }
}
