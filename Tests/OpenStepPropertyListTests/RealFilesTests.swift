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

  @Test("in every text file values can be set, removed and added; all else stays as it is")
  func editing() throws {
    var (fileCount, keyCount, stringCount) = (0, 0, 0)
    for entry in try textFiles() {
      let name = try #require(entry["file"]?.string)
      let bytes = try bytes(name)
      var options = PropertyList.ParsingOptions()
      let encoding = try #require(entry["encoding"]?.string)
      if encoding.hasPrefix("ISO Latin 1") { options.eightBitEncoding = .isoLatin1 }
      guard bytes.count < 200_000 else { continue }
      let check = EditedFileCheck(name: name, bytes: bytes, options: options)
      let count = try check.changeKeys()
      stringCount += try check.changeStrings(10)
      keyCount += count
      if count > 0 { fileCount += 1 }
    }
    #expect(fileCount >= 20)
    #expect(keyCount >= 200)
    #expect(stringCount >= 200)
  }
}

/// The same for the files of a directory that `EDITED_FILES` names; other files than text property lists are
/// left out.
struct OtherFilesTests {
  private static let directory = ProcessInfo.processInfo.environment["EDITED_FILES"]

  @Test(
    "in every text file values can be set, removed and added; all else stays as it is",
    .enabled(if: directory != nil, "EDITED_FILES names no directory with text property lists"))
  func editing() throws {
    let directory = URL(fileURLWithPath: try #require(Self.directory))
    let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    var (fileCount, keyCount, stringCount) = (0, 0, 0)
    for file in files.sorted(by: { $0.path < $1.path }) {
      let bytes = Array(try Data(contentsOf: file))
      guard !bytes.starts(with: Array("<?xml".utf8)), !bytes.starts(with: Array("bplist".utf8)),
        (try? PropertyList(parsing: bytes)) != nil
      else { continue }
      let check = EditedFileCheck(
        name: file.lastPathComponent, bytes: bytes, options: PropertyList.ParsingOptions())
      keyCount += try check.changeKeys()
      stringCount += try check.changeStrings(20)
      fileCount += 1
    }
    print("\(fileCount) files, \(keyCount) keys and \(stringCount) strings were changed")
    #expect(fileCount > 0)
  }
}
