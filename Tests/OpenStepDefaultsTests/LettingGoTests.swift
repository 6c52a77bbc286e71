import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains
@testable import OpenStepDefaults

/// Domains that nobody uses any more.
struct LettingGoTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func open(_ name: String) -> NSUserDefaults {
    NSUserDefaults(directory: home.path, applicationName: name)
  }

  /// Waits until nobody has an object any more: a thread of the package may be at it when the test lets go of it.
  private func isGone(_ object: () -> PersistentDomain?) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 600)
    while object() != nil, Date() < deadline { sched_yield() }
    return object() == nil
  }

  @Test("a domain is let go with the last object that uses it, and what was set there is found again")
  func lastObject() throws {
    let other = open("Other")
    weak var domain: PersistentDomain?
    func use() {
      let first = open("App")
      let second = open("App")
      domain = first.application
      #expect(domain === second.application)
      second.setObject("1", forKey: "k")
      #expect(first.synchronize())
    }
    use()
    #expect(isGone { domain })
    let again = open("App")
    #expect(again.stringForKey("k") == "1")
    #expect(other.persistentDomainNames().contains("App"))
  }

  @Test("what is unsaved when the last object goes is found by the next one, and reaches the disk")
  func unsaved() throws {
    // Keeps the database, as a program's standard object does.
    let other = open("Other")
    weak var domain: PersistentDomain?
    func use(_ value: String) {
      let object = open("App")
      domain = object.application
      object.setObject(value, forKey: "k")
    }
    use("1")
    #expect(domain != nil)
    #expect(open("App").stringForKey("k") == "1")
    #expect(other.synchronize())
    #expect(isGone { domain })
    #expect(try UserDatabase(directory: home.path).load(DomainName("App")).values == ["k": "1"])
    // A save that fails keeps them. The lock keeps the automatic one away until the file's place is taken.
    let lock = Foundation.open(home.path(".lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(flock(lock, LOCK_EX) == 0)
    use("2")
    try FileManager.default.removeItem(atPath: home.path + "/App.plist")
    try FileManager.default.createDirectory(
      atPath: home.path + "/App.plist", withIntermediateDirectories: false)
    // A child process of another test may have the file open.
    flock(lock, LOCK_UN)
    close(lock)
    #expect(!other.synchronize())
    #expect(domain != nil)
    try FileManager.default.removeItem(atPath: home.path + "/App.plist")
    #expect(other.synchronize())
    #expect(isGone { domain })
    #expect(open("App").stringForKey("k") == "2")
  }

  /// Calls a closure at its end, as an object of the program that is kept with a value may.
  private final class Object {
    private let whenEnded: () -> Void

    init(_ whenEnded: @escaping () -> Void) {
      self.whenEnded = whenEnded
    }

    deinit { whenEnded() }
  }

  // In a process of its own, which a thread that waits for itself would keep for ever.
  @Test("a domain that leaves the search list is let go of without a lock", arguments: [false, true])
  func searchedNoLonger(isObserved: Bool) async {
    await #expect(processExitsWith: .success) { [isObserved] in
      alarm(600)
      let home = try TemporaryHome()
      try home.write("{large = (a); observed = b;}", to: "Other.plist")
      let defaults = OwnThreadDefaults(directory: home.path, applicationName: "App")
      let observation = isObserved ? defaults.observe("observed") {} : nil
      defaults.search("Other", behind: "App")
      let hasEnded = Lock(false)
      _ = defaults.path.object(for: "large", to: .classic) { _ in
        Object { [unowned defaults] in
          precondition(defaults.searchList() == ["App"])
          defaults.observe("large") {}.invalidate()
          hasEnded.withLock { $0 = true }
        }
      }
      // The search list alone keeps the domain, after this: no lookup has used the list with the next name.
      precondition(defaults.synchronize())
      defaults.search("More", behind: "App")
      precondition(!hasEnded.withLock { $0 })
      defaults.setWholeSearchList(["App"])
      precondition(hasEnded.withLock { $0 })
      withExtendedLifetime(observation) {}
    }
  }

  @Test("what a program finds in a domain that it asks for by name stays the same until the next synchronize")
  func lookedAt() throws {
    let defaults = OwnThreadDefaults(directory: home.path, applicationName: "App")
    func write(_ value: String) throws {
      var changes = DomainChanges()
      changes.set(.string(value), for: "k")
      _ = try UserDatabase(directory: home.path).commit(changes, to: DomainName("Other"), onDamage: .refuse)
    }
    try write("1")
    #expect(defaults.persistentDomainForName("Other") as? [String: String] == ["k": "1"])
    try write("2")
    #expect(defaults.persistentDomainForName("Other") as? [String: String] == ["k": "1"])
    #expect(defaults.synchronize())
    #expect(defaults.persistentDomainForName("Other") as? [String: String] == ["k": "2"])
    // Also where another object uses that domain.
    let other = OwnThreadDefaults(directory: home.path, applicationName: "Other")
    try write("3")
    #expect(defaults.persistentDomainForName("Other") as? [String: String] == ["k": "2"])
    #expect(defaults.synchronize())
    #expect(defaults.persistentDomainForName("Other") as? [String: String] == ["k": "3"])
    #expect(other.stringForKey("k") == "3")
  }

  @Test("an empty domain that was made here exists as long as the object that made it")
  func emptyDomain() throws {
    let defaults = open("App")
    try defaults.setPersistentDomain([:], forName: "Empty")
    #expect(defaults.synchronize() && defaults.synchronize())
    #expect(defaults.persistentDomainForName("Empty")?.isEmpty == true)
    #expect(defaults.persistentDomainNames() == ["App", "Empty", NSGlobalDomain])
  }

  @Test("many databases with changes are saved without a call, by a few threads")
  func manyDatabases() throws {
    let objects = (0..<100).map { NSUserDefaults(directory: home.path("\($0)"), applicationName: "App") }
    for object in objects { object.setObject("1", forKey: "k") }
    let deadline = Date(timeIntervalSinceNow: 600)
    while objects.contains(where: { $0.persistent.hasUnsavedChanges }), Date() < deadline { sched_yield() }
    for number in 0..<100 {
      #expect(
        try UserDatabase(directory: home.path("\(number)")).load(DomainName("App")).values == ["k": "1"])
    }
  }

  @Test("a deeply nested domain can be removed on a small stack, which its values could not be released on")
  func deepOnSmallStack() async throws {
    let depth = PropertyList.maximumDepth - 2
    let value = String(repeating: "(", count: depth) + "x" + String(repeating: ")", count: depth)
    try home.write("{K=\(value);}", to: "Deep.plist")
    let directory = home.path
    let isSaved = await onThread(stack: 160 << 10) {
      let defaults = NSUserDefaults(directory: directory, applicationName: "Deep")
      // Parses the value, and makes no object of it that this thread would have to release.
      guard defaults.stringForKey("K") == nil else { return false }
      defaults.removePersistentDomainForName("Deep")
      return defaults.synchronize()
    }
    #expect(isSaved)
    #expect(!home.exists("Deep.plist"))
  }
}
