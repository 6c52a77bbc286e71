import Testing

@testable import OpenStepPropertyList

@Suite struct StorageIdentityTests {
  @Test("a copy shares its storage until it is changed; an equal collection has its own")
  func sharing() {
    let array = [PropertyList.string("a"), .boolean(true)]
    var copy = array
    #expect(array.sharesStorage(with: copy))
    copy[0] = .string("a")
    #expect(copy == array)
    #expect(!array.sharesStorage(with: copy))

    let dictionary: [PropertyListKey: PropertyList] = ["a": .boolean(true)]
    var other = dictionary
    #expect(dictionary.sharesStorage(with: other))
    other["a"] = .boolean(true)
    #expect(other == dictionary)
    #expect(!dictionary.sharesStorage(with: other))
  }

  @Test("a key is hashed by its bytes and not by what is canonically equivalent")
  func hasher() {
    func hash(_ text: String) -> Int {
      var hasher = Hasher()
      hasher.combine(bytesOf: text)
      return hasher.finalize()
    }
    #expect(hash("\u{E9}") == hash("\u{E9}"))
    #expect(hash("\u{E9}") != hash("e\u{301}"))
  }
}
