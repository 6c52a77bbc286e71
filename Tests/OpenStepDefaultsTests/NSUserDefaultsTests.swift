import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import Testing

@testable import OpenStepDefaults

/// What the class does in memory; the rules are OPENSTEP's text.
struct NSUserDefaultsTests {
  private let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")

  @Test("setters store strings, and every getter reads them")
  func stringEncoding() {
    defaults.setBool(true, forKey: "Flag")
    defaults.setInteger(-5, forKey: "Count")
    defaults.setFloat(0.1, forKey: "Small")
    defaults.setDouble(0.30000000000000004, forKey: "Exact")
    #expect(
      defaults.persistentDomainForName("App") as? [String: String] == [
        "Flag": "YES", "Count": "-5", "Small": "0.1", "Exact": "0.30000000000000004",
      ])
    #expect(defaults.boolForKey("Flag"))
    #expect(defaults.integerForKey("Count") == -5)
    #expect(defaults.floatForKey("Small") == 0.1)
    #expect(defaults.doubleForKey("Exact") == 0.30000000000000004)
    #expect(defaults.integerForKey("Flag") == 0)
    #expect(defaults.stringForKey("Count") == "-5")
  }

  @Test("numbers, truth values and dates given as objects become strings at any depth")
  func objectsBecomeStrings() {
    let date = Date(timeIntervalSinceReferenceDate: 0)
    let objects: [Any] = [
      5, Int8(-5), UInt64.max, 2.0, 0.1, Float(0.1), CGFloat(2.5), true, false, date, NSNumber(value: true),
      NSNumber(value: 1), NSNumber(value: 0.1), NSNumber(value: UInt64.max), "x" as NSString, "abc".prefix(1),
      Decimal(string: "1.1") as Any,
    ]
    defaults.setObject(["a": objects], forKey: "K")
    #expect(
      defaults.dictionaryForKey("K")?["a"] as? [String] == [
        "5", "-5", "18446744073709551615", "2", "0.1", "0.1", "2.5", "YES", "NO", "2001-01-01 00:00:00 +0000",
        "YES", "1", "0.1", "18446744073709551615", "x", "a", "1.1",
      ])
  }

  @Test("a number of one byte is no truth value, whatever it is")
  func bytes() {
    for number in Int8.min...Int8.max {
      defaults.setObject(NSNumber(value: number), forKey: "K")
      #expect(defaults.stringForKey("K") == String(number))
    }
  }

  @Test("an optional stands for the value in it, and is refused where there is none")
  func optionals() throws {
    let (truth, number) = (Bool?.some(true), NSNumber?.some(NSNumber(value: true)))
    defaults.setObject(
      [truth as Any, number as Any, Int??.some(5) as Any, String?.some("x") as Any], forKey: "K")
    #expect(defaults.stringArrayForKey("K") == ["YES", "YES", "5", "x"])
    #expect(throws: InvalidArgumentError.self) {
      try NSUserDefaults.checkObject(Bool?.none as Any, forKey: "K")
    }
  }

  @Test("errors tell the same to those who ask Foundation's way")
  func localizedDescriptions() throws {
    let error = try #require(throws: InvalidArgumentError.self) {
      try NSUserDefaults.checkObject(NSNull(), forKey: "K")
    }
    #expect(error.localizedDescription == error.reason)
    let databaseError: any Error = DatabaseError(.damaged, path: "p", message: "m")
    #expect(databaseError.localizedDescription == "p: m")
  }

  @Test("typed getters give nil or zero for values of another kind")
  func otherKinds() {
    defaults.setObject(Data([1]), forKey: "Data")
    defaults.setObject(["a", ["b"]] as [Any], forKey: "Mixed")
    defaults.setObject(["1", 2] as [Any], forKey: "Strings")
    defaults.setObject([:] as [String: Any], forKey: "Dictionary")
    #expect(defaults.stringForKey("Data") == nil)
    #expect(defaults.integerForKey("Data") == 0)
    #expect(!defaults.boolForKey("Dictionary"))
    #expect(defaults.dataForKey("Data") == Data([1]))
    #expect(defaults.arrayForKey("Data") == nil)
    #expect(defaults.arrayForKey("Mixed")?.count == 2)
    #expect(defaults.stringArrayForKey("Mixed") == nil)
    #expect(defaults.stringArrayForKey("Strings") == ["1", "2"])
    #expect(defaults.dictionaryForKey("Dictionary")?.isEmpty == true)
    #expect(defaults.dictionaryForKey("Mixed") == nil)
    #expect(defaults.objectForKey("Absent") == nil)
  }

  @Test("the search order is arguments, application, global domain, languages, registration domain")
  func searchOrder() throws {
    let defaults = NSUserDefaults(inMemoryWithApplicationName: "App", arguments: ["App", "-K", "argument"])
    #expect(defaults.searchList().prefix(3) == ["NSArgumentDomain", "App", "NSGlobalDomain"])
    #expect(defaults.searchList().suffix(2) == ["English", "NSRegistrationDomain"])
    defaults.registerDefaults(["K": "registered", "NSDecimalSeparator": "registered"])
    try defaults.setPersistentDomain(["K": "global"], forName: NSGlobalDomain)
    defaults.setObject("application", forKey: "K")
    for expected in ["argument", "application", "global", "registered"] {
      #expect(defaults.stringForKey("K") == expected)
      #expect(defaults.dictionaryRepresentation()["K"] as? String == expected)
      switch expected {
      case "argument": defaults.removeVolatileDomainForName(NSArgumentDomain)
      case "application": defaults.removeObjectForKey("K")
      default: defaults.removePersistentDomainForName(NSGlobalDomain)
      }
    }
    #expect(defaults.stringForKey("NSDecimalSeparator") == ".")
  }

  @Test("init leaves the search list empty, and setters write to the application's domain all the same")
  func emptySearchList() {
    defaults.setSearchList([])
    defaults.setObject("x", forKey: "K")
    #expect(defaults.objectForKey("K") == nil)
    #expect(defaults.persistentDomainForName("App")?["K"] as? String == "x")
    defaults.setSearchList(["Nowhere", "App", "App", "NSGlobalDomain", "a/b", "a\0b"])
    #expect(defaults.searchList() == ["App", "App", "NSGlobalDomain"])
    #expect(defaults.stringForKey("K") == "x")
  }

  @Test("registered values are added key by key, and the domain comes back at the end of the list")
  func registering() {
    defaults.registerDefaults(["A": "1", "B": "1"])
    defaults.registerDefaults(["B": "2"])
    #expect(
      defaults.volatileDomainForName(NSRegistrationDomain) as? [String: String] == ["A": "1", "B": "2"])
    defaults.removeVolatileDomainForName(NSRegistrationDomain)
    #expect(defaults.objectForKey("A") == nil)
    defaults.setSearchList(["App"])
    defaults.registerDefaults(["C": "3"])
    #expect(defaults.searchList() == ["App", "NSRegistrationDomain"])
    #expect(defaults.stringForKey("C") == "3")
  }

  @Test("a domain that exists is not replaced")
  func existingDomains() throws {
    try defaults.setVolatileDomain(["a": "1"], forName: "V")
    #expect(throws: InvalidArgumentError.self) { try defaults.setVolatileDomain(["b": "2"], forName: "V") }
    #expect(throws: InvalidArgumentError.self) { try defaults.setPersistentDomain(["b": "2"], forName: "V") }
    #expect(throws: InvalidArgumentError.self) { try defaults.setVolatileDomain([:], forName: "App") }
    #expect(throws: InvalidArgumentError.self) {
      try defaults.setVolatileDomain([:], forName: NSGlobalDomain)
    }
    try defaults.setPersistentDomain(["a": "1"], forName: "P")
    #expect(throws: InvalidArgumentError.self) { try defaults.setPersistentDomain(["b": "2"], forName: "P") }
    #expect(throws: InvalidArgumentError.self) { try defaults.setVolatileDomain([:], forName: "P") }
    #expect(defaults.volatileDomainForName("V") as? [String: String] == ["a": "1"])
    #expect(defaults.persistentDomainForName("P") as? [String: String] == ["a": "1"])
    #expect(defaults.volatileDomainForName("P") == nil)
    #expect(defaults.persistentDomainForName("V") == nil)
    defaults.removePersistentDomainForName("P")
    #expect(defaults.persistentDomainForName("P") == nil)
    try defaults.setPersistentDomain([:], forName: "P")
    try defaults.setPersistentDomain(["c": "3"], forName: "P")
    #expect(defaults.persistentDomainNames() == ["App", "NSGlobalDomain", "P"])
  }

  @Test(
    "a name that no file can have is refused with a reason",
    arguments: ["", "a\0b", String(repeating: "é", count: 125), String(repeating: "/", count: 84)])
  func refusedNames(name: String) {
    #expect(throws: InvalidArgumentError.self) { try defaults.setPersistentDomain(["a": "1"], forName: name) }
    #expect(defaults.persistentDomainForName(name) == nil)
    defaults.removePersistentDomainForName(name)
  }

  @Test(
    "a domain's name may hold “/”, and is listed as it was given",
    arguments: ["a/b", "../evil", "/abs", "a%2Fb"])
  func namesWithSlashes(name: String) throws {
    try defaults.setPersistentDomain(["a": "1"], forName: name)
    #expect(defaults.persistentDomainForName(name)?["a"] as? String == "1")
    #expect(defaults.persistentDomainNames().contains(name))
    defaults.setSearchList([name])
    #expect(defaults.stringForKey("a") == "1")
    defaults.removePersistentDomainForName(name)
    #expect(defaults.persistentDomainForName(name) == nil)
  }

  @Test("what is no property list is named with its key, its path and its type")
  func checkedObjects() throws {
    let value: [String: Any] = ["list": [1, NSNull()] as [Any]]
    let error = try #require(throws: InvalidArgumentError.self) {
      try NSUserDefaults.checkObject(value, forKey: "K")
    }
    #expect(error.reason.hasPrefix("the value for the key \"K\"[\"list\"][1] is of type NSNull"))
    #expect(throws: InvalidArgumentError.self) { try NSUserDefaults.checkObject("x", forKey: "") }
    for refused: Any in [URL(fileURLWithPath: "/"), NSObject(), [1: 2], Set(["a"]), [Int?.none], Int128.max] {
      #expect(throws: InvalidArgumentError.self) { try NSUserDefaults.checkObject(refused, forKey: "K") }
    }
    try NSUserDefaults.checkObject(nil, forKey: "")
    #expect(throws: InvalidArgumentError.self) {
      try defaults.setVolatileDomain(["a": NSNull()], forName: "V")
    }
    #expect(defaults.volatileDomainForName("V") == nil)
  }

  @Test("containers nest 500 deep and no deeper")
  func depth() throws {
    var value: Any = "x"
    for _ in 0..<500 { value = [value] }
    defaults.setObject(value, forKey: "K")
    #expect(defaults.arrayForKey("K") != nil)
    #expect(throws: InvalidArgumentError.self) { try NSUserDefaults.checkObject([value], forKey: "K") }
    #expect(throws: InvalidArgumentError.self) { try NSUserDefaults.checkObject(["a": value], forKey: "K") }
    for _ in 0..<100_000 { value = [value] }
    #expect(throws: InvalidArgumentError.self) { try NSUserDefaults.checkObject(value, forKey: "K") }
    // From the outside, one by one: freed at once it would take the stack that the nesting has.
    while let inner = (value as? [Any])?.first { value = inner }
  }

  @Test("setting what is no property list stops the program")
  func refusedObject() async {
    await #expect(processExitsWith: .failure) {
      NSUserDefaults(inMemoryWithApplicationName: "App").setObject(NSNull(), forKey: "K")
    }
    await #expect(processExitsWith: .failure) {
      NSUserDefaults(inMemoryWithApplicationName: "App").setObject("x", forKey: "")
    }
  }

  @Test("setting nil removes the key, and an empty key with nil does nothing")
  func settingNil() {
    defaults.setObject("x", forKey: "K")
    defaults.setObject(nil, forKey: "K")
    defaults.setObject(nil, forKey: "")
    #expect(defaults.persistentDomainForName("App")?.isEmpty == true)
  }

  @Test("keys and strings that only Swift takes for equal are kept apart")
  func canonicallyEquivalent() {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    defaults.setObject("1", forKey: composed)
    defaults.setObject("2", forKey: decomposed)
    #expect(defaults.stringForKey(composed) == "1")
    #expect(defaults.stringForKey(decomposed) == "2")
    defaults.setObject(composed, forKey: "K")
    defaults.setObject(decomposed, forKey: "K")
    #expect(defaults.stringForKey("K")?.unicodeScalars.count == 2)
  }

  @Test("an unknown user has no object, the current user has the usual database")
  func users() {
    #expect(NSUserDefaults(user: "no such user") == nil)
  }
}

// Unchecked like its superclass, whose promise a subclass has to restate.
/// A subclass overrides two methods, and all others follow.
private final class Recording: NSUserDefaults, @unchecked Sendable {
  // Touched by one test's thread only.
  var stored: [String: Any] = [:]

  override func objectForKey(_ key: String) -> Any? { stored[key] }
  override func setObject(_ value: Any?, forKey key: String) { stored[key] = value }
}

struct SubclassTests {
  @Test("the typed getters go by way of objectForKey and the typed setters by way of setObject")
  func overriding() {
    let defaults = Recording(inMemoryWithApplicationName: "App")
    defaults.setBool(true, forKey: "B")
    defaults.setInteger(7, forKey: "I")
    defaults.setFloat(0.5, forKey: "F")
    defaults.setDouble(0.25, forKey: "D")
    #expect(defaults.stored as? [String: String] == ["B": "YES", "I": "7", "F": "0.5", "D": "0.25"])
    defaults.stored["L"] = ["a", "b"]
    defaults.stored["M"] = ["k": "v"]
    defaults.stored["X"] = Data([1])
    #expect(defaults.boolForKey("B"))
    #expect(defaults.integerForKey("I") == 7)
    #expect(defaults.floatForKey("F") == 0.5)
    #expect(defaults.doubleForKey("D") == 0.25)
    #expect(defaults.stringForKey("B") == "YES")
    #expect(defaults.arrayForKey("L")?.count == 2)
    #expect(defaults.stringArrayForKey("L") == ["a", "b"])
    #expect(defaults.dictionaryForKey("M") as? [String: String] == ["k": "v"])
    #expect(defaults.dataForKey("X") == Data([1]))
  }

  @Test("a program with the name of a language finds its own settings")
  func applicationNamedAsLanguage() throws {
    let defaults = NSUserDefaults(inMemoryWithApplicationName: "English")
    defaults.setObject("x", forKey: "K")
    #expect(defaults.stringForKey("K") == "x")
  }

  @Test("an application name that no domain can have stops the program")
  func refusedApplicationName() async throws {
    await #expect(processExitsWith: .failure) {
      _ = NSUserDefaults(inMemoryWithApplicationName: "a\0b")
    }
  }
}
