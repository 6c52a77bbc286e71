import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsImport

struct ImportedStoreTests {
  private let store: OldStore

  init() throws {
    store = try OldStore()
  }

  @Test("GNUstep's XML, typed text, text and binary files are read with their types")
  func gnustep() throws {
    try store.home.write(OldStore.gnustepXML, to: "XML.plist")
    try store.home.write(OldStore.typedText, to: "Typed.plist")
    try store.home.write("{ Name = \"caf\\U00E9\"; }", to: "Text.plist")
    try store.home.write(OldStore.binary(["Count": 5]), to: "Binary.plist")
    let contents = try store.read(as: .gnustep)
    #expect(contents.remarks.isEmpty)
    #expect(
      contents.domains == [
        "XML": ["Count": .integer(5), "Escape": "\u{1B}"],
        "Typed": [
          "Count": .integer(5), "Half": .real(0.5), "Name": "café",
          "When": .date(PropertyListDate(secondsSinceReferenceDate: 0)),
        ],
        "Text": ["Name": "café"], "Binary": ["Count": .integer(5)],
      ])
  }

  @Test(
    "what GNUstep's own defaults left is recognised and carried",
    .enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)))
  func realGNUstep() throws {
    let gnustep = try GNUstepHome()
    for (key, text) in [
      ("Count", "<*I5>"), ("Half", "<*R0.5>"), ("List", "(a, \"b c\")"), ("Data", "<00ff>"),
    ] {
      try gnustep.gnustepDefaults("write", "App", key, text)
    }
    try gnustep.gnustepDefaults("write", "NSGlobalDomain", "Name", "caf\u{E9}")
    var domains: [String: [PropertyListKey: PropertyList]] = [:]
    var kinds: Set<StoreKind> = []
    try ImportedStore(at: gnustep.directory).forEachDomain(
      {
        domains[$0.name.text] = $0.values
        kinds.insert($0.kind)
      }, report: { Issue.record("\($0.text)") })
    #expect(kinds == [.gnustep])
    #expect(
      domains == [
        "App": ["Count": .integer(5), "Half": .real(0.5), "List": ["a", "b c"], "Data": .data([0, 0xFF])],
        "NSGlobalDomain": ["Name": "café"],
      ])
  }

  @Test("each file is what its contents tell, whatever its name is")
  func recognition() throws {
    try store.home.write(OldStore.gnustepXML, to: "a")
    try store.home.write(OldStore.typedText, to: "b")
    try store.home.write(OldStore.plainText, to: "c.plist")
    try store.home.write(OldStore.windowMakerState, to: "d.plist")
    try store.home.write(OldStore.appleXML, to: "e")
    try store.home.write(OldStore.binary(["x": "y"]), to: "f")
    try store.home.write(OldStore.singleFile, to: "g.plist")
    let contents = try store.read()
    #expect(
      contents.kinds == [
        "a": .gnustep, "b": .gnustep, "c": .openStep, "d": .windowMaker, "e": .macOS, "f": .macOS,
        "Gorm": .gnustepSingle, "NSGlobalDomain": .gnustepSingle, "Typed": .gnustepSingle,
      ])
    #expect(contents.remarks.isEmpty)
  }

  @Test(
    "a kind that is insisted on refuses every file that is certainly something else",
    arguments: [
      (StoreKind.gnustep, ["gnustep", "binary", "text", "apple"]),
      (.gnustepSingle, ["single"]), (.openStep, ["text"]), (.windowMaker, ["text", "state"]),
      (.macOS, ["apple", "binary", "gnustep"]),
    ])
  func insistence(kind: StoreKind, accepted: [String]) throws {
    // XML that both GNUstep and Apple write tells nothing.
    let files: [String: [UInt8]] = [
      "gnustep": Array(OldStore.gnustepXML.utf8), "text": Array(OldStore.plainText.utf8),
      "state": Array(OldStore.windowMakerState.utf8), "apple": Array(OldStore.appleXML.utf8),
      "binary": try OldStore.binary(["x": "y"]), "single": Array(OldStore.singleFile.utf8),
      "oldGNUstep": Array(
        OldStore.gnustepXML.replacing("-//Apple//DTD PLIST 1.0//EN", with: "-//GNUstep//DTD plist 0.9//EN")
          .utf8),
      "typed": Array(OldStore.typedText.utf8),
    ]
    let all = accepted + (kind == .gnustep ? ["oldGNUstep", "typed"] : [])
    for (name, bytes) in files {
      try store.home.write(bytes, to: name)
      let contents = try store.read(name, as: kind)
      #expect(contents.losses.isEmpty == all.contains(name), "\(name)")
      #expect(contents.domains.isEmpty != all.contains(name), "\(name)")
      if let loss = contents.losses.first {
        #expect(loss.weight == .loss && loss.text.hasPrefix("\(store.home.path(name)): is "), "\(loss.text)")
        #expect(loss.text.contains("“-from auto”"), "\(loss.text)")
      }
    }
  }

  // A text in NeXT's set with keys that Window Maker's preferences have too could not be imported without a loss.
  @Test("a text in which escapes are no UTF-8 is OPENSTEP's if that is expected, whatever its keys are")
  func expectedText() throws {
    let keys = "HighlightColor = red; IconSize = 48; IconPosition = left;"
    try store.home.write("{ \(keys) Title = \"Men\\366\"; }", to: "Viewer.plist")
    let contents = try store.read("Viewer.plist", as: .openStep)
    #expect(contents.losses.isEmpty && contents.domains["Viewer"]?["Title"] == "Menü")
    try store.home.write("{ \(keys) Title = \"Men\\303\\274\"; }", to: "Viewer.plist")
    #expect(try store.read("Viewer.plist", as: .openStep).losses.count == 1)
  }

  @Test("GNUstep's single file gives its domains, but not those that have a newer file of their own")
  func singleFile() throws {
    try store.home.write(OldStore.singleFile, to: ".GNUstepDefaults")
    let alone: [String: [PropertyListKey: PropertyList]] = [
      "Gorm": ["ShowPalettes": "YES"], "NSGlobalDomain": [:], "Typed": ["Count": .integer(5)],
    ]
    #expect(try store.read().domains == alone)
    #expect(try store.read(".GNUstepDefaults").domains == alone)
    #expect(try store.read(as: .gnustepSingle).domains == alone)
    try store.home.write("{ ShowPalettes = NO; }", to: "Gorm.plist")
    let contents = try store.read()
    #expect(contents.domains["Gorm"] == ["ShowPalettes": "NO"])
    #expect(contents.domains["Typed"] == ["Count": .integer(5)])
    #expect(contents.losses.isEmpty && contents.remarks.count == 1)
    #expect(contents.remarks[0].text.contains("“Gorm” was left out"))
    #expect(try store.read(as: .gnustepSingle).domains == alone)
    let others = try store.read(as: .gnustep)
    #expect(others.domains.keys.sorted() == ["Gorm"] && others.remarks.map(\.weight) == [.note])
  }

  @Test("the single file is refused where it is no dictionary of domains, and where there is none")
  func noSingleFile() throws {
    try store.home.write("{ App = { a = b; }; Name = c; }", to: ".GNUstepDefaults")
    let contents = try store.read(as: .gnustepSingle)
    #expect(contents.domains.isEmpty && contents.losses.count == 1)
    #expect(contents.losses.first?.text.contains("is no dictionary of domains") == true)
    let empty = try OldStore()
    #expect { try empty.read(as: .gnustepSingle) } throws: { ($0 as? DatabaseError)?.kind == .refused }
  }

  @Test("a domain of the single file whose name no file can have is told of, and the others are carried")
  func badNames() throws {
    let long = String(repeating: "x", count: 250)
    try store.home.write(
      "{ \"a/b\" = { x = y; }; \(long) = { x = y; }; App = { x = y; }; NSGlobalDomain = {}; }",
      to: "old.plist")
    let contents = try store.read()
    #expect(contents.domains == ["a/b": ["x": "y"], "App": ["x": "y"], "NSGlobalDomain": [:]])
    #expect(contents.losses.count == 1 && contents.losses[0].weight == .loss)
    #expect(contents.losses[0].text.contains("“\(long)”: cannot be the name of a domain"))
  }

  @Test(
    "text that is not Unicode is in NeXT's set, but GNUstep's in ISO Latin 1, or in the set that is named")
  func encodings() throws {
    let bytes = Array("{ Name = \"".utf8) + [0xE4] + Array("\"; }".utf8)
    try store.home.write(bytes, to: "App.plist")
    for (kind, encoding, name) in [
      (nil, nil, "î"), (StoreKind.openStep, nil, "î"), (.gnustep, nil, "ä"), (nil, .isoLatin1, "ä"),
      (.gnustep, .nextStep, "î"),
    ] as [(StoreKind?, PropertyList.ParsingOptions.EightBitEncoding?, PropertyList)] {
      let contents = try store.read(as: kind, encoding: encoding)
      #expect(contents.domains == ["App": ["Name": name]])
      // The guess is told of.
      #expect(contents.remarks.map(\.weight) == (encoding == nil ? [.note] : []))
    }
    // The typed value shows whose it is.
    try store.home.write(
      Array("{ Count = <*I5>; Name = \"".utf8) + [0xE4] + Array("\"; }".utf8), to: "App.plist")
    #expect(try store.read().domains == ["App": ["Count": .integer(5), "Name": "ä"]])
  }

  @Test("octal escapes are NeXT's characters, and UTF-8 in the files of Window Maker")
  func octalEscapes() throws {
    try store.home.write("{ Name = \"caf\\335\"; }", to: "App.plist")
    try store.home.write(OldStore.windowMakerState, to: "WMState")
    try store.home.write("{ Mine = \"caf\\303\\251\"; }", to: "WPrefs")
    let contents = try store.read()
    #expect(contents.domains["App"] == ["Name": "café"])
    #expect(contents.domains["WMState"] == ["Dock": ["Applications": [["Name": "café"]]]])
    #expect(contents.domains["WPrefs"] == ["Mine": "café"])
    #expect(contents.kinds["WPrefs"] == .windowMaker)
    #expect(contents.remarks.isEmpty)
  }

  // NeXT's “ü” was refused as Window Maker's, and became U+FFFD without a kind.
  @Test("keys that Window Maker has as well do not make other programs' texts its own")
  func keysByChance() throws {
    // \366 is ü in NeXT's set, and no UTF-8.
    try store.home.write("{ Editor = { Icon = \"Men\\366.png\"; }; }", to: "App.plist")
    for kind in [nil, StoreKind.openStep] {
      let contents = try store.read(as: kind)
      #expect(contents.kinds == ["App": .openStep] && contents.remarks.isEmpty)
      #expect(contents.domains == ["App": ["Editor": ["Icon": "Menü.png"]]])
    }
    // Where both are possible, the kind that is asked for decides.
    try store.home.write("{ Editor = { Icon = \"\\303\\244\"; }; }", to: "App.plist")
    for (kind, icon) in [(nil, "ä"), (.windowMaker, "ä"), (StoreKind.openStep, "\u{2C6}\u{2044}")] {
      let contents = try store.read(as: kind)
      #expect(contents.kinds == ["App": kind ?? .windowMaker] && contents.remarks.isEmpty)
      #expect(contents.domains == ["App": ["Editor": ["Icon": .string(icon)]]])
    }
    // With keys that no other program has it is Window Maker's, also where an escape is damaged.
    try store.home.write(
      "{ FocusMode = a; MenuStyle = b; IconPosition = \"\\303\\244\"; IconBack = \"x\\344\"; }",
      to: "App.plist")
    let certain = try store.read()
    #expect(certain.kinds == ["App": .windowMaker])
    #expect(certain.domains.first?.value["IconPosition"] == "ä")
    // Window Maker refuses comments.
    try store.home.write(
      "{ /* mine */ FocusMode = a; MenuStyle = b; IconBack = \"\\331\"; }", to: "App.plist")
    let contents = try store.read()
    #expect(contents.kinds == ["App": .openStep])
    #expect(contents.domains == ["App": ["FocusMode": "a", "MenuStyle": "b", "IconBack": "ä"]])
  }

  @Test("a byte that the character set does not have is told of with its key")
  func replacements() throws {
    try store.home.write(
      Array("{ Good = \"".utf8) + [0xE4] + Array("\"; Bad = ( \"".utf8) + [0xFF] + Array("\" ); }".utf8),
      to: "App.plist")
    try store.home.write("{ Real = \"\u{FFFD}\"; Escaped = \"\\UFFFD\"; }", to: "Own.plist")
    let contents = try store.read()
    #expect(contents.domains["App"] == ["Good": "î", "Bad": ["\u{FFFD}"]])
    #expect(contents.domains["Own"] == ["Real": "\u{FFFD}", "Escaped": "\u{FFFD}"])
    #expect(contents.losses.count == 1)
    #expect(contents.losses.first?.text.contains("the key “Bad” of the domain “App” has bytes") == true)
  }

  // It was guessed from the first bytes of a file whether it can hold the character.
  @Test("U+FFFD that stands in a file is no loss, in whatever format")
  func ownReplacementCharacters() throws {
    var values: [PropertyListKey: PropertyList] = ["Own": "\u{FFFD}"]
    for number in 0..<40 { values[PropertyListKey("k\(number)")] = .string("v\(number)") }
    let list = PropertyList.dictionary(values)
    try store.home.write(list.binaryBytes(), to: "Binary.plist")
    try store.home.write(list.text(), to: "Text.plist")
    try store.home.write(list.xmlBytes(), to: "XML.plist")
    let reference = "<plist version=\"1.0\"><dict><key>Own</key><string>&#65533;</string></dict></plist>"
    try store.home.write(reference, to: "Reference.plist")
    let contents = try store.read()
    #expect(contents.losses.isEmpty, "\(contents.losses)")
    for name in ["Binary", "Text", "XML", "Reference"] {
      #expect(contents.domains[name]?["Own"] == "\u{FFFD}", "\(name)")
    }
  }

  @Test("notes behind values keep their types")
  func notes() throws {
    try store.home.write("{ Count = 5 /*integer*/; }", to: "App.plist")
    #expect(try store.read().domains == ["App": ["Count": .integer(5)]])
  }

  @Test(
    "the administrator follows a link in a user's directory only where that user could",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func foreignLink() throws {
    let home = try TemporaryHome()
    #expect(chmod(home.path, 0o755) == 0)
    for name in ["theirs", "secret"] {
      try FileManager.default.createDirectory(atPath: home.path(name), withIntermediateDirectories: false)
    }
    #expect(chmod(home.path("secret"), 0o700) == 0)
    try home.write("{ secret = 1; }", to: "secret/App.plist")
    #expect(symlink("../secret", home.path("theirs/Defaults")) == 0)
    #expect(chown(home.path("theirs"), 65534, 65534) == 0)
    for name in ["Defaults", "Defaults/App.plist"] {
      let store = ImportedStore(at: home.path("theirs/\(name)"))
      let error = #expect(throws: DatabaseError.self) {
        try store.forEachDomain(
          { Issue.record("\($0.name) was read") }, report: { Issue.record("\($0.text)") })
      }
      #expect(error?.kind == .inputOutput(code: EACCES))
      #expect(throws: DatabaseError.self) {
        try store.domain(named: DomainName("App"), bytes: nil) { _ in }
      }
    }
    // A file of the administrator's with a second name there.
    #expect(chmod(home.path("secret/App.plist"), 0o600) == 0)
    #expect(link(home.path("secret/App.plist"), home.path("theirs/App.plist")) == 0)
    var remarks: [ImportRemark] = []
    try ImportedStore(at: home.path("theirs/App.plist")).forEachDomain(
      { Issue.record("\($0.name) was read") }, report: { remarks.append($0) })
    #expect(remarks.count == 1 && remarks.first?.text.contains("Permission denied") == true)
    // What lies in the administrator's own directories is read with the administrator's rights.
    var names: [String] = []
    try ImportedStore(at: home.path("secret")).forEachDomain(
      { names.append($0.name.text) }, report: { Issue.record("\($0.text)") })
    #expect(names == ["App"])
  }
}
