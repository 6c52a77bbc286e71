import DefaultsDatabase
import Foundation
import OpenStepDefaults
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// The class as a whole; what single calls answer is in the behaviour vectors.
struct UserDefaultsTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  @Test("objects on one directory, classic and modern, see one another's changes at once")
  func shared() {
    let first = UserDefaults(directory: home.path, applicationName: "App")
    let second = UserDefaults(directory: home.path, applicationName: "App")
    let classic = NSUserDefaults(directory: home.path, applicationName: "App")
    first.set(5, forKey: "k")
    #expect(second.integer(forKey: "k") == 5)
    #expect(classic.stringForKey("k") == "5")
    classic.setObject("six", forKey: "k")
    #expect(first.string(forKey: "k") == "six")
    second.removeObject(forKey: "k")
    #expect(first.object(forKey: "k") == nil)
  }

  @Test("the standard object is one, finds what other objects set, and is what init() gives without suites")
  func standard() async {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      setenv(DatabaseLocation.environmentVariable, path, 1)
      let standard = UserDefaultsCompat.UserDefaults.standard
      #expect(standard === UserDefaultsCompat.UserDefaults.standard)
      standard.set(1, forKey: "k")
      #expect(UserDefaultsCompat.UserDefaults().integer(forKey: "k") == 1)
      #expect(UserDefaultsCompat.UserDefaults(suiteName: nil)?.integer(forKey: "k") == 1)
      let suite = UserDefaultsCompat.UserDefaults(suiteName: "org.example.Suite")
      #expect(suite?.object(forKey: "k") == nil)
      suite?.set(2, forKey: "s")
      standard.addSuite(named: "org.example.Suite")
      #expect(standard.integer(forKey: "s") == 2)
      #expect(UserDefaultsCompat.UserDefaults().object(forKey: "s") == nil)
    }
  }

  @Test("a suite of the process's own name is an object on the program's domain")
  func ownName() async {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      setenv(DatabaseLocation.environmentVariable, path, 1)
      let own = ProcessInfo.processInfo.processName
      #expect(UserDefaultsCompat.UserDefaults.standard.domainName == own)
      guard let suite = UserDefaultsCompat.UserDefaults(suiteName: own) else { fatalError("no object") }
      suite.set(1, forKey: "k")
      #expect(UserDefaultsCompat.UserDefaults.standard.integer(forKey: "k") == 1)
      UserDefaultsCompat.UserDefaults.standard.removeObject(forKey: "k")
      #expect(suite.object(forKey: "k") == nil)
      // Nothing is searched twice.
      suite.addSuite(named: own)
      suite.set(2, forKey: "k")
      #expect(suite.dictionaryRepresentation()["k"] as? Int == 2)
    }
  }

  @Test(
    "a suite's name may be a path or a file's identifier, and its file lies in the database all the same",
    arguments: ["a/b", "../../evil", "/tmp/evil", #fileID, #filePath, "/", "a%2Fb", "é/🦄"])
  func suitesWithSlashes(name: String) async throws {
    await #expect(processExitsWith: .success) { [path = home.path as String, name = name as String] in
      setenv(DatabaseLocation.environmentVariable, path + "/Defaults", 1)
      guard let suite = UserDefaultsCompat.UserDefaults(suiteName: name) else { fatalError("no object") }
      suite.set(1, forKey: "k")
      #expect(suite.synchronize())
      guard let again = UserDefaultsCompat.UserDefaults(suiteName: name) else { fatalError("no object") }
      #expect(again.integer(forKey: "k") == 1)
      let standard = UserDefaultsCompat.UserDefaults.standard
      #expect(standard.persistentDomain(forName: name)?["k"] as? Int == 1)
      guard let other = UserDefaultsCompat.UserDefaults(suiteName: "other" + name) else {
        fatalError("no object")
      }
      #expect(other.object(forKey: "k") == nil)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["Defaults"])
    let database = UserDatabase(directory: home.path + "/Defaults")
    #expect(try database.domainNames().map(\.text) == [name])
  }

  @Test(
    "a suite of a name that cannot be a file's, or that every object has anyway, is nil, and nothing is written",
    arguments: [
      "", "a\0b", String(repeating: "x", count: 300), String(repeating: "/", count: 84),
      UserDefaultsCompat.UserDefaults.globalDomain,
    ])
  func refusedSuites(name: String) async {
    #expect(UserDefaults(suiteName: name) == nil)
  }

  // MARK: - Subclasses

  // Unchecked like its superclass, whose promise a subclass has to restate.
  /// A mock as programs write it: a dictionary in the place of the database.
  private final class Mock: UserDefaults, @unchecked Sendable {
    private var values: [String: Any] = [:]

    override func object(forKey defaultName: String) -> Any? { values[defaultName] }
    override func set(_ value: Any?, forKey defaultName: String) { values[defaultName] = value }
    override func removeObject(forKey defaultName: String) { values[defaultName] = nil }
  }

  @Test("a subclass that overrides object, set and remove has the typed getters and setters go its way")
  func subclass() throws {
    let mock = Mock(directory: home.path, applicationName: "App")
    let url = try #require(URL(string: "https://example.org"))
    mock.set(5, forKey: "i")
    mock.set(true, forKey: "b")
    mock.set(0.5, forKey: "d")
    mock.set(Float(0.1), forKey: "f")
    mock.set(url, forKey: "u")
    mock.set("text", forKey: "s")
    mock.set(["a"], forKey: "a")
    mock.set(Data([1]), forKey: "x")
    #expect(mock.integer(forKey: "i") == 5 && mock.string(forKey: "i") == "5")
    #expect(mock.bool(forKey: "b"))
    #expect(mock.double(forKey: "d") == 0.5)
    #expect(mock.float(forKey: "f") == 0.1)
    #expect(mock.url(forKey: "u") == url)
    #expect(mock.string(forKey: "s") == "text")
    #expect(mock.stringArray(forKey: "a") == ["a"] && mock.array(forKey: "a")?.count == 1)
    #expect(mock.data(forKey: "x") == Data([1]))
    mock.set(nil as URL?, forKey: "u")
    #expect(mock.url(forKey: "u") == nil)
    // Nothing of it went into the database.
    #expect(UserDefaults(directory: home.path, applicationName: "App").object(forKey: "i") == nil)
  }

  @Test("a subclass made without arguments is one of the standard database")
  func subclassOfStandard() async {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      setenv(DatabaseLocation.environmentVariable, path, 1)
      // Unchecked like its superclass, whose promise a subclass has to restate.
      final class Plain: UserDefaultsCompat.UserDefaults, @unchecked Sendable {}
      UserDefaultsCompat.UserDefaults.standard.set(1, forKey: "k")
      #expect(Plain().integer(forKey: "k") == 1)
      #expect(Plain(suiteName: "Suite")?.object(forKey: "k") == nil)
    }
  }

  @Test("objects are equal to themselves alone, and say what they are")
  func identity() {
    let first = UserDefaults(directory: home.path, applicationName: "App")
    let second = UserDefaults(directory: home.path, applicationName: "App")
    #expect(first == first && first != second)
    #expect(Set([first, second, first]).count == 2)
    #expect(first.description == "<UserDefaults: “App” in \(home.path)>")
    #expect(UserDefaults.inMemory(applicationName: "M").description == "<UserDefaults: “M” in memory>")
  }

  // MARK: - What has gone out of use

  @Test("a check of a value throws what setting it would stop with")
  func validate() throws {
    try UserDefaults.validate(["a": [1, Date(), Data()] as [Any]])
    try UserDefaults.validate(nil)
    try UserDefaults.validate(URL(string: "https://example.org"))
    let error = #expect(throws: InvalidArgumentError.self) {
      try UserDefaults.validate(["a": [1, NSNull()] as [Any]], forKey: "K")
    }
    #expect(error?.reason.hasPrefix(#"the value for the key "K"["a"][1] is of type NSNull"#) == true)
  }
}
