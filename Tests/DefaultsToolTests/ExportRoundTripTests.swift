import DefaultsDatabase
import DefaultsTool
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// That an import of an export is the identity, for every format.
struct ExportRoundTripTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  /// Domains of random names and values, all in one database.
  private func fill(seed: UInt64, count: Int) throws -> [DomainName: [PropertyListKey: PropertyList]] {
    var random = RandomValues(seed: seed)
    let database = UserDatabase(directory: home.path)
    var domains: [DomainName: [PropertyListKey: PropertyList]] = [:]
    while domains.count < count {
      guard case .dictionary(let values) = random.dictionary(), !values.isEmpty else { continue }
      // Every second domain has a single key, so that strict formats hold some of them too.
      let kept = domains.count % 2 == 0 ? values : values.filter { $0.key == values.keys.min() }
      // Names of all kinds, and each another one.
      let text = "\(random.string())\(domains.count)"
      guard !text.utf8.contains(0), !text.contains("/") else { continue }
      let name = try DomainName(text)
      var changes = DomainChanges()
      changes.replaceAll(with: kept)
      _ = try database.commit(changes, to: name, onDamage: .refuse)
      domains[name] = kept
    }
    return domains
  }

  @Test(
    "domains whose names hold “/” come back from an export",
    arguments: ["openstep", "xml", "binary", "gnustep"])
  func slashes(format: String) throws {
    let lines = "../evil k v\n/abs k v\na%252Fb k v\na%2Fb k v\na/b k v\n"
    #expect(home.run("write", input: lines).code == .done)
    #expect(home.run("export", "-to", format, "-into", home.root.path + "/Export").code == .done)
    let target = home.root.path + "/Copy"
    #expect(home.run("import", "-into", target, home.root.path + "/Export").code == .done)
    let copy = UserDatabase(directory: target)
    #expect(try copy.domainNames().map(\.text) == ["../evil", "/abs", "a%252Fb", "a%2Fb", "a/b"])
    for name in try copy.domainNames() { #expect(try copy.load(name).values == ["k": "v"]) }
  }

  @Test(
    "what an export writes comes back as it was, and what it cannot write is told of",
    arguments: [("openstep", 150), ("binary", 60), ("gnustep", 40), ("xml", 15)])
  func identity(format: String, least: Int) throws {
    let domains = try fill(seed: 61, count: 150)
    let folder = home.root.path + "/Export"
    let export = home.run("export", "-to", format, "-into", folder)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    let refusals = export.errors.split(separator: "\n").count
    #expect(files.count + refusals == domains.count)
    #expect(files.count >= least)
    #expect(export.code == (refusals == 0 ? .done : .refused))
    let target = home.root.path + "/Copy"
    let outcome = home.run("import", "-into", target, folder)
    #expect(outcome.code == .done && outcome.errors.isEmpty, "\(outcome.errors)")
    let copy = UserDatabase(directory: target)
    let names = try copy.domainNames()
    #expect(Set(names.map { "\($0).plist" }) == Set(files))
    for name in names { #expect(try copy.load(name).values == domains[name], "\(name)") }
    // Into the database that it came from, it changes nothing.
    #expect(home.run("import", folder).code == .done)
    #expect(home.run("import", "-into", target, "-replace", folder).code == .done)
    for name in names { #expect(try copy.load(name).values == domains[name], "\(name)") }
  }

  @Test(
    "one domain piped from an export into an import is the same under another name",
    arguments: ["openstep", "gnustep", "xml", "binary"])
  func piped(format: String) throws {
    var domains = try fill(seed: 62, count: 60)
    // Keys by which a file of no known name is taken for Window Maker's, or for one of many domains.
    let hostile: [(String, [PropertyListKey: PropertyList])] = [
      (
        "Dock",
        [
          "IconSize": "\u{C3}\u{A9}", "FocusMode": "\u{80}\u{9F}", "WindowPlacement": "é\u{301}",
          "NewStyle": .array([.integer(64)]),
        ]
      ), ("Nested", ["NSGlobalDomain": ["a": "b"], "x": ["c": .boolean(true)]]),
      ("Single", ["NSGlobalDomain": [:]]), ("Escapes", ["\\U0041": "\\U00e9 \\303\\251 <*I5>"]),
    ]
    let database = UserDatabase(directory: home.path)
    for (name, values) in hostile {
      var changes = DomainChanges()
      changes.replaceAll(with: values)
      let domain = try DomainName(name)
      _ = try database.commit(changes, to: domain, onDamage: .refuse)
      domains[domain] = values
    }
    let copy = try DomainName("Copy")
    var count = 0
    for (domain, values) in domains {
      var output: [UInt8] = []
      var errors = ""
      let code = DefaultsCommand.run(
        arguments: ["export", "-to", format, "--", domain.text, "-"],
        environment: ["OPENSTEP_DEFAULTS_DIR": home.path], input: { [] },
        output: CommandOutput(
          standardOutput: { output += $0 }, standardError: { errors += String(decoding: $0, as: UTF8.self) }))
      guard code == .done else {
        #expect(code == .refused && output.isEmpty && errors.contains("was not exported"), "\(errors)")
        continue
      }
      let outcome = home.run(["import", "-replace", copy.text, "-"], input: output)
      #expect(
        outcome == .init(code: .done, output: "domains: 1, keys: \(values.count), not carried: 0\n"),
        "\(domain)")
      #expect(try database.load(copy).values == values, "\(domain)")
      count += 1
    }
    #expect(count >= (format == "xml" ? 12 : 20))
  }
}
