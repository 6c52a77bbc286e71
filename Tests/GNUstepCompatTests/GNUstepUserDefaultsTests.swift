import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

@testable import GNUstepCompat

/// The class as GNUstep has it; what is expected is what GNUstep 1.28 did.
struct GNUstepUserDefaultsTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func opened(arguments: [String] = []) -> GNUstepUserDefaults {
    GNUstepUserDefaults(directory: home.path, applicationName: "App", arguments: arguments)
  }

  @Test("setters store numbers, truth values and dates, which come back as such, and are no strings")
  func typed() throws {
    let defaults = opened()
    let date = Date(timeIntervalSinceReferenceDate: 5)
    defaults.setInteger(5, forKey: "i")
    defaults.setBool(true, forKey: "b")
    defaults.setDouble(0.5, forKey: "d")
    defaults.setFloat(0.1, forKey: "f")
    defaults.setObject(date, forKey: "t")
    defaults.setObject([1, "a"] as [Any], forKey: "a")
    #expect(defaults.objectForKey("i") as? NSNumber == 5)
    #expect(defaults.objectForKey("t") as? Date == date)
    #expect(defaults.stringForKey("i") == nil && defaults.stringForKey("b") == nil)
    #expect(defaults.stringArrayForKey("a") == nil && defaults.arrayForKey("a")?.count == 2)
    #expect(defaults.integerForKey("i") == 5 && defaults.integerForKey("b") == 1)
    #expect(defaults.boolForKey("b") && defaults.boolForKey("i"))
    #expect(defaults.doubleForKey("d") == 0.5 && defaults.floatForKey("f") == 0.1)
    #expect(defaults.synchronize())
    let file = String(decoding: try home.bytes(of: "App.plist"), as: UTF8.self)
    #expect(file.contains("<integer>5</integer>") && file.contains("<true/>"))
    #expect(file.contains("<real>0.1") && file.contains("<date>2001-01-01T00:00:05Z</date>"), "\(file)")
  }

  @Test(
    "a string is true if it begins like yes, true or a number that is not zero",
    arguments: [
      ("YES", true), ("y", true), ("true", true), ("T", true), ("1", true), ("no", false), ("0", false),
      ("x", false), ("-Y", true), ("--1", true), ("+-1", true), ("- 1", true), ("0 5", true), ("0-1", true),
    ])
  func truth(text: String, isTrue: Bool) {
    let defaults = opened()
    defaults.setObject(text, forKey: "k")
    #expect(defaults.boolForKey("k") == isTrue)
  }

  @Test("white space of any kind may stand before a real number")
  func spaceBeforeNumber() {
    let defaults = opened()
    defaults.setObject("\u{A0} \t9.5x", forKey: "k")
    #expect(defaults.doubleForKey("k") == 9.5 && defaults.floatForKey("k") == 9.5)
  }

  @Test("the search list has GNUstep's two domains, and keeps names that have no domain")
  func searchList() {
    let defaults = opened(arguments: ["x", "-NSLanguages", "(French)"])
    #expect(
      defaults.searchList() == [
        "GSPrimaryDomain", "NSArgumentDomain", "App", "NSGlobalDomain", "GSConfigDomain", "French", "English",
        "NSRegistrationDomain",
      ])
    #expect(
      defaults.volatileDomainForName("GSPrimaryDomain")?["NSLanguages"] as? [String] == ["French", "English"])
    defaults.setSearchList(["Later", "App"])
    #expect(defaults.searchList() == ["Later", "App"])
  }

  @Test("suites come right behind the application's domain, the last first; the own name moves to the front")
  func suites() {
    let defaults = opened()
    let names = defaults.searchList()
    let place = 3
    defaults.addSuiteNamed("S1")
    defaults.addSuiteNamed("S2")
    defaults.addSuiteNamed("S1")
    #expect(defaults.searchList() == Array(names[..<place]) + ["S1", "S2"] + names[place...])
    defaults.removeSuiteNamed("S1")
    #expect(defaults.searchList() == Array(names[..<place]) + ["S2"] + names[place...])
    // Names are told apart by their bytes.
    defaults.addSuiteNamed("\u{E9}")
    defaults.addSuiteNamed("e\u{301}")
    #expect(defaults.searchList().filter { $0 == "\u{E9}" }.count == 2)
    for name in ["\u{E9}", "e\u{301}"] { defaults.removeSuiteNamed(name) }
    defaults.addSuiteNamed("App")
    #expect(defaults.searchList().first == "App")
    // The suite's file counts, of whichever program it is.
    GNUstepUserDefaults(directory: home.path, applicationName: "S2").setObject("from S2", forKey: "k")
    #expect(defaults.stringForKey("k") == "from S2")
  }

  // Swift compares strings in the square of such marks.
  @Test("a list of languages may name what is none, with any number of combining marks")
  func combiningMarks() throws {
    let ratio = try growth(from: 10_000, to: 40_000, bound: 10) { count in
      let marks = repeatedMarks(count)
      try home.write(
        "{ NSLanguages = (\"n\(marks)\", \"\(marks)\", French); }".utf8, to: "NSGlobalDomain.plist")
      let start = threadTime()
      let defaults = opened()
      #expect(defaults.stringArrayForKey("NSLanguages")?.count == 4)
      return threadTime() - start
    }
    #expect(ratio < 10, "\(ratio)")
  }

  @Test(
    "suites are added and removed, and searched volatile domains removed, in linear time, also beside an observer",
    arguments: [false, true])
  func manySuites(_ isObserved: Bool) throws {
    let growth = growth(from: 300, to: 3000, bound: 40) { count in
      let defaults = opened()
      let observation = isObserved ? defaults.observe("k") { Issue.record("no suite has the key") } : nil
      defer { observation?.invalidate() }
      let start = threadTime()
      for number in 0..<count { defaults.addSuiteNamed("Suite \(number)") }
      #expect(defaults.stringForKey("k") == nil)
      #expect(
        defaults.searchList().dropFirst(3).prefix(count).elementsEqual(
          (0..<count).reversed().map { "Suite \($0)" }))
      for number in 0..<count { defaults.removeSuiteNamed("Suite \(number)") }
      #expect(defaults.stringForKey("k") == nil)
      return threadTime() - start
    }
    // In quadratic time it would be 100 times.
    #expect(growth < 40)
    let removal = try growthOfRemoval()
    #expect(removal < 40)
  }

  private func growthOfRemoval() throws -> Double {
    try growth(from: 300, to: 3000, bound: 40) { count in
      let defaults = opened()
      let names = (0..<count).map { "Volatile \($0)" }
      for name in names { try defaults.setVolatileDomain(["k": name], forName: name) }
      defaults.setSearchList(names)
      #expect(defaults.stringForKey("k") == names.first)
      let start = threadTime()
      for name in names.dropLast() { defaults.removeVolatileDomainForName(name) }
      #expect(defaults.stringForKey("k") == names.last)
      return threadTime() - start
    }
  }

  @Test("persistent domains are replaced, volatile ones are not, and every change posts")
  func domains() throws {
    let defaults = OwnThreadGNUstepDefaults(directory: home.path, applicationName: "App")
    let posted = Lock(0)
    let token = NotificationCenter.default.addObserver(
      forName: NSUserDefaultsDidChangeNotification, object: defaults, queue: nil
    ) { _ in posted.withLock { $0 += 1 } }
    defer { NotificationCenter.default.removeObserver(token) }
    try defaults.setPersistentDomain(["a": 1], forName: "P")
    try defaults.setPersistentDomain(["b": 2], forName: "P")
    #expect(defaults.persistentDomainForName("P")?.keys.sorted() == ["b"])
    #expect(defaults.persistentDomainForName("P")?["b"] as? Int == 2)
    defaults.setObject("1", forKey: "k")
    defaults.setObject("1", forKey: "k")
    defaults.setObject("2", forKey: "k")
    // The equal value too, as in GNUstep 1.31.
    #expect(posted.withLock { $0 } == 5)
    try defaults.setVolatileDomain(["v": true], forName: "V")
    #expect(defaults.volatileDomainForName("V")?["v"] as? Bool == true)
    #expect(throws: InvalidArgumentError.self) { try defaults.setVolatileDomain([:], forName: "V") }
    #expect(throws: InvalidArgumentError.self) { try defaults.setPersistentDomain([:], forName: "V") }
    #expect(throws: InvalidArgumentError.self) { try defaults.setPersistentDomain([:], forName: "../evil") }
    // As deep as another program's domain may be, which a program reads and sets again.
    let deep = (0..<600).reduce("x" as Any) { value, _ in [value] }
    for value in [deep, NSObject()] {
      #expect(throws: InvalidArgumentError.self) {
        try defaults.setPersistentDomain(["k": value], forName: "P")
      }
      #expect(throws: InvalidArgumentError.self) {
        try defaults.setVolatileDomain(["k": value], forName: "New")
      }
    }
    #expect(defaults.volatileDomainForName("New") == nil)
    defaults.registerDefaults(["r": 1.5])
    #expect(defaults.doubleForKey("r") == 1.5)
  }

  @Test("a synchronize posts what it writes, even if it was saved before, and a domain that is new to it")
  func synchronizing() throws {
    let defaults = OwnThreadGNUstepDefaults(directory: home.path, applicationName: "App")
    func synchronize() -> (posted: Int, hasSucceeded: Bool) { posted(in: defaults) }
    // The two domains that GNUstep makes.
    #expect(synchronize() == (1, true))
    #expect(synchronize() == (0, true))
    defaults.setObject("v", forKey: "k")
    #expect(PersistentDomains.inDirectory(named: home.path, dialect: .gnustep).save(andRefresh: false) == nil)
    #expect(synchronize() == (1, true))
    #expect(synchronize() == (0, true))
    // Another program makes a domain, and removes it and makes it again.
    try home.write("{ k = v; }", to: "Other.plist")
    #expect(synchronize() == (1, true))
    try FileManager.default.removeItem(atPath: home.path("Other.plist"))
    #expect(synchronize() == (0, true))
    try home.write("{ k = v; }", to: "Other.plist")
    #expect(synchronize() == (0, true))
  }

  /// How often a synchronize posts the notification, and whether it succeeds.
  private func posted(in defaults: GNUstepUserDefaults) -> (posted: Int, hasSucceeded: Bool) {
    let posted = Lock(0)
    let token = NotificationCenter.default.addObserver(
      forName: NSUserDefaultsDidChangeNotification, object: defaults, queue: nil
    ) { _ in posted.withLock { $0 += 1 } }
    defer { NotificationCenter.default.removeObserver(token) }
    let hasSucceeded = defaults.synchronize()
    return (posted.withLock { $0 }, hasSucceeded)
  }

  @Test("what could not be written is posted by the synchronize that writes it")
  func postedLate() throws {
    // Before the object is made: a change would be saved soon after it is made.
    try FileManager.default.createDirectory(
      atPath: home.path("App.plist"), withIntermediateDirectories: false)
    let defaults = OwnThreadGNUstepDefaults(directory: home.path, applicationName: "App")
    #expect(!defaults.synchronize())
    defaults.setObject("kept", forKey: "k")
    #expect(posted(in: defaults) == (0, false))
    try FileManager.default.removeItem(atPath: home.path("App.plist"))
    #expect(posted(in: defaults) == (1, true))
    #expect(try home.text(of: "App.plist").contains("kept"))
  }

  @Test("URLs come back whole; nil removes")
  func urls() throws {
    let web = try #require(URL(string: "https://example.org/a?b#c"))
    for defaults in [
      opened(), NSUserDefaults(gnustepDirectory: home.path, applicationName: "Other", arguments: []),
    ] {
      defaults.setURL(web, forKey: "web")
      defaults.setURL(URL(fileURLWithPath: "/tmp/x y"), forKey: "file")
      #expect(defaults.URLForKey("web") == web)
      #expect(defaults.URLForKey("file")?.path == "/tmp/x y")
      #expect(defaults.stringForKey("file") == "/tmp/x y")
      defaults.setURL(nil, forKey: "web")
      #expect(defaults.objectForKey("web") == nil)
      defaults.setObject("/tmp/a b", forKey: "path")
      #expect(defaults.URLForKey("path")?.path == "/tmp/a b")
    }
  }

  @Test("of the file of a path the directory counts, and the search list is empty")
  func contentsOfFile() throws {
    let defaults = NSUserDefaults(contentsOfFile: home.path + "/F/some.plist")
    #expect(defaults.searchList() == [])
    defaults.setObject("x", forKey: "inF")
    #expect(defaults.synchronize())
    #expect(try home.names(in: "F").contains("\(ProcessInfo.processInfo.processName).plist"))
  }

  @Test("the shared object is made anew with what was registered; languages can be chosen until then")
  func standard() async {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      setenv(DatabaseLocation.environmentVariable, path, 1)
      setenv("LANG", "C", 1)
      unsetenv("LANGUAGE")
      unsetenv("LC_ALL")
      let old = NSUserDefaults.standardUserDefaults()
      old.registerDefaults(["reg": "r"])
      try? old.setVolatileDomain(["v": "v"], forName: "V")
      old.addSuiteNamed("S")
      old.setObject("kept", forKey: "k")
      #expect(NSUserDefaults.userLanguages() == ["English"])
      NSUserDefaults.setUserLanguages(["French", "German"])
      #expect(NSUserDefaults.userLanguages() == ["French", "German", "English"])
      NSUserDefaults.resetStandardUserDefaults()
      let new = NSUserDefaults.standardUserDefaults()
      #expect(new !== old && new.stringForKey("reg") == "r" && new.stringForKey("k") == "kept")
      #expect(new.volatileDomainForName("V") == nil && !new.searchList().contains("S"))
      #expect(NSUserDefaults.userLanguages() == ["English"])
    }
  }

  @Test("another database is searched behind the own domains, and nothing of it is written")
  func mounting() throws {
    let theirs = try TemporaryHome()
    try theirs.write("{ Theme = old; Size = <*I12>; }", to: "OldApp.plist")
    try theirs.write(
      "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>Unit</key><string>cm</string></dict></plist>",
      to: "NSGlobalDomain.plist")
    let before = try theirs.names(in: "").sorted()
    let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    let mounted = try defaults.mountDatabase(at: theirs.path, applicationDomain: "OldApp")
    #expect(mounted == [theirs.path + "/OldApp.plist", theirs.path + "/NSGlobalDomain.plist"])
    #expect(defaults.stringForKey("Theme") == "old" && defaults.integerForKey("Size") == 12)
    #expect(defaults.stringForKey("Unit") == "cm")
    defaults.setObject("new", forKey: "Theme")
    #expect(defaults.stringForKey("Theme") == "new")
    defaults.removeObjectForKey("Theme")
    #expect(defaults.stringForKey("Theme") == "old")
    #expect(defaults.synchronize())
    #expect(try theirs.names(in: "").sorted() == before)
    for name in mounted { defaults.removeVolatileDomainForName(name) }
    #expect(defaults.stringForKey("Theme") == nil)
    #expect(try NSUserDefaults(directory: home.path).mountDatabase(at: theirs.path + "/none") == [])
    try theirs.write("{ broken", to: "OldApp.plist")
    #expect(throws: DatabaseError.self) {
      try NSUserDefaults(directory: home.path).mountDatabase(at: theirs.path, applicationDomain: "OldApp")
    }
  }
}
