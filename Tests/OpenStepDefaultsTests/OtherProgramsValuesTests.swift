import DefaultsDatabase
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

// Unchecked, because it adds nothing to its superclass.
private final class Subclass: NSUserDefaults, @unchecked Sendable {}

/// Changes of values that another program has stored, which an object does not show in full, or no setter takes.
struct OtherProgramsValuesTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func write(_ value: PropertyList) throws {
    var changes = DomainChanges()
    changes.set(value, for: "n")
    _ = try UserDatabase(directory: home.path).commit(changes, to: DomainName("App"), onDamage: .refuse)
  }

  /// The value that is on the disk after a save.
  private func saved(_ defaults: NSUserDefaults) throws -> PropertyList? {
    #expect(defaults.synchronize())
    return try UserDatabase(directory: home.path).load(DomainName("App")).values["n"]
  }

  @Test("an update beside keys that are equal to Swift keeps both")
  func twins() throws {
    let twins: PropertyList = ["\u{E9}": "1", "e\u{301}": "2"]
    try write(["twins": twins, "x": "0"])
    let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    defaults.modifyObjectForKey("n") { value in
      var entries = value as? [String: Any] ?? [:]
      entries["x"] = "1"
      value = entries
    }
    #expect(try saved(defaults) == ["twins": twins, "x": "1"])
  }

  @Test("an update of a value that nests more than a setter takes keeps it; a subclass's is refused")
  func deep() throws {
    let deep = nested(900, inDictionaries: false)
    try write(["deep": deep, "x": "0"])
    func setX(_ defaults: NSUserDefaults) {
      defaults.modifyObjectForKey("n") { value in
        var entries = value as? [String: Any] ?? [:]
        entries["x"] = "1"
        value = entries
      }
    }
    let subclass = Subclass(directory: home.path, applicationName: "App")
    setX(subclass)
    let error = try #require(subclass.lastError as? DatabaseError)
    #expect(error.kind == .refused && error.path == "“n”", "\(error)")
    #expect(try saved(subclass) == ["deep": deep, "x": "0"])
    let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    setX(defaults)
    #expect(try saved(defaults) == ["deep": deep, "x": "1"])
  }

  @Test(
    "an update is refused whose result nests more than a file may, and so is the commit in which it is made")
  func tooDeep() throws {
    let deepest = nested(PropertyList.maximumDepth - 1, inDictionaries: false)
    try write(deepest)
    let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    for count in [1, 2] {
      func wrap(_ defaults: NSUserDefaults) {
        defaults.modifyObjectForKey("n") { value in
          for _ in 0..<count { value = ["inner": value ?? ""] }
        }
      }
      wrap(defaults)
      let error = try #require(defaults.lastError as? DatabaseError)
      #expect(error.kind == .refused && error.path == "“n”", "\(error)")
      #expect(throws: DatabaseError.self) { try defaults.commit { wrap($0) } }
      #expect(try saved(defaults) == deepest)
      #expect(defaults.lastError == nil)
    }
  }
}
