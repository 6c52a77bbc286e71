import OpenStepPropertyList
import Testing

/// Paths into property lists, as a person writes them.
struct PropertyListPathTests {
  @Test(
    "a path is read step by step",
    arguments: [
      (".", []), (".a", [.key("a")]), (".a.b", [.key("a"), .key("b")]),
      (".Window.frames[2].x", [.key("Window"), .key("frames"), .index(2), .key("x")]),
      ("[-1][0]", [.index(-1), .index(0)]), (".a[+]", [.key("a"), .insertion(before: nil)]),
      (".a[+2]", [.key("a"), .insertion(before: 2)]),
      (".\"com.apple.x\".y", [.key("com.apple.x"), .key("y")]),
      (".'a.b'", [.key("a.b")]), ("[\"com.apple.x\"].y", [.key("com.apple.x"), .key("y")]),
      (".\".hidden\"", [.key(".hidden")]), (".a.0", [.key("a"), .key("0")]),
      (".a[0]", [.key("a"), .index(0)]),
      (".two words.a-b:c/d.é", [.key("two words"), .key("a-b:c/d"), .key("é")]),
      (".\"\"", [.key("")]), (".\"a\\\"b\\n\"", [.key("a\"b\n")]),
    ] as [(String, [PropertyListPath.Step])])
  func reading(text: String, steps: [PropertyListPath.Step]) throws {
    #expect(try PropertyListPath(text).steps == steps)
  }

  @Test(
    "what is no path is refused with its column",
    arguments: [
      ("", 1), ("a", 1), (".a.", 4), ("..a", 2), (".a[", 4), (".a[x]", 4), (".a[1", 5), (".a[-]", 5),
      (".a[-0]", 6), (".a]", 3), (".a\"b", 3), (".\"a", 2), (".\"a\\", 2), (".a\u{1}", 3),
      (".a[99999999999999999999]", 24), (".a\\b", 3), (".\"a\"b", 5),
    ])
  func refusing(text: String, column: Int) {
    #expect { try PropertyListPath(text) } throws: { ($0 as? PropertyListError)?.column == column }
  }

  @Test("a path has as many steps as a value may be deep, and no more")
  func depth() throws {
    for step in [".a", "[0]"] {
      let text = String(repeating: step, count: PropertyList.maximumDepth)
      #expect(try PropertyListPath(text).steps.count == PropertyList.maximumDepth)
      for count in [1, 60_000] {
        #expect {
          try PropertyListPath(text + String(repeating: step, count: count))
        } throws: {
          ($0 as? PropertyListError)?.column == text.utf8.count + 1
        }
      }
    }
  }

  @Test("a change of a value that nothing shares, and one of a value that another shares, give the same")
  func inPlace() throws {
    var value: PropertyList = ["a": ["b": ["x", "y", ["z": "1"]]], "s": "t"]
    let before = value
    try value.change(at: PropertyListPath(".a.b[2].z")) { old in
      #expect(old == "1")
      return "2"
    }
    try value.change(at: PropertyListPath(".n[+].m")) { _ in "new" }
    try value.remove(at: PropertyListPath(".a.b[-2]"))
    #expect(value == ["a": ["b": ["x", ["z": "2"]]], "s": "t", "n": [["m": "new"]]])
    #expect(before == ["a": ["b": ["x", "y", ["z": "1"]]], "s": "t"])
    for path in [".s.x", ".a.b[7]", ".a.b[-3]", ".none[1]"] {
      let kept = value
      #expect(throws: PropertyListPathError.self) {
        try value.change(at: PropertyListPath(path)) { _ in "x" }
      }
      #expect(throws: PropertyListPathError.self) { try value.remove(at: PropertyListPath(path)) }
      #expect(value == kept)
    }
  }

  @Test("the text of a path reads back as the same path, whatever its keys hold")
  func text() throws {
    let keys = [
      "a", "", ".", "a.b", "[", "]", "\"", "'", "\\", "two words", "\n", "\0", "\u{2028}", "é", "🦄", "-1",
      "0", "+",
    ]
    for key in keys {
      for other in keys {
        let path = PropertyListPath([
          PropertyListPath.Step.key(PropertyListKey(key)), .index(-2), .key(PropertyListKey(other)),
          .insertion(before: 3), .insertion(before: nil),
        ])
        #expect(try PropertyListPath(path.description) == path)
        #expect(!path.description.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{2028}" })
      }
    }
    #expect(PropertyListPath([PropertyListPathStep]()).description == ".")
    #expect(
      PropertyListPath(["Window", "frames", 2, "com.apple.x"]).description
        == ".Window.frames[2].\"com.apple.x\"")
  }

  private let list: PropertyList = ["a": ["b": ["x", "y", ["z": "1"]]], "s": "t", "e": []]

  @Test(
    "a path leads to a value",
    arguments: [
      (".s", "t"), (".a.b[0]", "x"), (".a.b[-1].z", "1"), (".a.b[2]", ["z": "1"]), (".e", []),
    ] as [(String, PropertyList)])
  func values(path: String, value: PropertyList) throws {
    #expect(try list.value(at: PropertyListPath(path)) == value)
    #expect(try list.value(at: PropertyListPath(".")) == list)
  }

  @Test(
    "where a path leads to nothing, the error says why",
    arguments: [
      (".n", PropertyListPathError.Kind.absent, ".n: there is no such key"),
      (".a.n.m", .absent, ".a.n: there is no such key"),
      (".a.b[3]", .absent, ".a.b[3]: the array has 3 elements: 0…2, -3…-1; “[+]” adds one"),
      (".a.b[-4]", .absent, ".a.b[-4]: the array has 3 elements: 0…2, -3…-1; “[+]” adds one"),
      (".e[0]", .absent, ".e[0]: the array is empty; “[+]” adds one"),
      (".a[0]", .mismatch, ".a[0]: .a is a dictionary, which has keys, not elements"),
      ("[0]", .mismatch, "[0]: . is a dictionary, which has keys, not elements"),
      (".a.b.c", .mismatch, ".a.b.c: .a.b is an array, which has elements, not keys"),
      (".s.t", .mismatch, ".s.t: .s is a string, which has neither keys nor elements"),
    ])
  func errors(path: String, kind: PropertyListPathError.Kind, message: String) throws {
    let path = try PropertyListPath(path)
    for attempt in [{ try list.value(at: path) }, { try list.removed(at: path) }] {
      #expect { try attempt() } throws: { error in
        guard let error = error as? PropertyListPathError else { return false }
        return error.kind == kind && error.message == message
      }
    }
  }

  @Test(
    "a change makes the containers that are missing, by the next step's form",
    arguments: [
      (".s", ["a": ["b": ["x", "y", ["z": "1"]]], "s": "new", "e": []]),
      (".a.b[1]", ["a": ["b": ["x", "new", ["z": "1"]]], "s": "t", "e": []]),
      (".a.b[-1].z", ["a": ["b": ["x", "y", ["z": "new"]]], "s": "t", "e": []]),
      (".a.b[+]", ["a": ["b": ["x", "y", ["z": "1"], "new"]], "s": "t", "e": []]),
      (".a.b[+0]", ["a": ["b": ["new", "x", "y", ["z": "1"]]], "s": "t", "e": []]),
      (".e[+].q", ["a": ["b": ["x", "y", ["z": "1"]]], "s": "t", "e": [["q": "new"]]]),
      (".n.m", ["a": ["b": ["x", "y", ["z": "1"]]], "s": "t", "e": [], "n": ["m": "new"]]),
      (".n[+][0].m", ["a": ["b": ["x", "y", ["z": "1"]]], "s": "t", "e": [], "n": [[["m": "new"]]]]),
      (".", "new"),
    ] as [(String, PropertyList)])
  func changing(path: String, result: PropertyList) throws {
    #expect(try list.changed(at: PropertyListPath(path)) { _ in "new" } == result)
  }

  @Test(
    "a change is refused where there is no place for it",
    arguments: [
      ".a.b[3]", ".e[0]", ".a.b[+4]", ".n[1]", ".n[-1]", ".n[+1]", ".a[+]", ".s.x", ".a.b.c", "[+]",
    ])
  func refusedChanges(path: String) throws {
    let path = try PropertyListPath(path)
    #expect(throws: PropertyListPathError.self) { try list.changed(at: path) { _ in "new" } }
  }

  @Test("a change is given the old value, and nothing for a new one")
  func oldValues() throws {
    for (path, value) in [(".s", "t"), (".a.b[0]", "x"), (".n", nil), (".a.b[+]", nil)]
      as [(String, PropertyList?)]
    {
      _ = try list.changed(at: PropertyListPath(path)) { old in
        #expect(old == value)
        return "new"
      }
    }
  }

  @Test("removal closes the gap in an array, and leaves an empty container")
  func removing() throws {
    #expect(
      try list.removed(at: PropertyListPath(".a.b[0]")) == [
        "a": ["b": ["y", ["z": "1"]]], "s": "t", "e": [],
      ])
    #expect(
      try list.removed(at: PropertyListPath(".a.b[-1].z")) == [
        "a": ["b": ["x", "y", [:]]], "s": "t", "e": [],
      ])
    #expect(try list.removed(at: PropertyListPath(".a")) == ["s": "t", "e": []])
    #expect(throws: PropertyListPathError.self) { try list.removed(at: PropertyListPath(".")) }
  }

  @Test("differences stand at the deepest places, in the order of the keys")
  func differences() {
    let old: PropertyList = [
      "a": ["b": "1", "c": ["x"]], "d": "1", "e": ["y": "z"], "l": ["p", "q"], "same": ["k": "v"],
    ]
    let new: PropertyList = [
      "a": ["b": "2", "c": ["x", "w"]], "d": .integer(1), "l": ["q"], "n": ["m": "o"], "same": ["k": "v"],
    ]
    func between(_ old: PropertyList?, _ new: PropertyList?) -> [PropertyListDifference] {
      var differences: [PropertyListDifference] = []
      PropertyListDifference.forEach(between: old, and: new) { differences.append($0) }
      return differences
    }
    #expect(
      between(old, new).map { "\(PropertyListPath($0.path)) \($0.change)" }
        == [
          ".a.b \(PropertyListDifference.Change.replaced("1", "2"))",
          ".a.c \(PropertyListDifference.Change.appended(["w"]))",
          ".d \(PropertyListDifference.Change.replaced("1", .integer(1)))",
          ".e \(PropertyListDifference.Change.removed(["y": "z"]))",
          ".l \(PropertyListDifference.Change.replaced(["p", "q"], ["q"]))",
          ".n \(PropertyListDifference.Change.added(["m": "o"]))",
        ])
    #expect(between(old, old).isEmpty)
    #expect(between(nil, nil).isEmpty)
    #expect(between(nil, new).map(\.change) == [.added(new)])
  }
}
