import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsImport

struct ImportedTreeTests {
  private let store: OldStore
  private static let host = "01234567-89AB-CDEF-0123-456789abcdef"

  init() throws {
    store = try OldStore()
  }

  private func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: store.home.path(name), withIntermediateDirectories: true)
  }

  @Test("what is no domain's file is left out with a line, and hidden files without one")
  func leftOut() throws {
    try store.home.write("{ a = b; }", to: "App.plist")
    try store.home.write("{ a = b; }", to: "App.plist.bak")
    try store.home.write("{ a = b; }", to: ".hidden")
    try store.home.write("", to: ".plist")
    try makeDirectory("Folder")
    try makeDirectory(".lck")
    try FileManager.default.createSymbolicLink(
      atPath: store.home.path("Link.plist"), withDestinationPath: "App.plist")
    #expect(mkfifo(store.home.path("Pipe.plist"), 0o600) == 0)
    let contents = try store.read()
    #expect(contents.domains == ["App": ["a": "b"]])
    let remarks = Dictionary(
      uniqueKeysWithValues: contents.remarks.map {
        (String($0.text.dropFirst(store.path.count + 1).prefix { $0 != ":" }), $0.weight)
      })
    #expect(
      remarks == ["App.plist.bak": .note, "Folder": .note, "Link.plist": .loss, "Pipe.plist": .loss])
    // A file that is named is followed and has its own name.
    #expect(try store.read("Link.plist").domains == ["Link": ["a": "b"]])
    #expect(try store.read("App.plist.bak").domains == ["App.plist.bak": ["a": "b"]])
  }

  @Test("names that are not UTF-8, which cannot be spoken of, are counted in a line")
  func foreignNames() throws {
    try store.home.write("{ a = b; }", to: "App.plist")
    let path =
      Array(store.path.utf8CString.dropLast()) + "/K".utf8CString.dropLast() + [-10] + "ln.plist".utf8CString
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    // Some file systems refuse such a name themselves.
    guard descriptor >= 0 else { return }
    close(descriptor)
    let contents = try store.read()
    #expect(contents.domains == ["App": ["a": "b"]])
    #expect(
      contents.losses.map(\.text) == [
        "\(store.path): names that are not UTF-8 were left out: 1; rename the files, or pipe each into "
          + "“defaults import DOMAIN -”"
      ])
  }

  @Test("of two files of one domain the one with the extension counts, and the other is told of")
  func twoFiles() throws {
    try store.home.write("{ a = b; }", to: "App.plist")
    try store.home.write("{ a = b; }", to: "App")
    #expect(try store.read().remarks.isEmpty)
    try store.home.write("{ a = c; }", to: "App")
    let contents = try store.read()
    #expect(contents.domains == ["App": ["a": "b"]])
    #expect(contents.losses.map { $0.text.hasPrefix("\(store.path)/App: was not carried") } == [true])
  }

  @Test("Apple's global preferences are the global domain; a text of that name is a domain of its own")
  func globalPreferences() throws {
    try store.home.write(OldStore.appleXML, to: ".GlobalPreferences.plist")
    #expect(try store.read().domains == ["NSGlobalDomain": ["On": .boolean(true)]])
    #expect(
      try store.read(".GlobalPreferences.plist").domains == ["NSGlobalDomain": ["On": .boolean(true)]])
    try store.home.write("{ a = b; }", to: ".GlobalPreferences.plist")
    #expect(try store.read().domains == [".GlobalPreferences": ["a": "b"]])
  }

  // Its other files took its place: a part of the domain, or an older one.
  @Test("a domain of which a file cannot be read is not carried, though other files have something of it")
  func partlyUnreadable() throws {
    try makeDirectory("ByHost")
    try store.home.write("bplist00 broken", to: "com.example.App.plist")
    try store.home.write(
      OldStore.binary(["h": 9]), to: "ByHost/com.example.App.\(ImportedTreeTests.host).plist")
    let contents = try store.read(as: .macOS)
    #expect(contents.domains.isEmpty)
    #expect(
      contents.losses.last?.text
        == "\(store.path)/com.example.App.plist: the domain “com.example.App” was not carried, since this file of it "
        + "could not be read")
    let other = try OldStore()
    try other.home.write("{ a = ", to: "App.plist")
    try other.home.write("{ Old = { a = b; }; App = { Size = 1999; }; }", to: ".GNUstepDefaults")
    #expect(try other.read().domains == ["Old": ["a": "b"]])
    try other.home.write("{ Size = 1995; }", to: "App")
    #expect(try other.read().domains["App"] == nil)
    // What a file with the extension hides does not count.
    for text in ["{ a = ", nil] {
      let hidden = try OldStore()
      try hidden.home.write("{ Size = 5; }", to: "App.plist")
      if let text {
        try hidden.home.write(text, to: "App")
      } else {
        #expect(symlink("elsewhere", hidden.home.path("App")) == 0)
      }
      #expect(try hidden.read().domains == ["App": ["Size": "5"]])
    }
    // Nor where no file lies there.
    for kind in ["link", "pipe", "directory"] {
      let path = other.home.path("App.plist")
      try FileManager.default.removeItem(atPath: path)
      switch kind {
      case "link": #expect(symlink("elsewhere", path) == 0)
      case "pipe": #expect(mkfifo(path, 0o600) == 0)
      default: #expect(mkdir(path, 0o700) == 0)
      }
      let found = try other.read()
      #expect(found.domains == ["Old": ["a": "b"]], "\(kind)")
      #expect(
        found.losses.contains {
          $0.text.hasSuffix("was not carried, since this file of it could not be read")
        })
    }
  }

  @Test(
    "a host's file belongs to its domain, counts before the one for all hosts, and what it hides is told of")
  func hosts() throws {
    try makeDirectory("ByHost")
    try store.home.write(OldStore.binary(["a": "all", "b": "same"]), to: "com.example.App.plist")
    try store.home.write(
      OldStore.binary(["a": "host", "b": "same", "c": 1]),
      to: "ByHost/com.example.App.\(ImportedTreeTests.host).plist")
    try store.home.write(
      OldStore.binary(["g": 1]), to: "ByHost/.GlobalPreferences.\(ImportedTreeTests.host).plist")
    try store.home.write(OldStore.binary(["d": 1]), to: "ByHost/com.example.Other.00112233aabb.plist")
    try store.home.write(OldStore.binary(["e": 1]), to: "ByHost/com.example.word.plist")
    let contents = try store.read(as: .macOS)
    #expect(
      contents.domains == [
        "com.example.App": ["a": "host", "b": "same", "c": .integer(1)], "NSGlobalDomain": ["g": .integer(1)],
        "com.example.Other": ["d": .integer(1)], "com.example.word": ["e": .integer(1)],
      ])
    #expect(contents.remarks.count == 1)
    #expect(
      contents.remarks[0].text.hasPrefix(
        "\(store.path)/com.example.App.plist: the key “a” of the domain “com.example.App” was not carried"))
    #expect(try store.read("ByHost").domains["com.example.App"]?["a"] == "host")
    #expect(
      try store.read("ByHost/com.example.App.\(ImportedTreeTests.host).plist").domains["com.example.App"]?[
        "c"]
        == .integer(1))
  }

  @Test("of two files of the global domain one counts, and the other is told of")
  func twoGlobals() throws {
    try store.home.write(OldStore.appleXML, to: ".GlobalPreferences.plist")
    try store.home.write("{ a = b; }", to: "NSGlobalDomain.plist")
    let contents = try store.read()
    #expect(contents.domains == ["NSGlobalDomain": ["On": .boolean(true)]])
    #expect(
      contents.losses.map(\.text) == [
        "\(store.path)/NSGlobalDomain.plist: was not carried, since another file holds the domain “NSGlobalDomain”"
      ])
  }

  @Test("a link that is named is followed, to a file and to a directory, and in a circle it is an error")
  func links() throws {
    try makeDirectory("Real")
    try store.home.write("{ a = b; }", to: "Real/App.plist")
    for (link, destination) in [
      ("Folder", "Real"), ("One.plist", "Two"), ("Two", "Real/App.plist"), ("Round", "Round"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: store.home.path(link), withDestinationPath: destination)
    }
    #expect(try store.read("Folder").domains == ["App": ["a": "b"]])
    #expect(try store.read("One.plist").domains == ["One": ["a": "b"]])
    #expect(throws: DatabaseError.self) { try store.read("Round") }
  }

  @Test("outside of that folder a name that ends like a host's is a domain's whole name")
  func noHost() throws {
    try store.home.write("{ a = b; }", to: "App.\(ImportedTreeTests.host).plist")
    #expect(try store.read().domains.keys.sorted() == ["App.\(ImportedTreeTests.host)"])
  }

  @Test("of two hosts' different values the first counts, and the second is told of")
  func twoHosts() throws {
    try makeDirectory("ByHost")
    let other = "11234567-89AB-CDEF-0123-456789ABCDEF"
    try store.home.write(OldStore.binary(["a": "1", "b": "x"]), to: "ByHost/App.\(other).plist")
    try store.home.write(
      OldStore.binary(["a": "2", "b": "x"]), to: "ByHost/App.\(ImportedTreeTests.host).plist")
    let contents = try store.read()
    #expect(contents.domains == ["App": ["a": "1", "b": "x"]])
    #expect(contents.losses.map { $0.text.contains("the key “a”") && $0.text.contains(other) } == [true])
  }

  @Test("damage is told of with its place, and leaves the other domains alone")
  func damage() throws {
    try store.home.write("{ a = ( ; }", to: "Bad.plist")
    try store.home.write([], to: "Empty.plist")
    try store.home.write("<plist><dict>", to: "Cut.plist")
    try store.home.write("{ a = b; }", to: "Good.plist")
    let contents = try store.read()
    #expect(contents.domains == ["Good": ["a": "b"]])
    #expect(contents.remarks.map(\.weight) == Array(repeating: .failure(.damaged), count: 3))
    #expect(contents.remarks[0].text.hasPrefix("\(store.path)/Bad.plist:1:9: "))
  }

  @Test("an archive is carried with its references; what is no dictionary of strings is told of")
  func foreign() throws {
    // The key “a” with the reference 5, and the key 1 with “a”.
    try store.home.write(OldStore.binary(key: [0x51, 0x61], value: [0x80, 5]), to: "Archive.plist")
    try store.home.write(OldStore.binary(key: [0x10, 1], value: [0x51, 0x61]), to: "Numbers.plist")
    try store.home.write(OldStore.binary(key: [0x51, 0x61], value: [0x10, 1]), to: "Plain.plist")
    try store.home.write("(a, b)", to: "List")
    try store.home.write("\"menu.hook\"", to: "Hook")
    let contents = try store.read()
    #expect(contents.domains == ["Plain": ["a": .integer(1)], "Archive": ["a": ["CF$UID": .integer(5)]]])
    #expect(contents.remarks.map(\.weight) == [.loss, .loss, .failure(.damaged)])
    for (remark, text) in zip(
      contents.remarks,
      ["holds a single value", "holds a single", "object 0, byte 9: the object has object 1 for a key"])
    {
      #expect(remark.text.contains(text), "\(remark.text)")
    }
  }

  // A Window Maker's directory could not be imported without a failure, because it has a menu.
  @Test("Window Maker's menus are no domains, and a note", arguments: [nil, StoreKind.windowMaker, .gnustep])
  func menus(kind: StoreKind?) throws {
    let menus = [
      (
        "Hand",
        "(\"Window Maker\", (Run..., EXEC, \"%A(Run)\"), (Appearance, (Themes, OPEN_MENU, \"-noext\")))"
      ),
      ("Lines", "#include \"wmmacros\"\n\n\"Menu\" MENU\n\t\"XTerm\" EXEC xterm\n\"Menu\"\tEND\n"),
      ("WMRootMenu", ""),
    ]
    for (name, text) in menus { try store.home.write(text, to: name) }
    for text in [
      "(Applications, (\"XTerm\", EXEC, \"xterm\"), (\"Workspaces\", WORKSPACE_MENU))", "\"menu.hook\"",
      "menu.hook", "(Applications)", "\"Menu\" MENU\n\"Menu\" END\n",
    ] {
      try store.home.write(text, to: "WMRootMenu")
      let contents = try store.read(as: kind)
      #expect(contents.domains.isEmpty)
      #expect(
        contents.remarks
          == menus.map { name, _ in
            ImportRemark(
              .note, path: store.home.path(name),
              "is a menu of Window Maker's, which is no domain, and was left out")
          })
    }
  }

  @Test("a list that is no menu, a damaged file and a named file are told of as before")
  func noMenus() throws {
    for text in ["(a)", "(a, (b))", "(a, b, (c, d))", "((a, b), (c, d))", "()"] {
      try store.home.write(text, to: "List")
      #expect(try store.read().remarks.map(\.weight) == [.loss])
    }
    try store.home.write("{ a = \"x MENU\n", to: "List")
    #expect(try store.read().remarks.map(\.weight) == [.failure(.damaged)])
    try store.home.write("{ a = b; }", to: "WMRootMenu")
    #expect(try store.read("WMRootMenu").domains == ["WMRootMenu": ["a": "b"]])
  }

  @Test(
    "the two files of NEXTSTEP's database are named as what they are, in their directory and by themselves")
  func nextstep() throws {
    for name in [".NeXTdefaults.D", ".NeXTdefaults.L"] {
      try store.home.write([0, 0, 0, 7, 0x1F, 0xFF, 0x80, 0x45], to: name)
    }
    let sentence =
      "is one of the two binary files of the defaults database of NEXTSTEP 1 to 3, which is no property list; "
      + "“dread” on NEXTSTEP prints what it holds"
    let remarks = [".NeXTdefaults.D", ".NeXTdefaults.L"].map {
      ImportRemark(.failure(.damaged), path: store.home.path($0), sentence)
    }
    #expect(try Set(store.read().remarks) == Set(remarks))
    #expect(try store.read(".NeXTdefaults.D").remarks == [remarks[0]])
    #expect(try store.read(".NeXTdefaults.L").remarks == [remarks[1]])
  }

  @Test("a store that is not there, or is a pipe, is an error")
  func nothing() throws {
    #expect { try store.read("none") } throws: {
      ($0 as? DatabaseError)?.kind == .inputOutput(code: SystemError.notFound.code)
    }
    #expect(mkfifo(store.home.path("pipe"), 0o600) == 0)
    #expect(throws: DatabaseError.self) { try store.read("pipe") }
  }

  @Test(
    "what a file has that is no character is told of that file's keys, also where two files are one domain")
  func replacements() throws {
    try makeDirectory("ByHost")
    let (app, host) = ("com.example.App.plist", "ByHost/com.example.App.\(ImportedTreeTests.host).plist")
    // The key “a” of the binary file has half a surrogate pair.
    let own = try OldStore.binary(["Own": "\u{FFFD}"])
    for (first, second, path) in [(own, LoneSurrogate.binary, host), (LoneSurrogate.binary, own, app)] {
      try store.home.write(first, to: app)
      try store.home.write(second, to: host)
      let losses = try store.read().losses
      #expect(losses.count == 1 && losses.first?.text.hasPrefix(store.home.path(path)) == true, "\(losses)")
      #expect(losses.first?.text.contains("the key “a” of") == true, "\(losses)")
    }
  }
}
