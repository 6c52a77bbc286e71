#if os(Linux)
  import Foundation
  import OpenStepPropertyList
  import TestSupport
  import Testing

  /// What hostile documents cost; each in a process of its own, whose greatest size the system keeps.
  ///
  /// `PROPERTY_LIST_MEGABYTES` is how large they are; the long run has 100.
  struct XMLHostileTests {
    private static let size =
      1_000_000 * (ProcessInfo.processInfo.environment["PROPERTY_LIST_MEGABYTES"].flatMap { Int($0) } ?? 3)

    /// Reads a document that is a text again and again, and checks what that cost.
    private static func read(_ start: String, _ text: String, _ end: String) throws {
      var bytes = Array(start.utf8)
      bytes.reserveCapacity(size + 100_000)
      let piece = [[UInt8]](repeating: Array(text.utf8), count: 1000).flatMap { $0 }
      while bytes.count < size { bytes += piece }
      bytes += Array(end.utf8)
      let result = Result { () throws(PropertyListError) in try PropertyList(parsingXML: bytes) }
      switch result {
      case .success: #expect(!end.isEmpty)
      case .failure(let error):
        #expect(end.isEmpty && error.line >= 1 && error.excerpt.utf8.count < 1000, "\(error)")
      }
      // The program itself, the document, its text and the stacks.
      let peak = try peakMemory() / 1_000_000
      #expect(peak < 100 + 4 * size / 1_000_000, "\(peak) MB")
    }

    @Test("tags without an end are an error in bounded memory") func tags() async {
      await #expect(processExitsWith: .success) {
        try XMLHostileTests.read("", "<dict>", "")
        try XMLHostileTests.read("", "<array>", "")
        try XMLHostileTests.read("<array>", "</dict>", "")
        try XMLHostileTests.read("", "<", "")
        try XMLHostileTests.read("<dict ", "a='b' ", "")
        try XMLHostileTests.read("", "a", "")
      }
    }

    @Test("comments, instructions and references are a value or an error in bounded memory") func comments()
      async
    {
      await #expect(processExitsWith: .success) {
        try XMLHostileTests.read("", "<!-- -->", "<true/>")
        try XMLHostileTests.read("<!--", "-", "")
        try XMLHostileTests.read("<!--", "->", "")
        try XMLHostileTests.read("<true>", "<?p?>", "</true>")
        try XMLHostileTests.read("<string>", "&lt;", "</string>")
        try XMLHostileTests.read("<string>", "&#x0000000000000041;", "</string>")
        try XMLHostileTests.read("<string>", "<![CDATA[]]>", "</string>")
        try XMLHostileTests.read("<string>", "<![CDATA[", "")
        try XMLHostileTests.read("<integer>", "0", "</integer>")
        try XMLHostileTests.read("<real>", "1", "</real>")
        try XMLHostileTests.read("<data>", " ", "</data>")
      }
    }
  }
#endif
