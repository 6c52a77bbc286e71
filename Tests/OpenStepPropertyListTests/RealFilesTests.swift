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
      for style in PropertyList.Style.keepingValues {
        let text = try value.bytes(style: style)
        #expect(
          try PropertyList(parsing: text, options: .domainFile) == value, "\(entry["file"]?.string ?? "")")
      }
    }
  }

  /// Edits a file, and gives the new bytes.
  private func edited(
    _ bytes: [UInt8], _ key: PropertyListKey, _ value: PropertyList?, _ options: PropertyList.ParsingOptions
  ) throws -> [UInt8] {
    let checked = DictionaryText(checking: bytes, options: options)
    let edited = try EditedDictionary(
      changing: bytes, checked: checked, by: [key: value], options: options, style: .openStep)
    return try #require(edited).bytes
  }

  @Test("in every text file every key can be set, removed and joined by another; all else stays as it is")
  func editing() throws {
    var (fileCount, keyCount) = (0, 0)
    for entry in try textFiles() {
      let name = try #require(entry["file"]?.string)
      let bytes = try bytes(name)
      var options = PropertyList.ParsingOptions()
      let encoding = try #require(entry["encoding"]?.string)
      if encoding.hasPrefix("ISO Latin 1") { options.eightBitEncoding = .isoLatin1 }
      guard bytes.count < 1_000_000,
        case .dictionary(let values) = try PropertyList(parsing: bytes, options: options), !values.isEmpty
      else { continue }
      fileCount += 1
      // Of the largest dictionaries every twentieth key.
      let keys = values.keys.sorted().enumerated().filter { values.count < 200 || $0.offset % 20 == 0 }.map(
        \.element)
      for key in keys {
        keyCount += 1
        let isScalar = if case .string = values[key] { true } else { false }
        let set = try edited(bytes, key, "new", options)
        if isScalar {
          let (before, after) = (
            bytes.split(separator: 0x0A, omittingEmptySubsequences: false),
            set.split(separator: 0x0A, omittingEmptySubsequences: false)
          )
          #expect(before.count == after.count && zip(before, after).count { $0 != $1 } <= 1, "\(name) \(key)")
        }
        var expected = values
        expected[key] = "new"
        #expect(try PropertyList(parsing: set, options: options) == .dictionary(expected), "\(name) \(key)")
        expected[key] = nil
        let removed = try edited(bytes, key, nil, options)
        #expect(
          try PropertyList(parsing: removed, options: options) == .dictionary(expected), "\(name) \(key)")
        let new = PropertyListKey(key.text + "+")
        let added = try edited(bytes, new, "x", options)
        let back = try edited(added, new, nil, options)
        // A missing last semicolon is added for good.
        #expect(back == bytes || back.count == bytes.count + 1 && added.count > back.count, "\(name) \(key)")
      }
    }
    #expect(fileCount >= 20)
    #expect(keyCount >= 200)
  }
}
