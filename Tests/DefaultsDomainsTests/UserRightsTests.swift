import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// A program of the administrator's that works in another user's database.
@Suite(.enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
struct UserRightsTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
    #expect(chmod(home.path, 0o755) == 0)
    try FileManager.default.createDirectory(atPath: home.path("Defaults"), withIntermediateDirectories: false)
    #expect(chown(home.path("Defaults"), 65534, 65534) == 0)
  }

  /// The file becomes one that only the administrator may read, though it lies in the user's directory.
  private func writeSecret() throws {
    try home.write("{ secret = 1; }", to: "Defaults/App.plist")
    #expect(chmod(home.path("Defaults/App.plist"), 0o600) == 0)
  }

  @Test(
    "what the user may not read is not known, and so not written over a damaged file either",
    arguments: [nil, "nobody"])
  func firstReading(name: String?) throws {
    try writeSecret()
    let account = try name.map { try #require(try Account(actingFor: $0)) }
    let domains = PersistentDomains.at(directory: home.path("Defaults"), account: account)
    let domain = domains.domain(app)
    #expect(domain.values.isEmpty)
    #expect(domains.lastError?.kind == .inputOutput(code: EACCES))
    // The user takes it away, and leaves something else.
    try FileManager.default.removeItem(atPath: home.path("Defaults/App.plist"))
    try home.write("{ damaged", to: "Defaults/App.plist")
    #expect(chown(home.path("Defaults/App.plist"), 65534, 65534) == 0)
    #expect(domain.set("v", for: "k"))
    domains.publish(.one("k"), in: domain)
    #expect(domains.save(andRefresh: true) == nil)
    #expect(try home.text(of: "Defaults/App.plist") == "{\n    k = v;\n}\n")
    for name in try home.names(in: "Defaults") {
      let attributes = try FileManager.default.attributesOfItem(atPath: home.path("Defaults/\(name)"))
      #expect(attributes[.ownerAccountID] as? Int == 65534, "\(name)")
      #expect(try !home.text(of: "Defaults/\(name)").contains("secret"))
    }
  }

  @Test("what is read for a user is not shown to whoever acts for another, or for itself")
  func separateMemory() throws {
    let nobody = try #require(try Account(actingFor: "nobody"))
    let directory = home.path("Defaults")
    let one = PersistentDomains.at(directory: directory, account: nobody)
    #expect(PersistentDomains.at(directory: directory, account: nobody) === one)
    #expect(PersistentDomains.at(directory: directory) !== one)
    withExtendedLifetime(one) {}
  }

  @Test("the administrator and its own name lead to one and the same database") func ownName() throws {
    let (root, nobody) = (try Account(actingFor: "root"), try Account(actingFor: "no-such-user-here"))
    #expect(root == nil && nobody == nil)
  }
}
