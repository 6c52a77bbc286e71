import TestSupport
import Testing

@testable import OpenStepPropertyList

/// What readers take at most, and that writers write no more.
struct BoundsTests {
  private let documents: [(text: String, xml: String, objects: Int, depth: Int)] = [
    ("a", "<string>a</string>", 1, 0), ("()", "<array/>", 1, 1),
    ("(a, b, c)", "<array><string>a</string><string>b</string><string>c</string></array>", 4, 1),
    ("{ a = b; }", "<dict><key>a</key><string>b</string></dict>", 3, 1),
    ("a = b;", "<dict><key>a</key><string>b</string></dict>", 3, 1),
    ("{ a; b = ; }", "<dict><key>a</key><string/><key>b</key><string/></dict>", 5, 1),
    (
      "{ a = (b, { c = d }); }",
      "<dict><key>a</key><array><string>b</string><dict><key>c</key><string>d</string></dict></array></dict>",
      7,
      3
    ),
  ]

  @Test("as many values and keys are read as the bounds say, and not one more")
  func objects() throws {
    for document in documents {
      for (count, isRead) in [(document.objects, true), (document.objects - 1, false)] {
        var options = (text: PropertyList.ParsingOptions(), xml: PropertyList.XMLParsingOptions())
        options.text.bounds.objectCount = count
        options.xml.bounds.objectCount = count
        check(document.text, as: options.text, isRead: isRead, "more than \(count) values and keys")
        check(document.xml, as: options.xml, isRead: isRead, "more than \(count) values and keys")
      }
    }
  }

  @Test("as many containers are nested as the bounds say, and not one more")
  func depth() throws {
    for document in documents where document.depth > 0 {
      for (depth, isRead) in [(document.depth, true), (document.depth - 1, false)] {
        var options = (text: PropertyList.ParsingOptions(), xml: PropertyList.XMLParsingOptions())
        options.text.bounds.depth = depth
        options.xml.bounds.depth = depth
        check(document.text, as: options.text, isRead: isRead, "more than \(depth) containers are nested")
        check(document.xml, as: options.xml, isRead: isRead, "more than \(depth) containers are nested")
      }
    }
  }

  @Test("as many bytes are read as the bounds say, and not one more")
  func bytes() throws {
    for document in documents {
      for (fewer, isRead) in [(0, true), (1, false)] {
        var options = (text: PropertyList.ParsingOptions(), xml: PropertyList.XMLParsingOptions())
        options.text.bounds.byteCount = document.text.utf8.count - fewer
        options.xml.bounds.byteCount = document.xml.utf8.count - fewer
        check(document.text, as: options.text, isRead: isRead, "bytes; at most")
        check(document.xml, as: options.xml, isRead: isRead, "bytes; at most")
      }
    }
  }

  private func check(
    _ text: String, as options: PropertyList.ParsingOptions, isRead: Bool, _ message: String
  ) {
    let error = failure { () throws(PropertyListError) in
      _ = try PropertyList(parsing: Array(text.utf8), options: options)
    }
    #expect(isRead ? error == nil : error?.message.contains(message) == true, "\(text): \(error as Any)")
  }

  private func check(
    _ text: String, as options: PropertyList.XMLParsingOptions, isRead: Bool, _ message: String
  ) {
    let error = failure { () throws(PropertyListError) in
      _ = try PropertyList(parsingXML: Array(text.utf8), options: options)
    }
    #expect(isRead ? error == nil : error?.message.contains(message) == true, "\(text): \(error as Any)")
  }

  private func failure(of body: () throws(PropertyListError) -> Void) -> PropertyListError? {
    do throws(PropertyListError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test("what has more values and keys than can be read back is not written")
  func written() throws {
    let value: PropertyList = ["a": ["b", ["c": "d"]], "e": [[], [:]]]
    for style in PropertyList.Style.keepingValues {
      var enough = PropertyListWriter(style: style, objectBound: 11)
      var tooFew = PropertyListWriter(style: style, objectBound: 10)
      #expect(try !enough.bytes(of: value).isEmpty)
      #expect(throws: PropertyListError.self) { try tooFew.bytes(of: value) }
    }
    for style in [PropertyList.XMLStyle.apple, .gnustep] {
      var enough = XMLWriter(style: style, objectBound: 11)
      var tooFew = XMLWriter(style: style, objectBound: 10)
      #expect(try !enough.bytes(of: value).isEmpty)
      #expect(throws: PropertyListError.self) { try tooFew.bytes(of: value) }
    }
  }
}
