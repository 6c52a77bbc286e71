import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// Changes that change no value here, of a domain whose file is damaged: it may have another value by the time of the save.
struct DamagedFileChangesTests {
  private let home: TemporaryHome
  private let database: UserDatabase
  private let domains: PersistentDomains
  private let domain: PersistentDomain

  /// A domain with `K = 1`, whose file has been damaged since.
  init() throws {
    home = try TemporaryHome()
    try home.write("{ K = 1; }", to: "App.plist")
    database = UserDatabase(directory: home.path)
    domains = PersistentDomains(database: database)
    domain = domains.domain(try DomainName("App"))
    try home.write("{ K = ", to: "App.plist")
    let changed = try domain.refresh(from: database)
    try #require(changed.isEmpty && domain.value(for: "K") == "1")
  }

  /// Keeps the save that is due a moment after a change from being made before the lock is released.
  private func hold() async throws -> LockHolder {
    try await LockHolder(of: UserDatabase(directory: home.path))
  }

  // The save that had begun counted the key as saved, and a refresh put the file's value over it.
  @Test("a save or a refresh that has begun sees them", arguments: [PropertyList?.some("1"), nil])
  func begun(value: PropertyList?) async throws {
    let holder = try await hold()
    defer { holder.release() }
    let key: PropertyListKey = value == nil ? "absent" : "K"
    let snapshot = PersistentDomain.Snapshot(domain)
    defer { snapshot.end() }
    domains.set(value, for: key, in: domain)
    var seen: [PropertyListKey] = []
    let isFinished = snapshot.finish { key, _ in
      seen.append(key)
    } last: { _ in
      true
    }
    #expect(isFinished == true && seen == [key])
  }

  // An update recorded the key, but no save came, and what another process set later was never told.
  @Test(
    "they are saved, whichever call makes them, when the file can be read again",
    arguments: ["set", "set of several", "update", "update of several"])
  func saved(call: String) async throws {
    let holder = try await hold()
    let lookUp = { ValueToUpdate(found: "1", own: "1") }
    switch call {
    case "set": domains.set("1", for: "K", in: domain)
    case "set of several": domains.set(["K": "1", "absent": nil], in: domain)
    case "update": domains.modify("K", in: domain, lookUp: lookUp) { ValueUpdate($0) }
    default: domains.modify("K", in: domain, lookUp: lookUp) { ValueUpdate($0, besides: ["absent": nil]) }
    }
    #expect(domain.isListedUnsaved)
    try home.write("{ K = 7; absent = 7; Other = 7; }", to: "App.plist")
    holder.release()
    #expect(domains.save(andRefresh: true) == nil)
    let saved = try database.load(DomainName("App")).values
    #expect(saved["K"] == "1" && saved["Other"] == "7")
    #expect((saved["absent"] == nil) == call.hasSuffix("several"))
    #expect(domain.value(for: "K") == "1" && !domain.isListedUnsaved)
  }
}
