import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What is written is read back: the promise behind every save.
@Suite
struct RoundTripTests {
  private func parse(_ bytes: [UInt8]) throws -> PropertyList {
    try PropertyList(parsing: bytes, options: .domainFile)
  }

  @Test("random values come back exactly", arguments: [PropertyList.Style.openStep, .ascii, .oneLine])
  func exact(style: PropertyList.Style) throws {
    var random = RandomValues(seed: 1)
    for _ in 0..<2000 {
      let value = random.dictionary()
      let bytes = try value.bytes(style: style)
      let back = try parse(bytes)
      guard back == value else {
        Issue.record("\(value.taggedText)\n\(String(decoding: bytes, as: UTF8.self))\n\(back.taggedText)")
        return
      }
      // Equal values give equal text, so that a save without a change changes nothing.
      #expect(try back.bytes(style: style) == bytes)
    }
  }

  @Test("random values come back from GNUstep's format, a float as the real of the same value")
  func gnustep() throws {
    var random = RandomValues(seed: 2, range: .gnustep)
    for _ in 0..<2000 {
      let value = random.dictionary()
      let bytes = try value.bytes(style: .gnustep)
      let back = try parse(bytes)
      guard back == value.floatsAsReals else {
        Issue.record("\(value.taggedText)\n\(String(decoding: bytes, as: UTF8.self))\n\(back.taggedText)")
        return
      }
    }
  }

  @Test("a reader that does not ask for types sees the strings that the classic class would have written")
  func classicView() throws {
    var random = RandomValues(seed: 3)
    for _ in 0..<500 {
      let value = random.dictionary()
      #expect(try PropertyList(parsing: value.bytes()) == value.classic)
      #expect(try PropertyList(parsing: value.bytes(style: .ascii)) == value.classic)
    }
  }

  @Test("what is written on one line is one argument", arguments: [UInt64(4), 5])
  func argument(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<500 {
      let value = random.dictionary()
      #expect(try PropertyList(parsing: value.text(style: .oneLine), options: .argument) == value)
    }
  }

  @Test("every root value comes back", arguments: PropertyList.Style.keepingValues)
  func roots(style: PropertyList.Style) throws {
    let roots: [PropertyList] = [
      "", "five", "two words", "\u{FEFF}mark", "\0", "//", [], [:], .data([]), .data([0x0F, 0xBD]),
      .integer(5), .real(-0.0), .boolean(false), .date(PropertyListDate(secondsSinceReferenceDate: 0)),
    ]
    for root in roots {
      #expect(try parse(root.bytes(style: style)) == root)
      #expect(try PropertyList(parsing: root.text(style: style), options: .domainFile) == root)
    }
  }

  @Test("the deepest value that is written is read back", arguments: PropertyList.Style.keepingValues)
  func depth(style: PropertyList.Style) throws {
    var value: PropertyList = "x"
    for level in 0..<PropertyList.maximumDepth { value = level % 2 == 0 ? [value] : ["k": value] }
    #expect(try parse(value.bytes(style: style)) == value)
    for deeper in [[value], ["k": value]] as [PropertyList] {
      let error = #expect(throws: PropertyListError.self) { try deeper.bytes(style: style) }
      #expect(error?.message == "the value has more than 1000 nested containers, too many to be read back")
    }
  }

  @Test("the deepest value is written and read back on a thread with a small stack")
  func smallStack() async throws {
    var value: PropertyList = "x"
    for level in 0..<PropertyList.maximumDepth { value = level % 2 == 0 ? [value] : ["k": value] }
    let back = try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { [value] in
        continuation.resume(with: Result { try PropertyList(parsing: value.bytes(), options: .domainFile) })
      }
      // What a secondary thread gets on the platform that gives least.
      thread.stackSize = 512 << 10
      thread.start()
    }
    #expect(back == value)
  }
}

/// The style for Window Maker, whose rules are those of its reader as run.
struct WindowMakerStyleTests {
  @Test("strings in ASCII with octal escapes, without types, comments and a last comma")
  func style() throws {
    let value: PropertyList = [
      "Name": "é\u{1F600}", "On": .boolean(true), "Size": .integer(5), "List": [.real(0.5), "a\nb"],
    ]
    let text = try value.text(style: .windowMaker)
    #expect(
      text == #"""
        {
            List = (0.5, "a\nb");
            Name = "\303\251\360\237\230\200";
            On = YES;
            Size = 5;
        }

        """#)
    #expect(try PropertyList.windowMakerWarnings(Array(text.utf8)).isEmpty)
    var options = PropertyList.ParsingOptions()
    options.octalEscapes = .utf8Bytes
    #expect(try PropertyList(parsing: text, options: options) == value.withoutTypes)
    #expect(
      try value.withoutTypes == ["Name": "é\u{1F600}", "On": "YES", "Size": "5", "List": ["0.5", "a\nb"]])
  }

  @Test(
    "what Window Maker refuses is told with its place",
    arguments: [
      ("{ a = 1; /* c */ }", 10), ("{ a = 1; // c\n }", 10), ("{ a = (1, 2,); }", 13), ("{ a = 1 }", 9),
      ("{ a = 'b'; }", 7), ("{ a = <*I5>; }", 7), ("{ a = <[AA==]>; }", 7), ("{ a; }", 4), ("{ a = ; }", 7),
      ("{ = 1; }", 3), ("{ a-b = 1; }", 4), ("{ a = $b; }", 7), (#"{ a = "\U00E9"; }"#, 8), ("a = 1;", 3),
    ])
  func refused(text: String, column: Int) throws {
    let warnings = try PropertyList.windowMakerWarnings(Array(text.utf8))
    #expect(warnings.map(\.column) == [column], "\(warnings)")
    #expect(warnings.allSatisfy { $0.kind == .windowMaker })
  }

  @Test("what Window Maker reads is not told")
  func accepted() throws {
    let text = "{ \"a-b\" = (1, (2), {c = <0fbd 7a>;}); d = usr/x+y_.z; e = \"\\303\\251\"; f = (); g = {}; }"
    #expect(try PropertyList.windowMakerWarnings(Array(text.utf8)).isEmpty)
  }
}
