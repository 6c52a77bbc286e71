import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// Absent, of another type, and really there: a typed read tells them apart.
struct TypedReadTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func opened(arguments: [String] = []) -> UserDefaults {
    UserDefaults(directory: home.path, applicationName: "App", arguments: arguments)
  }

  @Test("zero, false and the empty string are values, and what is absent is nil")
  func zero() throws {
    let defaults = opened()
    defaults.set(0, forKey: "i")
    defaults.set(false, forKey: "b")
    defaults.set("", forKey: "s")
    #expect(try defaults.value(forKey: "i", as: Int.self) == 0)
    #expect(try defaults.value(forKey: "b", as: Bool.self) == false)
    #expect(try defaults.value(forKey: "s", as: String.self)?.isEmpty == true)
    #expect(try defaults.value(forKey: "none", as: Int.self) == nil)
    #expect(try defaults.value(forKey: "none", as: String.self) == nil)
  }

  @Test("what every type sets is read as that type")
  func types() throws {
    let defaults = opened()
    let date = Date(timeIntervalSinceReferenceDate: 0.25)
    let url = try #require(URL(string: "https://example.org/a?b#c"))
    defaults.set(Float(0.1), forKey: "f")
    defaults.set(0.1, forKey: "d")
    defaults.set(UInt64.max, forKey: "u")
    defaults.set(date, forKey: "t")
    defaults.set(Data([1, 2]), forKey: "x")
    defaults.set(url, forKey: "l")
    defaults.set([1, 2], forKey: "a")
    defaults.set(["k": ["v"]], forKey: "m")
    #expect(try defaults.value(forKey: "f", as: Float.self) == 0.1)
    #expect(try defaults.value(forKey: "d", as: Double.self) == 0.1)
    #expect(try defaults.value(forKey: "d", as: CGFloat.self) == 0.1)
    #expect(try defaults.value(forKey: "d", as: Decimal.self) == Decimal(string: "0.1"))
    #expect(try defaults.value(forKey: "u", as: UInt64.self) == .max)
    #expect(try defaults.value(forKey: "t", as: Date.self) == date)
    #expect(try defaults.value(forKey: "x", as: Data.self) == Data([1, 2]))
    #expect(try defaults.value(forKey: "l", as: URL.self) == url)
    #expect(try defaults.value(forKey: "a", as: [Int].self) == [1, 2])
    #expect(try defaults.value(forKey: "m", as: [String: [String]].self) == ["k": ["v"]])
  }

  @Test(
    "text of the classic class or the command line is a number, a truth value or a date if all of it reads so"
  )
  func text() throws {
    let arguments = [
      "x", "-i", "132", "-d", "0.8", "-y", "YES", "-n", "false", "-t", "2001-01-01 00:00:01 +0000",
    ]
    let defaults = opened(arguments: arguments)
    #expect(try defaults.value(forKey: "i", as: Int.self) == 132)
    #expect(try defaults.value(forKey: "i", as: UInt8.self) == 132)
    #expect(try defaults.value(forKey: "i", as: String.self) == "132")
    #expect(try defaults.value(forKey: "d", as: Double.self) == 0.8)
    #expect(try defaults.value(forKey: "d", as: CGFloat.self) == 0.8)
    #expect(try defaults.value(forKey: "d", as: Decimal.self) == Decimal(string: "0.8"))
    #expect(try defaults.value(forKey: "y", as: Bool.self) == true)
    #expect(try defaults.value(forKey: "n", as: Bool.self) == false)
    #expect(try defaults.value(forKey: "t", as: Date.self) == Date(timeIntervalSinceReferenceDate: 1))
  }

  @Test(
    "a value of another type is an error that names key, domain, type and value, and stays as it is",
    arguments: [("12 apples", "the string “12 apples”"), ("300", "the string “300”"), ("", "the string “”")])
  func wrongText(text: String, found: String) throws {
    let defaults = opened()
    defaults.set(text, forKey: "k")
    let error = #expect(throws: WrongTypeError.self) { try defaults.value(forKey: "k", as: Int8.self) }
    #expect(
      error?.description
        == "the value for the key “k” in the domain “App” is \(found), not of type Int8; it was left as it is"
    )
    #expect(defaults.string(forKey: "k") == text)
  }

  @Test("nothing is rounded, cut off or taken for another type")
  func inexact() {
    let defaults = opened()
    defaults.set(0.1, forKey: "d")
    defaults.set(2, forKey: "i")
    defaults.set([1, "a"] as [Any], forKey: "a")
    #expect(throws: WrongTypeError.self) { try defaults.value(forKey: "d", as: Int.self) }
    #expect(throws: WrongTypeError.self) { try defaults.value(forKey: "d", as: Float.self) }
    #expect(throws: WrongTypeError.self) { try defaults.value(forKey: "d", as: String.self) }
    #expect(throws: WrongTypeError.self) { try defaults.value(forKey: "i", as: Bool.self) }
    #expect(throws: WrongTypeError.self) { try defaults.value(forKey: "i", as: Date.self) }
    #expect(throws: WrongTypeError.self) { try defaults.value(forKey: "i", as: URL.self) }
    #expect(throws: WrongTypeError.self) { try defaults.value(forKey: "a", as: [Int].self) }
  }

  @Test("integer(forKey:) gives whole numbers as they are, the nearest limit for larger ones, and 0 for none")
  func integers() throws {
    let defaults = opened(arguments: ["x", "-text", "12 apples"])
    defaults.register(defaults: ["registered": 3])
    for (value, expected) in [
      (0, 0), (-1, -1), (Int.max, Int.max), (Int.min, Int.min), (UInt64.max, Int.max), (true, 1), (-2.9, -2),
      (1e300, Int.max), (Data([1]), 0), ("-7", -7),
    ] as [(Any, Int)] {
      defaults.set(value, forKey: "k")
      #expect(defaults.integer(forKey: "k") == expected, "\(value)")
    }
    #expect(defaults.integer(forKey: "text") == 12 && defaults.integer(forKey: "registered") == 3)
    #expect(defaults.integer(forKey: "none") == 0)
    // Read from a file, whose values are not made before somebody asks for them.
    try Data("{ i = <*I-5>; u = <*I18446744073709551615>; s = 42; }".utf8).write(
      to: URL(fileURLWithPath: home.path + "/Old.plist"))
    let old = UserDefaults(directory: home.path, applicationName: "Old")
    #expect(old.integer(forKey: "i") == -5 && old.integer(forKey: "i") == -5)
    #expect(old.integer(forKey: "u") == .max && old.integer(forKey: "s") == 42)
  }

  @Test("with a damaged file nobody can tell whether a key is absent, until the program replaces the domain")
  func damaged() throws {
    try Data("{ k = 1; l = ".utf8).write(to: URL(fileURLWithPath: home.path + "/App.plist"))
    let defaults = opened(arguments: ["x", "-given", "5"])
    let error = #expect(throws: (any Error).self) { try defaults.value(forKey: "k", as: Int.self) }
    #expect("\(String(describing: error))".contains("App.plist:1:14"))
    #expect(try defaults.value(forKey: "given", as: Int.self) == 5)
    defaults.set(7, forKey: "new")
    #expect(try defaults.value(forKey: "new", as: Int.self) == 7)
    defaults.setPersistentDomain([:], forName: "App")
    #expect(try defaults.value(forKey: "k", as: Int.self) == nil)
  }

  @Test("what cannot be read is an error, and not an absent key")
  func unreadable() throws {
    try FileManager.default.createDirectory(
      atPath: home.path + "/App.plist", withIntermediateDirectories: false)
    let defaults = opened()
    let error = #expect(throws: (any Error).self) { try defaults.value(forKey: "k", as: Int.self) }
    #expect("\(String(describing: error))".contains("App.plist"))
    #expect(defaults.integer(forKey: "k") == 0)
  }

  // Unchecked like its superclass, whose promise a subclass has to restate.
  /// A mock, as programs write them.
  private final class Mock: UserDefaults, @unchecked Sendable {
    override func object(forKey defaultName: String) -> Any? { defaultName == "k" ? 5 : nil }
  }

  @Test("a subclass's values are read as well")
  func subclass() throws {
    let mock = Mock(directory: home.path, applicationName: "App")
    mock.set(7, forKey: "stored")
    #expect(try mock.value(forKey: "k", as: Int.self) == 5)
    #expect(try mock.value(forKey: "stored", as: Int.self) == nil)
    #expect(throws: WrongTypeError.self) { try mock.value(forKey: "k", as: Data.self) }
  }

  // It was nil, as if all files had been read.
  @Test("a key is not absent for certain where a file has appeared, or was exchanged, that cannot be read")
  func unreadableSince() throws {
    for (name, text) in [("New", nil), ("Old", "{ a = 1; }")] {
      if let text { try home.write(text, to: "\(name).plist") }
      let defaults = UserDefaults(directory: home.path, applicationName: name, arguments: [])
      #expect(try defaults.value(forKey: "k", as: Int.self) == nil)
      // More bytes than a domain's file may have, all of them in a hole.
      try home.write("", to: "new file")
      #expect(truncate(home.path("new file"), (1 << 30) + 1) == 0)
      #expect(rename(home.path("new file"), home.path("\(name).plist")) == 0)
      #expect(!defaults.synchronize())
      #expect(throws: DatabaseError.self) { try defaults.value(forKey: "k", as: Int.self) }
    }
  }
}
