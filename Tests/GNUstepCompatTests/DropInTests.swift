import DefaultsDatabase
import DefaultsDomains
import Foundation
import GNUstepClient
import OpenStepDefaults
import TestSupport
import Testing

@testable import GNUstepCompat

/// A program that has the one file of the drop-in, and means GNUstep's database by every call.
struct DropInTests {
  /// What GNUstep 1.31 posts by its source, and by its own tests; 1.28 posts nothing there.
  private static let newer = [
    "equal value": 1, "absent key": 1, "nil": 1, "registered defaults": 1, "new volatile domain": 1,
    "removed volatile domain": 1, "absent volatile domain": 1, "new suite": 1, "removed suite": 1,
    "other search list": 1, "chosen languages": 2,
    // The domain of the languages is removed and set, and English's is set.
    "the shared object is made": 3, "shared object made anew": 3,
  ]

  @Test(
    "the port of a program gives the original's answers; the notification is posted when GNUstep 1.31 does",
    .enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)))
  func moments() async throws {
    let program = try GNUstepProgram("moments", named: "App")
    let theirs = try GNUstepHome()
    var environment = theirs.environment
    environment["LC_ALL"] = "C"
    environment["LANGUAGE"] = ""
    let output = String(decoding: try program.run([], environment: environment), as: UTF8.self)
    let lines = output.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    // What GNUstep 1.28 posts besides.
    let wanted = lines.map { line in
      let older = Int(line[1]) ?? 0
      return DropInTests.newer[line[0]].map { [line[0], "\(older + $0)"] } ?? line
    }
    #expect(wanted.count > 40)
    let ours = try GNUstepHome()
    await #expect(processExitsWith: .success) {
      [path = ours.home.path as String, wanted = wanted as [[String]]] in
      DropInTests.prepare(path)
      ProcessInfo.processInfo.processName = "App"
      for (line, answer) in zip(wanted, GNUstepClient.moments()) {
        #expect(line == answer, "\(line) is expected, not \(answer)")
      }
      #expect(FileManager.default.fileExists(atPath: path + "/Defaults/App.plist") == false)
      #expect(FileManager.default.fileExists(atPath: path + "/OpenStep") == false)
    }
  }

  /// Makes a process of its own use the databases in a test's directory, and no languages but English.
  static func prepare(_ path: String) {
    setenv(GNUstepConfiguration.environmentVariable, path + "/GNUstep.conf", 1)
    setenv(DatabaseLocation.environmentVariable, path + "/OpenStep", 1)
    setenv("LC_ALL", "C", 1)
    unsetenv("LANGUAGE")
  }

  @Test(
    "the shared object is GNUstep's of GNUstep's class, however it is called, and the classic one of the classic class"
  )
  func shared() async throws {
    let home = try GNUstepHome()
    await #expect(processExitsWith: .success) { [path = home.home.path as String] in
      DropInTests.prepare(path)
      let classic = NSUserDefaults.standardUserDefaults()
      let gnustep: GNUstepUserDefaults = .standardUserDefaults()
      let type: NSUserDefaults.Type = GNUstepUserDefaults.self
      #expect(type.standardUserDefaults() === gnustep && classic !== gnustep)
      #expect(Subclass.standardUserDefaults() === gnustep)
      classic.setObject("classic", forKey: "k")
      gnustep.setObject("gnustep", forKey: "k")
      #expect(classic.stringForKey("k") == "classic")
      gnustep.registerDefaults(["r": 1])
      type.setUserLanguages(["French"])
      #expect(gnustep.stringArrayForKey(NSLanguages) == ["French", "English"])
      #expect(NSUserDefaults.userLanguages() == ["English"] && type.userLanguages() == ["French", "English"])
      type.setUserLanguages(nil)
      #expect(type.userLanguages() == [])
      type.resetStandardUserDefaults()
      #expect(NSUserDefaults.standardUserDefaults() === classic)
      let new = GNUstepUserDefaults.standardUserDefaults()
      #expect(new !== gnustep && new.integerForKey("r") == 1 && new.stringForKey("k") == "gnustep")
      #expect(GNUstepUserDefaults.userLanguages() == ["English"])
      NSUserDefaults.resetStandardUserDefaults()
      #expect(NSUserDefaults.standardUserDefaults() !== classic)
      #expect(GNUstepUserDefaults.standardUserDefaults() === new)
      #expect(new.synchronize() && classic.synchronize())
      let name = "\(ProcessInfo.processInfo.processName).plist"
      let files = try ["/Defaults/", "/OpenStep/"].map {
        try String(contentsOfFile: path + $0 + name, encoding: .utf8)
      }
      #expect(files[0].contains("gnustep") && files[1].contains("classic"))
    }
  }

  // Unchecked like its superclass, whose promise a subclass has to restate.
  private final class Subclass: GNUstepUserDefaults, @unchecked Sendable {}

  @Test("an observer that is called while the shared object is made may ask for it")
  func askedWhileMade() async throws {
    let home = try GNUstepHome()
    await #expect(processExitsWith: .success) { [path = home.home.path as String] in
      DropInTests.prepare(path)
      let seen = Lock<[ObjectIdentifier]>([])
      let observer = NotificationCenter.default.addObserver(
        forName: NSUserDefaultsDidChangeNotification, object: nil, queue: nil
      ) { _ in
        let shared = ObjectIdentifier(GNUstepUserDefaults.standardUserDefaults())
        seen.withLock { $0.append(shared) }
      }
      let shared = ObjectIdentifier(GNUstepUserDefaults.standardUserDefaults())
      NotificationCenter.default.removeObserver(observer)
      // The application's and the global domain, the languages twice, and English.
      #expect(seen.withLock { $0 } == Array(repeating: shared, count: 5))
    }
  }

  @Test("every initializer opens GNUstep's database")
  func initializers() async throws {
    let home = try GNUstepHome()
    await #expect(processExitsWith: .success) {
      [path = home.home.path as String, directory = home.directory as String] in
      DropInTests.prepare(path)
      GNUstepUserDefaults().setInteger(5, forKey: "Columns")
      // The search list of a file's object is empty, as in GNUstep.
      #expect(columnsOfInitializers(in: directory) == [5, 0, 7, 5])
      #expect(GNUstepUserDefaults(contentsOfFile: "").objectForKey("Columns") == nil)
      let own = try #require(GNUstepUserDefaults(user: NSUserName()))
      own.setSearchList(GNUstepUserDefaults.standardUserDefaults().searchList())
      #expect(own.integerForKey("Columns") == 5)
      #expect(GNUstepUserDefaults(user: "no such user") == nil)
      GNUstepUserDefaults(contentsOfFile: path + "/F/some.plist").setInteger(6, forKey: "Columns")
      #expect(GNUstepUserDefaults(directory: path + "/F").integerForKey("Columns") == 6)
    }
  }

  // MARK: - Subclasses

  // Unchecked like its superclass, whose promise a subclass has to restate.
  /// Keeps all values, with their types, under other keys.
  private final class Prefixed: GNUstepUserDefaults, @unchecked Sendable {
    override func objectForKey(_ key: String) -> Any? { super.objectForKey("App." + key) }
    override func setObject(_ value: Any?, forKey key: String) {
      super.setObject(value, forKey: "App." + key)
    }
  }

  @Test("a subclass that overrides objectForKey and setObject changes every typed getter and setter")
  func subclass() throws {
    let defaults = Prefixed(inMemoryWithApplicationName: "App")
    defaults.setBool(true, forKey: "bool")
    defaults.setInteger(5, forKey: "integer")
    defaults.setFloat(0.5, forKey: "float")
    defaults.setDouble(0.25, forKey: "double")
    defaults.setURL(URL(string: "https://example.org/a"), forKey: "url")
    defaults.setValue("text", forKey: "string")
    defaults.setObject(Data([1]), forKey: "data")
    defaults.setObject(["a", "b"], forKey: "array")
    defaults.setObject(["k": 1], forKey: "dictionary")
    let own = try #require(defaults.persistentDomainForName("App"))
    #expect(own.keys.allSatisfy { $0.hasPrefix("App.") } && own.count == 9)
    #expect(defaults.boolForKey("bool") && !defaults.boolForKey("App.bool"))
    #expect(defaults.integerForKey("integer") == 5 && defaults.integerForKey("App.integer") == 0)
    #expect(defaults.floatForKey("float") == 0.5 && defaults.floatForKey("App.float") == 0)
    #expect(defaults.doubleForKey("double") == 0.25 && defaults.doubleForKey("App.double") == 0)
    #expect(defaults.URLForKey("url")?.host == "example.org" && defaults.URLForKey("App.url") == nil)
    #expect(defaults.stringForKey("string") == "text" && defaults.stringForKey("App.string") == nil)
    #expect(defaults.valueForKey("string") as? String == "text" && defaults.valueForKey("App.string") == nil)
    #expect(defaults.dataForKey("data") == Data([1]) && defaults.dataForKey("App.data") == nil)
    #expect(defaults.arrayForKey("array")?.count == 2 && defaults.arrayForKey("App.array") == nil)
    #expect(
      defaults.stringArrayForKey("array") == ["a", "b"] && defaults.stringArrayForKey("App.array") == nil)
    #expect(defaults.dictionaryForKey("dictionary")?["k"] as? Int == 1)
    #expect(defaults.dictionaryForKey("App.dictionary") == nil)
    defaults.setValue(nil, forKey: "string")
    defaults.setURL(nil, forKey: "url")
    #expect(defaults.persistentDomainForName("App")?.count == 7)
  }

  // MARK: - Another user

  @Test(
    "another user's objects are in that user's database, with its rights only, and an unknown user's nowhere",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func userName() async throws {
    let home = try GNUstepHome()
    #expect(chmod(home.home.path, 0o755) == 0)
    try FileManager.default.createDirectory(atPath: home.directory, withIntermediateDirectories: false)
    #expect(chown(home.directory, 65534, 65534) == 0)
    await #expect(processExitsWith: .success) {
      [path = home.home.path as String, directory = home.directory as String] in
      DropInTests.prepare(path)
      let own = GNUstepUserDefaults.standardUserDefaults()
      own.registerDefaults(["r": 1])
      GSSetUserName(NSUserName())
      #expect(GNUstepUserDefaults.standardUserDefaults() === own)
      GSSetUserName("nobody")
      let theirs = GNUstepUserDefaults.standardUserDefaults()
      #expect(theirs !== own && theirs.integerForKey("r") == 1)
      #expect(GNUstepDatabase.current.domains.database?.account?.user == 65534)
      theirs.setInteger(5, forKey: "k")
      #expect(theirs.synchronize())
      let file = "\(directory)/\(ProcessInfo.processInfo.processName).plist"
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.ownerAccountID] as? Int == 65534)
      let other = GNUstepUserDefaults()
      other.setSearchList(theirs.searchList())
      #expect(other.integerForKey("k") == 5)
      // Another directory where the configuration names none.
      setenv(GNUstepConfiguration.environmentVariable, path + "/none.conf", 1)
      #expect(GNUstepDatabase.current.domains.database?.directory == "/nonexistent/GNUstep/Defaults")
      #expect(NSUserDefaults(gnustepDirectory: nil).integerForKey("k") == 0)

      GSSetUserName("no such user")
      let nobodys = GNUstepUserDefaults.standardUserDefaults()
      #expect(nobodys.integerForKey("r") == 1 && nobodys.objectForKey("k") == nil)
      nobodys.setObject("v", forKey: "k")
      #expect(!nobodys.synchronize())
      #expect(
        "\(nobodys.lastError.map { "\($0)" } ?? "")".contains("“no such user”: is no user of this system"))
      nobodys.removeObjectForKey("k")
    }
  }
}
