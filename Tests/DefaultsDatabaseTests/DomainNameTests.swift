import DefaultsDatabase
import Testing

@Suite struct DomainNameTests {
  @Test(
    "a name that cannot be a file's is refused with a reason",
    arguments: [
      ("", "empty"), ("a\0b", "NUL"), ("a/\0", "NUL"),
      (String(repeating: "x", count: 250), "250 bytes"), (String(repeating: "é", count: 125), "250 bytes"),
      (String(repeating: "/", count: 84), "252 bytes"),
      (String(repeating: "x", count: 247) + "/", "250 bytes"),
    ])
  func refused(name: String, reason: String) throws {
    let error = try #require(throws: DatabaseError.self) { try DomainName(name) }
    #expect(error.kind == .refusedName)
    #expect(error.description.contains(reason))
    #expect(!error.description.contains("\0"))
  }

  @Test(
    "every other name is taken as it stands",
    arguments: [
      "com.x.App", "sp ace", ".hid", "é🦄", "line\nend", ".", "..", "~", "a\\b", "~x", "a/b", "../evil",
      "/abs", "/",
      "a%2Fb", "100%", String(repeating: "/", count: 83),
    ])
  func accepted(name: String) throws {
    #expect(try DomainName(name).text == name)
  }

  @Test("249 bytes are not too long") func longest() throws {
    #expect(try DomainName(String(repeating: "x", count: 249)).text.utf8.count == 249)
  }

  @Test("names are told apart by their bytes") func bytes() throws {
    #expect(try DomainName("\u{E9}") != DomainName("e\u{301}"))
    #expect(
      try [DomainName("b"), DomainName("B"), DomainName("é"), DomainName("10"), DomainName("9")].sorted()
        .map(\.text) == ["10", "9", "B", "b", "é"])
  }

  @Test("the global domain has its classic name") func global() {
    #expect(DomainName.global.text == "NSGlobalDomain")
  }
}
