import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// Links and directories that are replaced in ways of which the system tells little; no test sleeps.
struct WatchedLinksTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func run(_ script: String) throws { try home.run(script) }

  /// A watcher of a directory whose watch stands.
  private func watch(_ directory: String) throws -> (DatabaseWatcher, WatcherCalls) {
    let database = UserDatabase(directory: "\(home.path)/\(directory)")
    let calls = WatcherCalls(reading: "App", in: database)
    let watcher = try #require(DatabaseWatcher(of: database) { _ in calls.add() })
    #expect(calls.wait { calls.total > 0 && !watcher.isPolling })
    return (watcher, calls)
  }

  // A backup by hard links gives each link a second name, and the removal of one of two names is no removal of the link.
  @Test(
    "a link that has a second name (hard link) may come to lead elsewhere, also where a file's link leads through it",
    arguments: ["current", "Defaults"])
  func hardLinks(directory: String) throws {
    try run(
      """
      mkdir -p one two Defaults; echo '{k = 1; }' > one/App.plist; echo '{k = 2; }' > two/App.plist
      ln -s one current; ln -P current backup; ln -s ../current/App.plist Defaults/App.plist
      """)
    let (watcher, calls) = try watch(directory)
    #expect(calls.wait { calls.told("k") == "1" })
    try run("ln -s two new; mv -T new current")
    #expect(calls.wait { calls.told("k") == "2" })
    try run("echo '{k = 3; }' > two/new; mv two/new two/App.plist")
    #expect(calls.wait { calls.told("k") == "3" })
    withExtendedLifetime(watcher) {}
  }

  // The system tells of the end of an open directory only when it is closed.
  @Test("an empty directory that a process has open may be replaced by another one")
  func openDirectory() throws {
    try run("mkdir Defaults new; echo '{k = 1; }' > new/App.plist")
    let (watcher, calls) = try watch("Defaults")
    let descriptor = open(home.path + "/Defaults", O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    try #require(descriptor >= 0)
    try run("mv -T new Defaults")
    #expect(calls.wait { calls.told("k") == "1" })
    try run("echo '{k = 2; }' > x; mv x Defaults/App.plist")
    #expect(calls.wait { calls.told("k") == "2" })
    withExtendedLifetime(watcher) {}
  }

  // It counted as no link for the life of the watcher.
  @Test("a domain of which it cannot be found out for a while whether it is a link is followed after that")
  func unknownLink() throws {
    try run("mkdir Defaults one; echo '{k = 1; }' > one/App.plist; ln -s ../one/App.plist Defaults/App.plist")
    let isFailing = Lock(true)
    let names = Lock<[DomainName]>([])
    let disk = FaultyFileSystem { operation in
      let isLooked = operation.name == "status" && operation.path?.hasSuffix("Defaults/App.plist") ?? false
      return isLooked && isFailing.withLock { $0 } ? .notPermitted : nil
    }
    let calls = WatcherCalls(reading: "App", in: UserDatabase(directory: home.path + "/Defaults"))
    let followed: @Sendable () -> [DomainName]? = { names.withLock { $0 } }
    let watcher = try #require(
      DatabaseWatcher(
        of: UserDatabase(directory: home.path + "/Defaults", fileSystem: disk),
        following: followed
      ) { _ in calls.add() })
    #expect(calls.wait { calls.total > 0 && !watcher.isPolling })
    let name = try DomainName("App")
    names.withLock { $0 = [name] }
    watcher.follow(name)
    #expect(calls.wait { watcher.isPolling })
    isFailing.withLock { $0 = false }
    #expect(calls.wait { !watcher.isPolling })
    try run("echo '{k = 2; }' > one/new; mv one/new one/App.plist")
    #expect(calls.wait { calls.told("k") == "2" })
    withExtendedLifetime(watcher) {}
  }
}
