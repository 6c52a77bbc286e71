import Foundation
import TestSupport
import Testing

@testable import DefaultsFoundation

/// Archives from anywhere: Foundation's give their URL, anything else none, and none takes long or ends the process.
@Suite
struct URLArchiveTests {
  private func archived(_ object: Any) throws -> [UInt8] {
    [UInt8](try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false))
  }

  @Test(
    "an archive of Foundation's gives its URL",
    arguments: [
      "http://a.b/c?q=1#f", "file:///a/b", "a%20b", "../c?d", "x:" + String(repeating: "y", count: 70_000),
    ])
  func foundation(text: String) throws {
    let url = try #require(NSURL(string: text))
    #expect(URLArchive.url(in: try archived(url))?.absoluteString == text)
    let base = URL(string: "http://h.i/j/k")
    let relative = try #require(NSURL(string: text, relativeTo: base))
    let back = URLArchive.url(in: try archived(relative))
    #expect(back?.relativeString == text)
    #expect(back?.baseURL == relative.baseURL)
  }

  @Test("an archive of another class gives nothing")
  func otherClasses() throws {
    let objects: [Any] = [
      NSString("http://a.b/"), NSArray(array: [NSString("a")]),
      NSDictionary(dictionary: ["NS.relative": "http://a.b/"]),
      NSDate(), NSNumber(value: 5), NSUUID(), NSData(), NSNull(),
      NSArray(object: NSURL(fileURLWithPath: "/a")),
    ]
    for object in objects { #expect(URLArchive.url(in: try archived(object)) == nil, "\(object)") }
  }

  @Test("data that is no archive gives nothing")
  func noArchive() throws {
    let plain: [String: Any] = [
      "$top": ["root": 1], "$objects": ["$null", ["NS.relative": "http://a.b/"]],
      "$archiver": "NSKeyedArchiver",
    ]
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let data = try PropertyListSerialization.data(fromPropertyList: plain, format: format, options: 0)
      #expect(URLArchive.url(in: [UInt8](data)) == nil)
    }
    for bytes in [[], [0x0F, 0xBD], Array("bplist00".utf8), [UInt8](repeating: 0xFF, count: 4096)] {
      #expect(URLArchive.url(in: bytes) == nil)
      #expect(URLArchive.url(in: Array("bplist00".utf8) + bytes) == nil)
    }
  }

  @Test("an archive that is cut short gives nothing, whatever its length")
  func truncated() throws {
    let base = URL(string: "http://h.i/j/k")
    let url = try #require(URL(string: "c", relativeTo: base))
    for bytes in [
      URLArchive.bytes(of: url), try archived(try #require(NSURL(string: "c", relativeTo: base))),
    ] {
      #expect(URLArchive.url(in: bytes) == url)
      for length in 0..<bytes.count { #expect(URLArchive.url(in: Array(bytes.prefix(length))) == nil) }
    }
  }

  @Test("an archive with any bit changed, or any byte the largest, gives some URL or none")
  func damaged() throws {
    let url = try #require(URL(string: "c", relativeTo: URL(string: "http://h.i/j/k")))
    let whole = URLArchive.bytes(of: url)
    var unchanged = 0
    for offset in whole.indices {
      for change in [1, 2, 4, 8, 16, 32, 64, 128, ~whole[offset]] {
        var bytes = whole
        bytes[offset] ^= change
        // That this comes to an end is what counts; the text may have become another.
        if URLArchive.url(in: bytes) == url { unchanged += 1 }
      }
    }
    // Only in a part that nobody reads, such as the version, a change makes no difference.
    #expect(unchanged < whole.count * 9 / 2)
  }

  @Test("a URL that is its own base gives nothing")
  func ownBase() throws {
    let url = try #require(URL(string: "c", relativeTo: URL(string: "http://h.i/j/k")))
    let bytes = URLArchive.bytes(of: url)
    // The one reference to the object at place 3 is the base.
    let base = try #require(bytes.indices.dropLast().first { bytes[$0] == 0x80 && bytes[$0 + 1] == 3 })
    var looped = bytes
    looped[base + 1] = 1
    #expect(URLArchive.url(in: bytes) == url)
    #expect(URLArchive.url(in: looped) == nil)
  }

  @Test("a million keys that share one long string are read in no time")
  func sharedKey() {
    // Read whole for each key, the string would cost more than 10^11 bytes.
    let count = 400_000
    func number(_ value: Int) -> [UInt8] {
      (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var bytes = Array("bplist00".utf8)
    let dictionary = bytes.count
    bytes += [0xDF, 0x13] + number(count) + [UInt8](repeating: 1, count: 2 * count)
    let text = bytes.count
    bytes += [0x5F, 0x13] + number(count) + [UInt8](repeating: UInt8(ascii: "$"), count: count)
    let table = bytes.count
    bytes +=
      number(dictionary) + number(text) + [0, 0, 0, 0, 0, 0, 8, 1] + number(2) + number(0) + number(table)
    let start = threadTime()
    #expect(URLArchive.url(in: bytes) == nil)
    #expect(threadTime() - start < .seconds(5))
  }
}
