import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepDefaults
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// What programs' own tests use: databases in memory, temporary ones, and another standard object.
struct DatabasesForTests {
  @Test("what is in memory is shared with no other object, and synchronizing it is no failure")
  func inMemory() {
    let first = UserDefaults.inMemory(arguments: ["x", "-given", "7"])
    let second = UserDefaults.inMemory()
    first.set(1, forKey: "k")
    first.register(defaults: ["registered": 1])
    first.setPersistentDomain(["g": 1], forName: UserDefaults.globalDomain)
    #expect(first.synchronize() && first.lastError == nil)
    #expect(first.integer(forKey: "k") == 1 && first.integer(forKey: "given") == 7)
    #expect(first.integer(forKey: "g") == 1 && first.integer(forKey: "registered") == 1)
    for key in ["k", "given", "g", "registered"] { #expect(second.object(forKey: key) == nil) }
  }

  @Test("a temporary database is on the disk while its object is there, and for its user alone")
  func temporary() throws {
    var defaults: UserDefaults? = try UserDefaults.temporary(applicationName: "App")
    let folder = try #require(defaults?.store.user.database?.directory)
    #expect(try UserDefaults.temporary().store.user.database?.directory != folder)
    defaults?.set(1, forKey: "k")
    #expect(defaults?.synchronize() == true)
    #expect(FileManager.default.fileExists(atPath: folder + "/App.plist"))
    let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    // A change that is not saved yet, unless this thread waits for a processor here, does not bring the folder
    // back.
    defaults?.set(2, forKey: "k")
    let domains = try #require(defaults?.store.user)
    defaults = nil
    #expect(!FileManager.default.fileExists(atPath: folder))
    // Else a thread would try to save it for as long as the process runs.
    #expect(!domains.hasUnsavedChanges)
  }

  @Test("where TMPDIR is empty, temporary databases are in the usual place")
  func emptyVariable() async {
    await #expect(processExitsWith: .success) {
      setenv("TMPDIR", "", 1)
      let defaults = try UserDefaults.temporary()
      #expect(defaults.store.user.database?.directory.hasPrefix("/tmp/UserDefaults-") == true)
    }
  }

  // What root saved went into that user's directory, and that user's values were read as root's.
  @Test(
    "where a directory is made in the place of a temporary database, by any user, nothing is read or saved",
    // Only the administrator can give files away.
    arguments: getuid() == 0 ? [false, true] : [false])
  func plantedFolder(isOthers: Bool) throws {
    let defaults = try UserDefaults.temporary(applicationName: "App")
    let folder = try #require(defaults.store.user.database?.directory)
    defaults.set("old", forKey: "k")
    #expect(defaults.synchronize())
    let files = FileManager.default
    try files.removeItem(atPath: folder)
    defaults.set("secret", forKey: "password")
    #expect(
      !defaults.synchronize() && "\(defaults.lastError.map { "\($0)" } ?? "")".contains("was removed"))
    try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? files.removeItem(atPath: folder) }
    try Data("{ k = planted; }".utf8).write(to: URL(fileURLWithPath: folder + "/App.plist"))
    for name in ["/App.plist", ""] {
      #expect(chmod(folder + name, 0o777) == 0)
      if isOthers { #expect(chown(folder + name, 12345, 12345) == 0) }
    }
    #expect(
      !defaults.synchronize() && "\(defaults.lastError.map { "\($0)" } ?? "")".contains("was removed"))
    #expect(defaults.string(forKey: "k") != "planted" && defaults.string(forKey: "password") == "secret")
    #expect(try files.contentsOfDirectory(atPath: folder) == ["App.plist"])
    #expect(try String(contentsOfFile: folder + "/App.plist", encoding: .utf8) == "{ k = planted; }")
  }

  // Root removed what another user's link led to.
  @Test(
    "what stands at the path of a temporary database later is not removed with it", arguments: [false, true])
  func exchangedFolder(isLink: Bool) throws {
    var defaults: UserDefaults? = try UserDefaults.temporary(applicationName: "App")
    let folder = try #require(defaults?.store.user.database?.directory)
    defaults?.set(1, forKey: "k")
    #expect(defaults?.synchronize() == true)
    let (files, other) = (FileManager.default, isLink ? folder + "-other" : folder)
    try files.moveItem(atPath: folder, toPath: folder + "-moved")
    try files.createDirectory(atPath: other, withIntermediateDirectories: false)
    defer {
      for path in [folder, folder + "-moved", folder + "-other"] { try? files.removeItem(atPath: path) }
    }
    if isLink { try files.createSymbolicLink(atPath: folder, withDestinationPath: other) }
    try Data("mine".utf8).write(to: URL(fileURLWithPath: other + "/file"))
    defaults = nil
    #expect(try String(contentsOfFile: folder + "/file", encoding: .utf8) == "mine")
    #expect(files.fileExists(atPath: folder + "-moved/App.plist"))
  }

  @Test("another standard object is there for the operation and its tasks, and for nobody else")
  func withStandard() async throws {
    let (outer, inner) = (UserDefaults.inMemory(), UserDefaults.inMemory())
    let result = UserDefaults.withStandard(outer) {
      #expect(UserDefaults.standard === outer)
      UserDefaults.withStandard(inner) { #expect(UserDefaults.standard === inner) }
      #expect(UserDefaults.standard === outer)
      return 5
    }
    #expect(result == 5)
    await UserDefaults.withStandard(inner) {
      #expect(UserDefaults.standard === inner)
      await Task { #expect(UserDefaults.standard === inner) }.value
      async let child = UserDefaults.standard === inner
      #expect(await child)
      await Task.detached { #expect(UserDefaults.standard !== inner) }.value
    }
    #expect(UserDefaults.standard !== outer && UserDefaults.standard !== inner)
  }

  private struct Failure: Error {}

  @Test("an error of the operation is thrown on, and the standard object is the old one again")
  func withStandardThrows() async {
    let defaults = UserDefaults.inMemory()
    #expect(throws: Failure.self) { try UserDefaults.withStandard(defaults) { throw Failure() } }
    await #expect(throws: Failure.self) {
      try await UserDefaults.withStandard(defaults) {
        await Task.yield()
        throw Failure()
      }
    }
    #expect(UserDefaults.standard !== defaults)
  }
}
