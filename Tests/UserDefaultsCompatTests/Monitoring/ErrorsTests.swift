import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// What goes wrong is told by `lastError` and by the sequence `errors`, once to each who asks.
struct ErrorsTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  /// The errors about this test's folder, or with a text in them, from now on. Other tests' errors are told at the same
  /// place, in such numbers that they would take this test's errors away if they were kept.
  private func errors(with text: String) -> some AsyncSequence<DatabaseError, Never> {
    UserDefaultsErrors(
      stream: ErrorReports.shared.stream { ($0 as? DatabaseError)?.description.contains(text) ?? false }
    ).compactMap { $0 as? DatabaseError }
  }

  @Test("a damaged file is told of, with its place, and again with where it lies after a save")
  func damage() async throws {
    try Data("{ a = b; c = ".utf8).write(to: URL(fileURLWithPath: home.path + "/App.plist"))
    let place = home.path
    var found = errors(with: place).makeAsyncIterator()
    let first = UserDefaults(directory: home.path, applicationName: "App")
    let second = UserDefaults(directory: home.path, applicationName: "App")
    let error = try #require(try await found.next())
    #expect(error.kind == .damaged)
    #expect("\(try #require(first.lastError))".contains("App.plist:1:14"))
    second.set(1, forKey: "k")
    #expect(second.synchronize())
    let moved = try #require(try await found.next())
    #expect(moved.advice.contains("App.damaged-"))
    // Told once each: the next error is the next thing that goes wrong.
    try FileManager.default.removeItem(atPath: home.path + "/App.plist")
    try FileManager.default.createDirectory(
      atPath: home.path + "/App.plist", withIntermediateDirectories: false)
    second.set(2, forKey: "k")
    #expect(!second.synchronize())
    #expect(try #require(try await found.next()).message.contains("directory"))
    try FileManager.default.removeItem(atPath: home.path + "/App.plist")
    #expect(second.synchronize())
  }

  @Test("a fault of the managed directory, in which several files are read, is told once")
  func managedDirectory() async throws {
    let managed = home.path("Managed")
    try FileManager.default.createDirectory(atPath: managed, withIntermediateDirectories: false)
    try home.write("{ k = 1; }", to: "Managed/App.plist")
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: managed)
    var found = errors(with: home.path).makeAsyncIterator()
    let defaults = UserDefaults(
      store: DefaultsStore(
        user: PersistentDomains.at(directory: home.path), applicationName: try DomainName("App"),
        process: ProcessDomains(arguments: []), managed: ManagedDomains.domains(at: managed)))
    #expect(try #require(try await found.next()).message.contains("is not trusted"))
    // The next error is the next thing that goes wrong.
    try home.write("{ k = ", to: "Other.plist")
    #expect(defaults.persistentDomain(forName: "Other") == nil)
    #expect(try #require(try await found.next()).path == home.path("Other.plist"))
  }

  @Test("a damaged file that someone repairs is no error any more")
  func repair() async throws {
    let file = URL(fileURLWithPath: home.path + "/App.plist")
    try Data("{ k = 1".utf8).write(to: file)
    let defaults = UserDefaults(directory: home.path, applicationName: "App")
    #expect(defaults.lastError != nil)
    var changes = defaults.changes(forKey: "k").makeAsyncIterator()
    try Data("{ k = 1; }".utf8).write(to: file, options: .atomic)
    #expect(await changes.next()?.newValue as? String == "1")
    #expect(defaults.lastError == nil)
  }

  @Test("a file that cannot be read is told of once, not at every change of another")
  func unreadable() async throws {
    try FileManager.default.createDirectory(
      atPath: home.path + "/Other.plist", withIntermediateDirectories: false)
    var found = errors(with: home.path).makeAsyncIterator()
    let defaults = UserDefaults(directory: home.path, applicationName: "App")
    defaults.addSuite(named: "Other")
    #expect(try await found.next()?.message.contains("directory") == true)
    var changes = defaults.changes(forKey: "k").makeAsyncIterator()
    for value in ["1", "2", "3"] {
      try Data("{ k = \(value); }".utf8).write(
        to: URL(fileURLWithPath: home.path + "/App.plist"), options: .atomic)
      #expect(await changes.next()?.newValue as? String == value)
    }
    #expect("\(try #require(defaults.lastError))".contains("Other.plist"))
    defaults.addSuite(named: home.path + "\0")
    #expect(try await found.next()?.kind == .refusedName)
  }

  @Test("names that no domain can have are refused, told of, and change nothing")
  func names() async throws {
    let defaults = UserDefaults(directory: home.path + "/Defaults", applicationName: "App")
    for (name, reason) in [
      ("../evil\0", "NUL"), ("", "empty"), (String(repeating: "x", count: 300), "300 bytes"),
    ] {
      #expect(UserDefaults(suiteName: name) == nil)
      defaults.setPersistentDomain(["k": 1], forName: name)
      #expect("\(try #require(defaults.lastError))".contains(reason))
      defaults.removePersistentDomain(forName: name)
      defaults.addSuite(named: name)
      defaults.removeSuite(named: name)
      #expect(defaults.persistentDomain(forName: name) == nil)
    }
    #expect(defaults.synchronize())
    #expect(defaults.lastError == nil)
    let others = try FileManager.default.contentsOfDirectory(atPath: home.path).filter { $0 != "Defaults" }
    #expect(others == [])
    #expect(UserDefaults(suiteName: UserDefaults.globalDomain) == nil)
  }

  @Test("an administrator's value wins, cannot be changed, and goes with its file")
  func managed() async throws {
    let folder = home.path + "/Managed"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try Data("{ k = forced; n = 5 /*integer*/; }".utf8).write(to: URL(fileURLWithPath: folder + "/App.plist"))
    try Data("{ g = global; k = less; }".utf8).write(
      to: URL(fileURLWithPath: folder + "/NSGlobalDomain.plist"))
    let defaults = UserDefaults(
      store: DefaultsStore(
        user: PersistentDomains.at(directory: home.path + "/Defaults"),
        applicationName: try DomainName("App"),
        process: ProcessDomains(arguments: ["App", "-k", "argument"]),
        managed: PersistentDomains.at(directory: folder)))
    #expect(defaults.string(forKey: "k") == "forced")
    #expect(defaults.object(forKey: "n") as? Int == 5)
    #expect(defaults.string(forKey: "g") == "global")
    #expect(defaults.objectIsForced(forKey: "k") && defaults.objectIsForced(forKey: "g"))
    #expect(!defaults.objectIsForced(forKey: "other"))
    #expect(defaults.objectIsForced(forKey: "k", inDomain: "App"))
    #expect(!defaults.objectIsForced(forKey: "g", inDomain: "App"))
    #expect(!defaults.objectIsForced(forKey: "k", inDomain: "Other"))

    var found = errors(with: "set by the administrator for “App”").makeAsyncIterator()
    defaults.set("mine", forKey: "k")
    #expect(try await found.next()?.kind == .refused)
    #expect("\(try #require(defaults.lastError))".contains("“k”: is set by the administrator"))
    #expect(defaults.string(forKey: "k") == "forced")
    #expect(defaults.persistentDomain(forName: "App") == nil)
    defaults.setPersistentDomain(["k": "mine", "o": 1], forName: "App")
    #expect(
      try await found.next()?.description.contains("the value that was set is stored, but hidden")
        == true)
    #expect(defaults.string(forKey: "k") == "forced" && defaults.integer(forKey: "o") == 1)
    defaults.set("mine", forKey: "other")
    #expect(defaults.synchronize())
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }
    #expect(files.sorted() == ["App.plist", "NSGlobalDomain.plist"])

    var changes = defaults.changes(forKey: "k").makeAsyncIterator()
    try FileManager.default.removeItem(atPath: folder + "/App.plist")
    #expect(await changes.next()?.newValue as? String == "less")
    try FileManager.default.removeItem(atPath: folder + "/NSGlobalDomain.plist")
    #expect(await changes.next()?.newValue as? String == "argument")
    #expect(!defaults.objectIsForced(forKey: "k"))
  }
}
