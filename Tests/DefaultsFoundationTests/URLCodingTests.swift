import Foundation
import OpenStepPropertyList
import Testing

@testable import DefaultsFoundation

/// URLs as values: every one comes back equal, and nothing that is stored ends the process.
@Suite
struct URLCodingTests {
  private let home = NSHomeDirectory()

  // MARK: - What is set

  // Some modules of the C library copy the name onto the stack, and the process ended.
  @Test("what is longer than any user's name is not looked up as one", arguments: [256, 5_000_000])
  func longUser(_ count: Int) {
    let path = "~" + String(repeating: "a", count: count)
    #expect(URLCoding.url(.string(path))?.lastPathComponent.utf8.count == count + 1)
    #expect(URLCoding.url(.string(path + "/x"))?.lastPathComponent == "x")
  }

  @Test(
    "every URL comes back with the same text and base",
    arguments: [
      "http://a.b/c?q=1#f", "mailto:a@b.c", "data:,x", "x:", "//h/p", "?q", "#f", "a%20b", "a", "../z",
      "x:%FF",
      "http://[::1]:8080/", "http://u:p@h:1/p;x", "http://x/%25zz", "http://x/a%2fb",
      "file:///a/b", "file:///dir/", "file:///", "file:///x%20y", "file:///%C3%A9", "file:///e%CC%81",
      "file:///a%FFb", "file:///a%2Fb", "file:///a%00b", "file:///a%25b", "file:///a//b/../c/.", "file:////a",
      "file://host/a", "file://localhost/a", "FILE:///a", "file:/a", "file:a", "file:///a?q", "file:///a#f",
      "file:///tmp", "file:///tmp/", "file:///~/x", "file:///~", "file:~/x",
    ])
  func roundTrip(text: String) throws {
    let bases = [nil, "http://h.i/j/k", "file:///tmp/dir/", "file://\(home)/"]
    for base in bases {
      let url = try #require(URL(string: text, relativeTo: base.flatMap { URL(string: $0) }))
      let back = URLCoding.url(URLCoding.propertyList(url))
      #expect(back == url)
      #expect(back?.relativeString == url.relativeString)
      #expect(back?.baseURL == url.baseURL)
    }
  }

  @Test("a file in the home folder is stored by a path with a tilde, and of no other file's")
  func tilde() {
    let paths = [
      ("\(home)/x y.txt", "~/x y.txt"), ("\(home)/d/", "~/d/"), ("\(home)/", "~/"), (home, "~"),
      ("\(home)x/y", "\(home)x/y"), ("/usr/bin/env", "/usr/bin/env"), ("/usr/bin/", "/usr/bin/"),
      ("\(home)/\u{301}x", "~/\u{301}x"), ("\(home)\u{301}/x", "\(home)\u{301}/x"),
    ]
    for (path, stored) in paths {
      let hint: URL.DirectoryHint = path.utf8.last == UInt8(ascii: "/") ? .isDirectory : .notDirectory
      let url = URL(filePath: path, directoryHint: hint)
      #expect(URLCoding.propertyList(url) == .string(stored))
      #expect(URLCoding.url(.string(stored)) == url)
    }
  }

  @Test("other URLs are stored as an archive that Foundation reads, the same each time")
  func archive() throws {
    for text in ["http://a.b/c?q=1#f", "file://host/a", "x:" + String(repeating: "long", count: 100_000)] {
      let url = try #require(URL(string: text))
      guard case .data(let bytes) = URLCoding.propertyList(url) else {
        Issue.record("\(text.prefix(80)) is not stored as data")
        continue
      }
      #expect(URLCoding.propertyList(url) == .data(bytes))
      let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: Data(bytes))
      #expect(read?.absoluteString == text)
    }
    let url = try #require(URL(string: "c?d", relativeTo: URL(string: "http://h.i/j/k")))
    guard case .data(let bytes) = URLCoding.propertyList(url) else { return }
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: Data(bytes))
    #expect(read?.relativeString == "c?d")
    #expect(read?.baseURL?.absoluteString == "http://h.i/j/k")
  }

  @Test("an object is a URL with its base, whether Swift's or Foundation's")
  func given() throws {
    let base = try #require(URL(string: "http://h.i/j/k"))
    let url = try #require(URL(string: "c?d", relativeTo: base))
    let foundation = try #require(NSURL(string: "c?d", relativeTo: base))
    for object in [url, foundation, Optional(url) as Any, Optional(foundation) as Any, AnyHashable(url)] {
      let given = URLCoding.url(given: object)
      #expect(given?.relativeString == "c?d")
      #expect(given?.baseURL == base)
    }
    for object in ["http://a.b/", 5, [url], NSNull(), Optional<URL>.none as Any] as [Any] {
      #expect(URLCoding.url(given: object) == nil)
    }
  }

  // MARK: - What is stored

  @Test("a string is a file's path")
  func paths() {
    let folder = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
    let paths = [
      ("/hello/world", "file:///hello/world"), ("/dir/", "file:///dir/"), ("/", "file:///"),
      ("/a b%20é", "file:///a%20b%2520%C3%A9"), ("~/Documents", "file://\(home)/Documents"),
      ("~/d/", "file://\(home)/d/"), ("relative/x", folder.absoluteString + "relative/x"),
      ("http://a.b/c", folder.absoluteString + "http://a.b/c"), ("", folder.absoluteString),
    ]
    for (path, text) in paths {
      let url = URLCoding.url(.string(path))?.standardizedFileURL
      #expect(url?.absoluteString == URL(string: text)?.standardizedFileURL.absoluteString, "\(path)")
      #expect(URLCoding.url(.string(path))?.isFileURL == true)
    }
  }

  @Test("what is neither string nor data is no URL")
  func others() {
    let date = PropertyList.date(PropertyListDate(secondsSinceReferenceDate: 0))
    for value in [.integer(5), .real(1), .boolean(true), ["/a"], ["/a": "/a"], date, nil] as [PropertyList?] {
      #expect(URLCoding.url(value) == nil)
    }
  }
}
