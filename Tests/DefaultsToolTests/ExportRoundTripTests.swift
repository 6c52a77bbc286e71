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
    "what an export writes comes back as it was, and what it cannot write is told of",
    arguments: [("openstep", 150), ("binary", 60), ("gnustep", 40), ("xml", 15)])
  func identity(format: String, least: Int) throws {
    let domains = try fill(seed: 61, count: 150)
    let folder = home.root.path + "/Export"
    let export = home.run("export", "-to", format, folder)
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
}
