import DefaultsDatabase
import DefaultsTool
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Files as programs and people left them, imported one by one.
@Suite(.enabled(if: SharedFiles.areExpected, Comment(rawValue: SharedFiles.absence)))
struct ImportRealFilesTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  /// The value of a file, as independent parsers agree on it; nil for one that is too large to carry.
  private func expectedValue(_ entry: JSONValue) throws -> PropertyList? {
    guard let name = entry["expected"]?.string else { return nil }
    let json = try JSONValue(parsing: Data(contentsOf: SharedFiles.url("corpus/real/" + name)))
    // A reference of a keyed archive is no value of ours.
    return try? PropertyList(tagged: json)
  }

  /// Whether a file has comments; in none of these files a string looks like one.
  private func hasComments(_ file: String) throws -> Bool {
    let bytes = try Data(contentsOf: SharedFiles.url("corpus/real/" + file)).filter { $0 != 0 }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.contains("/*") || text.contains("<!--")
      || text.split(whereSeparator: \.isNewline).contains {
        $0.drop(while: \.isWhitespace).hasPrefix("//")
      }
  }

  @Test(
    "every file of the collection is imported to its value; what is no dictionary is told of")
  func realFiles() throws {
    let manifest = try JSONValue(parsing: Data(contentsOf: SharedFiles.url("corpus/real/manifest.json")))
    var (carried, refused, menus, domains) = (0, 0, 0, 0)
    for entry in try #require(manifest["files"]?.array) {
      let file = try #require(entry["file"]?.string)
      let target = "\(home.root.path)/\(file)"
      let isLatin1 = entry["encoding"]?.string?.hasPrefix("ISO Latin 1") == true
      let outcome = home.run(
        ["import", "-into", target] + (isLatin1 ? ["-encoding", "latin1"] : [])
          + [SharedFiles.url("corpus/real/" + file).path])
      let database = UserDatabase(directory: target)
      let names = try database.domainNames()
      let value = try expectedValue(entry)
      if file == "gnustep-defaults-database.plist", case .dictionary(let expected)? = value {
        // GNUstep's single file: a domain without keys has no file.
        var found: [PropertyListKey: PropertyList] = [:]
        for name in names { found[PropertyListKey(name.text)] = .dictionary(try database.load(name).values) }
        #expect(found == expected.filter { $0.value != [:] })
        #expect(outcome.code == .done && outcome.errors.isEmpty)
        domains = names.count
      } else if outcome.errors.contains("is a menu of Window Maker's") {
        menus += 1
        #expect(outcome.code == .absent && names.isEmpty && outcome.output.isEmpty, "\(file)")
      } else if !(value.map(isDictionary) ?? true) {
        refused += 1
        #expect(outcome.code == .refused && names.isEmpty, "\(file)")
        #expect(outcome.errors.contains("nothing of it was carried"), "\(file)")
        #expect(outcome.output == "domains: 0, keys: 0, not carried: 1\n", "\(file)")
      } else {
        carried += 1
        let note =
          "defaults: \(SharedFiles.url("corpus/real/" + file).path): has comments, which are not carried\n"
        let expected = try hasComments(file) ? note : ""
        #expect(outcome.code == .done && outcome.errors == expected, "\(file): \(outcome.errors)")
        let name = try DomainName(file.hasSuffix(".plist") ? String(file.dropLast(6)) : file)
        let found = PropertyList.dictionary(try database.load(name).values)
        if let value { #expect(found == value, "\(file)") }
        #expect(
          SHA256.hexadecimalDigest(found.taggedText.utf8) == entry["value_sha256"]?.string, "\(file)")
      }
    }
    #expect(
      carried >= 35 && refused == 2 && menus == 4 && domains >= 1, "\(carried) \(refused) \(menus) \(domains)"
    )
  }

  private func isDictionary(_ value: PropertyList) -> Bool {
    if case .dictionary = value { true } else { false }
  }

  @Test("Window Maker's files are known by their contents, under whatever name")
  func windowMaker() throws {
    let names = [
      "wmaker-WindowMaker.plist", "wmaker-WMState.plist", "wmaker-WMWindowAttributes.plist",
      "wmaker-home-WMState.plist",
    ]
    for name in names {
      let outcome = home.run("import", "-dry-run", SharedFiles.url("corpus/real/\(name)").path)
      #expect(outcome.output.contains(", a file of Window Maker's\n"), "\(outcome.output)")
    }
  }
}
