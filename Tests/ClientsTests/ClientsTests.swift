import ClassicClient
import Foundation
import GNUstepClient
import ModernClient
import OpenStepDefaults
import Testing
import TypedClient
import UserDefaultsCompat

// Each module that uses the class has this line; one that a library made public would be ambiguous here.
typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// Programs that import one product each, and have extensions of their own.
///
/// That they compile is most of what is tested.
@Suite
struct ClientsTests {
  private let defaults = UserDefaults.inMemory()

  @Test("an extension of a program's own is called, and not what the class has under the same name")
  func extensions() {
    for answer in clientsOwn(defaults) + clientsOwnTyped(defaults) { #expect(answer == "the client's") }
    #expect(
      usesOwnCategory(NSUserDefaults(inMemoryWithApplicationName: "App"))
        == ["the client's", "the client's", "true"])
  }

  @Test("a subclass may have members of the same names and types")
  func subclass() throws {
    let own = ClientsDefaults(directory: "/nonexistent/OpenStepDefaults")
    #expect(own.lastError != nil)
    #expect(try own.value(forKey: "k", as: String.self) == "the client's")
    #expect(ClientsDefaults.inMemory() as String == "the client's")
    try ClientsDefaults.validate(Object())
    #expect(throws: InvalidArgumentError.self) { try UserDefaults.validate(Object()) }
  }

  @Test("a mock that is written for Apple's class compiles, and is made as it says")
  func mock() {
    MockUserDefaults.resetStandardUserDefaults()
    #expect(MockUserDefaults().suite == "Mock")
  }

  private final class Object {}

  @Test("a module without such extensions has the class's own")
  func own() throws {
    defaults.set(3, forKey: "launches")
    #expect(launches(defaults) == 3)
    #expect(try defaults.value(forKey: "launches", as: Int.self) == 3)
    #expect(defaults.lastError == nil)
    let observation: UserDefaultsObservation = defaults.observe("launches") { _, _ in }
    observation.invalidate()
  }

  @Test("errors are told apart by a program that imports one product")
  func errors() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try "{ a = 1; b = ".write(toFile: folder + "/App.plist", atomically: true, encoding: .utf8)
    let broken = UserDefaults(directory: folder, applicationName: "App")
    let error = try #require(broken.lastError)
    for text in [describeClassic(error), describeModern(error), describeTyped(error), describeGNUstep(error)]
    {
      #expect(text == "damaged: \(folder)/App.plist: 1")
    }
    #expect {
      try UserDefaults.validate(Object())
    } throws: { error in
      describeModern(error).contains("no property list") && describeModern(error) == describeClassic(error)
    }
    #expect(kind(of: "text") == "text")
  }

  @Test("files of property lists and objects of any type are for programs that import one product")
  func propertyLists() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (path, copy) = (folder + "/list", folder + "/copy")
    try "{ Columns = <*I80>; Name = x; }".write(toFile: path, atomically: true, encoding: .utf8)
    let classic = try copyClassic(path, to: copy)
    #expect(classic["Columns"] as? String == "80" && classic["int"] as? Int32 == 80)
    let typed = try PropertyListSerialization.propertyList(
      from: Data(contentsOf: URL(fileURLWithPath: copy)), format: nil)
    #expect((typed as? [String: Any])?["Columns"] as? Int == 80)
    let answers = try copyGNUstep(path, to: copy, in: folder + "/Defaults")
    #expect(answers[0] as? Int == 80 && answers[1] as? Bool == true && answers[2] as? String == "80")
    #expect((answers[3] as? [String: Any])?["Name"] as? String == "x")
    #expect(try String(contentsOfFile: copy, encoding: .utf8).contains("Columns = <*I80>;"))
  }
}

// Unchecked like its superclass, whose promise a subclass has to restate.
/// A subclass with members of the same names and types.
private final class ClientsDefaults: UserDefaultsCompat.UserDefaults, @unchecked Sendable {
  var lastError: (any Error)? { CocoaError(.fileNoSuchFile) }
  class func validate(_ value: Any?, forKey defaultName: String = "value") throws {}
  func value<Value>(forKey key: String, as type: Value.Type) throws -> Value? {
    "the client's" as? Value
  }
  static func inMemory(applicationName: String? = nil, arguments: [String] = []) -> String {
    "the client's"
  }
}
