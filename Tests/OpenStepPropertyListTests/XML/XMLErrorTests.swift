import OpenStepPropertyList
import Testing

/// An error says what is wrong, where, and shows it.
@Suite struct XMLErrorTests {
  @Test(
    "errors name the trouble and its place",
    arguments: [
      (
        "<dict>\n  <key>a</key>\n  <integer>5x</integer>\n</dict>",
        "3:12: “5x” is not a whole number from -2^63 to 2^64-1"
      ),
      ("<dict>\n\t<key>a</key>\n</dict>", "2:2: the key “a” has no value"),
      (
        "<dict><key>a</key><true/><key>b</key><true/>\n<key>a</key><true/></dict>",
        "1:7: the key “a” stands here and again further on in the dictionary; remove one of the two"
      ),
      (
        "<array>\n<string>a</array>",
        "2:10: </array> stands where </string> was expected"
      ),
      (
        "<array>\n<true/>",
        "2:8: the text ends where a value or </array> was expected; the <array> at 1:1 is not closed"
      ),
      ("<array>\n  junk</array>", "2:3: found “j” where a value or </array> was expected"),
      ("<plist>\n<foo/></plist>", "2:1: no property list has an element “foo”"),
      (
        "<string>é&foo;</string>",
        "1:10: “&” begins none of &lt; &gt; &amp; &apos; &quot; and no number such as &#233;; as a character it is written &amp;"
      ),
      ("<string>&#x110000;</string>", "1:9: the reference is to a number that is no character of XML"),
      ("<data>\nAA*A</data>", "2:3: the data has a character that is no digit of base64"),
      (
        "<date>2001-02-30T00:00:00Z</date>",
        "1:7: “2001-02-30T00:00:00Z” is not a date of the form 2001-12-31T23:59:59Z"
      ),
      ("<true/>\n<true/>", "2:1: found “<” where the end of the text was expected"),
      ("<!-- a", "1:1: the comment that begins here is never closed"),
      (
        "<!DOCTYPE plist [",
        "1:17: the document type has declarations of its own, such as entities, which are refused"
      ),
      ("<dict><true/></dict>", "1:7: found <true> where <key> or </dict> was expected"),
      ("<plist></plist>", "1:8: the property list has no value"),
    ])
  func descriptions(text: String, description: String) throws {
    let error = try #require(throws: PropertyListError.self) {
      try PropertyList(parsingXML: Array(text.utf8))
    }
    #expect(error.description == description)
  }

  @Test("the excerpt has a caret under the offending character")
  func excerpt() throws {
    let error = try #require(throws: PropertyListError.self) {
      try PropertyList(parsingXML: Array("<dict>\n\t<key>né</key><real>x</real>\n</dict>".utf8))
    }
    #expect(error.excerpt == "\t<key>né</key><real>x</real>\n\t                   ^")
    #expect(error.character == "x")
  }
}
