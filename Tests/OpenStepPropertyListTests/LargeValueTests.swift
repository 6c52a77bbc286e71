import OpenStepPropertyList
import Testing

/// Values that are large enough for the writer to guess how long their text will be.
@Suite
struct LargeValueTests {
  @Test(
    "the text is whole however far its beginning is from the rest in length",
    arguments: [(1, 1), (1, 3000), (3000, 1), (70_000, 1), (1, 200_000)])
  func lengths(first: Int, rest: Int) throws {
    let strings = (0..<6000).map { index in
      String(repeating: "x", count: index < 3000 ? first % 5000 + 1 : (index == 3000 ? rest : rest % 5000))
        + (index == 0 ? String(repeating: "y", count: first) : "")
    }
    let expected = strings.map { $0.isEmpty ? "\"\"" : $0 }
    #expect(
      try PropertyList.array(strings.map { .string($0) }).text()
        == "(\n    " + expected.joined(separator: ",\n    ") + "\n)\n")
  }

  // Told by the optimized build alone, in which the memory of a text may go before it was copied.
  @Test("the text is whole where its beginning promised far more", arguments: [1000, 20_000])
  func highGuess(count: Int) throws {
    let strings = (0..<count).map { $0 < 20 ? String(repeating: "long", count: 25_000) : "short" }
    #expect(
      try PropertyList.array(strings.map { .string($0) }).text()
        == "(\n    " + strings.joined(separator: ",\n    ") + "\n)\n")
  }

  @Test("dictionaries of any size in dictionaries of any size are sorted", arguments: [3, 24, 25, 26, 300])
  func nestedDictionaries(count: Int) throws {
    func key(_ number: Int) -> String { "the same beginning " + String(number * 7919 % 100_003) + " end" }
    func entries(_ value: PropertyList) -> PropertyList {
      .dictionary(
        [PropertyListKey: PropertyList](
          uniqueKeysWithValues: (0..<count).map { (PropertyListKey(key($0)), value) }))
    }
    func text(_ value: String, indent: String) -> String {
      let keys = (0..<count).map(key).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return "{\n" + keys.map { "\(indent)    \"\($0)\" = \(value);\n" }.joined() + indent + "}"
    }
    #expect(
      try entries(entries("v")).text() == text(text("v", indent: "    "), indent: "") + "\n")
  }

  @Test("a large value that cannot be written gives its error")
  func failure() {
    let strings = [PropertyList](repeating: .string(String(repeating: "x", count: 100)), count: 3000)
    let tooEarly = PropertyList.date(PropertyListDate(secondsSinceReferenceDate: 0.5))
    #expect(throws: PropertyListError.self) {
      try PropertyList.array(strings + [tooEarly]).bytes(style: .gnustep)
    }
  }

  @Test("of many equal keys the last one wins")
  func equalKeys() throws {
    let text = (0..<2000).map { "k\($0 % 100) = v\($0); " }.joined()
    let expected = (1900..<2000).map { (PropertyListKey("k\($0 % 100)"), PropertyList.string("v\($0)")) }
    #expect(
      try PropertyList(parsing: "{ \(text)}")
        == .dictionary([PropertyListKey: PropertyList](uniqueKeysWithValues: expected)))
  }

  @Test("long data is written whole wherever it stands", arguments: [65_000, 65_537, 300_000])
  func data(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if index > 0, index % 4 == 0 { text.append(UInt8(ascii: " ")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    let data = "<\(String(decoding: text, as: UTF8.self))>"
    let value = PropertyList.data(bytes)
    #expect(try value.text() == data + "\n")
    #expect(try (["k": value] as PropertyList).text() == "{\n    k = \(data);\n}\n")
    #expect(
      try (["a": "1", "b": value, "c": "2", "d": value] as PropertyList).text()
        == "{\n    a = 1;\n    b = \(data);\n    c = 2;\n    d = \(data);\n}\n")
    #expect(try ([value] as PropertyList).text() == "(\n    \(data)\n)\n")
    #expect(
      try (["x": ["a", ["k": value], value]] as PropertyList).text(style: .oneLine)
        == "{x = (a, {k = \(data); }, \(data)); }")
    #expect(
      try (["x": ["k": value, "l": "1"], "y": [value, "1"]] as PropertyList).text()
        == """
        {
            x = {
                k = \(data);
                l = 1;
            };
            y = (
                \(data),
                1
            );
        }

        """)
  }
}
