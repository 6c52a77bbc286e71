import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Text property lists as programs and people left them, with the value that independent parsers agree on.
@Suite(.enabled(if: SharedFiles.areExpected, Comment(rawValue: SharedFiles.absence)))
struct RealFilesTests {
  private func textFiles() throws -> [JSONValue] {
    let manifest = try JSONValue(parsing: Data(contentsOf: SharedFiles.url("corpus/real/manifest.json")))
    return try #require(manifest["files"]?.array).filter { $0["format"]?.string == "text" }
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: SharedFiles.url("corpus/real/" + name)))
  }

  private func parse(_ entry: JSONValue) throws -> PropertyList {
    var options = PropertyList.ParsingOptions()
    let encoding = try #require(entry["encoding"]?.string)
    if encoding.hasPrefix("ISO Latin 1") { options.eightBitEncoding = .isoLatin1 }
    return try PropertyList(parsing: bytes(try #require(entry["file"]?.string)), options: options)
  }

  @Test("every text file of the collection has the value that independent parsers agree on")
  func values() throws {
    let files = try textFiles()
    #expect(files.count >= 38)
    for entry in files {
      let name = try #require(entry["file"]?.string)
      do {
        let value = try parse(entry)
        if let expected = entry["expected"]?.string {
          let json = try JSONValue(parsing: bytes(expected))
          #expect(try value == PropertyList(tagged: json), "\(name)")
        }
        let digest = SHA256.hexadecimalDigest(value.taggedText.utf8)
        #expect(digest == entry["value_sha256"]?.string, "\(name)")
      } catch {
        Issue.record("\(name): \(error)")
      }
    }
  }

  @Test("every text file of the collection survives being written and read back in every style")
  func roundTrip() throws {
    for entry in try textFiles() {
      let value = try parse(entry)
      // The two largest would take most of the time and have nothing in them that the others lack.
      if case .number(let size) = entry["bytes"], let size = Int(size), size > 1_000_000 { continue }
      for style in PropertyList.Style.allCases {
        let text = try value.bytes(style: style)
        #expect(
          try PropertyList(parsing: text, options: .domainFile) == value, "\(entry["file"]?.string ?? "")")
      }
    }
  }
}
