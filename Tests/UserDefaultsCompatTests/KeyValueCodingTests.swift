import Foundation
import TestSupport
import Testing
import UserDefaultsCompat

/// Key-value coding as Apple documents it for NSObject, NSDictionary, NSArray and NSUserDefaults.
@Suite
struct KeyValueCodingTests {
  private let defaults = UserDefaultsCompat.UserDefaults.inMemory()

  @Test("a path goes from a default into its dictionaries")
  func dictionaries() {
    defaults.set(["Size": ["Width": 640, "Height": 480], "Title": "Main"], forKey: "Window")
    #expect(defaults.value(forKeyPath: "Window.Size.Width") as? Int == 640)
    #expect(defaults.value(forKeyPath: "Window.Title") as? String == "Main")
    #expect(defaults.value(forKeyPath: "Window.Size") as? [String: Int] == ["Width": 640, "Height": 480])
    #expect(defaults.value(forKeyPath: "Window") as? [String: Any] != nil)
    #expect(defaults.value(forKeyPath: "Window.Depth") == nil)
    #expect(defaults.value(forKeyPath: "Window.Depth.Bits") == nil)
    #expect(defaults.value(forKeyPath: "Absent.Size") == nil)
    #expect(defaults.value(forKeyPath: "Window.@count") as? Int == 2)
    #expect(
      (defaults.value(forKeyPath: "Window.Size.@allKeys") as? [String])?.sorted() == ["Height", "Width"])
    #expect(defaults.value(forKeyPath: "Window.Size.self.Width") as? Int == 640)
  }

  @Test("a key with a dot is found by its name and not by a path")
  func dots() {
    defaults.set(1, forKey: "com.example.key")
    #expect(defaults.value(forKey: "com.example.key") as? Int == 1)
    #expect(defaults.value(forKeyPath: "com.example.key") == nil)
  }

  @Test("a path into an array asks each element, and NSNull stands for nothing")
  func arrays() {
    defaults.set([["Name": "a", "Size": 1], ["Name": "b"]], forKey: "Files")
    #expect(defaults.value(forKeyPath: "Files.Name") as? [String] == ["a", "b"])
    let sizes = defaults.value(forKeyPath: "Files.Size") as? [Any]
    #expect(sizes?.first as? Int == 1)
    #expect(sizes?.last is NSNull)
  }

  @Test("distinct dictionaries and arrays of many are found in linear time")
  func manyDistinct() {
    let growth = growth(from: 200, to: 1600, bound: 24) { count in
      let values = (0..<count).flatMap { [["x": ["y": $0 / 2]], ["x": [$0 / 2]]] as [[String: Any]] }
      defaults.set(values, forKey: "Many")
      let start = threadTime()
      let distinct = defaults.value(forKeyPath: "Many.@distinctUnionOfObjects.x") as? [Any]
      #expect(distinct?.count == count)
      return threadTime() - start
    }
    // In quadratic time it would be 64 times.
    #expect(growth < 24)
  }

  // Foundation's hash of data is that of its first 80 bytes.
  @Test("distinct data values that begin alike are found in linear time")
  func manyDistinctData() {
    let growth = growth(from: 100, to: 800, bound: 24) { count in
      let values = (0..<count).map { index in
        var data = Data(repeating: 0, count: 80)
        data.append(contentsOf: [
          UInt8(truncatingIfNeeded: index / 512), UInt8(truncatingIfNeeded: index / 2),
        ])
        return data
      }
      defaults.set(values, forKey: "Many")
      let start = threadTime()
      let distinct = defaults.value(forKeyPath: "Many.@distinctUnionOfObjects.self") as? [Data]
      #expect(distinct?.count == count / 2)
      return threadTime() - start
    }
    // In quadratic time it would be 64 times.
    #expect(growth < 24)
  }

  @Test("operators of arrays")
  func operators() {
    defaults.set(
      [["n": 3, "t": ["x", "y"], "s": "1.5"], ["n": 1, "t": ["y"]], ["n": 3, "t": ["z"]]], forKey: "List")
    #expect(defaults.value(forKeyPath: "List.@count") as? Int == 3)
    #expect(defaults.value(forKeyPath: "List.@sum.n") as? Int == 7)
    #expect(defaults.value(forKeyPath: "List.@sum.s") as? Double == 1.5)
    #expect(defaults.value(forKeyPath: "List.@avg.s") as? Double == 0.5)
    #expect(defaults.value(forKeyPath: "List.@min.n") as? Int == 1)
    #expect(defaults.value(forKeyPath: "List.@max.n") as? Int == 3)
    #expect(defaults.value(forKeyPath: "List.@unionOfObjects.n") as? [Int] == [3, 1, 3])
    #expect((defaults.value(forKeyPath: "List.@distinctUnionOfObjects.n") as? [Int])?.sorted() == [1, 3])
    #expect(defaults.value(forKeyPath: "List.@unionOfArrays.t") as? [String] == ["x", "y", "y", "z"])
    #expect(
      (defaults.value(forKeyPath: "List.@distinctUnionOfArrays.t") as? [String])?.sorted() == ["x", "y", "z"])
    defaults.set([1, 2.5], forKey: "Numbers")
    #expect(defaults.value(forKeyPath: "Numbers.@sum.self") as? Double == 3.5)
    defaults.set([Any](), forKey: "None")
    #expect(defaults.value(forKeyPath: "None.@count") as? Int == 0)
    #expect(defaults.value(forKeyPath: "None.@avg.self") as? Int == 0)
    #expect(defaults.value(forKeyPath: "None.@max.self") == nil)
  }

  @Test(
    "what another program may have stored ends no process",
    arguments: ["a", "a.b", "a.@sum", "a.@none.x", "a..b"])
  func nothing(path: String) {
    for value in ["text", 5, Date(), Data([1]), [1, "two", ["b": 1]]] as [Any] {
      defaults.set(value, forKey: "a")
      _ = defaults.value(forKeyPath: path)
    }
    defaults.set("text", forKey: "a")
    #expect(defaults.value(forKeyPath: "a.length") == nil)
    #expect(defaults.value(forKeyPath: "") == nil)
  }

  @Test("a path of any length is followed or refused, in linear time", .timeLimit(.minutes(20)))
  func longPaths() {
    defaults.set(["a": 1], forKey: "k")
    let selves = String(repeating: ".self", count: 100_000)
    #expect(defaults.value(forKeyPath: "k\(selves).a") as? Int == 1)
    #expect(defaults.value(forKeyPath: "k" + String(repeating: ".x", count: 100_000)) == nil)
    defaults.setValue(1, forKeyPath: "new" + String(repeating: ".x", count: 100_000))
    #expect(defaults.object(forKey: "new") == nil)
    #expect("\(String(describing: defaults.lastError))".contains("has more than 500 keys behind the first"))
    defaults.setValue(1, forKeyPath: "new" + String(repeating: ".x", count: 500))
    #expect(defaults.value(forKeyPath: "new" + String(repeating: ".x", count: 500)) as? Int == 1)
  }

  @Test("values are set and got by several keys at once, NSNull being nil")
  func several() {
    defaults.setValuesForKeys(["a": 1, "b": "two", "c.d": true])
    #expect(defaults.integer(forKey: "a") == 1)
    #expect(defaults.bool(forKey: "c.d"))
    defaults.setValuesForKeys(["a": NSNull(), "b": "three"])
    #expect(defaults.object(forKey: "a") == nil)
    let values = defaults.dictionaryWithValues(forKeys: ["a", "b", "c.d", "b"])
    #expect(values.count == 3)
    #expect(values["a"] is NSNull)
    #expect(values["b"] as? String == "three")
    #expect(values["c.d"] as? Bool == true)
  }

  @Test("a subclass that overrides one key's methods is asked for all")
  func subclass() {
    // Unchecked like its superclass, whose promise a subclass has to restate.
    final class Shouting: UserDefaultsCompat.UserDefaults, @unchecked Sendable {
      override func object(forKey defaultName: String) -> Any? {
        (super.object(forKey: defaultName) as? String)?.uppercased()
      }
    }
    let shouting = Shouting(directory: "/nonexistent/OpenStepDefaults", arguments: ["x", "-a", "text"])
    #expect(shouting.value(forKeyPath: "a") as? String == "TEXT")
    #expect(shouting.dictionaryWithValues(forKeys: ["a"])["a"] as? String == "TEXT")
  }

  // MARK: - Setting by a path

  @Test("a value is set inside the dictionaries of a default, and the rest of them stays")
  func settingInside() {
    defaults.set(["Size": ["Width": 640, "Height": 480], "Title": "Main"], forKey: "Window")
    defaults.setValue(800, forKeyPath: "Window.Size.Width")
    let expected: [String: Any] = ["Size": ["Width": 800, "Height": 480], "Title": "Main"]
    #expect((defaults.object(forKey: "Window") as? NSDictionary)?.isEqual(expected) == true)
    defaults.setValue("text", forKeyPath: "Plain")
    #expect(defaults.string(forKey: "Plain") == "text")
    defaults.setValue(nil, forKeyPath: "Window.Size.Width")
    defaults.setValue(nil, forKeyPath: "Plain")
    #expect(defaults.value(forKeyPath: "Window.Size") as? [String: Int] == ["Height": 480])
    #expect(defaults.object(forKey: "Plain") == nil)
  }

  @Test("dictionaries that are missing on the way are made for a value, and not for nil")
  func settingMissing() {
    defaults.setValue(1, forKeyPath: "a.b.c")
    #expect(defaults.object(forKey: "a") as? [String: [String: Int]] == ["b": ["c": 1]])
    defaults.setValue(nil, forKeyPath: "d.e.f")
    defaults.setValue(nil, forKeyPath: "a.x.y")
    #expect(defaults.object(forKey: "d") == nil)
    #expect(defaults.object(forKey: "a") as? [String: [String: Int]] == ["b": ["c": 1]])
    #expect(defaults.lastError == nil)
  }

  @Test("in an array each element is changed, or none")
  func settingInArrays() {
    defaults.set([["n": 1], ["m": ["k": 2]]], forKey: "List")
    defaults.setValue(5, forKeyPath: "List.m.k")
    #expect(
      (defaults.array(forKey: "List") as NSArray?)?.isEqual([["n": 1, "m": ["k": 5]], ["m": ["k": 5]]])
        == true)
    defaults.set([["n": 1], "text"] as [Any], forKey: "List")
    defaults.setValue(5, forKeyPath: "List.n")
    #expect((defaults.array(forKey: "List") as NSArray?)?.isEqual([["n": 1], "text"] as [Any]) == true)
    #expect(defaults.lastError != nil)
  }

  @Test(
    "a path that leads nowhere changes nothing, and the reason is told",
    arguments: ["a.text.x", "a.number.x", "a.@count", "a.self", "a.list.@sum.n"])
  func settingNowhere(path: String) {
    let value: [String: Any] = ["text": "t", "number": 5, "list": [["n": 1]]]
    defaults.set(value, forKey: "a")
    defaults.setValue(1, forKeyPath: path)
    #expect((defaults.object(forKey: "a") as? NSDictionary)?.isEqual(value) == true)
    #expect((defaults.lastError as? DatabaseError)?.path == "“\(path)”")
  }
}
