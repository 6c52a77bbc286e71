import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing
import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

// Unchecked, because it adds nothing to its superclass.
private final class Subclass: UserDefaultsCompat.UserDefaults, @unchecked Sendable {}

/// Changes of values that another program has stored, which an object does not show in full, or no setter takes.
struct OtherProgramsValuesTests {
  private let home: TemporaryHome
  private let composed = "\u{E9}"
  private let decomposed = "e\u{301}"

  init() throws {
    home = try TemporaryHome()
  }

  private func opened() -> UserDefaults {
    UserDefaults(directory: home.path, applicationName: "App", arguments: [])
  }

  private func write(_ value: PropertyList, named name: String = "App") throws {
    var changes = DomainChanges()
    changes.set(value, for: "n")
    _ = try UserDatabase(directory: home.path).commit(changes, to: DomainName(name), onDamage: .refuse)
  }

  /// The value that is on the disk after a save.
  private func saved(_ defaults: UserDefaults, named name: String = "App") throws -> PropertyList? {
    #expect(defaults.synchronize())
    return try UserDatabase(directory: home.path).load(DomainName(name)).values["n"]
  }

  // MARK: - Keys that are equal to Swift

  /// Two entries whose keys are equal to Swift, in a dictionary that is in another one and in an array.
  private var twins: PropertyList { [PropertyListKey(composed): "1", PropertyListKey(decomposed): "2"] }

  @Test("a change beside keys that are equal to Swift keeps both")
  func twinsBeside() throws {
    try write(["twins": twins, "list": [twins, "x"]])
    let defaults = opened()
    defaults.modify(forKey: "n") { _ = $0 }
    #expect(try saved(defaults) == ["twins": twins, "list": [twins, "x"]])
    defaults.setValue("1", forKeyPath: "n.new")
    defaults.modify(forKey: "n") { value in
      var entries = value as? [String: Any] ?? [:]
      entries["list"] = ["first"] + (entries["list"] as? [Any] ?? [])
      value = entries
    }
    defaults.setValue("deep", forKeyPath: "n.twins.other")
    let changed: [PropertyListKey: PropertyList] = [
      PropertyListKey(composed): "1", PropertyListKey(decomposed): "2", "other": "deep",
    ]
    #expect(
      try saved(defaults) == ["twins": .dictionary(changed), "list": ["first", twins, "x"], "new": "1"])
  }

  @Test("of such keys a program changes the one that it is shown, and removes both")
  func twinsThemselves() throws {
    try write(["twins": twins, "list": [twins]])
    let defaults = opened()
    let shown = try #require(defaults.value(forKeyPath: "n.twins.\(composed)") as? String)
    defaults.setValue("new", forKeyPath: "n.twins.\(composed)")
    defaults.setValue("new", forKeyPath: "n.list.\(decomposed)")
    var changed: [PropertyListKey: PropertyList] = [:]
    for (key, value) in [(composed, "1"), (decomposed, "2")] {
      changed[PropertyListKey(key)] = value == shown ? "new" : .string(value)
    }
    #expect(try saved(defaults) == ["twins": .dictionary(changed), "list": [.dictionary(changed)]])
    #expect(defaults.value(forKeyPath: "n.twins.\(decomposed)") as? String == "new")
    defaults.setValue(nil, forKeyPath: "n.twins.\(composed)")
    defaults.modify(forKey: "n") { value in
      var entries = value as? [String: Any] ?? [:]
      entries["list"] = [Any]()
      value = entries
    }
    #expect(try saved(defaults) == ["twins": [:], "list": []])
  }

  @Test("elements that are moved keep what is in them, and get nothing of others")
  func movedTwins() throws {
    let (first, other) = (twins, [PropertyListKey(decomposed): "3"] as PropertyList)
    try write([first, other, "x"])
    let defaults = opened()
    defaults.modify(forKey: "n") { $0 = Array((($0 as? [Any]) ?? []).reversed()) }
    #expect(try saved(defaults) == ["x", other, first])
  }

  @Test("keys with many combining marks that are equal to Swift keep their values", arguments: 0..<8)
  func equalMarks(number: Int) throws {
    let marks = String(repeating: "\u{316}", count: 299)
    let stored: PropertyList = [
      PropertyListKey("a\u{345}\u{316}\(marks)"): "1", PropertyListKey("a\u{316}\u{345}\(marks)"): "2",
      "z": "0",
    ]
    try write(stored)
    let defaults = opened()
    defaults.modify(forKey: "n") { value in
      var entries = value as? [String: Any] ?? [:]
      entries["z\(number)"] = "new"
      value = entries
    }
    guard case .dictionary(var expected) = stored else { throw CancellationError() }
    expected[PropertyListKey("z\(number)")] = "new"
    #expect(try saved(defaults) == .dictionary(expected))
  }

  /// Two entries whose keys are equal to Swift; of the shown one the value is given.
  private func record(
    _ shown: PropertyList, hidden: PropertyList, _ others: [PropertyListKey: PropertyList] = [:]
  )
    -> PropertyList
  {
    let keys = [PropertyListKey(composed), PropertyListKey(decomposed)].sorted()
    return .dictionary(others.merging([keys[1]: shown, keys[0]: hidden]) { first, _ in first })
  }

  private func change(_ body: @Sendable (inout [Any]) -> Void) throws -> PropertyList? {
    let defaults = opened()
    defaults.modify(forKey: "n") { value in
      var elements = value as? [Any] ?? []
      body(&elements)
      value = elements
    }
    return try saved(defaults)
  }

  private static func add(_ key: String, to element: inout Any) {
    var entries = element as? [String: Any] ?? [:]
    entries[key] = "new"
    element = entries
  }

  @Test("of elements that look alike each keeps what is in it", arguments: [0, 1, 2])
  func alike(index: Int) throws {
    try write([record("1", hidden: "a"), record("1", hidden: "b"), record("1", hidden: "c")])
    var expected: [PropertyList] = ["a", "b", "c"].map { record("1", hidden: .string($0)) }
    expected[index] = record("1", hidden: .string(["a", "b", "c"][index]), ["x": "new"])
    #expect(try change { Self.add("x", to: &$0[index]) } == .array(expected))
  }

  @Test("an element that is removed takes with it what is in it, and an added one gets nothing")
  func removedAndAdded() throws {
    let records = [
      record("1", hidden: "a"), record("3", hidden: "a"), record("1", hidden: "b"), record("1", hidden: "c"),
    ]
    try write(.array(records))
    #expect(try change { $0.removeFirst() } == .array(Array(records.dropFirst())))
    let added = try change {
      Self.add("x", to: &$0[0])
      $0.append("z")
    }
    #expect(added == .array([record("3", hidden: "a", ["x": "new"])] + records.dropFirst(2) + ["z"]))
  }

  @Test("the time to keep them grows with the size of the value, however deep it nests")
  func growthOfDeepValues() throws {
    let strings = PropertyList.array((0..<3000).map { .string("\($0)") })
    let ratio = try growth(from: 20, to: 400, bound: 6) { depth in
      let inner = (0..<depth).reduce(["twins": twins, "strings": strings] as PropertyList) { value, _ in
        [value]
      }
      try write(["twins": twins, "deep": inner])
      let defaults = opened()
      let start = threadTime()
      defaults.modify(forKey: "n") { value in
        var entries = value as? [String: Any] ?? [:]
        entries["x"] = "1"
        value = entries
      }
      return threadTime() - start
    }
    #expect(ratio < 6, "\(ratio)")
  }

  @Test("a key with many combining marks keeps its bytes")
  func marks() throws {
    let key = PropertyListKey("x" + repeatedMarks(1000))
    try write([key: "1", "other": "2"])
    let defaults = opened()
    defaults.modify(forKey: "n") { value in
      var entries = value as? [String: Any] ?? [:]
      entries["other"] = "3"
      value = entries
    }
    #expect(try saved(defaults) == [key: "1", "other": "3"])
  }

  // MARK: - Deep values

  private let deep = nested(900, inDictionaries: false)

  @Test("a value that nests more than a setter takes can be read, counted, and changed in an update")
  func deepUpdates() throws {
    try write(deep)
    let defaults = opened()
    #expect(defaults.modify(forKey: "n") { ($0 as? [Any])?.count } == 1)
    #expect(try saved(defaults) == deep)
    defaults.modify(forKey: "n") { $0 = ($0 as? [Any] ?? []) + ["more"] }
    guard case .array(let elements) = deep else { throw CancellationError() }
    #expect(try saved(defaults) == .array(elements + ["more"]))
  }

  @Test("such a value can be put into other containers, unless a file may not nest as many; that is refused")
  func wrapped() throws {
    try write(deep)
    let defaults = opened()
    defaults.modify(forKey: "n") { $0 = ["inner": $0 ?? ""] }
    #expect(try saved(defaults) == ["inner": deep])
    let deepest = nested(PropertyList.maximumDepth - 1, inDictionaries: false)
    try write(deepest, named: "Deepest")
    let other = UserDefaults(directory: home.path, applicationName: "Deepest", arguments: [])
    for count in [1, 2] {
      func wrap(_ defaults: UserDefaults) {
        defaults.modify(forKey: "n") { value in
          for _ in 0..<count { value = ["inner": value ?? ""] }
        }
      }
      wrap(other)
      let error = try #require(other.lastError as? DatabaseError)
      #expect(error.kind == .refused && error.path == "“n”", "\(error)")
      #expect(throws: DatabaseError.self) { try other.commit { wrap($0) } }
      #expect(try saved(other, named: "Deepest") == deepest)
    }
  }

  @Test("a path leads past such a value, and is refused where it would lead deeper than any setter may")
  func deepPaths() throws {
    try write(["deep": deep, "x": "0", "nested": nested(499, inDictionaries: false)])
    let defaults = opened()
    defaults.setValue("1", forKeyPath: "n.x")
    #expect(try saved(defaults) == ["deep": deep, "x": "1", "nested": nested(499, inDictionaries: false)])
    #expect(defaults.lastError == nil)
    let list = (0..<499).reduce(["k": "x"] as PropertyList) { value, _ in [value] }
    try write(list, named: "Deep")
    let other = UserDefaults(directory: home.path, applicationName: "Deep", arguments: [])
    other.setValue(["a": ["b": "c"]], forKeyPath: "n.k")
    let error = try #require(other.lastError as? DatabaseError)
    #expect(error.kind == .refused && error.path == "“n.k”", "\(error)")
    #expect(try saved(other, named: "Deep") == list)
    let subclass = Subclass(directory: home.path, applicationName: "Deep", arguments: [])
    subclass.setValue(["a": ["b": "c"]], forKeyPath: "n.k")
    #expect((subclass.lastError as? DatabaseError)?.path == "“n.k”")
    #expect(try saved(subclass, named: "Deep") == list)
  }

  @Test("in a subclass, whose setter takes no such value, the change is refused and reported")
  func deepInSubclass() throws {
    try write(["deep": deep, "x": "0"])
    let defaults = Subclass(directory: home.path, applicationName: "App", arguments: [])
    defaults.modify(forKey: "n") { _ = $0 }
    #expect((defaults.lastError as? DatabaseError)?.path == "“n”")
    defaults.setValue("1", forKeyPath: "n.x")
    #expect((defaults.lastError as? DatabaseError)?.kind == .refused)
    #expect(try saved(defaults) == ["deep": deep, "x": "0"])
  }

  // Foundation converts such values by recursion.
  @Test("a read as a class of Foundation's finds another type in a deep value, where the stack is small too")
  func deepReads() async throws {
    try write(deep)
    let defaults = opened()
    let refusals = await onThread(stack: 512 << 10) {
      func isRefused<Value>(_ type: Value.Type) -> Bool {
        (try? defaults.value(forKey: "n", as: type)) == nil
      }
      return [
        isRefused(NSNumber.self), isRefused(NSString.self), isRefused(NSDictionary.self),
        isRefused([NSNumber].self),
        isRefused([String: NSNumber].self),
      ]
    }
    #expect(refusals == Array(repeating: true, count: 5))
  }
}
