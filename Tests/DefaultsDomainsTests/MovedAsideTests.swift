import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// Saves that keep the old file beside the new one, and what the process knows of the new one then.
struct MovedAsideTests {
  private let home: TemporaryHome
  private let domains: PersistentDomains
  private let domain: PersistentDomain

  init() throws {
    home = try TemporaryHome()
    try home.write("{ a = old; removed = old; }", to: "App.plist")
    domains = PersistentDomains(database: UserDatabase(directory: home.path))
    domain = domains.domain(try DomainName("App"))
    #expect(domain.values == ["a": "old", "removed": "old"])
  }

  // The new file counted as known, since the old one counted as damaged, and others' changes were never read.
  @Test(
    "others' changes in a file that cannot be changed as it is are read after the save that moves it aside",
    arguments: [false, true])
  func othersChanges(isRefreshing: Bool) throws {
    // Half a surrogate pair as the value of a.
    try home.write(LoneSurrogate.binary, to: "App.plist")
    #expect(domains.set("new", for: "own", in: domain))
    #expect(domains.save(andRefresh: isRefreshing, of: [domain]) == nil)
    #expect(try home.names().filter { !$0.hasPrefix(".") }.count == 2)
    if !isRefreshing { _ = domains.save(andRefresh: true, of: [domain]) }
    #expect(domain.values == ["a": "\u{FFFD}x", "b": "v", "own": "new"])
  }

  @Test("the same of a text in an eight-bit encoding, one of whose keys is removed")
  func eightBitText() throws {
    // UTF-8 for one value, and Latin-1 for another.
    let text = Array("{ a = new; removed = \"".utf8) + [0xE9] + Array("\"; b = \"\u{E9}\"; }".utf8)
    try home.write(text, to: "App.plist")
    #expect(domains.set(nil, for: "removed", in: domain))
    #expect(domains.save(andRefresh: true, of: [domain]) == nil)
    #expect(domain.value(for: "a") == "new" && domain.value(for: "removed") == nil)
    #expect(domain.value(for: "b") != nil)
  }

  @Test("a damaged file is replaced by all that the process knows, which needs no look at the new one")
  func damaged() throws {
    try home.write("{ a = ", to: "App.plist")
    #expect(domains.set("new", for: "own", in: domain))
    #expect(domains.save(andRefresh: false, of: [domain]) == nil)
    #expect(domain.values == ["a": "old", "removed": "old", "own": "new"])
    let file = try UserDatabase(directory: home.path).load(domain.name).values
    #expect(file == domain.values)
    #expect(try domain.refresh(from: UserDatabase(directory: home.path)).isEmpty)
  }

  // The removal was dropped, since the process knows of no such key.
  @Test("a key of a file that was damaged when it was first read is removed, with the file, which is kept")
  func removal() throws {
    try home.write("{ k = v; ", to: "Other.plist")
    let other = domains.domain(try DomainName("Other"))
    #expect(domains.set(nil, for: "k", in: other))
    #expect(domains.save(andRefresh: true, of: [other]) == nil)
    let names = try home.names().filter { !$0.hasPrefix(".") }.sorted()
    #expect(names.count == 2 && names[0] == "App.plist" && names[1].hasPrefix("Other.damaged-"), "\(names)")
  }

  // It was no change here, and the next start found nothing.
  @Test("a value that is set again in a damaged file is saved")
  func setAgain() async throws {
    try home.write("{ a = ", to: "App.plist")
    domains.save(andRefresh: true, of: [domain])
    #expect(domain.damage != nil)
    // Otherwise it might be saved before it is looked at.
    let holder = try await LockHolder(of: UserDatabase(directory: home.path))
    #expect(!domains.set("old", for: "a", in: domain))
    #expect(domain.isListedUnsaved)
    holder.release()
    #expect(domains.save(andRefresh: true, of: [domain]) == nil)
    let file = try UserDatabase(directory: home.path).load(domain.name).values
    #expect(file == ["a": "old", "removed": "old"])
    #expect(!domains.set("old", for: "a", in: domain))
    #expect(!domain.isListedUnsaved, "the file is known to have it")
  }
}
